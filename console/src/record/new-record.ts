/** What was typed for a new record, and the record that it makes, by the rules of the service. */

import { findField } from '../../../src/catalog/catalog.ts';
import type { Field, Resource } from '../../../src/catalog/resource.ts';
import { Mismatch } from '../../../src/catalog/value.ts';
import type { Value } from '../data/records.ts';
import { problemWith, readValue } from './read-value.ts';

/** By the name of the field. */
export type RecordForm = Readonly<Record<string, string>>;
export type NewRecord = Readonly<Record<string, Value>>;

export const EMPTY_FORM: RecordForm = {};

export interface Checked {
  readonly record: NewRecord;
  /** By the name of the field; empty if the record can be created. */
  readonly problems: Readonly<Record<string, string>>;
}

export function creatableFields(resource: Resource): readonly Field[] {
  return resource.creatable.flatMap((name) => findField(resource, name) ?? []);
}

/** A field that is left empty keeps its initial value. */
export function checkForm(resource: Resource, form: RecordForm): Checked {
  const record: Record<string, Value> = {};
  const problems: Record<string, string> = {};
  for (const field of creatableFields(resource)) {
    const text = form[field.name] ?? '';
    if (text === '' && field.initial.kind !== 'required') continue;
    const value = readValue(field, text);
    if (value instanceof Mismatch) problems[field.name] = problemWith(field, value);
    else record[field.name] = value;
  }
  return { record, problems };
}
