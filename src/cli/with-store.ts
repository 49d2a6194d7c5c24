/** Runs a command's body with the store it works on, and closes the store whatever happens. */

import type { Command } from 'commander';
import { openStore } from '../store/open.ts';
import type { Store } from '../store/store.ts';
import { CommandSettings } from './setting-flags.ts';

/** `create`: whether a database that is not there yet is made. */
export async function withStore(
  command: Command,
  options: { readonly create: boolean },
  body: (store: Store) => Promise<void>,
): Promise<void> {
  const store = await openStore(new CommandSettings(command).get('database'), options);
  try {
    await body(store);
  } finally {
    await store.close();
  }
}
