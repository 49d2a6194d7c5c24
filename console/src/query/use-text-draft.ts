/**
 * The search or the filter of the view while a person types it. What is typed settles after a short pause, and if it is valid, the view
 * follows. The back button undoes everything that was typed without interruption in one step.
 */

import { useCallback, useEffect, useState } from 'react';
import { useView, type ViewChange } from '../view/use-view.ts';

export interface TextDraft {
  /** As the text field has it. */
  readonly text: string;
  /** The text as of the latest pause. */
  readonly settled: string;
  readonly type: (text: string) => void;
  /** Does not wait for a pause. What is typed later is another step. */
  readonly enter: () => void;
  /** Replaces the text, as when a chip is changed, and perhaps other parts of the view with it. Text that is invalid is only shown. */
  readonly apply: (text: string, others?: ViewChange) => void;
}

/** Both stay the same from one rendering to the next. */
export interface TextRules {
  readonly isValid: (text: string) => boolean;
  /** How long typing pauses before it has an effect, in milliseconds. */
  readonly pauseAfter: (text: string) => number;
}

interface State {
  readonly text: string;
  readonly settled: string;
  /** The latest text of the view that was seen here, and the latest that was given to it. */
  readonly seen: string;
  readonly given: string;
  /** The URL that typing has led to, if the back button has a step for it that further typing may change. */
  readonly step: string | undefined;
}

export function useTextDraft(part: 'q' | 'filter', { isValid, pauseAfter }: TextRules): TextDraft {
  const { view, show, adjust } = useView();
  const current = view[part];
  const [state, setState] = useState<State>(() => shown(current));
  if (state.seen !== current) {
    // Somebody may have typed on since the view was given its text.
    setState(state.given === current ? { ...state, seen: current } : shown(current));
  }
  const { text, settled, step } = state;

  const settle = useCallback(
    (changed: string, by: 'typing' | 'entering' | 'applying', others?: ViewChange) => {
      const given = changed.trim();
      const isGiven = isValid(changed);
      // If the URL is another one, something else was done since.
      const hasStep = by !== 'applying' && step === location.href;
      if (isGiven && (given !== current || others !== undefined)) {
        const change = { [part]: given, ...others };
        if (hasStep) adjust(change);
        else show(change);
      }
      const isStep = by === 'typing' && (hasStep || given !== current);
      setState((before) => ({
        ...before,
        text: changed,
        settled: changed,
        ...(isGiven && { given, step: isStep ? location.href : undefined }),
      }));
    },
    [part, isValid, current, step, show, adjust],
  );

  useEffect(() => {
    if (text === settled) return undefined;
    const timer = setTimeout(() => settle(text, 'typing'), pauseAfter(text));
    return () => clearTimeout(timer);
  }, [pauseAfter, text, settled, settle]);

  const type = useCallback((typed: string) => setState((before) => ({ ...before, text: typed })), []);
  const apply = useCallback((applied: string, others?: ViewChange) => settle(applied, 'applying', others), [settle]);
  const enter = useCallback(() => settle(text, 'entering'), [settle, text]);
  return { text, settled, type, enter, apply };
}

function shown(text: string): State {
  return { text, settled: text, seen: text, given: text, step: undefined };
}
