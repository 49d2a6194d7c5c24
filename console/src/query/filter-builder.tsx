/** The filter as chips, which can be added, changed, grouped and removed. The arrow keys move between them. */

import { useEffect, useRef } from 'react';
import { Toolbar } from 'react-aria-components';
import type { Filter } from 'stockbook/filter';
import type { Resource } from '../../../src/catalog/resource.ts';
import { AddCondition } from './add-condition.tsx';
import { BuilderContext, type BuilderState } from './builder-context.ts';
import { ConditionChip } from './condition-chip.tsx';
import { ConditionGroup } from './condition-group.tsx';
import { addAt, isCondition } from './filter-tree.ts';
import { preloadConditionEditor } from './lazy-condition-editor.tsx';
import './filter-builder.css';

export interface FilterBuilderProps {
  readonly resource: Resource;
  readonly filter: Filter | undefined;
  /** If the text cannot be read: a change of a chip would replace it. */
  readonly isDisabled: boolean;
  readonly onChange: (filter: Filter | undefined) => void;
}

export function FilterBuilder({ resource, filter, isDisabled, onChange }: FilterBuilderProps) {
  const toolbar = useRef<HTMLDivElement>(null);
  useEffect(preloadConditionEditor, []);
  const state: BuilderState = {
    resource,
    filter,
    isDisabled,
    change(changed) {
      onChange(changed);
      keepFocus(toolbar.current);
    },
  };
  return (
    <BuilderContext value={state}>
      <Toolbar
        ref={toolbar}
        className="filter-builder"
        aria-label="Conditions"
        aria-disabled={isDisabled || undefined}
        data-disabled={isDisabled || undefined}
      >
        {filter !== undefined &&
          (isCondition(filter) ? (
            <ConditionChip condition={filter} path={[]} />
          ) : (
            <ConditionGroup junction={filter} path={[]} />
          ))}
        <AddCondition
          label={filter === undefined ? 'Add condition' : undefined}
          name="Add condition"
          onAdd={(added) => state.change(addAt(filter, [], added))}
        />
        {isDisabled && <p className="filter-builder-note">as of the last valid filter</p>}
      </Toolbar>
    </BuilderContext>
  );
}

/** The chip that had the focus may be gone. Then the one that follows has it, or the button that adds one. */
function keepFocus(toolbar: HTMLElement | null): void {
  if (toolbar === null) return;
  const buttons = [...toolbar.querySelectorAll<HTMLElement>('[data-chip], [data-add]')];
  const index = buttons.findIndex((button) => button.parentElement?.contains(document.activeElement));
  if (index === -1) return;
  requestAnimationFrame(() => {
    if (toolbar.contains(document.activeElement)) return;
    const left = [...toolbar.querySelectorAll<HTMLElement>('[data-chip], [data-add]')];
    (left[index] ?? left.at(-1))?.focus();
  });
}
