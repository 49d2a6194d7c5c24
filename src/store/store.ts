/** The interface of the store. It is the same for every engine, and no caller knows which one is in use. Each of its parts has a file. */

import type { Resource } from '../catalog/resource.ts';
import type { AccountId } from './account-id.ts';
import type { Accounts } from './accounts.ts';
import type { AuditTrail } from './audit.ts';
import type { CheckOptions, CheckResult } from './check/findings.ts';
import type { IndexHolder } from './column-index/index-holder.ts';
import type { Generation } from './engine/engine.ts';
import type { Fields } from './fields.ts';
import type { Imports } from './imports.ts';
import type { Keys } from './keys.ts';
import type { Records } from './records.ts';
import type { StoreStats } from './stats.ts';
import type { AccountVersion, LedgerVersion } from './version.ts';
import type { Views } from './views.ts';

export type * from './account.ts';
export type { AccountId } from './account-id.ts';
export type * from './accounts.ts';
export type { Actor } from './audit.ts';
export type * from './caller.ts';
export type * from './fields.ts';
export * from './imports.ts';
export type * from './key-reused.ts';
export * from './keys.ts';
export * from './loading.ts';
export * from './records.ts';
export type * from './value-taken.ts';
export * from './views.ts';

export interface Store {
  readonly records: Records;
  readonly accounts: Accounts;
  readonly keys: Keys;
  readonly audit: AuditTrail;
  readonly fields: Fields;
  readonly imports: Imports;
  readonly views: Views;
  /** For processes that hold none. */
  readonly indexes: IndexHolder;
  /**
   * The account's current version, read from the database. Undefined if the account doesn't exist. Throws `DamagedLedger` if it
   * cannot be read.
   */
  version(account: AccountId): Promise<AccountVersion | undefined>;
  /** Resolves when the ledger no longer has this version, when the signal aborts, or when nobody may wait any more. */
  changed(account: AccountId, resource: Resource, version: LedgerVersion, signal: AbortSignal): Promise<void>;
  /** From now on nobody waits for changes: the service stops. */
  stopWaiting(): void;
  /** Throws if the store is unavailable. Returns the parts that are, if others can be used. */
  checkReadiness(): Promise<readonly string[]>;
  /** What it does, in numbers. Costs next to nothing. */
  stats(): StoreStats;
  /** Verifies that everything stored agrees, and repairs what can be derived if asked to. */
  check(options: CheckOptions): Promise<readonly CheckResult[]>;
  /** Begins a generation: whatever is written from now on differs in version from what was written before. */
  beginGeneration(): Promise<Generation>;
  close(): Promise<void>;
}
