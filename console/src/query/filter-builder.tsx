/** The filter as chips, which can be added, changed, grouped and removed. The arrow keys move between them. */

import type { Filter } from '@stockbook/client/filter';
import { type RefObject, useCallback, useLayoutEffect, useRef } from 'react';
import { Toolbar } from 'react-aria-components';
import type { Resource } from '../../../src/catalog/resource.ts';
import { useShortcut } from '../shortcuts/use-shortcut.ts';
import { AddCondition } from './add-condition.tsx';
import { BuilderContext, type BuilderState } from './builder-context.ts';
import { partOf } from './chip-parts.ts';
import { ConditionChip } from './condition-chip.tsx';
import { ConditionGroup } from './condition-group.tsx';
import { addAt, isCondition } from './filter-tree.ts';
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
  const keepFocus = useKeptFocus(toolbar, filter);
  // The last one is that of the whole filter.
  useShortcut('condition', () =>
    [...(toolbar.current?.querySelectorAll<HTMLElement>('[data-add]') ?? [])].at(-1)?.click(),
  );
  const state: BuilderState = {
    resource,
    filter,
    isDisabled,
    change(changed) {
      keepFocus();
      onChange(changed);
    },
  };
  const whole = filter && partOf(resource, filter, []);
  return (
    <BuilderContext value={state}>
      <Toolbar
        ref={toolbar}
        className="filter-builder"
        aria-label="Conditions"
        aria-disabled={isDisabled || undefined}
        data-disabled={isDisabled || undefined}
      >
        {whole?.kind === 'chip' && <ConditionChip part={whole.part} />}
        {whole?.kind === 'group' && <ConditionGroup {...whole} />}
        <AddCondition
          label={filter === undefined ? 'Add condition' : undefined}
          name="Add condition"
          path={[operandCount(filter)]}
          onAdd={(added) => state.change(addAt(filter, [], added))}
        />
        {isDisabled && <p className="filter-builder-note">showing the last valid filter</p>}
      </Toolbar>
    </BuilderContext>
  );
}

function operandCount(filter: Filter | undefined): number {
  return filter === undefined || isCondition(filter) ? 1 : filter.operands.length;
}

interface Place {
  readonly index: number;
  /** Whether the editor of the chip at this place was open. */
  readonly wasEditing: boolean;
}

/**
 * The chip that had the focus, or whose editor had it, may be gone after a change, or be in another group. Then the chip at its
 * place gets the focus, or the button that adds one.
 */
function useKeptFocus(toolbar: RefObject<HTMLElement | null>, filter: Filter | undefined): () => void {
  const place = useRef<Place>(undefined);
  const targets = useCallback(
    () => [...(toolbar.current?.querySelectorAll<HTMLElement>('[data-chip], [data-add]') ?? [])],
    [toolbar],
  );
  // biome-ignore lint/correctness/useExhaustiveDependencies: what matters is that the chips are others
  useLayoutEffect(() => {
    const wanted = place.current;
    if (wanted === undefined) return undefined;
    const focus = () => {
      // Another change has been made since, which is not in the filter yet.
      if (place.current !== wanted) return;
      place.current = undefined;
      if (document.activeElement !== document.body) return;
      const left = targets();
      (left[wanted.index] ?? left.at(-1))?.focus();
    };
    if (!wanted.wasEditing) {
      // At once: an editor that was closed before may give the focus back as soon as nothing has it.
      focus();
      return undefined;
    }
    // A popover that closes gives the focus back first, in the next frame. If the filter changes again until then, this begins again.
    const timer = setTimeout(focus, 50);
    return () => clearTimeout(timer);
  }, [filter, targets]);
  return () => {
    const isEdited = (target: HTMLElement) => target.ariaExpanded === 'true';
    const found = targets();
    const index = found.findIndex(
      (target) => isEdited(target) || target.parentElement?.contains(document.activeElement),
    );
    place.current = index === -1 ? undefined : { index, wasEditing: found.some(isEdited) };
  };
}
