/** The button that adds a condition. */

import { Button as AriaButton, DialogTrigger } from 'react-aria-components';
import { type Filter, printFilter } from 'stockbook/filter';
import { Icon } from '../ui/icon.tsx';
import { Popover } from '../ui/popover.tsx';
import { useBuilder } from './builder-context.ts';
import { LazyConditionEditor } from './lazy-condition-editor.tsx';
import './add-condition.css';

export interface AddConditionProps {
  readonly name: string;
  /** Undefined if there is only the icon. */
  readonly label?: string | undefined;
  readonly onAdd: (filter: Filter) => void;
}

export function AddCondition({ name, label, onAdd }: AddConditionProps) {
  const { resource, filter, isDisabled } = useBuilder();
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
            rest={filter === undefined ? '' : printFilter(filter)}
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
