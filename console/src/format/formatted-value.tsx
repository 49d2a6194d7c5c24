/** A value of a record as people read it. Whatever text it has is shown as text. */

import type { ValueType } from '../../../src/catalog/value-types.ts';
import type { Value } from '../data/records.ts';
import { formatValue } from './values.ts';
import './formatted-value.css';

export interface FormattedValueProps {
  /** Undefined while it is loading. */
  readonly value: Value | undefined;
  readonly type: ValueType;
  /** How many a number has at least. */
  readonly decimals?: number | undefined;
}

export function FormattedValue({ value, type, decimals }: FormattedValueProps) {
  if (value === undefined) return null;
  if (value === null)
    return (
      <span className="formatted-value-muted">
        <span aria-hidden="true">{formatValue(value, type)}</span>
        <span className="visually-hidden">null</span>
      </span>
    );
  // As in a filter: otherwise nobody could tell it from null.
  if (value === '') return <span className="formatted-value-muted">""</span>;
  if (value === false) return <span className="formatted-value-muted">{formatValue(value, type)}</span>;
  return formatValue(value, type, decimals);
}
