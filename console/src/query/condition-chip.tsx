/** One condition, or a range of days. Press it to change it; Delete or Backspace removes it. */

import { printFilter } from '@stockbook/client/filter';
import { Button as AriaButton } from 'react-aria-components';
import { withLabel } from '../format/field-words.ts';
import { Icon } from '../ui/icon.tsx';
import { loadLater } from '../ui/load-later.tsx';
import { useOpener } from '../ui/use-opener.ts';
import { checkFilter } from '../view/check-filter.ts';
import { useBuilder } from './builder-context.ts';
import { type ChipPart, replacePart } from './chip-parts.ts';
import { spoken, wordsOf } from './condition-words.ts';
import './condition-chip.css';

const ChipEditor = loadLater(() => import('./chip-editor.tsx'));

export interface ConditionChipProps {
  readonly part: ChipPart;
}

export function ConditionChip({ part }: ConditionChipProps) {
  const { resource, filter, isDisabled, change } = useBuilder();
  const opener = useOpener('dialog');
  const { condition } = part;
  const text = printFilter(condition);
  const checked = checkFilter(resource, text);
  const name = spoken(resource, condition);
  const { field, operator, value } = wordsOf(resource, condition);
  const remove = () => change(replacePart(filter, part));
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
        {operator !== undefined && <span className="condition-chip-operator">{operator}</span>}{' '}
        {value !== undefined && <span className="condition-chip-value">{value}</span>}
        {checked.kind === 'invalid' && (
          <span className="visually-hidden">: {withLabel(resource, checked.problem.detail)}</span>
        )}
      </AriaButton>
      {opener.isOpen && <ChipEditor opener={opener} part={part} />}
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
