/** A group of conditions: records match all of them, or any. The outermost group has no border. */

import { type Junction, printFilter } from '@stockbook/client/filter';
import { Fragment } from 'react';
import { Group } from 'react-aria-components';
import { Button } from '../ui/button.tsx';
import { Choice } from '../ui/choice.tsx';
import { Icon } from '../ui/icon.tsx';
import { loadLater } from '../ui/load-later.tsx';
import { useOpener } from '../ui/use-opener.ts';
import { AddCondition } from './add-condition.tsx';
import { useBuilder } from './builder-context.ts';
import { partsOf } from './chip-parts.ts';
import { ConditionChip } from './condition-chip.tsx';
import { addAt, type Path, switchAt } from './filter-tree.ts';
import './condition-group.css';

const GroupActions = loadLater(() => import('./group-actions.tsx'));
const ACTIONS = 'Group actions';

const KINDS = [
  { id: 'and', title: 'all' },
  { id: 'or', title: 'any' },
] as const;

export interface ConditionGroupProps {
  readonly junction: Junction;
  readonly path: Path;
}

export function ConditionGroup({ junction, path }: ConditionGroupProps) {
  const { resource, filter, isDisabled, change } = useBuilder();
  const opener = useOpener('menu');
  const { kind, operands } = junction;
  const isOutermost = path.length === 0;
  const parts = partsOf(resource, junction, path);
  const name = `${kind === 'and' ? 'All' : 'Any'} of ${parts.length} conditions`;
  const content = (
    <>
      <Choice
        label="Match"
        options={KINDS}
        chosen={kind}
        isDisabled={isDisabled}
        onChoose={(chosen) => {
          if (chosen !== kind) change(switchAt(filter, path));
        }}
      />
      {parts.map((part, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the same condition may be there twice
        <Fragment key={`${index} ${printFilter(part.kind === 'chip' ? part.part.condition : part.junction)}`}>
          {index > 0 && (
            <span className="condition-group-joint" aria-hidden="true">
              {kind}
            </span>
          )}
          {part.kind === 'chip' ? <ConditionChip part={part.part} /> : <ConditionGroup {...part} />}
        </Fragment>
      ))}
    </>
  );
  if (isOutermost) return content;
  return (
    <Group className="condition-group" aria-label={name}>
      {content}
      <AddCondition
        name={`Add to this group (${kind})`}
        path={[...path, operands.length]}
        onAdd={(added) => change(addAt(filter, path, added))}
      />
      <Button look="quiet" aria-label={ACTIONS} isDisabled={isDisabled} {...opener.button}>
        <Icon name="down" />
      </Button>
      {opener.isOpen && <GroupActions opener={opener} name={ACTIONS} path={path} />}
    </Group>
  );
}
