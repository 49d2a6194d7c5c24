/** The dialog in which a condition is made. */

import { type Filter, printFilter } from 'stockbook/filter';
import { Popover } from '../ui/popover.tsx';
import type { Opener } from '../ui/use-opener.ts';
import { useBuilder } from './builder-context.ts';
import { ConditionEditor } from './condition-editor.tsx';

export interface NewConditionProps {
  readonly opener: Opener;
  readonly name: string;
  readonly onAdd: (filter: Filter) => void;
}

export default function NewCondition({ opener, name, onAdd }: NewConditionProps) {
  const { resource, filter } = useBuilder();
  return (
    <Popover opener={opener} label={name}>
      <ConditionEditor
        resource={resource}
        condition={undefined}
        rest={filter === undefined ? '' : printFilter(filter)}
        onApply={(added) => {
          onAdd(added);
          opener.close();
        }}
      />
    </Popover>
  );
}
