/** Records that are no longer in use, for resources that have a field for that. */

import type { Field, Resource } from '../../../src/catalog/resource.ts';
import type { RecordValues } from './records.ts';

/** Undefined if records of this kind are always in use. */
export function activeField({ fields }: Resource): Field | undefined {
  return fields.find(({ kind }) => kind === 'active');
}

export function isInactive(resource: Resource, record: RecordValues | undefined): boolean {
  const field = activeField(resource);
  return field !== undefined && record?.[field.name] === false;
}
