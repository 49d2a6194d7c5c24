/** On whose behalf the store is used. */

import type { Deadline } from '../schedule/deadline.ts';
import type { AccountId } from './account-id.ts';

export interface Caller {
  readonly account: AccountId;
  /** The access version under which the session was granted. Every statement verifies it; undefined skips the check. */
  readonly access?: number;
  /** When the caller stops waiting; never if undefined. */
  readonly deadline?: Deadline;
}

/**
 * The account doesn't exist (any more), or the caller's session was granted under another access version. Also if the ledger
 * is missing: the version of the account tells these apart.
 */
export type NoAccess = 'no access';
