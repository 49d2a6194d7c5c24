/** One JSON object as a row. */

import { findField } from '../catalog/catalog.ts';
import { valueFromJson } from '../catalog/field-value.ts';
import type { Field, Resource } from '../catalog/resource.ts';
import type { Mismatch, Value } from '../catalog/value.ts';
import { isText } from '../catalog/value-types.ts';
import { quoted, truncated } from '../problem/quoted.ts';
import { exceededLimit } from '../request/json-structure.ts';
import { repeatedMember } from '../request/repeated-member.ts';
import type { RawRow } from './format.ts';
import { isReferencePair } from './odoo.ts';
import type { TextCells } from './text-cells.ts';

/** A longer row is looked at before it is parsed, in UTF-16 units: with many small values, it would take hundreds of milliseconds. */
const LONG = 16 * 1024;
const LIMITS = { depth: 100, commas: 10_000 };

export function jsonRow(text: string, number: number): RawRow<unknown> {
  const exceeded = text.length > LONG ? exceededLimit(Buffer.from(text), LIMITS) : undefined;
  if (exceeded !== undefined) {
    const reason =
      exceeded === 'depth' ? `nested more than ${LIMITS.depth} levels deep` : `has more than ${LIMITS.commas} values`;
    return { kind: 'error', number, text, size: text.length, reason };
  }
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    const reason = `not valid JSON: ${error instanceof Error ? error.message : String(error)}`;
    return { kind: 'error', number, text, size: text.length, reason };
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return { kind: 'error', number, text, size: text.length, reason: `not a JSON object: ${quoted(text.trim())}` };
  }
  const repeated = repeatedMember(text);
  if (repeated !== undefined) {
    const reason = `has the member ${quoted(repeated)} more than once`;
    return { kind: 'error', number, text, size: text.length, reason };
  }
  return { kind: 'row', number, text, size: text.length, columns: Object.keys(value), cells: Object.values(value) };
}

/** A null `id` requests a new one. In Odoo's JSON, empty is `false`, and a reference has the name of its record. */
export function jsonValue(field: Field, cell: unknown, texts: TextCells): Value | null | undefined | Mismatch {
  if (cell === null && field.initial.kind === 'id') return undefined;
  // As in a file of text, so that numbers in quotes are what they are there.
  if (!isText(field) && typeof cell === 'string') return texts.read(field, cell);
  if (texts.isOdoo && isOdooJson(field, cell)) return cell === false ? null : valueFromJson(field, cell[0]);
  return valueFromJson(field, cell);
}

function isOdooJson(field: Field, cell: unknown): cell is false | readonly [number, string] {
  if (cell === false) return field.nullable && field.type !== 'boolean';
  return field.type === 'integer' && isReferencePair(cell);
}

/** Whether rows have cells that only Odoo writes. */
export function isOdooRows(rows: readonly RawRow<unknown>[], resource: Resource): boolean {
  return rows.some(
    (row) =>
      row.kind === 'row' &&
      row.cells.some((cell, index) => {
        const field = findField(resource, row.columns[index] ?? '');
        return field !== undefined && isOdooJson(field, cell);
      }),
  );
}

export function isEmptyJson(cell: unknown): boolean {
  return cell === null || cell === '';
}

/** `"5"` for a string, `5` for a number. */
export function printJson(cell: unknown): string {
  if (Array.isArray(cell)) return 'an array';
  if (typeof cell === 'object' && cell !== null) return 'an object';
  // A number that is too large has become Infinity, which JSON does not have.
  return typeof cell === 'number' ? String(cell) : truncated(JSON.stringify(cell));
}

export function jsonText(cell: unknown): string {
  return typeof cell === 'string' ? truncated(cell) : printJson(cell);
}

export function jsonFlag(cell: unknown): boolean | undefined {
  if (cell === null) return false;
  return typeof cell === 'boolean' ? cell : undefined;
}
