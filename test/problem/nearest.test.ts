/** The name that was probably meant. */

import { expect, test } from 'vitest';
import { nearest } from '../../src/problem/nearest.ts';

const NAMES = ['q', 'id', 'name', 'list_price', 'qty_available'];

test.each<[written: string, meant: string | undefined]>([
  ['name', 'name'],
  ['NAME', 'name'],
  ['nam', 'name'],
  ['nmae', 'name'],
  ['nmea', 'name'],
  ['nm', undefined],
  ['ix', 'id'],
  ['idxx', 'id'],
  ['idxxx', undefined],
  ['lst_prise', 'list_price'],
  ['qty_avialbale', 'qty_available'],
  // A part of a name
  ['price', 'list_price'],
  ['ice', 'list_price'],
  ['ty', undefined],
  ['', undefined],
  ['colour', undefined],
  [`list_price${' '.repeat(55)}`, undefined],
])('%j: %s', (written, meant) => {
  expect(nearest(written, NAMES)).toBe(meant);
});
