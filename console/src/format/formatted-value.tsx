/** A value of a record as people read it. Whatever text it has is shown as text. */

import type { Field } from '../../../src/catalog/resource.ts';
import type { Value } from '../data/records.ts';
import { formatValue } from './values.ts';
import './formatted-value.css';

export interface FormattedValueProps {
  /** Undefined while it is loading. */
  readonly value: Value | undefined;
  readonly field: Field;
}

export function FormattedValue({ value, field }: FormattedValueProps) {
  const { type } = field;
  if (value === undefined) return null;
  if (value === null)
    return (
      <span className="formatted-value-muted">
        <span aria-hidden="true">–</span>
        <span className="visually-hidden">{formatValue(value, type)}</span>
      </span>
    );
  const isBlank = typeof value === 'string' && value.trim() === '';
  if (isBlank || value === false) return <span className="formatted-value-muted">{formatValue(value, type)}</span>;
  return formatValue(value, type, field.decimals);
}
