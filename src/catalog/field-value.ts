/** Values that a field can hold, from the text or JSON of imports and create requests. */

import type { Field } from './resource.ts';
import { Mismatch, type Value } from './value.ts';
import { valueTypes } from './value-types.ts';

export function valueFromText(field: Field, text: string): Value | Mismatch {
  return valueTypes[field.type].fromText(text, field);
}

export function valueFromJson(field: Field, json: unknown): Value | null | Mismatch {
  if (json !== null) return valueTypes[field.type].fromJson(json, field);
  return field.nullable ? null : new Mismatch('must not be null');
}
