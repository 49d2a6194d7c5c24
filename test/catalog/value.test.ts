import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { valueFromJson, valueFromText } from '../../src/catalog/field-value.ts';
import { id as idField, indexed, nullable, required } from '../../src/catalog/resource.ts';
import { readTimestamp } from '../../src/catalog/timestamp.ts';
import { Mismatch } from '../../src/catalog/value.ts';
import { type ValueType, valueTypes } from '../../src/catalog/value-types.ts';

const readValue = (type: ValueType, text: string) => valueTypes[type].read(text);

describe('values in filters', () => {
  test.each<[ValueType, string, unknown]>([
    ['text', '', ''],
    ['text', ' a ', ' a '],
    ['boolean', 'TRUE', true],
    ['boolean', 'False', false],
    ['number', '0', 0],
    ['number', '-0', 0],
    ['number', '+1.50', 1.5],
    ['number', '.5', 0.5],
    ['number', '1E+3', 1000],
    ['number', '5e-324', 5e-324],
    ['number', '1e400', Infinity],
    ['number', '0.1000000000000000055511151231257827', 0.1],
    ['integer', '7', 7],
    ['integer', '007', 7],
    ['integer', '7.000', 7],
    ['integer', '70e-1', 7],
    ['integer', '0.7e1', 7],
    ['integer', '0e-99', 0],
    ['integer', '-9007199254740991', -9007199254740991],
    ['integer', '1e400', 2 ** 53],
    ['integer', '-1e400', -(2 ** 53)],
  ])('%s %j is %j', (type, text, value) => {
    expect(readValue(type, text)).toBe(value);
  });

  test.each<[ValueType, string, string | undefined]>([
    ['boolean', '1', 'true'],
    ['boolean', 'no', 'false'],
    ['boolean', '', undefined],
    ['number', '', undefined],
    ['number', '.', undefined],
    ['number', '5.', undefined],
    ['number', 'e5', undefined],
    ['number', '1e', undefined],
    ['number', '--1', undefined],
    ['number', '0x1F', undefined],
    ['number', '１', undefined],
    ['number', '1,000.5', '1000.5'],
    ['number', '1_000', '1000'],
    ['number', '= 5', undefined],
    ['number', '1,5', '1.5'],
    ['number', '€5', undefined],
    ['integer', '7.5', undefined],
    ['integer', '7e-1', undefined],
    ['integer', '7.00000000000000000000000001', undefined],
    ['timestamp', '2026-01-31 09:30', '2026-01-31T09:30'],
    ['timestamp', '2026-01-31T09:30:00 02:00', '2026-01-31T09:30:00+02:00'],
    ['timestamp', '2026-01-31T09:30z', '2026-01-31T09:30Z'],
    ['timestamp', '31.1.2026', '2026-01-31'],
    ['timestamp', '2026/1/31', '2026-01-31'],
    ['timestamp', '2026-1-31 09:30', '2026-01-31T09:30'],
    ['timestamp', '31.13.2026', undefined],
    ['timestamp', 'yesterday', undefined],
  ])('%s %j is invalid; the suggestion is %j', (type, text, meant) => {
    expect(readValue(type, text)).toBeInstanceOf(Mismatch);
    expect(readValue(type, text)).toMatchObject({ meant });
  });

  test('every double survives being printed and read', () => {
    fc.assert(
      fc.property(
        fc.double({ noNaN: true, noDefaultInfinity: true }),
        (number) => readValue('number', String(number)) === number + 0,
      ),
    );
  });
});

describe('readTimestamp', () => {
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
      '2026',
      '2026-01',
      '2026-1-1',
      '20260131',
      '2026-W05-6',
      '2026-031',
      '2026-13-01',
      '2026-02-29',
      '2026-04-31',
      '2026-00-10',
      '2026-01-00',
    ],
    ...[
      '2026-01-31T24:00',
      '2026-01-31T09:60',
      '2026-01-31T09:30:60',
      '2026-01-31T9:30',
      '2026-01-31t09:30',
      '2026-01-31T09:30+24:00',
      '2026-01-31T09:30+02:60',
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
});

describe('values in records', () => {
  const name = required('name', 'text', '');
  const price = required('price', 'number', '');
  const category = nullable('category', 'integer', '');
  const flag = nullable('flag', 'boolean', '');
  const date = required('date', 'timestamp', '');

  test.each([
    [name, 'x'.repeat(1_000)],
    [name, '😀'.repeat(1_000)],
    [indexed(name), '😀'.repeat(625)],
    [indexed(name), 'x'.repeat(1_000)],
    [nullable('code', 'text', ''), ''],
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
});
