/** One condition. Press it to change it; Delete or Backspace removes it. */

import { type Condition, printFilter } from '@stockbook/client/filter';
import { Button as AriaButton } from 'react-aria-components';
import { Icon } from '../ui/icon.tsx';
import { loadLater } from '../ui/load-later.tsx';
import { useOpener } from '../ui/use-opener.ts';
import { checkFilter } from '../view/check-filter.ts';
import { useBuilder } from './builder-context.ts';
import { spoken, wordsOf } from './condition-words.ts';
import { type Path, removeAt } from './filter-tree.ts';
import './condition-chip.css';

const ChipEditor = loadLater(() => import('./chip-editor.tsx'));

export interface ConditionChipProps {
  readonly condition: Condition;
  readonly path: Path;
}

export function ConditionChip({ condition, path }: ConditionChipProps) {
  const { resource, filter, isDisabled, change } = useBuilder();
  const opener = useOpener('dialog');
  const text = printFilter(condition);
  const checked = checkFilter(resource, text);
  const name = spoken(resource, condition);
  const { field, operator, spokenOperator, value } = wordsOf(resource, condition);
  const remove = () => change(removeAt(filter, path));
  return (
    <span className="condition-chip" data-invalid={checked.kind === 'invalid' || undefined} title={text}>
      <AriaButton
        className="condition-chip-button"
        data-chip=""
        isDisabled={isDisabled}
        {...opener.button}
        onKeyDown={({ key }) => {
          if (key === 'Delete' || key === 'Backspace') remove();
        }}
      >
        <span className="condition-chip-field">{field}</span>{' '}
        <span className="condition-chip-operator" aria-hidden={operator !== spokenOperator}>
          {operator}
        </span>{' '}
        {operator !== spokenOperator && <span className="visually-hidden">{spokenOperator}</span>}{' '}
        {value !== undefined && <span className="condition-chip-value">{value}</span>}
        {checked.kind === 'invalid' && <span className="visually-hidden">: {checked.problem.detail}</span>}
      </AriaButton>
      {opener.isOpen && <ChipEditor opener={opener} condition={condition} path={path} />}
      <AriaButton
        className="condition-chip-remove"
        aria-label={`Remove ${name}`}
        isDisabled={isDisabled}
        onPress={remove}
      >
        <Icon name="remove" />
      </AriaButton>
    </span>
  );
}
