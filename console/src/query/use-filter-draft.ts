/** The filter of the view while a person edits it, as text and as chips. Both edit the same text. */

import { useMemo } from 'react';
import { type CheckedFilter, checkFilter } from '../view/check-filter.ts';
import { useView } from '../view/use-view.ts';
import { isUnfinished } from './is-unfinished.ts';
import { type TextDraft, type TextRules, useTextDraft } from './use-text-draft.ts';

/** In milliseconds: longer in the middle of a word. */
const PAUSE = 300;
const UNFINISHED_PAUSE = 1_500;

export interface FilterDraft extends TextDraft {
  /** What the chips and errors are about: the text as of the latest pause. */
  readonly checked: CheckedFilter;
}

export function useFilterDraft(): FilterDraft {
  const { resource } = useView().view;
  const rules = useMemo<TextRules>(
    () => ({
      isValid: (text) => checkFilter(resource, text).kind === 'valid',
      pauseAfter: (text) => (isUnfinished(text, checkFilter(resource, text)) ? UNFINISHED_PAUSE : PAUSE),
    }),
    [resource],
  );
  const draft = useTextDraft('filter', rules);
  const { settled } = draft;
  const checked = useMemo(() => checkFilter(resource, settled), [resource, settled]);
  return { ...draft, checked };
}
