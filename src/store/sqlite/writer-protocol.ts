/** What the serving thread and the writing thread say to each other. */

import type { StagedRow, Staging, WriteResult } from '../sql/engine.ts';
import type { Statement } from '../sql/statement.ts';
import type { StoreUnavailable } from '../store-error.ts';

export type Order =
  | { readonly kind: 'write'; readonly statements: readonly Statement[] }
  | { readonly kind: 'stage'; readonly staging: Pick<Staging, 'table' | 'columns'> }
  | { readonly kind: 'add rows'; readonly table: string; readonly rows: readonly StagedRow[] }
  | { readonly kind: 'unstage'; readonly table: string }
  | { readonly kind: 'close' };

export interface NumberedOrder {
  readonly number: number;
  readonly order: Order;
}

export interface Answer {
  readonly number: number;
  readonly outcome: Outcome;
}

export type Outcome =
  | { readonly kind: 'done'; readonly result: WriteResult }
  | { readonly kind: 'unavailable'; readonly reason: StoreUnavailable['reason']; readonly message: string }
  | { readonly kind: 'unusable'; readonly message: string }
  | { readonly kind: 'failed'; readonly error: unknown };
