/** The words that are searched for while a person types them. */

import { useMemo } from 'react';
import { planSearch } from '../../../src/plan/search.ts';
import { Problem } from '../../../src/problem/problem.ts';
import { useView } from '../view/use-view.ts';
import { type TextDraft, type TextRules, useTextDraft } from './use-text-draft.ts';

/** In milliseconds. */
const PAUSE = 250;

export interface SearchDraft extends TextDraft {
  /** Why the service would refuse to search for it. */
  readonly problem: Problem | undefined;
}

export function useSearchDraft(): SearchDraft {
  const { resource } = useView().view;
  const rules = useMemo<TextRules>(
    () => ({
      isValid: (text) => !(planSearch(resource, text) instanceof Problem),
      pauseAfter: () => PAUSE,
    }),
    [resource],
  );
  const draft = useTextDraft('q', rules);
  const planned = planSearch(resource, draft.text);
  return { ...draft, problem: planned instanceof Problem ? planned : undefined };
}
