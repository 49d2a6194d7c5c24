/** One JSON object as a row. */

import { valueFromJson } from '../catalog/field-value.ts';
import type { Field } from '../catalog/resource.ts';
import type { Mismatch, Value } from '../catalog/value.ts';
import { quoted, truncated } from '../problem/quoted.ts';
import type { RawRow } from './format.ts';

export function jsonRow(text: string, number: number): RawRow<unknown> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    const reason = `not valid JSON: ${error instanceof Error ? error.message : String(error)}`;
    return { kind: 'error', number, text, reason };
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return { kind: 'error', number, text, reason: `not a JSON object: ${quoted(text.trim())}` };
  }
  return { kind: 'row', number, text, columns: Object.keys(value), cells: Object.values(value) };
}

/** A null `id` requests a new one. */
export function jsonValue(field: Field, cell: unknown): Value | null | undefined | Mismatch {
  return cell === null && field.initial.kind === 'id' ? undefined : valueFromJson(field, cell);
}

/** `"5"` for a string, `5` for a number. */
export function printJson(cell: unknown): string {
  if (Array.isArray(cell)) return 'an array';
  return typeof cell === 'object' && cell !== null ? 'an object' : truncated(JSON.stringify(cell));
}

export function jsonText(cell: unknown): string {
  return typeof cell === 'string' ? truncated(cell) : printJson(cell);
}

export function jsonFlag(cell: unknown): boolean | undefined {
  if (cell === null) return false;
  return typeof cell === 'boolean' ? cell : undefined;
}
