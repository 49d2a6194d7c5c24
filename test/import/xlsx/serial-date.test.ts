import { describe, expect, test } from 'vitest';
import { dateOf, dateOfText } from '../../../src/import/xlsx/serial-date.ts';

const textOf = (serial: number, is1904 = false) => dateOf(serial, 'date', { is1904 })?.text;

describe('days since 1900', () => {
  test.each<[number, string | undefined]>([
    [-1, undefined],
    [0, undefined],
    [1, '1900-01-01'],
    [59, '1900-02-28'],
    [60, undefined],
    [60.5, undefined],
    [61, '1900-03-01'],
    [25_569, '1970-01-01'],
    [45_352, '2024-03-01'],
    [2_958_465, '9999-12-31'],
    [2_958_466, undefined],
    [1e300, undefined],
  ])('%d is %s', (serial, text) => {
    expect(textOf(serial)).toBe(text);
  });
});

describe('days since 1904', () => {
  test.each<[number, string | undefined]>([
    [-1, undefined],
    [0, '1904-01-01'],
    [1, '1904-01-02'],
    [60, '1904-03-01'],
    [43_890, '2024-03-01'],
    [2_957_003, '9999-12-31'],
    [2_957_004, undefined],
  ])('%d is %s', (serial, text) => {
    expect(textOf(serial, true)).toBe(text);
  });
});

describe('fractions of a day', () => {
  test.each<[number, string]>([
    [45_352.5, '2024-03-01T12:00:00'],
    [45_352.430902777778, '2024-03-01T10:20:30'],
    [45_352.43090278, '2024-03-01T10:20:30'],
    [45_352.4309056713, '2024-03-01T10:20:30.250'],
    [45_352.99999999999, '2024-03-02'],
    [45_352.999988426, '2024-03-01T23:59:59'],
    [1.25, '1900-01-01T06:00:00'],
  ])('%d is %s', (serial, text) => {
    expect(textOf(serial)).toBe(text);
  });

  test.each<[number, 'date' | 'time', boolean, string]>([
    [0.5, 'time', false, '12:00:00'],
    [0.5, 'date', false, '12:00:00'],
    [0.5, 'time', true, '12:00:00'],
    [0, 'time', false, '00:00:00'],
    [0.4309056713, 'time', false, '10:20:30.250'],
  ])('%d alone is a time', (serial, format, is1904, text) => {
    expect(dateOf(serial, format, { is1904 })).toEqual({ kind: 'time', text });
  });

  test('the first day of 1904 has times', () => {
    expect(textOf(0.5, true)).toBe('1904-01-01T12:00:00');
  });

  test('a date may be formatted as a time', () => {
    expect(dateOf(45_352.5, 'time', { is1904: false })).toEqual({ kind: 'date', text: '2024-03-01T12:00:00' });
  });
});

test.each<[string, string | undefined]>([
  ['2024-03-01', '2024-03-01'],
  ['2024-03-01T00:00:00.000', '2024-03-01'],
  ['2024-03-01T10:20', '2024-03-01T10:20:00'],
  ['2024-03-01T10:20:30Z', '2024-03-01T10:20:30'],
  ['2024-03-01T10:20:30.2500001', '2024-03-01T10:20:30.250'],
  ['2024-02-30', undefined],
  ['2024-03-01T25:00:00', undefined],
  ['10:20:30', undefined],
  ['yesterday', undefined],
])('the text %s is %s', (text, date) => {
  expect(dateOfText(text)?.text).toBe(date);
});
