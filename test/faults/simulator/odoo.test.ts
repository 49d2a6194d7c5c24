/** The Odoo of a simulation has transactions. */

import { expect, test } from 'vitest';
import { seededRandom } from '../../support/random.ts';
import { SimulatedOdoo } from './odoo.ts';
import { firstDifference } from './odoo-run.ts';
import { MINUTE, SECOND, SimulatedTime } from './time.ts';

function openOdoo(): { readonly time: SimulatedTime; readonly odoo: SimulatedOdoo } {
  const random = seededRandom('Odoo');
  const time = new SimulatedTime(random);
  return { time, odoo: new SimulatedOdoo(time, random, () => {}) };
}

function everything(odoo: SimulatedOdoo): string {
  return JSON.stringify((['product', 'partner', 'company'] as const).map((name) => odoo.rows(name)));
}

test('nobody sees what has not been committed, and then with the time at which it began', async () => {
  const { time, odoo } = openOdoo();
  const before = everything(odoo);
  await time.pass(MINUTE);
  for (let n = 0; n < 10; n += 1) odoo.begin('writes', 30 * SECOND);
  await time.pass(29 * SECOND);
  expect(everything(odoo)).toBe(before);
  expect(odoo.open).toBe(10);
  const first = odoo.latestWrite;
  await time.pass(2 * SECOND);
  expect(everything(odoo)).not.toBe(before);
  expect(odoo.open).toBe(0);
  const began = Date.parse(`${odoo.latestWrite.replace(' ', 'T')}Z`) - Date.parse(`${first.replace(' ', 'T')}Z`);
  expect(began).toBe(MINUTE);
});

test('differences are found', () => {
  const rows = [
    { id: 1, name: 'a' },
    { id: 2, name: 'b' },
  ];
  expect(firstDifference(rows, rows)).toBeUndefined();
  expect(firstDifference(rows, rows.slice(1))).toBe('record 1 is missing');
  expect(firstDifference(rows.slice(1), rows)).toBe('record 1 should not be there');
  expect(firstDifference(rows, [...rows, { id: 2, name: 'b' }])).toBe('a record is there twice');
  expect(
    firstDifference(rows, [
      { id: 1, name: 'x' },
      { id: 2, name: 'b' },
    ]),
  ).toBe('name of record 1 is "x", not "a"');
});
