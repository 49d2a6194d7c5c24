/** Values of fields as people type them, by the rules of the service. */

import { valueFromJson, valueFromText } from '../../../src/catalog/field-value.ts';
import type { Field } from '../../../src/catalog/resource.ts';
import type { Mismatch } from '../../../src/catalog/value.ts';
import { isText } from '../../../src/catalog/value-types.ts';
import type { Value } from '../data/records.ts';
import { typed } from '../query/condition-draft.ts';
import { meaningOf, type Question, readingsOf } from '../query/meaning-of-draft.ts';

/** Text is kept as it was typed. Everything else is read in the user's locale and time zone. */
export function readValue(field: Field, text: string): Value | Mismatch {
  if (isText(field)) return valueFromJson(field, text);
  const [reading] = readingsOf(field, typed(text), false).flat();
  return valueFromText(field, reading ?? '');
}

/** Undefined if there is one way to read the text. The answers are conditions that the field has a value. */
export function questionAbout(field: Field, text: string): Question | undefined {
  const meaning = meaningOf({ field, operator: '=', values: [typed(text)] });
  return meaning.kind === 'question' ? meaning.question : undefined;
}

export function problemWith(field: Field, { requirement, meant }: Mismatch): string {
  const problem = `${field.label} ${requirement}.`;
  return meant === undefined ? problem : `${problem} Did you mean ${meant}?`;
}
