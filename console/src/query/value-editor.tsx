/** The value of a condition, in an editor for its type. */

import { isListSymbol } from '@stockbook/client/filter';
import type { Resource } from '../../../src/catalog/resource.ts';
import { storageOf } from '../../../src/catalog/value-types.ts';
import { BooleanValue } from './boolean-value.tsx';
import { type ConditionDraft, typed } from './condition-draft.ts';
import { ListValue } from './list-value.tsx';
import { RangeValue } from './range-value.tsx';
import { TimestampValue } from './timestamp-value.tsx';
import { TypedValue } from './typed-value.tsx';

export interface ValueEditorProps {
  readonly resource: Resource;
  readonly draft: ConditionDraft;
  /** Limits the suggested values to those of records that match this filter. */
  readonly context: string;
  readonly autoFocus: boolean;
  readonly onChange: (draft: ConditionDraft) => void;
}

export function ValueEditor({ resource, draft, context, autoFocus, onChange }: ValueEditorProps) {
  const { field, operator, values } = draft;
  const change = (changed: ConditionDraft['values']) => onChange({ ...draft, values: changed });
  const value = values[0] ?? typed('');
  if (storageOf(field) === 'boolean')
    return (
      <BooleanValue
        autoFocus={autoFocus}
        field={field}
        isList={isListSymbol(operator)}
        values={values}
        onChange={change}
      />
    );
  if (isListSymbol(operator))
    return <ListValue autoFocus={autoFocus} resource={resource} draft={draft} context={context} onChange={change} />;
  if (draft.range !== undefined) return <RangeValue autoFocus={autoFocus} draft={draft} onChange={change} />;
  if (storageOf(field) === 'timestamp')
    return (
      <TimestampValue autoFocus={autoFocus} draft={draft} value={value} onChange={(changed) => change([changed])} />
    );
  return (
    <TypedValue
      autoFocus={autoFocus}
      resource={resource}
      draft={draft}
      context={context}
      value={value}
      onChange={onChange}
    />
  );
}
