/** The fields of a record that people set. */

import type { Field, Resource } from '../../../src/catalog/resource.ts';
import type { TaggedRecord } from '../data/records.ts';

/** The id and the dates of a record are set by the service. */
export function isSetByPeople({ initial }: Field): boolean {
  return initial.kind === 'value' || initial.kind === 'required';
}

/** The names of those that have another value than before. */
export function changedFields(resource: Resource, before: TaggedRecord, after: TaggedRecord): readonly string[] {
  const changed = resource.fields.filter(({ name }) => before.data[name] !== after.data[name]);
  return changed.filter(isSetByPeople).map(({ name }) => name);
}
