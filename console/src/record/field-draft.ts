/** The value of a field while a person edits it. */

import type { Field } from '../../../src/catalog/resource.ts';
import { readTimestamp } from '../../../src/catalog/timestamp.ts';
import { storageOf } from '../../../src/catalog/value-types.ts';
import type { Value } from '../data/records.ts';
import { localDigits } from '../format/local-number.ts';
import { localPartsOf } from '../format/local-time.ts';

/** As it is typed, in the user's locale and time zone. Null if the field has no value. */
export type FieldDraft = string | null;

export function draftOf(field: Field, value: Value): FieldDraft {
  if (value === null) return null;
  const text = String(value);
  switch (storageOf(field)) {
    case 'real':
      return localDigits(text);
    case 'timestamp': {
      const { day, time } = localPartsOf(text) ?? {};
      const local = `${day} ${time}`;
      // In some time zones, the first and the last day that there is are in a year that there is not.
      return readTimestamp(local) === undefined ? text : local;
    }
    default:
      return text;
  }
}

/** Nothing is no value, if the field can be without one. That text is empty has to be said. */
export function typedDraft({ nullable }: Field, text: string): FieldDraft {
  return nullable && text === '' ? null : text;
}
