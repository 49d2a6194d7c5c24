/** Chooses an operator among those that the field has. Whether there is a value at all is a choice as well. */

import type { OperatorSymbol } from '@stockbook/client/filter';
import { Button, ListBox, ListBoxItem, Popover, Select, SelectValue } from 'react-aria-components';
import { storageOf } from '../../../src/catalog/value-types.ts';
import { Icon } from '../ui/icon.tsx';
import { type ConditionDraft, isAboutNull, operatorsOf, withOperator, withRange } from './condition-draft.ts';
import { NULL_WORDS, operatorWords } from './condition-words.ts';
import { RANGE_NAMES } from './day-range.ts';
import '../ui/text-field.css';
import './operator-select.css';
import './option-list.css';

export interface OperatorSelectProps {
  readonly draft: ConditionDraft;
  readonly onChange: (draft: ConditionDraft) => void;
}

interface Choice {
  readonly id: string;
  readonly title: string;
  /** The draft if it is chosen. */
  readonly chosen: (draft: ConditionDraft) => ConditionDraft;
}

export function OperatorSelect({ draft, onChange }: OperatorSelectProps) {
  const choices = choicesOf(draft);
  return (
    <Select
      className="operator-select"
      aria-label="Operator"
      selectedKey={draft.range ?? idOf(draft.operator, isAboutNull(draft))}
      onSelectionChange={(key) => {
        const choice = choices.find(({ id }) => id === key);
        if (choice !== undefined) onChange(choice.chosen(draft));
      }}
    >
      <Button className="text-input operator-select-button">
        <SelectValue className="operator-select-value" />
        <Icon name="down" />
      </Button>
      <Popover className="popover operator-select-popover" offset={4}>
        <ListBox className="option-list" items={choices}>
          {({ id, title }) => (
            <ListBoxItem className="option" id={id} textValue={title}>
              <span className="option-text">{title}</span>
            </ListBoxItem>
          )}
        </ListBox>
      </Popover>
    </Select>
  );
}

function choicesOf({ field }: ConditionDraft): readonly Choice[] {
  const { type, nullable } = field;
  const storage = storageOf(field);
  const ranges = RANGE_NAMES.map((range) => ({
    id: range,
    title: range,
    chosen: (draft: ConditionDraft) => withRange(draft, range),
  }));
  const symbols = operatorsOf(field).map((operator) => ({
    id: idOf(operator, false),
    title: operatorWords(operator, type),
    chosen: (draft: ConditionDraft) => withOperator(draft, operator),
  }));
  const aboutNull = (['=', '!='] as const).map((operator) => ({
    id: idOf(operator, true),
    title: NULL_WORDS[operator] ?? operator,
    chosen: (draft: ConditionDraft): ConditionDraft => ({ field: draft.field, operator, values: [null] }),
  }));
  return [
    ...(storage === 'timestamp' ? ranges : []),
    ...symbols,
    ...(nullable && storage !== 'boolean' ? aboutNull : []),
  ];
}

function idOf(operator: OperatorSymbol, isNull: boolean): string {
  return isNull ? `${operator}null` : operator;
}
