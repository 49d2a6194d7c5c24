/** The dialog in which the condition of a chip is changed, or joined with another one. */

import { useState } from 'react';
import { type Condition, printFilter } from 'stockbook/filter';
import { Popover } from '../ui/popover.tsx';
import type { Opener } from '../ui/use-opener.ts';
import { useBuilder } from './builder-context.ts';
import { ConditionActions } from './condition-actions.tsx';
import { ConditionEditor } from './condition-editor.tsx';
import { spoken } from './condition-words.ts';
import { withoutCondition } from './edit-filter.ts';
import { combineAt, type JunctionKind, type Path, replaceAt } from './filter-tree.ts';

export interface ChipEditorProps {
  readonly opener: Opener;
  readonly condition: Condition;
  readonly path: Path;
}

export default function ChipEditor({ opener, condition, path }: ChipEditorProps) {
  const { resource, filter, change } = useBuilder();
  /** If the editor is for another condition, how it is joined with this one. */
  const [joined, setJoined] = useState<JunctionKind>();
  const name = spoken(resource, condition);
  return (
    <Popover opener={opener} label={joined === undefined ? `Change ${name}` : `Add to ${name}`}>
      <ConditionEditor
        key={joined}
        resource={resource}
        condition={joined === undefined ? condition : undefined}
        rest={filter === undefined ? '' : withoutCondition(printFilter(filter), printFilter(condition))}
        onApply={(applied) => {
          change(joined === undefined ? replaceAt(filter, path, applied) : combineAt(filter, path, applied, joined));
          opener.close();
        }}
      >
        {joined === undefined && (
          <ConditionActions condition={condition} path={path} onJoin={setJoined} onDone={opener.close} />
        )}
      </ConditionEditor>
    </Popover>
  );
}
