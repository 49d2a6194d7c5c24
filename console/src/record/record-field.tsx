/** A field of a record: its name, meaning and full value. */

import type { Field } from '../../../src/catalog/resource.ts';
import type { Value } from '../data/records.ts';
import { FormattedValue } from '../format/formatted-value.tsx';
import { formatTimeWithZone } from '../format/values.ts';
import { CopyButton } from '../ui/copy-button.tsx';
import './record-field.css';

export interface RecordFieldProps {
  readonly field: Field;
  /** Undefined while it is loading. */
  readonly value: Value | undefined;
}

export function RecordField({ field, value }: RecordFieldProps) {
  const { name, type, meaning } = field;
  return (
    <div className="record-field">
      <dt>
        <span className="record-field-name">{name}</span> <span className="record-field-meaning">{meaning}</span>
      </dt>
      <dd>
        <div className={type === 'text' ? 'record-field-value record-field-text' : 'record-field-value'}>
          {type === 'timestamp' && typeof value === 'string' ? (
            <>
              {formatTimeWithZone(value)} <code className="record-field-raw">{value}</code>
            </>
          ) : (
            <FormattedValue value={value} type={type} />
          )}
        </div>
        {value !== undefined && value !== null && (
          <div className="record-field-copy">
            <CopyButton label={`Copy ${name}`} text={() => String(value)} />
          </div>
        )}
      </dd>
    </div>
  );
}
