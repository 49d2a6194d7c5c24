/** Chooses an operator among those that the field has. Whether there is a value at all is a choice as well. */

import { type OperatorSymbol, operators } from '@stockbook/client/filter';
import { Button, ListBox, ListBoxItem, Popover, Select, SelectValue } from 'react-aria-components';
import { storageOf } from '../../../src/catalog/value-types.ts';
import { Icon } from '../ui/icon.tsx';
import { type ConditionDraft, isAboutNull, operatorsOf, withOperator } from './condition-draft.ts';
import { NULL_WORDS } from './condition-words.ts';
import '../ui/text-field.css';
import './operator-select.css';
import './option-list.css';

export interface OperatorSelectProps {
  readonly draft: ConditionDraft;
  readonly onChange: (draft: ConditionDraft) => void;
}

interface Choice {
  readonly id: string;
  readonly sign: string;
  readonly title: string;
  readonly operator: OperatorSymbol;
  readonly isAboutNull: boolean;
}

export function OperatorSelect({ draft, onChange }: OperatorSelectProps) {
  const choices = choicesOf(draft);
  const isNull = isAboutNull(draft);
  const selected = choices.find((choice) => choice.operator === draft.operator && choice.isAboutNull === isNull);
  return (
    <Select
      className="operator-select"
      aria-label="Operator"
      selectedKey={selected?.id ?? null}
      onSelectionChange={(key) => {
        const choice = choices.find(({ id }) => id === key);
        if (choice === undefined) return;
        const { operator } = choice;
        onChange(choice.isAboutNull ? { ...draft, operator, values: [null] } : withOperator(draft, operator));
      }}
    >
      <Button className="text-input operator-select-button">
        <SelectValue className="operator-select-value" />
        <Icon name="down" />
      </Button>
      <Popover className="popover operator-select-popover" offset={4}>
        <ListBox className="option-list" items={choices}>
          {({ id, sign, title }) => (
            <ListBoxItem className="option" id={id} textValue={title}>
              <span className="option-sign">{sign}</span>
              <span className="option-text">{title}</span>
            </ListBoxItem>
          )}
        </ListBox>
      </Popover>
    </Select>
  );
}

function choicesOf({ field }: ConditionDraft): readonly Choice[] {
  const symbols = operatorsOf(field).map((operator) => {
    const { symbol, title } = operators[operator];
    return { id: operator, sign: symbol, title, operator, isAboutNull: false };
  });
  if (!field.nullable || storageOf(field) === 'boolean') return symbols;
  const aboutNull = (['=', '!='] as const).map((operator) => {
    const title = NULL_WORDS[operator] ?? operator;
    return { id: `${operator}null`, sign: operator, title, operator, isAboutNull: true };
  });
  return [...symbols, ...aboutNull];
}
