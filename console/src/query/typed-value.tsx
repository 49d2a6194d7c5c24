/** Text or a number. An operator typed in front of a number is chosen: `>100`. */

import type { OperatorSymbol } from '@stockbook/client/filter';
import type { Field, Resource } from '../../../src/catalog/resource.ts';
import { localDigits } from '../format/local-number.ts';
import {
  type ConditionDraft,
  type DraftValue,
  exact,
  isBlank,
  isListOperator,
  operatorsOf,
  typed,
  withOperator,
} from './condition-draft.ts';
import { SuggestingInput } from './suggesting-input.tsx';
import { useKnownValues } from './use-known-values.ts';

export interface TypedValueProps {
  readonly resource: Resource;
  readonly draft: ConditionDraft;
  readonly context: string;
  readonly autoFocus: boolean;
  readonly value: DraftValue;
  readonly onChange: (draft: ConditionDraft) => void;
}

export function TypedValue({ resource, draft, context, value, autoFocus, onChange }: TypedValueProps) {
  const { field, operator } = draft;
  const isText = field.type === 'text';
  const isExact = operator === '=' || operator === '!=';
  const known = useKnownValues(resource, isExact ? field : undefined, value.text, context);
  const type = (text: string) => {
    const symbol = isText ? undefined : leadingOperator(draft, text);
    if (symbol === undefined) onChange({ ...draft, values: [typed(text)] });
    else onChange({ ...withOperator(draft, symbol), values: [typed(text.replace(/^[\s=!<>]+/, ''))] });
  };
  return (
    <SuggestingInput
      autoFocus={autoFocus}
      label="Value"
      placeholder={isText ? 'Text' : 'Number, or >100'}
      inputMode={isText ? 'text' : 'decimal'}
      value={shownText(field, value)}
      values={known}
      onChange={type}
      onPick={(text) => onChange({ ...draft, values: [exact(text)] })}
    />
  );
}

/** As it would be typed. */
function shownText({ type }: Field, { kind, text }: DraftValue): string {
  return kind === 'exact' && type === 'number' ? localDigits(text) : text;
}

/** The longest operator with which the text begins, or that continues the one that is chosen: `=` after `>`. */
function leadingOperator({ field, operator, values }: ConditionDraft, text: string): OperatorSymbol | undefined {
  const beginning = text.trimStart();
  const symbols = operatorsOf(field).filter((symbol) => !isListOperator(symbol));
  const longest = symbols.toSorted((a, b) => b.length - a.length);
  const isEmpty = values[0] !== undefined && isBlank(values[0]);
  const continued = isEmpty ? longest.find((symbol) => symbol === operator + beginning) : undefined;
  return continued ?? longest.find((symbol) => beginning.startsWith(symbol));
}
