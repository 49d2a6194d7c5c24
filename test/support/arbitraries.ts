/** Generated records, filters and texts: examples of the value types, so that filters find something, and random values. */

import fc, { type Arbitrary } from 'fast-check';
import type { OwnField } from '../../src/catalog/own-field.ts';
import type { Field, Resource } from '../../src/catalog/resource.ts';
import { Mismatch, type Value } from '../../src/catalog/value.ts';
import { type Storage, type ValueType, valueTypes } from '../../src/catalog/value-types.ts';
import type { Condition, Filter, Literal } from '../../src/filter/ast.ts';
import {
  isListSymbol,
  type OperatorSymbol,
  operatorSymbols,
  operators,
  operatorsFor,
} from '../../src/filter/operators.ts';
import { anyText } from './any-text.ts';
import type { RecordValues } from './fixture.ts';

/** Short, well-formed and without NUL. */
export const text: Arbitrary<string> = fc.oneof(
  fc.constantFrom(...texts()),
  fc.array(fc.constantFrom(...texts()), { maxLength: 3 }).map((parts) => parts.join('')),
  anyText(6).filter((value) => !value.includes('\0')),
);

function texts(): readonly string[] {
  return valueTypes.text.examples.map(String);
}

/** Numbers that databases and JavaScript print in different ways. */
const AWKWARD_NUMBERS = [10, 1e21, 5e-324, 0.1, -0, 1e-7, 123456789012345680000, 1.7976931348623157e308];

/** Values that a column can store, in addition to the examples of the types. */
const stored: Record<Storage, Arbitrary<Value>> = {
  text,
  real: fc.oneof(
    fc.constantFrom(...AWKWARD_NUMBERS),
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.integer({ min: -20, max: 20 }).map((value) => value / 4),
    // Around the magnitudes at which notations switch to exponents.
    fc
      .tuple(fc.integer({ min: -999, max: 999 }), fc.integer({ min: -10, max: 23 }))
      .map(([n, e]) => Number(`${n}e${e}`)),
  ),
  integer: fc.oneof(fc.integer({ min: -3, max: 12 }), fc.maxSafeInteger()),
  boolean: fc.boolean(),
  timestamp: fc
    .date({ min: new Date('0001-01-01T00:00:00.000Z'), max: new Date('9999-12-31T23:59:59.999Z'), noInvalidDate: true })
    .map((date) => date.toISOString()),
};

export function fieldValue(field: Field): Arbitrary<Value> {
  if (field.initial.kind === 'id') return fc.integer({ min: 1, max: 60 });
  if (field.choices !== undefined) return fc.constantFrom(...field.choices);
  const { storage, examples, read } = valueTypes[field.type];
  const isOfType = (value: Value) => !(read(String(value)) instanceof Mismatch);
  const values = fc.oneof(fc.constantFrom(...examples), stored[storage]);
  // Random text is hardly ever a value of a narrower type that is stored as text.
  return field.type === 'text' || storage !== 'text' ? values : fc.constantFrom(...examples.filter(isOfType));
}

/** Fields that an operator may add to a resource. Their names are distinct. */
export const ownFields: Arbitrary<readonly OwnField[]> = fc
  .array(
    fc.record({
      type: fc.constantFrom<ValueType>('text', 'number', 'integer', 'boolean', 'timestamp'),
      hasDefault: fc.boolean(),
      hasChoices: fc.boolean(),
      indexed: fc.boolean(),
      searched: fc.boolean(),
    }),
    { minLength: 1, maxLength: 5 },
  )
  .map((shapes) =>
    shapes.map(({ type, hasDefault, hasChoices, indexed, searched }, index): OwnField => {
      const choices = type === 'text' && hasChoices ? ['new', 'Sale', 'gone & over'] : undefined;
      return {
        name: `x_${type}_${index}`,
        label: `My ${type} ${index}`,
        type,
        meaning: `some ${type}`,
        initial: hasDefault ? (choices?.[0] ?? valueTypes[type].examples[0]) : null,
        ...(choices && { choices }),
        ...(indexed && { indexed }),
        ...(searched && type === 'text' && { searched }),
      };
    }),
  );

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

/** A valid filter for the resource. Values of the records are preferred, so that it finds some of them. */
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

/** A search for words that the records have, with other case or without what separates the parts of a code, and for others. */
export function searchOf(resource: Resource, records: readonly RecordValues[]): Arbitrary<string> {
  const held = records.flatMap((record) =>
    resource.fields.flatMap(({ name, searched }) => (searched ? String(record[name] ?? '').split(/\s+/) : [])),
  );
  const known = fc
    .tuple(fc.constantFrom('chair', ...held), fc.nat(3), fc.integer({ min: 1, max: 8 }))
    .map(([word, from, length]) => [...word].slice(from, from + length).join(''));
  const word = fc.oneof(
    known,
    known.map((part) => part.replaceAll(/[-/. ]/g, '').toUpperCase()),
    text,
  );
  return fc
    .array(word, { minLength: 1, maxLength: 3 })
    .map((words) => words.join(' '))
    .filter((q) => q.trim() !== '');
}

export function conditionOn(
  field: Field,
  records: readonly RecordValues[],
  only?: readonly OperatorSymbol[],
): Arbitrary<Condition> {
  const symbols = operatorSymbols
    .filter((symbol) => operatorsFor(valueTypes[field.type].operatorClass).includes(operators[symbol]))
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
  const some =
    operators[operator].kind === 'text'
      ? fc.oneof(written, written.chain(partOf)).filter((word) => word !== '')
      : written;
  const acceptsNull = operators[operator].acceptsNull && field.nullable;
  return (acceptsNull ? fc.option(some, { freq: 6 }) : some).map((word) => ({ text: word, at: 0, end: 0 }));
}

/** Different notations of the same value. */
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
