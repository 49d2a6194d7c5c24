/** Accounts as commands name them. */

import { nearest } from '../problem/nearest.ts';
import type { Account, Store } from '../store/store.ts';
import { CommandFailure } from './failure.ts';

/** A DNS label, since it becomes part of a host name. */
const NAME = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/;

export function checkAccountName(name: string): void {
  if (NAME.test(name)) return;
  throw new CommandFailure(
    `"${name}" cannot be an account's name: it becomes part of a host name, so it has at most 63 small letters, digits and hyphens, and no hyphen at either end.`,
    2,
  );
}

export async function findAccount(store: Store, name: string): Promise<Account> {
  const account = await store.accounts.find(name);
  if (account !== undefined) return account;
  const names = (await store.accounts.list()).map((known) => known.name);
  const meant = nearest(name, names);
  const help = meant === undefined ? '"stockbook account list" shows all.' : `Did you mean ${meant}?`;
  throw new CommandFailure(`There is no account ${name}. ${help}`);
}
