/** Imports as they are listed, and the positions that connectors have reached in their sources. */

import { randomBytes } from 'node:crypto';
import type { ResourceOutline } from '../catalog/resource.ts';
import type { PageSelection } from '../plan/plan.ts';
import type { AccountId } from './account-id.ts';
import type { Actor } from './audit.ts';
import type { Caller, NoAccess } from './caller.ts';

export interface Imports {
  /** Lists an import as running, with no rows yet. `id` is a new one. */
  begin(account: AccountId, id: string, entry: NewImport): Promise<void>;
  /** Says that an import is still running, and how many rows it has read. False if it is not listed as running any more. */
  report(account: AccountId, id: string, rows: number): Promise<boolean>;
  /** It has failed, or was cancelled. Nothing happens unless it is running. `problem` is JSON. False if it was not running. */
  fail(account: AccountId, id: string, problem: string): Promise<boolean>;
  /** A running import that turned out to be none is not listed any more. */
  discard(account: AccountId, id: string): Promise<void>;
  find(caller: Caller, id: string): Promise<ImportRecord | undefined | NoAccess>;
  /** A page of those into some resources, newest first. */
  list(caller: Caller, resources: readonly ResourceOutline[], page: PageSelection): Promise<ImportPage | NoAccess>;
  /** Replaces the result of an import that is done, also for requests that repeat it. */
  amend(account: AccountId, id: string, result: string, repeated?: RepeatableImport): Promise<void>;
  sources(caller: Caller): Promise<readonly Source[] | NoAccess>;
  source(caller: Caller, name: string): Promise<Source | undefined | NoAccess>;
  /** What a connector says about its source: the error that it fails with, or null if everything has been imported. */
  reportSource(caller: Caller, name: string, error: string | null): Promise<Source | undefined | NoAccess>;
  /** False if there is none, or if its resource is another one. The audit trail says who has removed it. */
  removeSource(caller: Caller, source: Pick<Source, 'name' | 'resource'>, by?: Actor): Promise<boolean | NoAccess>;
  /** The sources of all accounts that fail, and those that were imported or checked last, the last one first. */
  latestSources(limits: SourceLimits): Promise<readonly SourceOfAccount[]>;
  /** Forgets imports that began before a time. */
  prune(before: string): Promise<void>;
}

/** Sorts by time, which is in milliseconds since the epoch. */
export function newImportId(now: number): string {
  return `${now.toString(36).padStart(9, '0')}${randomBytes(8).toString('hex')}`;
}

export interface NewImport {
  readonly resource: ResourceOutline;
  readonly by?: Actor | undefined;
  readonly file?: string | undefined;
  readonly source?: string | undefined;
}

/** An import whose request had an idempotency key. */
export interface RepeatableImport {
  readonly resource: ResourceOutline;
  readonly key: string;
}

export type ImportState = 'running' | 'done' | 'failed';

export interface ImportRecord {
  readonly id: string;
  /** The name of the resource. */
  readonly resource: string;
  readonly state: ImportState;
  /** How many rows have been read. */
  readonly rows: number;
  /** `key` and the id of a key, or a user of the operating system. */
  readonly actor: string;
  readonly file: string | null;
  readonly source: string | null;
  readonly startedAt: string;
  readonly endedAt: string | null;
  /** As JSON: what the import did, or why it failed. Null while it runs, and if its process died. */
  readonly result: string | null;
}

export interface ImportPage {
  readonly imports: readonly ImportRecord[];
  /** Of all pages. */
  readonly total: number;
}

/** Where a connector reads from, and how far it has read. */
export interface Source {
  readonly name: string;
  /** The name of the resource that was imported into. */
  readonly resource: string;
  readonly position: string;
  /** When the position was saved. */
  readonly savedAt: string;
  /** When the connector last reported that everything has been imported; null if it never has. */
  readonly checkedAt: string | null;
  /** What it fails with since when; null unless that is what it reported last. */
  readonly failure: SourceFailure | null;
}

export interface SourceFailure {
  readonly error: string;
  /** When this error was first reported. */
  readonly since: string;
}

/** How many of them, so that no account displaces those of others. */
export interface SourceLimits {
  readonly total: number;
  readonly perAccount: number;
}

export interface SourceOfAccount {
  /** The name of the account. */
  readonly account: string;
  readonly name: string;
  readonly savedAt: string;
  readonly checkedAt: string | null;
  readonly isFailing: boolean;
}

/** A running import that has not reported for this long, in seconds, has died with its process. */
export const IMPORT_SILENCE = 60;

/** How long imports are listed, in days. */
export const IMPORT_RETENTION = 30;
