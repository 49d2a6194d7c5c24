/** One condition. Press it to change it; Delete or Backspace removes it. */

import { useState } from 'react';
import { Button as AriaButton, DialogTrigger } from 'react-aria-components';
import { type Condition, printFilter } from 'stockbook/filter';
import { Icon } from '../ui/icon.tsx';
import { Popover } from '../ui/popover.tsx';
import { checkFilter } from '../view/check-filter.ts';
import { useBuilder } from './builder-context.ts';
import { ConditionActions } from './condition-actions.tsx';
import { spoken, wordsOf } from './condition-words.ts';
import { combineAt, contextAt, type JunctionKind, type Path, removeAt, replaceAt } from './filter-tree.ts';
import { LazyConditionEditor } from './lazy-condition-editor.tsx';
import './condition-chip.css';

export interface ConditionChipProps {
  readonly condition: Condition;
  readonly path: Path;
}

export function ConditionChip({ condition, path }: ConditionChipProps) {
  const { resource, filter, isDisabled, change } = useBuilder();
  /** If the editor is for another condition, how it is joined with this one. */
  const [joined, setJoined] = useState<JunctionKind>();
  const text = printFilter(condition);
  const checked = checkFilter(resource, text);
  const name = spoken(resource, condition);
  const { field, operator, spokenOperator, value } = wordsOf(resource, condition);
  // Only for the chip that is edited: a filter may have 200 of them.
  const context = () => {
    // A condition joined with `and` applies to records that match this one.
    const found = contextAt(filter, joined === 'and' ? [...path, 1] : path);
    return found === undefined ? '' : printFilter(found);
  };
  const remove = () => change(removeAt(filter, path));
  return (
    <span className="condition-chip" data-invalid={checked.kind === 'invalid' || undefined} title={text}>
      <DialogTrigger onOpenChange={() => setJoined(undefined)}>
        <AriaButton
          className="condition-chip-button"
          data-chip=""
          isDisabled={isDisabled}
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
        <Popover label={joined === undefined ? `Change ${name}` : `Add to ${name}`}>
          {(close) => (
            <LazyConditionEditor
              key={joined}
              resource={resource}
              condition={joined === undefined ? condition : undefined}
              context={context()}
              onApply={(applied) => {
                change(
                  joined === undefined ? replaceAt(filter, path, applied) : combineAt(filter, path, applied, joined),
                );
                close();
              }}
            >
              {joined === undefined && (
                <ConditionActions condition={condition} path={path} onJoin={setJoined} onDone={close} />
              )}
            </LazyConditionEditor>
          )}
        </Popover>
      </DialogTrigger>
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
