/** Text or a number. An operator typed in front of a number is chosen: `>100`. */

import { isListSymbol, type OperatorSymbol } from '@stockbook/client/filter';
import type { Field, Resource } from '../../../src/catalog/resource.ts';
import { isNumeric, isText, storageOf, valueTypes } from '../../../src/catalog/value-types.ts';
import { localDigits } from '../format/local-number.ts';
import {
  type ConditionDraft,
  type DraftValue,
  exact,
  isBlank,
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
  const isFree = isText(field);
  const isNumber = isNumeric(field);
  const isExact = operator === '=' || operator === '!=';
  const known = useKnownValues(resource, isExact ? field : undefined, value.text, context);
  const type = (text: string) => {
    const symbol = isFree ? undefined : leadingOperator(draft, text);
    if (symbol === undefined) onChange({ ...draft, values: [typed(text)] });
    else onChange({ ...withOperator(draft, symbol), values: [typed(text.replace(/^[\s=!<>]+/, ''))] });
  };
  return (
    <SuggestingInput
      autoFocus={autoFocus}
      label="Value"
      placeholder={isFree ? 'Text' : isNumber ? 'Number, or >100' : String(valueTypes[field.type].examples[0])}
      inputMode={isNumber ? 'decimal' : 'text'}
      value={shownText(field, value)}
      values={known}
      onChange={type}
      onPick={(text) => onChange({ ...draft, values: [exact(text)] })}
    />
  );
}

/** As it would be typed. */
function shownText(field: Field, { kind, text }: DraftValue): string {
  return kind === 'exact' && storageOf(field) === 'real' ? localDigits(text) : text;
}

/** The longest operator with which the text begins, or that continues the one that is chosen: `=` after `>`. */
function leadingOperator({ field, operator, values }: ConditionDraft, text: string): OperatorSymbol | undefined {
  const beginning = text.trimStart();
  const symbols = operatorsOf(field).filter((symbol) => !isListSymbol(symbol));
  const longest = symbols.toSorted((a, b) => b.length - a.length);
  const isEmpty = values[0] !== undefined && isBlank(values[0]);
  const continued = isEmpty ? longest.find((symbol) => symbol === operator + beginning) : undefined;
  return continued ?? longest.find((symbol) => beginning.startsWith(symbol));
}
