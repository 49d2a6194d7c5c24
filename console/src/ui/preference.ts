/** What a person has chosen in this browser, for the next time. */

import { BrowserStorage } from './browser-storage.ts';

const PREFIX = 'stockbook-';

const storage = new BrowserStorage(() => localStorage);

/** The first of the options unless another one was chosen. */
export function readPreference<Option extends string>(name: string, options: readonly [Option, ...Option[]]): Option {
  const chosen = storage.get(PREFIX + name);
  return options.find((option) => option === chosen) ?? options[0];
}

export function writePreference(name: string, option: string): void {
  storage.set(PREFIX + name, option);
}
