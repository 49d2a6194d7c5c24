/** The audit trail: who did what to accounts, keys, records and the database, when and from where. */

/** Who did something, and from where. */
export interface Actor {
  /** A user of the operating system, or `key` and the id of a key. */
  readonly name: string;
  /** The host on which a command ran, or the client's address. */
  readonly origin: string;
}

/** What is recorded, one row each, with the names of the details. The docs list them in this order. */
export const auditActions = {
  'account added': { meaning: 'an account was added', details: [] },
  'account removed': {
    meaning: 'an account was removed, with how many records of each resource',
    details: ['records'],
  },
  'account limit changed': {
    meaning: 'an account got another limit, of `requests per second`, `records` or `bytes`; null is the default',
    details: ['limit', 'from', 'to'],
  },
  'account currency changed': {
    meaning: 'amounts of an account are shown in another currency; null is none',
    details: ['from', 'to'],
  },
  'key issued': { meaning: 'a key was issued', details: ['key', 'name', 'scopes', 'expiresAt', 'limit'] },
  'key rotated': {
    meaning: 'a key was replaced by another, and keeps working until the end of the overlap',
    details: ['key', 'replacedBy', 'scopes', 'overlapEnds'],
  },
  'key revoked': { meaning: 'a key was revoked', details: ['key', 'name'] },
  'key limit changed': { meaning: 'a key got another rate limit', details: ['key', 'from', 'to'] },
  'sign-in link used': {
    meaning: 'somebody signed in by link: its code was exchanged for a key',
    details: ['code', 'key', 'scopes', 'expiresAt'],
  },
  'signed in': {
    meaning: 'somebody signed in to the console with a key, which began a session with a key of its own',
    details: ['key', 'session', 'scopes', 'expiresAt'],
  },
  'signed out': {
    meaning: 'somebody signed out of the console, which revoked the key of the session',
    details: ['session'],
  },
  'records imported': {
    meaning: 'rows were imported, from a file or over HTTP, whether or not they changed anything',
    details: ['resource', 'file', 'source', 'created', 'updated', 'unchanged', 'removed', 'skipped', 'revision'],
  },
  'source removed': {
    meaning: 'a source of imports was removed, with its position',
    details: ['resource', 'source'],
  },
  'field added': {
    meaning: 'an operator added a field to a resource, for all accounts',
    details: ['resource', 'field', 'definition'],
  },
  'field changed': {
    meaning: 'an operator changed what a field is called or means, its choices, or whether it is indexed or searched',
    details: ['resource', 'field', 'definition'],
  },
  'field removed': {
    meaning: 'an operator removed a field from a resource, with its values in all accounts',
    details: ['resource', 'field', 'definition'],
  },
  'database upgraded': {
    meaning: 'a newer version of Stockbook migrated the database to its schema',
    details: ['from', 'to'],
  },
  'backup written': { meaning: '`stockbook backup` made a backup, with its size', details: ['file', 'bytes'] },
  'database restored': { meaning: 'the database was restored from a backup', details: ['file'] },
  'database repaired': {
    meaning: '`stockbook check --repair` repaired the database as a whole, or a resource of an account',
    details: ['resource', 'repaired'],
  },
} as const satisfies Readonly<Record<string, { readonly meaning: string; readonly details: readonly string[] }>>;

export type AuditAction = keyof typeof auditActions;

export type DetailName<Action extends AuditAction> = (typeof auditActions)[Action]['details'][number];

export type Json = string | number | boolean | null | readonly Json[] | { readonly [name: string]: Json };

/** An entry that is not part of another write. */
export interface NewEntry<Action extends AuditAction> {
  readonly action: Action;
  /** The account's name; null if the action is not about an account. */
  readonly account: string | null;
  readonly details: Readonly<Record<DetailName<Action>, Json>>;
}

export interface AuditEntry {
  readonly id: number;
  readonly at: string;
  readonly actor: string;
  readonly origin: string;
  /** An action of this version, or of another one that wrote to the database. */
  readonly action: string;
  readonly account: string | null;
  /** A JSON object. */
  readonly details: string;
}

export interface AuditTrail {
  /** By default, the user who runs this process did it. */
  append<Action extends AuditAction>(entry: NewEntry<Action>, by?: Actor): Promise<void>;
  /** In batches, oldest first. */
  entries(query: AuditQuery): AsyncIterable<readonly AuditEntry[]>;
}

/** Entries must meet all conditions. */
export interface AuditQuery {
  /** Null for entries that are not about an account. */
  readonly account?: string | null | undefined;
  readonly action?: AuditAction | undefined;
  /** The earliest time. */
  readonly since?: string | undefined;
  /** Only the newest ones; all if undefined. */
  readonly limit?: number | undefined;
}
