/** The order of columns. */

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { moveField, shiftField } from '../../console/src/view/move-field.ts';

const fields = ['id', 'name', 'city', 'zip'];

test.each([
  ['zip', 'id', ['zip', 'id', 'name', 'city']],
  ['id', 'zip', ['name', 'city', 'id', 'zip']],
  ['id', undefined, ['name', 'city', 'zip', 'id']],
  ['name', 'name', fields],
])('%s in front of %s', (field, before, expected) => {
  expect(moveField(fields, field, before)).toEqual(expected);
});

test('a shift loses no column, and stops at the edges', () => {
  const shift = fc.tuple(fc.constantFrom(...fields), fc.integer({ min: -9, max: 9 }));
  fc.assert(
    fc.property(shift, ([field, by]) => {
      const shifted = shiftField(fields, field, by);
      expect([...shifted].sort()).toEqual([...fields].sort());
      expect(shifted.indexOf(field)).toBe(Math.max(0, Math.min(fields.indexOf(field) + by, fields.length - 1)));
      expect(shifted.filter((name) => name !== field)).toEqual(fields.filter((name) => name !== field));
    }),
  );
});
