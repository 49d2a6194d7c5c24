/** What a record can hold: the values that create requests and imports may bring. */

import type { ValueType } from '../filter/operators.ts';
import { type Field, MAX_INDEXED_BYTES, MAX_INTEGER, MAX_TEXT_LENGTH, type Value } from './resource.ts';
import { readTimestamp } from './timestamp.ts';
import { Mismatch, readValue } from './value.ts';

/** A value from a CSV cell. */
export function storableText(field: Field, text: string): Value | Mismatch {
  const value = readValue(field.type, text);
  return value instanceof Mismatch ? value : withinBounds(field, value);
}

/** A value from JSON. */
export function storableJson(field: Field, json: unknown): Value | null | Mismatch {
  if (json === null) return field.nullable ? null : new Mismatch(`${forms[field.type]}, and it must not be null`);
  const value = valueOfJson(field.type, json);
  return value === undefined ? new Mismatch(forms[field.type]) : withinBounds(field, value);
}

const forms: Record<ValueType, string> = {
  text: 'a string',
  boolean: 'true or false',
  number: 'a number',
  integer: 'a whole number',
  timestamp: 'a string with an ISO 8601 timestamp',
};

function valueOfJson(type: ValueType, json: unknown): Value | undefined {
  switch (type) {
    case 'text':
      return typeof json === 'string' ? json : undefined;
    case 'timestamp':
      return typeof json === 'string' ? readTimestamp(json) : undefined;
    case 'boolean':
      return typeof json === 'boolean' ? json : undefined;
    case 'number':
      // Adding 0 makes one zero of -0 and 0.
      return typeof json === 'number' ? json + 0 : undefined;
    case 'integer':
      return typeof json === 'number' && Number.isInteger(json) ? json + 0 : undefined;
  }
}

function withinBounds(field: Field, value: Value): Value | Mismatch {
  if (typeof value === 'string') return field.type === 'text' ? textWithinBounds(field, value) : value;
  if (typeof value === 'boolean') return value;
  if (field.type === 'number')
    return Number.isFinite(value) ? value : new Mismatch('a number within the range of double precision');
  const smallest = field.initial.kind === 'id' ? 1 : -MAX_INTEGER;
  return value >= smallest && value <= MAX_INTEGER
    ? value
    : new Mismatch(`a whole number from ${smallest} to ${MAX_INTEGER}`);
}

function textWithinBounds(field: Field, text: string): string | Mismatch {
  if (field.initial.kind === 'required' && text.trim() === '')
    return new Mismatch('text with at least one character that is not a space');
  if (text.includes('\0')) return new Mismatch('text free of NUL characters');
  if (!text.isWellFormed()) return new Mismatch('well-formed Unicode text, without half of a surrogate pair');
  // A string has at least as many UTF-16 units as characters, so most need no counting.
  if (text.length > MAX_TEXT_LENGTH && [...text].length > MAX_TEXT_LENGTH)
    return new Mismatch(`text of at most ${MAX_TEXT_LENGTH} characters`);
  // A character has three bytes at most for each of its UTF-16 units.
  if (field.indexed && text.length * 3 > MAX_INDEXED_BYTES && Buffer.byteLength(text) > MAX_INDEXED_BYTES)
    return new Mismatch(`text of at most ${MAX_INDEXED_BYTES} bytes in UTF-8`);
  return text;
}
