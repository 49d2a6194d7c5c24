/** Rounding to multiples of a precision. The expected values are those of Odoo's `float_round`. */

import { expect, test } from 'vitest';
import { rounded } from '../../src/connectors/odoo/rounding.ts';

test.each([
  [0.1 + 0.2, 0.01, 0.3],
  [2.675, 0.01, 2.68],
  [-2.675, 0.01, -2.68],
  [1.005, 0.01, 1.01],
  [1.004, 0.01, 1],
  [1.3, 0.5, 1.5],
  [123_456.7, 10, 123_460],
  [0.000_014, 0.000_01, 0.000_01],
  [1_234_567.891_25, 0.000_1, 1_234_567.891_3],
  [7, 1, 7],
  [0, 0.01, 0],
  // A unit that is not known.
  [0.123_456, 0, 0.123_456],
])('%f by %f is %f', (value, precision, expected) => {
  expect(rounded(value, precision)).toBe(expected);
});
