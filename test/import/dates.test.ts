import { describe, expect, test } from 'vitest';
import { datePattern, isTimezone, patternsOf, readDate } from '../../src/import/dates.ts';

test.each([
  ['2024-03-01', '2024-03-01T00:00:00.000Z'],
  ['2024-03-01 10:20:30', '2024-03-01T10:20:30.000Z'],
  ['2024-03-01T10:20:30+02:00', '2024-03-01T08:20:30.000Z'],
  ['2024-03-01 10:20:30 +02:00', '2024-03-01T08:20:30.000Z'],
  ['20240301', '2024-03-01T00:00:00.000Z'],
  ['20240301T102030Z', '2024-03-01T10:20:30.000Z'],
  [' 2024-03-01 ', '2024-03-01T00:00:00.000Z'],
  ['2024-02-30', undefined],
  ['01.03.2024', undefined],
  ['20241301', undefined],
  ['soon', undefined],
])('%s is %s without a pattern', (text, time) => {
  expect(readDate(text, undefined, undefined)).toBe(time);
});

describe('patterns', () => {
  test.each([
    ['DD.MM.YYYY', '1.3.2024', '2024-03-01T00:00:00.000Z'],
    ['DD.MM.YYYY', '01.03.2024 9:05', '2024-03-01T09:05:00.000Z'],
    ['MM/DD/YYYY', '03/01/2024 10:20:30', '2024-03-01T10:20:30.000Z'],
    ['YYYY/MM/DD', '2024/03/01', '2024-03-01T00:00:00.000Z'],
    ['DD.MM.YYYY', '31.02.2024', undefined],
    ['DD.MM.YYYY', '2024-03-01', '2024-03-01T00:00:00.000Z'],
  ])('%s: %s is %s', (pattern, text, time) => {
    expect(readDate(text, datePattern(pattern), undefined)).toBe(time);
  });

  test.each(['', 'DD.MM', 'DD.DD.YYYY', 'DDMMYYYY', 'D.M.YYYY', 'YYYY-MM-DD HH:mm'])('%s is none', (text) => {
    expect(datePattern(text)).toBeUndefined();
  });

  test.each([
    ['01.03.2024', ['DD.MM.YYYY']],
    ['03/04/2024', ['DD/MM/YYYY', 'MM/DD/YYYY']],
    ['25/12/2024', ['DD/MM/YYYY']],
    ['12-25-2024', ['MM-DD-YYYY']],
    ['soon', []],
  ])('%s may be %s', (text, patterns) => {
    expect(patternsOf(text).map((pattern) => pattern.text)).toEqual(patterns);
  });
});

describe('a time zone', () => {
  test.each([
    ['2024-01-15 12:00:00', '2024-01-15T11:00:00.000Z'],
    ['2024-07-15 12:00:00', '2024-07-15T10:00:00.000Z'],
    ['2024-07-15T12:00:00Z', '2024-07-15T12:00:00.000Z'],
    // It comes twice; the first is meant.
    ['2024-10-27 02:30:00', '2024-10-27T00:30:00.000Z'],
    // It doesn't come.
    ['2024-03-31 02:30:00', undefined],
    ['2024-03-31 03:00:00', '2024-03-31T01:00:00.000Z'],
  ])('%s in Berlin is %s', (text, time) => {
    expect(readDate(text, undefined, 'Europe/Berlin')).toBe(time);
  });

  test('has a name in the IANA database', () => {
    expect([isTimezone('Europe/Berlin'), isTimezone('UTC'), isTimezone('Mars/Olympus')]).toEqual([true, true, false]);
  });
});
