/** The full value of a field, and how the API writes it if that differs. */

import type { Field } from '../../../src/catalog/resource.ts';
import { isText, storageOf } from '../../../src/catalog/value-types.ts';
import type { Value } from '../data/records.ts';
import { FormattedValue } from '../format/formatted-value.tsx';
import { useNow } from '../format/use-now.ts';
import { formatTimeWithZone, recentWords, roundedFrom } from '../format/values.ts';
import { wordFor } from '../format/word-for.ts';
import { Icon } from '../ui/icon.tsx';

export interface FieldValueProps {
  readonly field: Field;
  /** Undefined while it is loading. */
  readonly value: Value | undefined;
}

export function FieldValue({ field, value }: FieldValueProps) {
  const raw = roundedFrom(value, field.type);
  return (
    <span className={isText(field) ? 'record-field-value record-field-text' : 'record-field-value'}>
      {storageOf(field) === 'timestamp' && typeof value === 'string' ? (
        <Time timestamp={value} />
      ) : typeof value === 'boolean' ? (
        <Answer value={value} />
      ) : (
        <FormattedValue value={value} field={field} />
      )}
      {raw !== undefined && <code className="record-field-raw">{raw}</code>}
    </span>
  );
}

function Time({ timestamp }: { readonly timestamp: string }) {
  const recent = recentWords(timestamp, useNow());
  return (
    <>
      <time dateTime={timestamp}>{formatTimeWithZone(timestamp)}</time>
      {recent !== undefined && <span className="record-field-raw">{recent}</span>}
    </>
  );
}

/** Beside one label there is room for the word. */
function Answer({ value }: { readonly value: boolean }) {
  return (
    <span className="record-field-answer">
      {value && <Icon name="check" />}
      {wordFor(value)}
    </span>
  );
}
