/** The button that adds a condition. */

import type { Filter } from '@stockbook/client/filter';
import { Button as AriaButton } from 'react-aria-components';
import { Icon } from '../ui/icon.tsx';
import { loadLater } from '../ui/load-later.tsx';
import { useOpener } from '../ui/use-opener.ts';
import { useBuilder } from './builder-context.ts';
import type { Path } from './filter-tree.ts';
import './add-condition.css';

const NewCondition = loadLater(() => import('./new-condition.tsx'));

export interface AddConditionProps {
  readonly name: string;
  /** Undefined if there is only the icon. */
  readonly label?: string | undefined;
  /** Where the condition will be. */
  readonly path: Path;
  readonly onAdd: (filter: Filter) => void;
}

export function AddCondition({ name, label, path, onAdd }: AddConditionProps) {
  const { isDisabled } = useBuilder();
  const opener = useOpener('dialog');
  return (
    <>
      <AriaButton
        className={label === undefined ? 'add-condition add-condition-small' : 'add-condition'}
        aria-label={name}
        data-add=""
        isDisabled={isDisabled}
        {...opener.button}
      >
        <Icon name="add" />
        {label}
      </AriaButton>
      {opener.isOpen && <NewCondition opener={opener} name={name} path={path} onAdd={onAdd} />}
    </>
  );
}
