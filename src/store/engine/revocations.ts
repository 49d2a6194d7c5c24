/** Revocations that take effect before the database has them. */

import type { Actor } from '../audit.ts';

export interface Revocation {
  /** The public id of the key. */
  readonly key: string;
  readonly at: string;
  /** Who revoked it. */
  readonly actor: Actor;
}

export interface PendingRevocations {
  /** By the public id of the key. What other processes add is seen within a second. */
  readonly pending: ReadonlyMap<string, Revocation>;
  /** False if the engine can store them only in the database. */
  add(revocation: Revocation): boolean;
  /** The database has it. */
  remove(key: string): void;
}

/** For an engine whose writers do not wait for each other. */
export const NO_PENDING_REVOCATIONS: PendingRevocations = {
  pending: new Map(),
  add: () => false,
  remove: () => {},
};
