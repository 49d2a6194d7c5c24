/**
 * The filter of the view while a person edits it, as text and as chips. Both edit the same text. What is typed settles after a
 * short pause: then it is checked, the chips follow, and if it is valid, the view does, too. The back button undoes everything
 * that was typed without interruption in one step.
 */

import { useCallback, useEffect, useMemo, useState } from 'react';
import { type CheckedFilter, checkFilter } from '../view/check-filter.ts';
import { useView } from '../view/use-view.ts';
import { isUnfinished } from './is-unfinished.ts';

/** How long typing pauses before it has an effect, in milliseconds: longer in the middle of a word. */
const PAUSE = 300;
const UNFINISHED_PAUSE = 1_500;

export interface FilterDraft {
  /** As the text field has it. */
  readonly text: string;
  /** What the chips and errors are about: the text as of the latest pause. */
  readonly settled: string;
  readonly checked: CheckedFilter;
  readonly type: (text: string) => void;
  /** Does not wait for a pause. What is typed later is another step. */
  readonly enter: () => void;
  /** Replaces the text, as when a chip is changed. A filter that is invalid is only shown. */
  readonly apply: (text: string) => void;
}

interface State {
  readonly text: string;
  readonly settled: string;
  /** The latest filter of the view that was seen here, and the latest that was given to it. */
  readonly seen: string;
  readonly given: string;
  /** The URL that typing has led to, if the back button has a step for it that further typing may change. */
  readonly step: string | undefined;
}

export function useFilterDraft(): FilterDraft {
  const { view, show, adjust } = useView();
  const { resource, filter } = view;
  const [state, setState] = useState<State>(() => shown(filter));
  if (state.seen !== filter) {
    // Somebody may have typed on since the view was given its filter.
    setState(state.given === filter ? { ...state, seen: filter } : shown(filter));
  }
  const { text, settled, step } = state;

  const settle = useCallback(
    (changed: string, by: 'typing' | 'entering' | 'applying') => {
      const given = changed.trim();
      const isValid = checkFilter(resource, changed).kind === 'valid';
      // If the URL is another one, something else was done since.
      const hasStep = by !== 'applying' && step === location.href;
      if (isValid && given !== filter) {
        if (hasStep) adjust({ filter: given });
        else show({ filter: given });
      }
      const isStep = by === 'typing' && (hasStep || given !== filter);
      setState((current) => ({
        ...current,
        text: changed,
        settled: changed,
        ...(isValid && { given, step: isStep ? location.href : undefined }),
      }));
    },
    [resource, filter, step, show, adjust],
  );

  useEffect(() => {
    if (text === settled) return undefined;
    const pause = isUnfinished(text, checkFilter(resource, text)) ? UNFINISHED_PAUSE : PAUSE;
    const timer = setTimeout(() => settle(text, 'typing'), pause);
    return () => clearTimeout(timer);
  }, [resource, text, settled, settle]);

  const type = useCallback((typed: string) => setState((current) => ({ ...current, text: typed })), []);
  const apply = useCallback((applied: string) => settle(applied, 'applying'), [settle]);
  const enter = useCallback(() => settle(text, 'entering'), [settle, text]);
  const checked = useMemo(() => checkFilter(resource, settled), [resource, settled]);
  return { text, settled, checked, type, enter, apply };
}

function shown(filter: string): State {
  return { text: filter, settled: filter, seen: filter, given: filter, step: undefined };
}
