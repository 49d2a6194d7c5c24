/** The keys of accounts. */

import type { Catalog } from '../catalog/catalog.ts';
import type { Scope } from '../catalog/scopes.ts';
import type { Account } from './account.ts';
import type { AccountId } from './account-id.ts';
import type { Actor } from './audit.ts';

/** How many browser sessions a key can have at a time. */
export const MAX_SESSIONS = 100;

/** The maximum number of browser sessions that begin with one key within a minute: each is an entry of the audit trail. */
export const MAX_SIGN_INS = 60;

export interface Keys {
  add(key: NewKey): Promise<void>;
  /** By its public id, with the account it belongs to. */
  find(id: string): Promise<FoundKey | undefined>;
  /** Of all accounts if none is given. */
  list(account?: AccountId): Promise<readonly StoredKey[]>;
  /**
   * Takes effect in every process within a second, whatever the time is. If the database cannot be written to, the revocation is only in effect:
   * its entry in the audit trail is written later.
   */
  revoke(id: string, at: string): Promise<'in the database' | 'in effect'>;
  /** Whether a key was revoked in a way that has not changed the access version yet. Costs next to nothing. */
  isRevoked(id: string): boolean;
  /** Writes the revocations that are in effect, but not in the database. */
  settleRevocations(): Promise<void>;
  /**
   * Adds a key that replaces another, which expires at the end of the overlap, unless it expires before; without an overlap
   * it is revoked. Resolves to false, and changes nothing, if the old key has been revoked or replaced meanwhile.
   */
  replace(id: string, by: NewKey, overlapEnds: string | null): Promise<boolean>;
  /** Adds a key in exchange for the code of a sign-in link. Resolves to false if the code has been used or revoked meanwhile. */
  exchange(code: string, key: NewKey, actor: Actor): Promise<boolean>;
  /**
   * Adds the key of a browser session. Of more than `MAX_SESSIONS` that come from one key, the oldest are removed. Resolves to false if there
   * were `MAX_SIGN_INS` within a minute already.
   */
  startSession(session: SessionKey, actor: Actor): Promise<boolean>;
  /** Revokes the key of a browser session. Does nothing if it is revoked already. */
  endSession(id: string, at: string, actor: Actor): Promise<void>;
  /** Takes effect at once. Does nothing if the limit is the same. */
  setRateLimit(id: string, rateLimit: number | null): Promise<void>;
  /** Records when keys were last used, by their public ids. */
  recordUse(lastUsed: ReadonlyMap<string, string>): Promise<void>;
}

export interface FoundKey {
  readonly key: StoredKey;
  readonly account: Account;
  /** The account's access version. */
  readonly access: number;
  /** The one that the access version is for. */
  readonly catalog: Catalog;
}

export interface NewKey {
  readonly id: string;
  readonly account: AccountId;
  readonly name: string;
  readonly secretHash: string;
  readonly scopes: readonly Scope[];
  readonly createdAt: string;
  readonly expiresAt: string | null;
  /** Requests per second; 0 means unlimited, and null that the setting applies. */
  readonly rateLimit: number | null;
  /** Of a browser session: the id of the key, or of the code of a link, that somebody signed in with. */
  readonly sessionOf?: string | null;
}

/** The key of a browser session. */
export interface SessionKey extends NewKey {
  readonly sessionOf: string;
}

/** A browser session ends with the key that it comes from, and has its rate limit: both are those of this key here. */
export interface StoredKey extends NewKey {
  readonly lastUsedAt: string | null;
  /** A key with this time is revoked, even if the time is in the future: clocks differ. */
  readonly revokedAt: string | null;
  /** The id of the key that replaces this one. */
  readonly replacedBy: string | null;
  readonly sessionOf: string | null;
  /** When a key expires that people rely on: that of a session is the one it comes from, and a sign-in link leaves none. */
  readonly keyExpiresAt: string | null;
}
