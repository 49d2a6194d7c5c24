/** Conditions of which records have to meet all, or any. The outermost ones have no box around them. */

import { Fragment } from 'react';
import { Group, ToggleButton, ToggleButtonGroup } from 'react-aria-components';
import { type Junction, printFilter } from 'stockbook/filter';
import { Button } from '../ui/button.tsx';
import { Icon } from '../ui/icon.tsx';
import { loadLater } from '../ui/load-later.tsx';
import { useOpener } from '../ui/use-opener.ts';
import { AddCondition } from './add-condition.tsx';
import { useBuilder } from './builder-context.ts';
import { ConditionChip } from './condition-chip.tsx';
import { addAt, isCondition, type Path, switchAt } from './filter-tree.ts';
import './condition-group.css';

const GroupActions = loadLater(() => import('./group-actions.tsx'));
const ACTIONS = 'More for this group';

const WORDS = { and: 'all', or: 'any' } as const;

export interface ConditionGroupProps {
  readonly junction: Junction;
  readonly path: Path;
}

export function ConditionGroup({ junction, path }: ConditionGroupProps) {
  const { filter, isDisabled, change } = useBuilder();
  const opener = useOpener('menu');
  const { kind, operands } = junction;
  const isOutermost = path.length === 0;
  const name = `${WORDS[kind] === 'all' ? 'All' : 'Any'} of ${operands.length} conditions`;
  const content = (
    <>
      <ToggleButtonGroup
        className="condition-group-switch"
        aria-label="Records meet"
        selectionMode="single"
        disallowEmptySelection
        isDisabled={isDisabled}
        selectedKeys={[kind]}
        onSelectionChange={(keys) => {
          if (!keys.has(kind)) change(switchAt(filter, path));
        }}
      >
        <ToggleButton className="condition-group-kind" id="and">
          all
        </ToggleButton>
        <ToggleButton className="condition-group-kind" id="or">
          any
        </ToggleButton>
      </ToggleButtonGroup>
      {operands.map((operand, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the same condition may be there twice
        <Fragment key={`${index} ${printFilter(operand)}`}>
          {index > 0 && (
            <span className="condition-group-joint" aria-hidden="true">
              {kind}
            </span>
          )}
          {isCondition(operand) ? (
            <ConditionChip condition={operand} path={[...path, index]} />
          ) : (
            <ConditionGroup junction={operand} path={[...path, index]} />
          )}
        </Fragment>
      ))}
    </>
  );
  if (isOutermost) return content;
  return (
    <Group className="condition-group" aria-label={name}>
      {content}
      <AddCondition name={`Add to this group (${kind})`} onAdd={(added) => change(addAt(filter, path, added))} />
      <Button look="quiet" aria-label={ACTIONS} isDisabled={isDisabled} {...opener.button}>
        <Icon name="down" />
      </Button>
      {opener.isOpen && <GroupActions opener={opener} name={ACTIONS} path={path} />}
    </Group>
  );
}
