/**
 * The value types, one row each: how a type is stored, compared, read and written. Columns, filters, JSON, CSV, imports,
 * error messages and the tests' generators all read this table, so a new type is one new row.
 */

import type { OperatorClass } from '../filter/operators.ts';
import { utf8Length } from '../filter/utf8-length.ts';
import { readInteger, readNumber } from './decimal.ts';
import { isBetweenMilliseconds, meantTimestamp, readTimestamp } from './timestamp.ts';
import { Mismatch, type Value } from './value.ts';

/** The kinds of columns that every engine has. */
export type Storage = 'integer' | 'real' | 'text' | 'boolean' | 'timestamp';

/** What a type has to know about the field that holds a value. */
export interface Holder {
  readonly initial: { readonly kind: string };
  readonly indexed?: true;
  readonly choices?: readonly string[];
}

export interface ValueTypeRow {
  readonly storage: Storage;
  /** Decides which operators apply. */
  readonly operatorClass: OperatorClass;
  /** Follows "holds". */
  readonly plural: string;
  /** Whether CSV cells are quoted. */
  readonly isQuoted: boolean;
  /** The JSON Schema of a value in a response. */
  readonly schema: Readonly<Record<string, string | number>>;
  /** Reads a value in a filter. It may lie beyond what a record can hold. */
  readonly read: (text: string) => Value | Mismatch;
  /** True if `read` rounded the text down to the nearest storable value, so that no record equals what was written. */
  readonly isRounded: (text: string) => boolean;
  /** Reads a value that a record can hold, from text such as a CSV cell. */
  readonly fromText: (text: string, field: Holder) => Value | Mismatch;
  /** Reads a value that a record can hold, from JSON other than null. */
  readonly fromJson: (json: unknown, field: Holder) => Value | Mismatch;
  /** A typical value first, then values that tend to break things: tests try every one of them. */
  readonly examples: readonly [Value, ...Value[]];
}

/** The longest text a field holds, in characters (code points). */
export const MAX_TEXT_LENGTH = 1_000;

/** The longest text of an indexed field, in bytes of UTF-8: PostgreSQL's index entries hold no more. */
export const MAX_INDEXED_BYTES = 2_500;

/** Ids and other integers stay within what every JSON reader handles exactly. */
export const MAX_INTEGER = Number.MAX_SAFE_INTEGER;

export const valueTypes = {
  integer: valueType({
    storage: 'integer',
    operatorClass: 'order',
    plural: 'whole numbers',
    json: 'a whole number',
    schema: { type: 'integer', minimum: -MAX_INTEGER, maximum: MAX_INTEGER },
    read: (text) => {
      const integer = readInteger(text);
      // Beyond the range of records every integer compares alike; staying close to it keeps the engines exact.
      return typeof integer === 'number' ? Math.max(-MAX_INTEGER - 1, Math.min(integer, MAX_INTEGER + 1)) : integer;
    },
    parse: (json) => (typeof json === 'number' && Number.isInteger(json) ? json + 0 : undefined),
    check(value, field) {
      const smallest = field.initial.kind === 'id' ? 1 : -MAX_INTEGER;
      if (value >= smallest && value <= MAX_INTEGER) return undefined;
      return new Mismatch(`must be a whole number from ${smallest} to ${MAX_INTEGER}`);
    },
    examples: [12, 0, 1, -1, 2, 10, 4_294_967_296, MAX_INTEGER, -MAX_INTEGER],
  }),
  number: valueType({
    storage: 'real',
    operatorClass: 'order',
    plural: 'numbers',
    json: 'a number',
    schema: { type: 'number' },
    read: readNumber,
    // Adding 0 converts -0 to 0.
    parse: (json) => (typeof json === 'number' ? json + 0 : undefined),
    check: (value) =>
      Number.isFinite(value) ? undefined : new Mismatch('must be within the range of double precision'),
    examples: [
      ...([99.99, 0, 1, -1, 0.1, 0.2, 0.30000000000000004, -0.1, 10, 1e15, 1e16, 2 ** 53, 1e21, -1e21] as const),
      ...[
        0.0001, 1e-5, 1e-6, 1e-7, 5e-324, 1.7976931348623157e308, 123456789.12345679, 4.289305879150052e18,
        65989930271468970,
      ],
    ],
  }),
  text: valueType({
    storage: 'text',
    operatorClass: 'text',
    plural: 'text',
    json: 'a string',
    schema: { type: 'string', maxLength: MAX_TEXT_LENGTH },
    isQuoted: true,
    read: (text) => text,
    parse: (json) => (typeof json === 'string' ? json : undefined),
    check: checkText,
    examples: [
      ...(['Oak Chair', '', ' ', ' a ', 'a', 'A', 'ab', 'aB', 'b', 'null', 'NULL', 'true', '0', '1', '10'] as const),
      ...[
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
        '[',
        ']',
        ',',
        '=',
        '!',
        '<',
        '>',
        '%3D',
        '+',
      ],
      ...['a&b', 'a|b', 'é', 'e\u0301', 'É', 'ß', 'ẞ', 'İ', 'i\u0307', 'ΟΔΟΣ', 'οδος', 'οδοσ', 'ΜΑΪ\u0301ΟΥ', 'μαΐου'],
      ...['J\u030c', 'ǰ', '😀', '\u{10ffff}', '\ue000', '\uffff', '\ufffd', '\u200b', '\u00a0', 'line\nbreak', 'tab\t'],
      ...['\u0001', '\u007f', '中', 'ﬀ', '한', '\u1100\u1161', '_x0041_', '<b>&amp;</b>', ']]>', '\r\n', '\ufffe'],
    ],
  }),
  boolean: valueType({
    storage: 'boolean',
    operatorClass: 'equality',
    plural: 'true or false',
    json: 'true or false',
    schema: { type: 'boolean' },
    read: readBoolean,
    parse: (json) => (typeof json === 'boolean' ? json : undefined),
    examples: [true, false],
  }),
  timestamp: valueType({
    storage: 'timestamp',
    operatorClass: 'order',
    plural: 'timestamps',
    json: 'a string with an ISO 8601 timestamp',
    schema: { type: 'string', format: 'date-time' },
    read: (text) =>
      readTimestamp(text) ??
      new Mismatch(
        'must be an ISO 8601 date or timestamp such as 2026-01-31 or 2026-01-31T09:30:00Z',
        meantTimestamp(text),
      ),
    isRounded: isBetweenMilliseconds,
    parse: (json) => (typeof json === 'string' ? readTimestamp(json) : undefined),
    examples: [
      ...(['2026-01-31T09:30:00.000Z', '0001-01-01T00:00:00.000Z', '1970-01-01T00:00:00.000Z'] as const),
      ...['2026-01-01T00:00:00.000Z', '2026-01-01T00:00:00.001Z', '2025-12-31T23:59:59.999Z'],
      ...['1900-02-28T23:59:59.999Z', '1900-03-01T00:00:00.000Z'],
      ...['2024-02-29T12:00:00.000Z', '9999-12-31T23:59:59.999Z'],
    ],
  }),
} as const;

export type ValueType = keyof typeof valueTypes;

interface Typed {
  readonly type: ValueType;
}

export function storageOf({ type }: Typed): Storage {
  return valueTypes[type].storage;
}

export function isNumeric(field: Typed): boolean {
  const storage = storageOf(field);
  return storage === 'integer' || storage === 'real';
}

/** Whether it is searched and sorted by its folded form. */
export function isText({ type }: Typed): boolean {
  return valueTypes[type].operatorClass === 'text';
}

interface Definition<V extends Value>
  extends Pick<ValueTypeRow, 'storage' | 'operatorClass' | 'plural' | 'schema'>,
    Partial<Pick<ValueTypeRow, 'isRounded' | 'isQuoted'>> {
  /** What its JSON form is: follows "must be". */
  readonly json: string;
  readonly read: (text: string) => V | Mismatch;
  /** Undefined if the JSON is not of this type. */
  readonly parse: (json: unknown) => V | undefined;
  /** What a record cannot hold, though a filter may name it. */
  readonly check?: (value: V, field: Holder) => Mismatch | undefined;
  readonly examples: readonly [V, ...V[]];
}

function valueType<V extends Value>(definition: Definition<V>): ValueTypeRow {
  const { json: form, parse, check, isRounded = () => false, isQuoted = false, ...row } = definition;
  const checked = (value: V, field: Holder): V | Mismatch => check?.(value, field) ?? value;
  return {
    ...row,
    isRounded,
    isQuoted,
    fromText(text, field) {
      const value = row.read(text);
      return value instanceof Mismatch ? value : checked(value, field);
    },
    fromJson(json, field) {
      const value = parse(json);
      return value === undefined ? new Mismatch(`must be ${form}`) : checked(value, field);
    },
  };
}

function checkText(text: string, field: Holder): Mismatch | undefined {
  if (field.initial.kind === 'required' && text.trim() === '') return new Mismatch('must not be blank');
  const { choices } = field;
  if (choices !== undefined && !choices.includes(text)) return new Mismatch(`must be one of ${choices.join(', ')}`);
  if (text.includes('\0')) return new Mismatch('must not contain NUL characters');
  if (!text.isWellFormed()) return new Mismatch('must be well-formed Unicode, without lone surrogates');
  // A string has at least as many UTF-16 units as characters, so most need no counting.
  if (text.length > MAX_TEXT_LENGTH && [...text].length > MAX_TEXT_LENGTH)
    return new Mismatch(`must have at most ${MAX_TEXT_LENGTH} characters`);
  // A UTF-16 unit takes at most three bytes in UTF-8.
  if (field.indexed && text.length * 3 > MAX_INDEXED_BYTES && utf8Length(text) > MAX_INDEXED_BYTES)
    return new Mismatch(`must have at most ${MAX_INDEXED_BYTES} bytes in UTF-8`);
  return undefined;
}

const MEANT_BOOLEANS: ReadonlyMap<string, string> = new Map([
  ...['1', 'yes', 't'].map((word) => [word, 'true'] as const),
  ...['0', 'no', 'f'].map((word) => [word, 'false'] as const),
]);

function readBoolean(text: string): boolean | Mismatch {
  const word = text.toLowerCase();
  if (word === 'true' || word === 'false') return word === 'true';
  return new Mismatch('must be true or false', MEANT_BOOLEANS.get(word));
}
