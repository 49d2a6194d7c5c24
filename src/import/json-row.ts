/** One JSON object as a row. */

import type { Field, Value } from '../catalog/resource.ts';
import { storableJson } from '../catalog/storable.ts';
import type { Mismatch } from '../catalog/value.ts';
import { mention } from '../problem/mention.ts';
import type { RawRow } from './format.ts';

export function jsonRow(text: string, number: number): RawRow<unknown> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    const reason = `this is not JSON: ${error instanceof Error ? error.message : String(error)}`;
    return { kind: 'fault', number, text, reason };
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return { kind: 'fault', number, text, reason: `this is not a JSON object: ${mention(text.trim())}` };
  }
  return { kind: 'row', number, text, columns: Object.keys(value), cells: Object.values(value) };
}

/** A null `id` asks for a new one. */
export function jsonValue(field: Field, cell: unknown): Value | null | undefined | Mismatch {
  return cell === null && field.initial.kind === 'id' ? undefined : storableJson(field, cell);
}

export function printJson(cell: unknown): string {
  if (typeof cell === 'string') return cell;
  return typeof cell === 'object' && cell !== null ? 'an object or array' : JSON.stringify(cell);
}
