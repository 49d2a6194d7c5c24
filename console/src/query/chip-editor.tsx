/** The dialog that changes the condition of a chip, or joins it with another. */

import { printFilter } from '@stockbook/client/filter';
import { useRef, useState } from 'react';
import { Popover } from '../ui/popover.tsx';
import type { Opener } from '../ui/use-opener.ts';
import { useBuilder } from './builder-context.ts';
import { type ChipPart, combinePart, replacePart } from './chip-parts.ts';
import { ConditionActions } from './condition-actions.tsx';
import { ConditionEditor, type ConditionEditorHandle } from './condition-editor.tsx';
import { spoken } from './condition-words.ts';
import { contextAt, type JunctionKind } from './filter-tree.ts';

export interface ChipEditorProps {
  readonly opener: Opener;
  readonly part: ChipPart;
}

export default function ChipEditor({ opener, part }: ChipEditorProps) {
  const { resource, filter, change } = useBuilder();
  const { condition, path } = part;
  /** If the editor is for another condition, how it is joined with this one. */
  const [joined, setJoined] = useState<JunctionKind>();
  const editor = useRef<ConditionEditorHandle>(null);
  const name = spoken(resource, condition);
  // A condition joined with `and` applies to records that match this one.
  const context = contextAt(filter, joined === 'and' ? [...path, 1] : path);
  return (
    <Popover
      opener={opener}
      label={joined === undefined ? `Change ${name}` : `Add to ${name}`}
      onLeave={() => editor.current?.leave(opener.close)}
    >
      <ConditionEditor
        ref={editor}
        key={joined}
        resource={resource}
        condition={joined === undefined ? condition : undefined}
        onCancel={opener.close}
        context={context === undefined ? '' : printFilter(context)}
        onApply={(applied) => {
          change(
            joined === undefined ? replacePart(filter, part, applied) : combinePart(filter, part, applied, joined),
          );
          opener.close();
        }}
      >
        {joined === undefined && <ConditionActions part={part} onJoin={setJoined} onDone={opener.close} />}
      </ConditionEditor>
    </Popover>
  );
}
