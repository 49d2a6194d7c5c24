/** What holds the indexes of a node: this process, or another one, which is sent plain data. */

import type { Deadline } from '../../schedule/deadline.ts';
import type { AccountId } from '../account-id.ts';
import type { LedgerVersion } from '../version.ts';
import type { AggregateRequest, ColumnResult, PageRequest, WordsRequest } from './thread/commands.ts';

/** What a list, an aggregate or the explanation of a search needs to know. */
export type IndexTask =
  | { readonly kind: 'find'; readonly page: PageRequest }
  | { readonly kind: 'aggregate'; readonly request: AggregateRequest }
  | { readonly kind: 'words'; readonly request: WordsRequest };

export interface IndexRequest {
  readonly account: AccountId;
  /** Its name, and the version of its fields. */
  readonly resource: { readonly name: string; readonly version: number };
  /** The index has to be at this version of the ledger, or a later one. */
  readonly ledger: LedgerVersion;
  /** Whether this request is reason enough to build an index. */
  readonly isUrgent: boolean;
  /** The estimated time that the thread needs, in milliseconds. */
  readonly cost: number;
  readonly task: IndexTask;
}

export interface IndexHolder {
  /** Undefined if the database has to be asked: there is no index, or it cannot be used. Throws `Overloaded`. */
  ask(request: IndexRequest, deadline: Deadline): Promise<ColumnResult | undefined>;
  /** Drops an index that has a version which the ledger never had: a failover has lost it. */
  forget(account: AccountId, resource: string): void;
}
