/** Both engines print every number as JavaScript does. */

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { product } from '../../src/catalog/product.ts';
import { planList } from '../../src/plan/list.ts';
import { engines } from '../support/engines.ts';
import { addAccount, listPage, load, planned } from '../support/fixture.ts';
import { rounds } from '../support/rounds.ts';
import { sharedStore } from '../support/shared.ts';

const plan = planned(planList(product, { values: { fields: 'list_price', limit: '1000' }, continuations: [] }));

const between = (min: number, max: number) => fc.integer({ min, max });

const numbers = fc.oneof(
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  // From the smallest to the largest magnitude, with few digits and with many.
  fc.tuple(between(-9_999, 9_999), between(-330, 304)).map(([digits, exponent]) => Number(`${digits}e${exponent}`)),
  fc.tuple(fc.maxSafeInteger(), between(-340, 292)).map(([digits, exponent]) => Number(`${digits}e${exponent}`)),
  // Here the shortest digits often lie exactly between two doubles.
  fc.tuple(between(-9_999, 9_999), between(12, 36)).map(([digits, exponent]) => Number(`${digits}e${exponent}`)),
  fc.tuple(fc.maxSafeInteger(), between(1, 24)).map(([digits, exponent]) => Number(`${digits}e${exponent}`)),
);

describe.each(engines)('on $name', (engine) => {
  const opened = sharedStore(engine);
  let accounts = 0;

  async function printed(values: readonly number[]): Promise<string | undefined> {
    accounts += 1;
    const account = await addAccount(opened.store, `numbers-${accounts}`);
    const records = values.map((value, index) => ({ id: index + 1, name: 'A', list_price: value }));
    await load(opened.store, account, product, records);
    return (await listPage(opened.store, account.id, plan))?.records;
  }
  const expected = (values: readonly number[]) =>
    values.map((value) => JSON.stringify({ list_price: value })).join(',');

  test.each([
    ['integers', [0, -0, 1, -1, 10, 1e15, 999999999999999, 2 ** 53 - 1, 2 ** 53, 2 ** 53 + 2]],
    ['where exponents begin', [1e20, 1e21, -1e21, 123456789012345680000, 999999999999999900000, 1e-6, 1e-7, 9.99e-7]],
    ['the limits of doubles', [5e-324, 2.2250738585072014e-308, 1.7976931348623157e308, -1.7976931348623157e308]],
    ['fractions', [0.1, 0.2, 0.1 + 0.2, 1 / 3, 0.0001, 0.00001, 123456789.12345679, 1e15 + 0.5]],
    ['digits between two doubles', [1.15e22, -1.15e22, 18014398509482008, 9.5367431640625e29, 5e23, 1e23]],
  ])('%s are printed as JavaScript does', async (_, values) => {
    expect(await printed(values)).toBe(expected(values));
  });

  test('any number', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(numbers, { minLength: 500, maxLength: 1_000 }), async (values) => {
        expect(await printed(values)).toBe(expected(values));
      }),
      // Looking for the number in question is faster by eye than by shrinking.
      { numRuns: rounds(5, 15), endOnFailure: true },
    );
  });
});
