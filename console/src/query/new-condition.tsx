/** The dialog for a new condition. */

import { type Filter, printFilter } from '@stockbook/client/filter';
import { useRef } from 'react';
import { Popover } from '../ui/popover.tsx';
import type { Opener } from '../ui/use-opener.ts';
import { useBuilder } from './builder-context.ts';
import { ConditionEditor, type ConditionEditorHandle } from './condition-editor.tsx';
import { contextAt, type Path } from './filter-tree.ts';

export interface NewConditionProps {
  readonly opener: Opener;
  readonly name: string;
  /** Where the condition will be. */
  readonly path: Path;
  readonly onAdd: (filter: Filter) => void;
}

export default function NewCondition({ opener, name, path, onAdd }: NewConditionProps) {
  const { resource, filter } = useBuilder();
  const editor = useRef<ConditionEditorHandle>(null);
  const context = contextAt(filter, path);
  return (
    <Popover opener={opener} label={name} onLeave={() => editor.current?.leave(opener.close)}>
      <ConditionEditor
        ref={editor}
        resource={resource}
        condition={undefined}
        onCancel={opener.close}
        context={context === undefined ? '' : printFilter(context)}
        onApply={(added) => {
          onAdd(added);
          opener.close();
        }}
      />
    </Popover>
  );
}
