/** Values in filters, by their type. */

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Mismatch } from '../../src/catalog/value.ts';
import { type ValueType, valueTypes } from '../../src/catalog/value-types.ts';

const readValue = (type: ValueType, text: string) => valueTypes[type].read(text);

test.each<[ValueType, string, unknown]>([
  ['text', '', ''],
  ['text', ' a ', ' a '],
  ['boolean', 'TRUE', true],
  ['boolean', 'False', false],
  ['number', '0', 0],
  ['number', '-0', 0],
  ['number', '+1.50', 1.5],
  ['number', '.5', 0.5],
  ['number', '1E+3', 1000],
  ['number', '5e-324', 5e-324],
  ['number', '1e400', Infinity],
  ['number', '0.1000000000000000055511151231257827', 0.1],
  ['integer', '7', 7],
  ['integer', '007', 7],
  ['integer', '7.000', 7],
  ['integer', '70e-1', 7],
  ['integer', '0.7e1', 7],
  ['integer', '0e-99', 0],
  ['integer', '-9007199254740991', -9007199254740991],
  ['integer', '1e400', 2 ** 53],
  ['integer', '-1e400', -(2 ** 53)],
])('%s %j is %j', (type, text, value) => {
  expect(readValue(type, text)).toBe(value);
});

test.each<[ValueType, string, string | undefined]>([
  ['boolean', '1', 'true'],
  ['boolean', 'no', 'false'],
  ['boolean', '', undefined],
  ['number', '', undefined],
  ['number', '.', undefined],
  ['number', '5.', undefined],
  ['number', 'e5', undefined],
  ['number', '1e', undefined],
  ['number', '--1', undefined],
  ['number', '0x1F', undefined],
  ['number', '１', undefined],
  ['number', '1,000.5', '1000.5'],
  ['number', '1_000', '1000'],
  ['number', '= 5', undefined],
  ['number', '1,5', '1.5'],
  ['number', '€5', undefined],
  ['integer', '7.5', undefined],
  ['integer', '7e-1', undefined],
  ['integer', '7.00000000000000000000000001', undefined],
  ['timestamp', '2026-01-31 09:30', '2026-01-31T09:30'],
  ['timestamp', '2026-01-31T09:30:00 02:00', '2026-01-31T09:30:00+02:00'],
  ['timestamp', '2026-01-31T09:30z', '2026-01-31T09:30Z'],
  ['timestamp', '31.1.2026', '2026-01-31'],
  ['timestamp', '2026/1/31', '2026-01-31'],
  ['timestamp', '2026-1-31 09:30', '2026-01-31T09:30'],
  ['timestamp', '31.13.2026', undefined],
  ['timestamp', 'yesterday', undefined],
])('%s %j is invalid; the suggestion is %j', (type, text, meant) => {
  expect(readValue(type, text)).toBeInstanceOf(Mismatch);
  expect(readValue(type, text)).toMatchObject({ meant });
});

test('every double survives being printed and read', () => {
  fc.assert(
    fc.property(
      fc.double({ noNaN: true, noDefaultInfinity: true }),
      (number) => readValue('number', String(number)) === number + 0,
    ),
  );
});
