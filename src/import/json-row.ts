/** One JSON object as a row. */

import type { Field, Value } from '../catalog/resource.ts';
import { storableJson } from '../catalog/storable.ts';
import type { Mismatch } from '../catalog/value.ts';
import { mention } from '../problem/mention.ts';
import { type RawRow, UnreadableFile } from './format.ts';

/** `place` is where it stands, as a message says it. */
export function jsonRow(text: string, number: number, place: string): RawRow<unknown> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new UnreadableFile(`${place} is not JSON: ${error instanceof Error ? error.message : String(error)}.`);
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new UnreadableFile(`${place} is not a JSON object: ${mention(text.trim())}.`);
  }
  return { number, columns: Object.keys(value), cells: Object.values(value) };
}

/** A null `id` asks for a new one. */
export function jsonValue(field: Field, cell: unknown): Value | null | undefined | Mismatch {
  return cell === null && field.initial.kind === 'id' ? undefined : storableJson(field, cell);
}

export function printJson(cell: unknown): string {
  if (typeof cell === 'string') return cell;
  return typeof cell === 'object' && cell !== null ? 'an object or array' : JSON.stringify(cell);
}
