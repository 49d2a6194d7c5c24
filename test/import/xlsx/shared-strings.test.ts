import { expect, test } from 'vitest';
import { FREE } from '../../../src/import/format.ts';
import { SharedStrings } from '../../../src/import/xlsx/shared-strings.ts';

const NONE = new Map<string, string>();

function add(strings: SharedStrings, text: string): void {
  strings.open('si', NONE);
  strings.open('t', NONE);
  strings.text(text);
  strings.close('t');
  strings.close('si');
}

function opened(): SharedStrings {
  const strings = new SharedStrings();
  strings.open('sst', NONE);
  return strings;
}

test('texts are found by their number', () => {
  const strings = opened();
  const texts = Array.from({ length: 5_000 }, (_, index) => `é😀${'x'.repeat(index % 50)}`);
  for (const text of texts) add(strings, text);
  expect(strings.count).toBe(texts.length);
  expect(texts.map((_, index) => strings.get(index))).toEqual(texts);
  expect(strings.get(texts.length)).toBeUndefined();
});

test('long texts are found, also again', () => {
  const strings = opened();
  const texts = Array.from({ length: 300 }, (_, index) => `${index}`.repeat(20_000));
  for (const text of texts) add(strings, text);
  for (const _ of ['once', 'again'])
    expect([...texts.keys()].filter((index) => strings.get(index) !== texts[index])).toEqual([]);
});

test('64 MiB are not too many', () => {
  const strings = opened();
  const text = 'x'.repeat(64 * 1024);
  for (let index = 0; index < 1024; index += 1) add(strings, text);
  add(strings, '');
  expect(() => add(strings, 'x')).toThrow('Save the sheet as CSV');
});

test('what they hold is reported', () => {
  let held = 0;
  const cost = {
    ...FREE,
    hold(bytes: number) {
      held += bytes;
    },
  };
  const strings = new SharedStrings(cost);
  strings.open('sst', NONE);
  for (let index = 0; index < 64; index += 1) add(strings, 'x'.repeat(64 * 1024));
  const MEBIBYTE = 1024 * 1024;
  expect(held).toBeGreaterThanOrEqual(4 * MEBIBYTE);
  expect(held).toBeLessThan(5 * MEBIBYTE);
  for (let index = 0; index < 64; index += 1) strings.get(index);
  expect(held).toBeLessThan(9 * MEBIBYTE);
});
