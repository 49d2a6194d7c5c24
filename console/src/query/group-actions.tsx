/** The menu of a group of conditions: ungroup it, move it, remove it. */

import type { Opener } from '../ui/use-opener.ts';
import { ActionMenu } from './action-menu.tsx';
import { useBuilder } from './builder-context.ts';
import { moveOut, type Path, removeAt, ungroupAt } from './filter-tree.ts';

export interface GroupActionsProps {
  readonly opener: Opener;
  readonly name: string;
  readonly path: Path;
}

export default function GroupActions({ opener, name, path }: GroupActionsProps) {
  const { filter, change } = useBuilder();
  return (
    <ActionMenu
      opener={opener}
      name={name}
      actions={[
        { label: 'Ungroup', run: () => change(ungroupAt(filter, path)) },
        path.length > 1 && { label: 'Move out of group', run: () => change(moveOut(filter, path)) },
        { label: 'Remove group', run: () => change(removeAt(filter, path)) },
      ]}
    />
  );
}
