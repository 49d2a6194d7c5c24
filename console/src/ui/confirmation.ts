/** Short messages that something was done: `Saved`, `Copied`. The latest one is shown for a moment, and read out. */

import { useSyncExternalStore } from 'react';

export interface Confirmation {
  /** The same text again is another one, which is read out as well. */
  readonly number: number;
  readonly text: string;
  /** False if something else shows it already: then it is only read out. */
  readonly isShown: boolean;
}

/** How long it is there, in milliseconds. */
const SHOWN_FOR = 4_000;

let latest: Confirmation | undefined;
let count = 0;
let timer: ReturnType<typeof setTimeout> | undefined;
const listeners = new Set<() => void>();

export function confirmDone(text: string): void {
  set({ number: ++count, text, isShown: true });
}

/** For people who do not see what has changed. */
export function announce(text: string): void {
  set({ number: ++count, text, isShown: false });
}

export function useConfirmation(): Confirmation | undefined {
  return useSyncExternalStore(subscribe, () => latest);
}

function set(confirmation: Confirmation | undefined): void {
  latest = confirmation;
  clearTimeout(timer);
  if (confirmation !== undefined) timer = setTimeout(() => set(undefined), SHOWN_FOR);
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
