/** A value of a record as people read it at a glance. Whatever text it has is shown as text. */

import type { Field } from '../../../src/catalog/resource.ts';
import { storageOf } from '../../../src/catalog/value-types.ts';
import type { Value } from '../data/records.ts';
import { useCurrency } from '../session/use-currency.ts';
import { Icon } from '../ui/icon.tsx';
import { Tag } from '../ui/tag.tsx';
import { linkOf } from './link-of.ts';
import { MarkedText } from './marked-text.tsx';
import { RecentTime } from './recent-time.tsx';
import { formatField } from './values.ts';
import { wordFor } from './word-for.ts';
import './formatted-value.css';

export interface FormattedValueProps {
  /** Undefined while it is loading. */
  readonly value: Value | undefined;
  readonly field: Field;
  /** If links are not stops of the Tab key, as in a table, which is one stop. */
  readonly isInGrid?: boolean;
}

export function FormattedValue({ value, field, isInGrid = false }: FormattedValueProps) {
  const currency = useCurrency();
  if (value === undefined) return null;
  if (value === null)
    return (
      <span className="formatted-value-muted">
        <span aria-hidden="true">–</span>
        <span className="visually-hidden">{wordFor(value)}</span>
      </span>
    );
  if (typeof value === 'boolean') return <Mark value={value} field={field} />;
  const text = formatField(value, field, currency);
  if (typeof value === 'number' && value < 0) return <span className="formatted-value-negative">{text}</span>;
  if (typeof value !== 'string') return text;
  if (value.trim() === '') return <span className="formatted-value-muted">{text}</span>;
  if (storageOf(field) === 'timestamp') return <RecentTime timestamp={value} />;
  const link = linkOf(field, value);
  const marked = <MarkedText field={field} text={text} />;
  if (link === undefined) return marked;
  return (
    <a className="formatted-value-link" href={link} tabIndex={isInGrid ? -1 : undefined}>
      {marked}
    </a>
  );
}

/** A check mark, so that what is true stands out. What is no longer in use says so. */
function Mark({ value, field }: { readonly value: boolean; readonly field: Field }) {
  if (!value && field.kind === 'active') return <Tag>inactive</Tag>;
  return (
    <span className={value ? 'formatted-value-yes' : 'formatted-value-muted'}>
      {value ? <Icon name="check" /> : <span aria-hidden="true">·</span>}
      <span className="visually-hidden">{wordFor(value)}</span>
    </span>
  );
}
