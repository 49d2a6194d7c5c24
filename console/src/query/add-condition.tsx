/** The button that adds a condition. */

import { Button as AriaButton, DialogTrigger } from 'react-aria-components';
import { type Filter, printFilter } from 'stockbook/filter';
import { Icon } from '../ui/icon.tsx';
import { Popover } from '../ui/popover.tsx';
import { useBuilder } from './builder-context.ts';
import { contextAt, type Path } from './filter-tree.ts';
import { LazyConditionEditor } from './lazy-condition-editor.tsx';
import './add-condition.css';

export interface AddConditionProps {
  readonly name: string;
  /** Undefined if there is only the icon. */
  readonly label?: string | undefined;
  /** Where the condition will be. */
  readonly path: Path;
  readonly onAdd: (filter: Filter) => void;
}

export function AddCondition({ name, label, path, onAdd }: AddConditionProps) {
  const { resource, filter, isDisabled } = useBuilder();
  const context = contextAt(filter, path);
  return (
    <DialogTrigger>
      <AriaButton
        className={label === undefined ? 'add-condition add-condition-small' : 'add-condition'}
        aria-label={name}
        data-add=""
        isDisabled={isDisabled}
      >
        <Icon name="add" />
        {label}
      </AriaButton>
      <Popover label={name}>
        {(close) => (
          <LazyConditionEditor
            resource={resource}
            condition={undefined}
            context={context === undefined ? '' : printFilter(context)}
            onApply={(added) => {
              onAdd(added);
              close();
            }}
          />
        )}
      </Popover>
    </DialogTrigger>
  );
}
