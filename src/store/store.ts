/** What Stockbook keeps, and the questions it answers. Every engine implements this, and no caller knows which one it has. */

import { type Field, id, type Resource, type Value } from '../catalog/resource.ts';
import type { CreatePlan, ExportPlan, ListPlan, RecordPlan } from '../plan/plan.ts';

export interface Store {
  readonly records: Records;
  readonly accounts: Accounts;
  readonly keys: Keys;
  /** Whether every question is a round trip to a server. */
  readonly isRemote: boolean;
  /** How the account stands now. Nothing where there is none. */
  stamp(account: AccountId): Promise<Stamp | undefined>;
  /** Throws where it cannot answer now. */
  check(): Promise<void>;
  close(): Promise<void>;
}

/** What of an account moves on with every write. What was computed under it holds for as long as it is the same. */
export interface Stamp {
  /** Moves on with the account's keys. */
  readonly access: number;
  /** Another number where revisions may have been used before, since a database took the place of another. */
  readonly epoch: number;
  /** By the resource's name. */
  readonly ledger: ReadonlyMap<string, LedgerEntry>;
}

/** What is taken to be so of an account without having looked; the statement that does the work looks at it. */
export type Presumption = Pick<Stamp, 'access' | 'epoch'>;

export interface LedgerEntry {
  readonly revision: number;
  /** How many records there are. */
  readonly rows: number;
}

/** Every question about records names one account, and only that account's records can answer it. */
export interface Records {
  /**
   * The page, the exact total and the revision, read in one snapshot. Nothing where there is no such account. How the
   * ledger stood a moment ago helps to find the page; where it moved on since, the page is of the new revision.
   */
  list(account: AccountId, plan: ListPlan, ledger: LedgerEntry): Promise<Page | undefined>;
  /** The same as lines, one after the other, all of one snapshot. Nothing where there is no such account. */
  export(account: AccountId, plan: ExportPlan): Promise<Export | undefined>;
  /** Where something is presumed, and it is not so, there is no such record. */
  find(account: AccountId, plan: RecordPlan, presumed?: Presumption): Promise<Found | undefined>;
  /** Durable once it is answered. */
  create(account: AccountId, plan: CreatePlan, presumed?: Presumption): Promise<Created | CreateRefusal>;
  /** All of the rows at once, or nothing. */
  load(account: AccountId, plan: LoadPlan, batches: AsyncIterable<readonly IncomingRow[]>): Promise<LoadResult>;
}

/** A number that is never given to a second account. */
export type AccountId = number;

/** JSON that the database put together, as its driver gives it: text, or the bytes of it in UTF-8. */
export type Json = string | Uint8Array;

export interface Page {
  /** The records, without the brackets around them. */
  readonly records: Json;
  readonly total: number;
  readonly source: TotalSource;
  readonly revision: number;
}

/** Where a total was found: in the ledger, among those that were counted before at this revision, or by counting. */
export type TotalSource = 'ledger' | 'known' | 'counted';

export interface Export {
  /** How many lines there are, and how many records match. */
  readonly rows: number;
  readonly total: number;
  readonly source: TotalSource;
  readonly revision: number;
  /** Whole lines in UTF-8, many at once; nothing at the end. */
  next(): Promise<Uint8Array | undefined>;
  /** To be called in any case, at the end or before it. */
  close(): Promise<void>;
}

export interface Found {
  readonly record: Json;
  /** The revision at which the record was last written. */
  readonly revision: number;
}

export interface Created {
  readonly id: number;
}

export type CreateRefusal = 'no such account' | 'ids exhausted' | 'not as presumed';

export interface LoadPlan {
  readonly resource: Resource;
  /** The field by which a row finds its record: `id`, or another that holds text or integers. */
  readonly key: Field;
  /** Whether records that no row names are removed. */
  readonly replace: boolean;
  /** What a row does that cannot be loaded: it stops everything, or it is left out and given back. */
  readonly faulty: 'stop' | 'leave out';
  /** Whether to say what would come of it, and to change nothing. */
  readonly dryRun: boolean;
  readonly now: string;
}

/** By id, everything or nothing. */
export function plainLoad(resource: Resource, now: string): LoadPlan {
  return { resource, key: id, replace: false, faulty: 'stop', dryRun: false, now };
}

export interface IncomingRow {
  /** Where it stands in the file. */
  readonly line: number;
  /** The fields that the row gives. A field that is not given keeps its value, or begins with its initial one. */
  readonly values: ReadonlyMap<Field, Value | null>;
  /** The row as the file has it: needed where it may have to be given back. */
  readonly text?: string;
}

export type LoadResult =
  | {
      readonly kind: 'loaded';
      readonly created: number;
      readonly updated: number;
      readonly unchanged: number;
      readonly removed: number;
      /** In the order of their lines. */
      readonly leftOut: readonly LeftOutRow[];
    }
  | { readonly kind: 'refused'; readonly faults: Faults }
  | { readonly kind: 'no such account' };

export interface LeftOutRow {
  readonly text: string;
  readonly fault: RowFault;
}

/** The first of them, and how many there are. */
export interface Faults {
  readonly first: readonly RowFault[];
  readonly count: number;
}

/** Rows that are left out of a load at most: more of them stop it, since they are held in memory. */
export const MAX_LEFT_OUT = 100_000;

/** Faults told one by one; of the rest only the number. */
export const MOST_FAULTS = 20;

export interface RowFault {
  readonly line: number;
  readonly column: string | undefined;
  readonly reason: string;
  /** Where the row stands that was there before, for what may be there once. */
  readonly first?: number;
}

export interface Accounts {
  /** Nothing where the name is taken. */
  add(name: string, now: string): Promise<Account | undefined>;
  find(name: string): Promise<Account | undefined>;
  list(): Promise<readonly AccountSummary[]>;
  /** With all its records and keys. */
  remove(account: AccountId): Promise<void>;
}

export interface Account {
  readonly id: AccountId;
  readonly name: string;
  readonly createdAt: string;
}

export interface AccountSummary extends Account {
  /** How many records of each resource, by the resource's name. */
  readonly rows: ReadonlyMap<string, number>;
}

export interface Keys {
  add(key: NewKey): Promise<void>;
  /** By its public id, with the account it belongs to. */
  find(id: string): Promise<FoundKey | undefined>;
  list(account: AccountId): Promise<readonly StoredKey[]>;
  /** From the given time on, which may be still to come. */
  revoke(id: string, at: string): Promise<void>;
  /** When keys were last used, by their public ids. */
  noteUse(lastUsed: ReadonlyMap<string, string>): Promise<void>;
}

export interface FoundKey {
  readonly key: StoredKey;
  readonly account: Account;
  /** The account's access revision. */
  readonly access: number;
}

/** What a key may do. */
export const SCOPES = ['read', 'write'] as const;
export type Scope = (typeof SCOPES)[number];

export interface NewKey {
  readonly id: string;
  readonly account: AccountId;
  readonly name: string;
  readonly secretHash: string;
  readonly scopes: readonly Scope[];
  readonly createdAt: string;
  readonly expiresAt: string | null;
}

export interface StoredKey extends NewKey {
  readonly lastUsedAt: string | null;
  readonly revokedAt: string | null;
}
