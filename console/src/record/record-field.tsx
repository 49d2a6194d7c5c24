/** A field of a record: its name, meaning and full value. */

import type { Field } from '../../../src/catalog/resource.ts';
import { isText, storageOf } from '../../../src/catalog/value-types.ts';
import type { Value } from '../data/records.ts';
import { FormattedValue } from '../format/formatted-value.tsx';
import { formatTimeWithZone, roundedFrom } from '../format/values.ts';
import { CopyButton } from '../ui/copy-button.tsx';
import './record-field.css';

export interface RecordFieldProps {
  readonly field: Field;
  /** Undefined while it is loading. */
  readonly value: Value | undefined;
}

export function RecordField({ field, value }: RecordFieldProps) {
  const { name, type, meaning } = field;
  const isTime = storageOf(field) === 'timestamp';
  /** As the API has it, if it is shown in another way. */
  const raw = isTime && typeof value === 'string' ? value : roundedFrom(value, type);
  return (
    <div className="record-field">
      <dt>
        <span className="record-field-name">{name}</span> <span className="record-field-meaning">{meaning}</span>
      </dt>
      <dd>
        <div className={isText(field) ? 'record-field-value record-field-text' : 'record-field-value'}>
          {isTime && typeof value === 'string' ? (
            formatTimeWithZone(value)
          ) : (
            <FormattedValue value={value} field={field} />
          )}
          {raw !== undefined && <code className="record-field-raw">{raw}</code>}
        </div>
        {value !== undefined && value !== null && (
          <div className="record-field-copy">
            <CopyButton label={`Copy ${name}`} isIcon text={() => String(value)} />
          </div>
        )}
      </dd>
    </div>
  );
}
