/** The menu of a condition: negate it, add an alternative, move it, remove it. */

import type { Condition, OperatorSymbol } from '@stockbook/client/filter';
import { Button } from '../ui/button.tsx';
import { Icon } from '../ui/icon.tsx';
import { useOpener } from '../ui/use-opener.ts';
import { type Action, ActionMenu } from './action-menu.tsx';
import { useBuilder } from './builder-context.ts';
import { type ChipPart, replacePart } from './chip-parts.ts';
import { type ConditionDraft, complementOf, conditionWith, draftOf } from './condition-draft.ts';
import {
  groupWithNext,
  isCondition,
  type JunctionKind,
  moveInto,
  moveOut,
  otherKind,
  partAt,
  replaceAt,
} from './filter-tree.ts';

const NAME = 'More condition actions';

function negated({ field, values }: ConditionDraft, complement: OperatorSymbol): Condition {
  return conditionWith(
    field,
    complement,
    values.map((value) => value?.text ?? null),
  );
}

export interface ConditionActionsProps {
  readonly part: ChipPart;
  readonly onJoin: (kind: JunctionKind) => void;
  /** After a change. */
  readonly onDone: () => void;
}

export function ConditionActions({ part, onJoin, onDone }: ConditionActionsProps) {
  const { resource, filter, change } = useBuilder();
  const { condition, path, count } = part;
  const opener = useOpener('menu');
  const isRange = count > 1;
  // A range of days is two operands, which are not moved.
  const parent = path.length === 0 || isRange ? undefined : partAt(filter, path.slice(0, -1));
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
  const complement = draft && !isRange ? complementOf(draft) : undefined;
  const joint = parent === undefined || isCondition(parent) ? 'or' : otherKind(parent.kind);
  // A group of all conditions would be the whole filter.
  const isOneOfMany = parent !== undefined && !isCondition(parent) && parent.operands.length > 2;
  const hasNext = isOneOfMany && partAt(parent, [index + 1]) !== undefined;
  const actions: readonly (Action | false)[] = [
    {
      label: joint === 'or' ? 'Add an alternative (or)…' : 'Add a requirement (and)…',
      run: () => onJoin(joint),
    },
    draft !== undefined &&
      complement !== undefined && {
        label: 'Negate',
        run: edit(replaceAt(filter, path, negated(draft, complement))),
      },
    hasNext && { label: 'Group with next', run: edit(groupWithNext(filter, path)) },
    isGroup(index - 1) && {
      label: 'Move into previous group',
      run: edit(moveInto(filter, path, 'before')),
    },
    isGroup(index + 1) && {
      label: 'Move into next group',
      run: edit(moveInto(filter, path, 'after')),
    },
    !isRange && path.length > 1 && { label: 'Move out of group', run: edit(moveOut(filter, path)) },
    { label: 'Remove', run: edit(replacePart(filter, part)) },
  ];
  return (
    <>
      <Button look="quiet" aria-label={NAME} {...opener.button}>
        More
        <Icon name="down" />
      </Button>
      {opener.isOpen && <ActionMenu opener={opener} name={NAME} actions={actions} />}
    </>
  );
}
