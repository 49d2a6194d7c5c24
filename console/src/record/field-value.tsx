/** The full value of a field, and how the API writes it if that differs. */

import type { Field } from '../../../src/catalog/resource.ts';
import { isText, storageOf } from '../../../src/catalog/value-types.ts';
import type { Value } from '../data/records.ts';
import { FormattedValue } from '../format/formatted-value.tsx';
import { formatTimeWithZone, roundedFrom } from '../format/values.ts';

export interface FieldValueProps {
  readonly field: Field;
  /** Undefined while it is loading. */
  readonly value: Value | undefined;
}

export function FieldValue({ field, value }: FieldValueProps) {
  const isTime = storageOf(field) === 'timestamp';
  const raw = isTime && typeof value === 'string' ? value : roundedFrom(value, field.type);
  return (
    <span className={isText(field) ? 'record-field-value record-field-text' : 'record-field-value'}>
      {isTime && typeof value === 'string' ? formatTimeWithZone(value) : <FormattedValue value={value} field={field} />}
      {raw !== undefined && <code className="record-field-raw">{raw}</code>}
    </span>
  );
}
