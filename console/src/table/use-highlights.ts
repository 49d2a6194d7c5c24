/** Highlights changed rows for a few seconds. */

import { useEffect, useRef, useState } from 'react';
import { type ListedPage, listKey } from '../data/use-list.ts';
import { type PagePlace, pageDifference, type RowChange } from './page-difference.ts';

/** In milliseconds. */
const DURATION = 4_000;

type Highlights = ReadonlyMap<number, RowChange>;

export interface HighlightState {
  /** By id. */
  readonly highlights: Highlights;
  /** The maximum number of recent changes. */
  readonly latest: Highlights;
}

const NONE: Highlights = new Map();

export function useHighlights(page: ListedPage): HighlightState {
  const [recent, setRecent] = useState<readonly Highlights[]>([]);
  const shown = useRef(page);
  const timers = useRef(new Set<ReturnType<typeof setTimeout>>());
  useEffect(() => {
    const before = shown.current;
    shown.current = page;
    if (!isSameList(before, page)) return setRecent([]);
    const difference = pageDifference(before.data, page.data, placeOf(before));
    if (difference.size === 0) return;
    setRecent((batches) => [...batches, difference]);
    const timer = setTimeout(() => {
      timers.current.delete(timer);
      setRecent((batches) => batches.filter((batch) => batch !== difference));
    }, DURATION);
    timers.current.add(timer);
  }, [page]);
  useEffect(() => () => timers.current.forEach(clearTimeout), []);
  const [only] = recent;
  return {
    highlights: recent.length > 1 ? new Map(recent.flatMap((batch) => [...batch])) : (only ?? NONE),
    latest: recent.at(-1) ?? NONE,
  };
}

function placeOf({ of, pagination }: ListedPage): PagePlace {
  return { isFirst: of.page === 1, isLast: of.page >= pagination.totalPages };
}

function isSameList(before: ListedPage, after: ListedPage): boolean {
  return JSON.stringify(listKey(before.of)) === JSON.stringify(listKey(after.of));
}
