/** What can be done with a group of conditions: dissolve it, move it, remove it. */

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
        { label: 'Dissolve the group', run: () => change(ungroupAt(filter, path)) },
        path.length > 1 && { label: 'Move out of its group', run: () => change(moveOut(filter, path)) },
        { label: 'Remove the group', run: () => change(removeAt(filter, path)) },
      ]}
    />
  );
}
