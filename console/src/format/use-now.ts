/** The current time for relative times such as "5 min ago". It changes once a minute, for all components at once. */

import { useSyncExternalStore } from 'react';

/** In milliseconds. */
const INTERVAL = 60_000;

const listeners = new Set<() => void>();
let now = Date.now();
let timer: ReturnType<typeof setInterval> | undefined;

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  timer ??= setInterval(() => {
    now = Date.now();
    for (const tell of listeners) tell();
  }, INTERVAL);
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
}

/** In milliseconds since the epoch, up to a minute ago. */
export function useNow(): number {
  return useSyncExternalStore(subscribe, () => now);
}
