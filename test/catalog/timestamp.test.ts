/** Timestamps as numbers. */

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { timeOf } from '../../src/catalog/timestamp.ts';

const EARLIEST = Date.parse('0001-01-01T00:00:00.000Z');
const LATEST = Date.parse('9999-12-31T23:59:59.999Z');

test('the time of a timestamp is the one that JavaScript reads', () => {
  const times = fc.oneof(
    fc.integer({ min: EARLIEST, max: LATEST }),
    // Around the ends of months and years, leap days included.
    fc
      .tuple(fc.integer({ min: 1, max: 9_998 }), fc.integer({ min: 0, max: 12 }), fc.integer({ min: -1, max: 1 }))
      .map(([year, month, shift]) => new Date(0).setUTCFullYear(year, month, 1) + shift),
    fc.constantFrom(EARLIEST, LATEST, 0, -1),
  );
  fc.assert(
    fc.property(times, (time) => {
      expect(timeOf(new Date(time).toISOString())).toBe(time);
    }),
  );
});
