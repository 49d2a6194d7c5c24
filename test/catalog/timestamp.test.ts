/** How timestamps are read, and their times as numbers. */

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readTimestamp, timeOf } from '../../src/catalog/timestamp.ts';

test.each([
  ['2026-01-31', '2026-01-31T00:00:00.000Z'],
  ['2026-01-31T09:30', '2026-01-31T09:30:00.000Z'],
  ['2026-01-31T09:30:15', '2026-01-31T09:30:15.000Z'],
  ['2026-01-31T09:30:15.1Z', '2026-01-31T09:30:15.100Z'],
  ['2026-01-31T09:30:15,123456Z', '2026-01-31T09:30:15.123Z'],
  ['2026-01-31T09:30:15+02:00', '2026-01-31T07:30:15.000Z'],
  ['2026-01-31T23:30-0500', '2026-02-01T04:30:00.000Z'],
  ['2026-01-31T09:30+05', '2026-01-31T04:30:00.000Z'],
  ['2024-02-29', '2024-02-29T00:00:00.000Z'],
  ['0001-01-01', '0001-01-01T00:00:00.000Z'],
  ['0050-06-01', '0050-06-01T00:00:00.000Z'],
  ['9999-12-31T23:59:59.999Z', '9999-12-31T23:59:59.999Z'],
])('%s is %s', (text, canonical) => {
  expect(readTimestamp(text)).toBe(canonical);
});

test.each([
  ...[
    ...'2026 2026-01 2026-1-1 20260131 2026-W05-6'.split(' '),
    ...'2026-031 2026-13-01 2026-02-29 2026-04-31 2026-00-10 2026-01-00'.split(' '),
  ],
  ...[
    ...'2026-01-31T24:00 2026-01-31T09:60 2026-01-31T09:30:60'.split(' '),
    ...'2026-01-31T9:30 2026-01-31t09:30 2026-01-31T09:30+24:00 2026-01-31T09:30+02:60'.split(' '),
  ],
  ...[
    '2026-01-31Z',
    '2026-01-31T09:30:00.Z',
    '0000-01-01',
    '0001-01-01T00:00+01:00',
    '9999-12-31T23:59:59-01:00',
    '+12026-01-01',
    ' 2026-01-31',
    '2026-01-31 ',
  ],
])('%j is invalid', (text) => {
  expect(readTimestamp(text)).toBeUndefined();
});

test('the canonical form sorts chronologically', () => {
  const time = fc.date({
    min: new Date('0001-01-01T00:00:00Z'),
    max: new Date('9999-12-31T23:59:59.999Z'),
    noInvalidDate: true,
  });
  fc.assert(
    fc.property(time, time, (a, b) => {
      const [left, right] = [readTimestamp(a.toISOString()) ?? '', readTimestamp(b.toISOString()) ?? ''];
      expect(Math.sign(a.getTime() - b.getTime())).toBe(left < right ? -1 : left > right ? 1 : 0);
    }),
  );
});

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
