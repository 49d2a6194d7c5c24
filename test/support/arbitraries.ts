/** Generated records, filters and texts: small pools of awkward values, so that filters find something, and random ones beside them. */

import fc, { type Arbitrary } from 'fast-check';
import type { Field, Resource, Value } from '../../src/catalog/resource.ts';
import type { Condition, Filter, Literal } from '../../src/filter/ast.ts';
import { isListSymbol, type OperatorSymbol, operators } from '../../src/filter/operators.ts';
import type { RecordValues } from './fixture.ts';

const AWKWARD_TEXTS = [
  ...[
    '',
    ' ',
    'a',
    'A',
    'ab',
    'aB',
    'b',
    'null',
    'NULL',
    'true',
    '0',
    '1',
    '10',
    '%',
    '_',
    '\\',
    '"',
    '""',
    "'",
    "';--",
    '*',
    '&',
    '|',
    '(',
    ')',
  ],
  ...[
    '[',
    ']',
    ',',
    '=',
    '!',
    '<',
    '>',
    '%3D',
    '%',
    '+',
    ' a ',
    'a&b',
    'a|b',
    'é',
    'e\u0301',
    'É',
    'ß',
    'ẞ',
    'İ',
    'i\u0307',
    'ΟΔΟΣ',
    'οδος',
    'οδοσ',
  ],
  ...[
    '😀',
    '\u{10ffff}',
    '\ue000',
    '\uffff',
    '\ufffd',
    '\u200b',
    '\u00a0',
    'line\nbreak',
    'tab\t',
    '\u0001',
    '\u007f',
    '中',
    'ﬀ',
    '한',
    '\u1100\u1161',
  ],
];
const AWKWARD_NUMBERS = [
  0,
  1,
  -1,
  0.1,
  0.2,
  0.30000000000000004,
  -0.1,
  10,
  99.99,
  1e21,
  -1e21,
  1e-7,
  5e-324,
  1.7976931348623157e308,
  2 ** 53,
  1e15,
  4.289305879150052e18,
  65989930271468970,
];
const AWKWARD_INTEGERS = [0, 1, -1, 2, 10, 4_294_967_296, Number.MAX_SAFE_INTEGER, -Number.MAX_SAFE_INTEGER];
const AWKWARD_TIMES = [
  '0001-01-01T00:00:00.000Z',
  '1970-01-01T00:00:00.000Z',
  '2026-01-01T00:00:00.000Z',
  '2026-01-01T00:00:00.001Z',
  '2025-12-31T23:59:59.999Z',
  '2024-02-29T12:00:00.000Z',
  '9999-12-31T23:59:59.999Z',
];

/** Well-formed, without NUL, and not long. */
export const text: Arbitrary<string> = fc.oneof(
  fc.constantFrom(...AWKWARD_TEXTS),
  fc.array(fc.constantFrom(...AWKWARD_TEXTS), { maxLength: 3 }).map((parts) => parts.join('')),
  fc.string({ unit: 'binary', maxLength: 6 }).filter((value) => !value.includes('\0')),
);

const numbers = fc.oneof(
  fc.constantFrom(...AWKWARD_NUMBERS),
  fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => value + 0),
  fc.integer({ min: -20, max: 20 }).map((value) => value / 4),
);
const integers = fc.oneof(fc.constantFrom(...AWKWARD_INTEGERS), fc.integer({ min: -3, max: 12 }), fc.maxSafeInteger());
const times = fc.oneof(
  fc.constantFrom(...AWKWARD_TIMES),
  fc
    .date({ min: new Date('0001-01-01T00:00:00.000Z'), max: new Date('9999-12-31T23:59:59.999Z'), noInvalidDate: true })
    .map((date) => date.toISOString()),
);

export function fieldValue(field: Field): Arbitrary<Value> {
  switch (field.type) {
    case 'text':
      return text;
    case 'number':
      return numbers;
    case 'integer':
      return field.initial.kind === 'id' ? fc.integer({ min: 1, max: 60 }) : integers;
    case 'boolean':
      return fc.boolean();
    case 'timestamp':
      return times;
  }
}

export function recordOf(resource: Resource): Arbitrary<RecordValues> {
  return fc.record(
    Object.fromEntries(
      resource.fields.map((field) => [
        field.name,
        field.nullable ? fc.option(fieldValue(field), { freq: 3 }) : fieldValue(field),
      ]),
    ),
  );
}

export function recordsOf(resource: Resource): Arbitrary<readonly RecordValues[]> {
  return fc.uniqueArray(recordOf(resource), { selector: (record) => record['id'], maxLength: 40 });
}

/** A filter that the resource takes; `values` are preferred, so that something is found. */
export function filterOf(resource: Resource, records: readonly RecordValues[]): Arbitrary<Filter> {
  return fc.letrec<{ filter: Filter; condition: Condition }>((tie) => ({
    condition: fc.constantFrom(...resource.fields).chain((field) => conditionOn(field, records)),
    filter: fc.oneof(
      { depthSize: 'small', withCrossShrink: true },
      tie('condition'),
      fc
        .tuple(
          fc.constantFrom('and' as const, 'or' as const),
          tie('filter'),
          tie('filter'),
          fc.array(tie('filter'), { maxLength: 2 }),
        )
        .map(([kind, first, second, rest]) => ({ kind, operands: [first, second, ...rest] as const })),
    ),
  })).filter;
}

export function conditionOn(
  field: Field,
  records: readonly RecordValues[],
  only?: readonly OperatorSymbol[],
): Arbitrary<Condition> {
  const symbols = (Object.keys(operators) as OperatorSymbol[])
    .filter((symbol) => (operators[symbol].types as readonly string[]).includes(field.type))
    .filter((symbol) => only === undefined || only.includes(symbol));
  const name = { text: field.name, at: 0 };
  return fc.constantFrom(...symbols).chain((operator): Arbitrary<Condition> => {
    const literal = literalOf(field, records, operator);
    return isListSymbol(operator)
      ? fc.tuple(literal, fc.array(literal, { maxLength: 4 })).map(([first, rest]) => ({
          kind: 'membership',
          field: name,
          operator,
          operatorAt: 0,
          items: [first, ...rest],
        }))
      : literal.map((value) => ({ kind: 'comparison', field: name, operator, operatorAt: 0, value }));
  });
}

function literalOf(field: Field, records: readonly RecordValues[], operator: OperatorSymbol): Arbitrary<Literal> {
  const held = records.map((record) => record[field.name]).filter((value) => value !== null && value !== undefined);
  const value = held.length > 0 ? fc.oneof(fc.constantFrom(...held), fieldValue(field)) : fieldValue(field);
  const written = value.chain((item) => writtenForms(field, item));
  const isContains = operator === '*' || operator === '!*';
  const some = isContains ? fc.oneof(written, written.chain(partOf)).filter((word) => word !== '') : written;
  const takesNull = operators[operator].takesNull && field.nullable;
  return (takesNull ? fc.option(some, { freq: 6 }) : some).map((word) => ({ text: word, at: 0, end: 0 }));
}

/** The same value as different people write it. */
function writtenForms(field: Field, value: Value): Arbitrary<string> {
  if (typeof value === 'string' && field.type === 'timestamp') {
    const time = Date.parse(value);
    const shifted = (hours: number) =>
      new Date(time + hours * 3_600_000).toISOString().replace('Z', `${hours < 0 ? '-' : '+'}0${Math.abs(hours)}:00`);
    const forms = [value, value.replace('Z', '')];
    const isInside = value > '0002' && value < '9998';
    return fc.constantFrom(
      ...forms,
      ...(isInside ? [shifted(2), shifted(-5)] : []),
      ...(value.endsWith('T00:00:00.000Z') ? [value.slice(0, 10)] : []),
    );
  }
  if (typeof value === 'number')
    return fc.constantFrom(
      String(value),
      value.toExponential(),
      ...(Number.isInteger(value) && Math.abs(value) < 1e15 ? [`${value}.0`] : []),
    );
  if (typeof value === 'boolean') return fc.constantFrom(String(value), String(value).toUpperCase());
  return fc.constant(value);
}

function partOf(word: string): Arbitrary<string> {
  const letters = [...word];
  return fc
    .tuple(fc.nat(letters.length), fc.nat(letters.length))
    .map(([a, b]) => letters.slice(Math.min(a, b), Math.max(a, b)).join(''));
}
