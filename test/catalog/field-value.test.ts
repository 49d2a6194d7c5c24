/** Values in records, from JSON and from text. */

import { expect, test } from 'vitest';
import { valueFromJson, valueFromText } from '../../src/catalog/field-value.ts';
import { id as idField, indexed, nullable, required } from '../../src/catalog/resource.ts';
import { Mismatch } from '../../src/catalog/value.ts';

const name = required('name', 'Name', 'text', '');
const price = required('price', 'Price', 'number', '');
const category = nullable('category', 'Category', 'integer', '');
const flag = nullable('flag', 'Flag', 'boolean', '');
const date = required('date', 'Date', 'timestamp', '');

test.each([
  [name, 'x'.repeat(1_000)],
  [name, '😀'.repeat(1_000)],
  [indexed(name), '😀'.repeat(625)],
  [indexed(name), 'x'.repeat(1_000)],
  [nullable('code', 'Code', 'text', ''), ''],
  [price, -1.5],
  [category, null],
  [category, Number.MAX_SAFE_INTEGER],
  [category, -Number.MAX_SAFE_INTEGER],
  [idField, 1],
  [flag, false],
  [flag, null],
])('$name accepts %j from JSON', (field, json) => {
  expect(valueFromJson(field, json)).toBe(json);
});

test('timestamps are converted to UTC, and zero has no sign', () => {
  expect(valueFromJson(date, '2026-01-31T09:30+02:00')).toBe('2026-01-31T07:30:00.000Z');
  expect(valueFromJson(price, -0)).toBe(0);
  expect(valueFromText(price, '-0')).toBe(0);
});

test.each([
  [name, 'x'.repeat(1_001)],
  [name, '😀'.repeat(1_001)],
  [indexed(name), `x${'😀'.repeat(625)}`],
  [name, ''],
  [name, ' \t\n'],
  [name, 'a\0b'],
  [name, '\ud800'],
  [name, 5],
  [name, null],
  [price, '5'],
  [price, null],
  [category, 1.5],
  [category, Number.MAX_SAFE_INTEGER + 1],
  [idField, 0],
  [idField, -1],
  [flag, 1],
  [flag, 'true'],
  [date, 1_767_225_600_000],
  [date, '31.01.2026'],
  [date, {}],
])('$name rejects %j from JSON', (field, json) => {
  expect(valueFromJson(field, json)).toBeInstanceOf(Mismatch);
});

test.each([
  [price, '1e400'],
  [category, '9007199254740992'],
  [idField, '0'],
  [name, '\ud800'],
])('$name rejects %j from text', (field, text) => {
  expect(valueFromText(field, text)).toBeInstanceOf(Mismatch);
});
