/** What can be done with a condition besides changing it: negate it, give it an alternative, move it, remove it. */

import { Menu, MenuItem, MenuTrigger, Popover } from 'react-aria-components';
import type { Condition } from 'stockbook/filter';
import { Button } from '../ui/button.tsx';
import { Icon } from '../ui/icon.tsx';
import { useBuilder } from './builder-context.ts';
import { complementOf, conditionOf, draftOf } from './condition-draft.ts';
import {
  groupWithNext,
  isCondition,
  type JunctionKind,
  moveInto,
  moveOut,
  otherKind,
  type Path,
  partAt,
  removeAt,
  replaceAt,
} from './filter-tree.ts';
import './condition-actions.css';

export interface ConditionActionsProps {
  readonly condition: Condition;
  readonly path: Path;
  readonly onJoin: (kind: JunctionKind) => void;
  /** After a change. */
  readonly onDone: () => void;
}

interface Action {
  readonly id: string;
  readonly label: string;
  readonly run: () => void;
}

export function ConditionActions({ condition, path, onJoin, onDone }: ConditionActionsProps) {
  const { resource, filter, change } = useBuilder();
  const parent = path.length === 0 ? undefined : partAt(filter, path.slice(0, -1));
  const index = path.at(-1) ?? 0;
  const isGroup = (position: number) => {
    const part = parent && partAt(parent, [position]);
    return part !== undefined && !isCondition(part);
  };
  const edit = (changed: ReturnType<typeof moveOut>) => () => {
    change(changed);
    onDone();
  };
  const draft = draftOf(resource, condition);
  const complement = draft && complementOf(draft);
  const joint = parent === undefined || isCondition(parent) ? 'or' : otherKind(parent.kind);
  const hasNext = parent !== undefined && partAt(parent, [index + 1]) !== undefined;
  const actions: readonly (Action | false | undefined)[] = [
    {
      id: 'join',
      label: joint === 'or' ? 'Add an alternative (or)…' : 'Add a requirement (and)…',
      run: () => onJoin(joint),
    },
    draft !== undefined &&
      complement !== undefined && {
        id: 'negate',
        label: 'Negate',
        run: edit(replaceAt(filter, path, conditionOf({ ...draft, operator: complement }))),
      },
    hasNext && { id: 'group', label: 'Group with the next one', run: edit(groupWithNext(filter, path)) },
    isGroup(index - 1) && {
      id: 'into before',
      label: 'Move into the group before',
      run: edit(moveInto(filter, path, 'before')),
    },
    isGroup(index + 1) && {
      id: 'into after',
      label: 'Move into the group after',
      run: edit(moveInto(filter, path, 'after')),
    },
    path.length > 1 && { id: 'out', label: 'Move out of the group', run: edit(moveOut(filter, path)) },
    { id: 'remove', label: 'Remove', run: edit(removeAt(filter, path)) },
  ];
  return (
    <MenuTrigger>
      <Button look="quiet">
        More
        <Icon name="down" />
      </Button>
      <Popover className="popover" offset={4}>
        <Menu className="condition-actions" aria-label="More for this condition">
          {actions.filter(isAction).map(({ id, label, run }) => (
            <MenuItem className="condition-action" key={id} id={id} onAction={run}>
              {label}
            </MenuItem>
          ))}
        </Menu>
      </Popover>
    </MenuTrigger>
  );
}

function isAction(action: Action | false | undefined): action is Action {
  return action !== false && action !== undefined;
}
