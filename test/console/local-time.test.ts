/** Days and times in the reader's time zone. */

import fc from 'fast-check';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { endOfDay, localPartsOf, readLocalTime, startOfDay, today } from '../../console/src/format/local-time.ts';
import { type ConditionDraft, exact, typed, withOperator } from '../../console/src/query/condition-draft.ts';
import { meaningOf } from '../../console/src/query/meaning-of-draft.ts';
import { checkFilter } from '../../console/src/view/check-filter.ts';
import { product } from '../../src/catalog/product.ts';
import { writeDate } from '../../src/catalog/resource.ts';
import { printFilter } from '../../src/filter/print.ts';

const zoneOfBefore = process.env['TZ'];
/** Node reads the variable again when it is set. */
function inZone(zone: string): void {
  process.env['TZ'] = zone;
}
afterAll(() => inZone(zoneOfBefore ?? 'UTC'));

const HOUR = 3_600_000;

/** How long a day is, in hours. */
function hoursOf(day: string): number {
  return (Date.parse(endOfDay(day)) - Date.parse(startOfDay(day))) / HOUR;
}

describe('a day', () => {
  test.each([
    ['UTC', '2026-06-23', '2026-06-23', 24],
    ['America/Los_Angeles', '2026-06-23', '2026-06-23T07:00Z', 24],
    ['America/Los_Angeles', '2026-03-08', '2026-03-08T08:00Z', 23],
    ['America/Los_Angeles', '2026-11-01', '2026-11-01T07:00Z', 25],
    ['Europe/Berlin', '2026-03-29', '2026-03-28T23:00Z', 23],
    ['Europe/Berlin', '2026-10-25', '2026-10-24T22:00Z', 25],
    ['Asia/Kolkata', '2026-06-23', '2026-06-22T18:30Z', 24],
    ['Australia/Lord_Howe', '2026-04-05', '2026-04-04T13:00Z', 24.5],
    // Here clocks are turned at midnight: the day begins at one o'clock.
    ['America/Santiago', '2026-09-06', '2026-09-06T04:00Z', 23],
    ['America/Havana', '2026-11-01', '2026-11-01T04:00Z', 25],
    // Before clocks were standardized.
    ['Europe/Berlin', '1880-01-01', '1879-12-31T23:06:32Z', 24],
    // This one was left out.
    ['Pacific/Apia', '2011-12-30', '2011-12-30T10:00Z', 0],
    ['UTC', '0099-01-01', '0099-01-01', 24],
  ])('in %s: %s begins at %s and has %s hours', (zone, day, start, hours) => {
    inZone(zone);
    expect([startOfDay(day), hoursOf(day)]).toEqual([start, hours]);
  });

  test.each(['America/Los_Angeles', 'Europe/Berlin', 'America/Santiago', 'Australia/Lord_Howe', 'Asia/Beirut', 'UTC'])(
    'in %s, every point in time is in the day that the clock shows',
    (zone) => {
      inZone(zone);
      const date = fc.date({
        min: new Date('1990-01-01T00:00Z'),
        max: new Date('2037-01-01T00:00Z'),
        noInvalidDate: true,
      });
      fc.assert(
        fc.property(date, (instant) => {
          const parts = localPartsOf(instant.toISOString());
          if (parts === undefined) throw new Error('every timestamp has a day');
          const { day, time, isStartOfDay } = parts;
          expect(new Date(`${day}T${time}`).toISOString().slice(-10)).toBe(instant.toISOString().slice(-10));
          expect(Date.parse(startOfDay(day))).toBeLessThanOrEqual(instant.getTime());
          expect(Date.parse(endOfDay(day))).toBeGreaterThan(instant.getTime());
          expect(isStartOfDay).toBe(Date.parse(startOfDay(day)) === instant.getTime());
          expect(today(instant)).toBe(day);
          // Typed as the clock shows it, it is meant, or the other time at which the clock shows the same.
          const read = readLocalTime(`${day}T${time}`);
          expect(read?.kind === 'time' && read.instants.map((text) => Date.parse(text))).toContain(instant.getTime());
        }),
      );
    },
  );
});

describe('what is typed', () => {
  beforeEach(() => inZone('America/Los_Angeles'));

  test.each([
    ['2026-06-23', { kind: 'day', day: '2026-06-23' }],
    ['23.6.2026', { kind: 'day', day: '2026-06-23' }],
    ['2026-06-23T09:30', { kind: 'time', instants: ['2026-06-23T16:30Z'] }],
    ['2026-06-23 9:30', { kind: 'time', instants: ['2026-06-23T16:30Z'] }],
    ['2026-06-23T09:30:15,5', { kind: 'time', instants: ['2026-06-23T16:30:15.500Z'] }],
    ['2026-06-23T09:30Z', { kind: 'time', instants: ['2026-06-23T09:30Z'] }],
    ['2026-06-23T09:30+02:00', { kind: 'time', instants: ['2026-06-23T07:30Z'] }],
    // Clocks are turned back from two to one o'clock, and forward from two to three.
    ['2026-11-01T01:30', { kind: 'time', instants: ['2026-11-01T08:30Z', '2026-11-01T09:30Z'] }],
    ['2026-03-08T02:30', { kind: 'time', instants: ['2026-03-08T10:30Z'] }],
    ['soon', undefined],
    ['2026-02-30', undefined],
  ])('is understood: %s', (text, expected) => {
    expect(readLocalTime(text)).toEqual(expected);
  });

  const draft = (operator: ConditionDraft['operator'], text: string): ConditionDraft => ({
    field: writeDate,
    operator,
    values: [typed(text)],
  });
  const applied = (edited: ConditionDraft): unknown => {
    const meaning = meaningOf(edited);
    if (meaning.kind === 'question') return meaning.question.answers.map(({ draft }) => applied(draft));
    const text = printFilter(meaning.filter);
    expect(checkFilter(product, text).kind).toBe('valid');
    return text;
  };

  test.each([
    ['>=', 'write_date>=2026-06-23T07:00Z'],
    ['<', 'write_date<2026-06-23T07:00Z'],
    ['>', 'write_date>=2026-06-24T07:00Z'],
    ['<=', 'write_date<2026-06-24T07:00Z'],
    ['=', 'write_date>=2026-06-23T07:00Z&write_date<2026-06-24T07:00Z'],
    ['!=', 'write_date<2026-06-23T07:00Z|write_date>=2026-06-24T07:00Z'],
    ['[', 'write_date[2026-06-23T07:00Z]'],
  ] as const)('write_date %s 2026-06-23 is %s', (operator, expected) => {
    expect(applied(draft(operator, '2026-06-23'))).toBe(expected);
  });

  test('a time that the clock shows twice is a question', () => {
    expect(applied(draft('>=', '2026-11-01T01:30'))).toEqual([
      'write_date>=2026-11-01T08:30Z',
      'write_date>=2026-11-01T09:30Z',
    ]);
  });

  test('a day stays the day with another operator', () => {
    const from = { ...draft('>=', ''), values: [exact('2026-06-23T07:00Z')] };
    expect(applied(from)).toBe('write_date>=2026-06-23T07:00Z');
    expect(applied(withOperator(from, '<='))).toBe('write_date<2026-06-24T07:00Z');
    // The same point in time with another operator is not a day.
    const after = { ...from, operator: '>' } as const;
    expect(applied(withOperator(after, '<='))).toBe('write_date<=2026-06-23T07:00Z');
  });
});
