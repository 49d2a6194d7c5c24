/** Runs a command with the store it works on, and closes the store in any case. */

import type { Command } from 'commander';
import { storageOptions } from '../settings/storage.ts';
import { openStore, PATIENT_LOCK_TIMEOUT } from '../store/open.ts';
import type { Store } from '../store/store.ts';
import { printNote } from './output.ts';
import { CommandSettings } from './setting-flags.ts';

interface StoreUse {
  /** Whether to create a database that doesn't exist. */
  readonly create: boolean;
  /** Whether the command only reads. */
  readonly mayBeReadOnly?: boolean;
  /** Whether it waits for as long as an import of another process may take. */
  readonly isPatient?: boolean;
}

export async function withStore(
  command: Command,
  { isPatient = false, ...options }: StoreUse,
  body: (store: Store) => Promise<void>,
): Promise<void> {
  const settings = new CommandSettings(command);
  const store = await openStore(settings.get('database'), {
    ...options,
    ...storageOptions(settings),
    ...(isPatient && { lockTimeout: PATIENT_LOCK_TIMEOUT }),
    // A command does one thing at a time, and may take as long as it needs.
    poolSize: 1,
    statementTimeout: 0,
    onUpgrade: ({ from, to }) =>
      printNote(
        `The database was upgraded from schema ${from} to ${to}. Older versions of Stockbook can no longer use it.`,
      ),
  });
  try {
    await body(store);
  } finally {
    await store.close();
  }
}
