/** Accounts as commands name them. */

import { nearest } from '../problem/nearest.ts';
import type { Account, Store } from '../store/store.ts';
import { CommandError } from './command-error.ts';

/** A DNS label. */
const NAME = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/;

export function checkAccountName(name: string): void {
  const flaw = accountNameFlaw(name);
  if (flaw !== undefined) throw new CommandError(flaw, 2);
}

/** Undefined if the name is valid. */
export function accountNameFlaw(name: string): string | undefined {
  if (NAME.test(name)) return undefined;
  return `"${name}" is not a valid account name. It becomes part of a host name: use up to 63 lowercase letters, digits and hyphens, without a hyphen at either end.`;
}

export async function findAccount(store: Store, name: string): Promise<Account> {
  const account = await store.accounts.find(name);
  if (account !== undefined) return account;
  const names = (await store.accounts.list()).map((known) => known.name);
  const meant = nearest(name, names);
  const help = meant === undefined ? '"stockbook account list" shows all accounts.' : `Did you mean ${meant}?`;
  throw new CommandError(`There is no account ${name}. ${help}`);
}
