/** Text or a number. An operator typed in front of a number is chosen: `>100`. */

import type { OperatorSymbol } from 'stockbook/filter';
import type { Resource } from '../../../src/catalog/resource.ts';
import { type ConditionDraft, isListOperator, operatorsOf, withOperator } from './condition-draft.ts';
import { SuggestingInput } from './suggesting-input.tsx';
import { useKnownValues } from './use-known-values.ts';

export interface TypedValueProps {
  readonly resource: Resource;
  readonly draft: ConditionDraft;
  readonly context: string;
  readonly autoFocus: boolean;
  readonly value: string;
  readonly onChange: (draft: ConditionDraft) => void;
}

export function TypedValue({ resource, draft, context, value, autoFocus, onChange }: TypedValueProps) {
  const { field, operator } = draft;
  const isText = field.type === 'text';
  const isExact = operator === '=' || operator === '!=';
  const known = useKnownValues(resource, isExact ? field : undefined, value, context);
  const type = (text: string) => {
    const symbol = isText ? undefined : leadingOperator(draft, text);
    if (symbol === undefined) onChange({ ...draft, values: [text] });
    else onChange({ ...withOperator(draft, symbol), values: [text.replace(/^[\s=!<>]+/, '')] });
  };
  return (
    <SuggestingInput
      autoFocus={autoFocus}
      label="Value"
      placeholder={isText ? 'Text' : 'Number, or >100'}
      inputMode={isText ? 'text' : 'decimal'}
      value={value}
      values={known}
      onChange={type}
      onPick={(text) => onChange({ ...draft, values: [text] })}
    />
  );
}

/** The longest operator with which the text begins, or that continues the one that is chosen: `=` after `>`. */
function leadingOperator({ field, operator, values }: ConditionDraft, text: string): OperatorSymbol | undefined {
  const typed = text.trimStart();
  const symbols = operatorsOf(field).filter((symbol) => !isListOperator(symbol));
  const longest = symbols.toSorted((a, b) => b.length - a.length);
  const continued = values[0] === '' ? longest.find((symbol) => symbol === operator + typed) : undefined;
  return continued ?? longest.find((symbol) => typed.startsWith(symbol));
}
