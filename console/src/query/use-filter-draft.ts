/**
 * The filter of the view while a person edits it, as text and as chips. Both edit the same text. What is typed settles after a
 * short pause: then it is checked, the chips follow, and if it is valid, the view does, too. The back button takes back all
 * typing up to Enter at once.
 */

import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { useView } from '../view/use-view.ts';
import { type CheckedFilter, checkFilter } from './check-filter.ts';
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
  /** At once, as on Enter or if a chip is changed. A filter that is invalid is only shown. */
  readonly apply: (text: string) => void;
}

interface State {
  readonly text: string;
  readonly settled: string;
  /** The latest filter of the view that was seen here, and the latest that was given to it. */
  readonly seen: string;
  readonly given: string;
}

export function useFilterDraft(): FilterDraft {
  const { view, show, adjust } = useView();
  const { resource, filter } = view;
  const [state, setState] = useState<State>(() => shown(filter));
  if (state.seen !== filter) {
    // Somebody may have typed on since the view was given its filter.
    setState(state.given === filter ? { ...state, seen: filter } : shown(filter));
  }
  /** Whether the view has a step for what is being typed. */
  const hasStep = useRef(false);

  const settle = useCallback(
    (text: string, isDone: boolean) => {
      const given = text.trim();
      const isValid = checkFilter(resource, text).kind === 'valid';
      setState((current) => ({ ...current, text, settled: text, ...(isValid && { given }) }));
      if (isValid && given !== filter) {
        if (hasStep.current) adjust({ filter: given });
        else show({ filter: given });
      }
      if (isValid) hasStep.current = !isDone && (hasStep.current || given !== filter);
    },
    [resource, filter, show, adjust],
  );

  const { text, settled } = state;
  useEffect(() => {
    if (text === settled) return undefined;
    const pause = isUnfinished(text, checkFilter(resource, text)) ? UNFINISHED_PAUSE : PAUSE;
    const timer = setTimeout(() => settle(text, false), pause);
    return () => clearTimeout(timer);
  }, [resource, text, settled, settle]);

  const type = useCallback((typed: string) => setState((current) => ({ ...current, text: typed })), []);
  const apply = useCallback((applied: string) => settle(applied, true), [settle]);
  const checked = useMemo(() => checkFilter(resource, settled), [resource, settled]);
  return { text, settled, checked, type, apply };
}

function shown(filter: string): State {
  return { text: filter, settled: filter, seen: filter, given: filter };
}
