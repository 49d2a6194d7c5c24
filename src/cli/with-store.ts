/** Runs a command's body with the store it works on, and closes the store whatever happens. */

import type { Command } from 'commander';
import { openStore } from '../store/open.ts';
import type { Store } from '../store/store.ts';
import { printNote } from './output.ts';
import { CommandSettings } from './setting-flags.ts';

/** A command does one thing after the other; one more connection is for what it does beside a load. */
const POOL_SIZE = 2;

/** `create`: whether a database that is not there yet is made. */
export async function withStore(
  command: Command,
  options: { readonly create: boolean },
  body: (store: Store) => Promise<void>,
): Promise<void> {
  const store = await openStore(new CommandSettings(command).get('database'), {
    ...options,
    poolSize: POOL_SIZE,
    // A command takes as long as it takes.
    statementTimeout: 0,
    onUpgrade: ({ from, to }) =>
      printNote(
        `The database was brought from schema ${from} to ${to}. Older versions of Stockbook cannot use it any more.`,
      ),
  });
  try {
    await body(store);
  } finally {
    await store.close();
  }
}
