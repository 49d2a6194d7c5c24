/** How many records filters matched, each with the revision at which it was counted. It holds for as long as the ledger says so. */

import { canonical } from '../../plan/canonical.ts';
import type { Selection } from '../../plan/plan.ts';
import type { AccountId } from '../store.ts';
import { integerOf, type Row } from './row.ts';

/** Filters remembered; the one that was asked about longest ago makes room. */
const MAX_TOTALS = 10_000;

export interface KnownTotal {
  readonly revision: number;
  readonly total: number;
}

/** What is known before a statement runs, and a way to learn from the row that it returned. */
export interface Knowledge {
  readonly total: KnownTotal | undefined;
  learn(row: Row): KnownTotal;
}

export class KnownTotals {
  readonly #totals = new Map<string, KnownTotal>();

  of(epoch: number, account: AccountId, { resource, where }: Selection): Knowledge {
    if (where === undefined) return { total: undefined, learn: readTotal };
    const key = `${epoch} ${account} ${resource.name} ${canonical(where)}`;
    const total = this.#totals.get(key);
    if (total !== undefined) this.#keep(key, total);
    return {
      total,
      learn: (row) => {
        const learned = readTotal(row);
        if (total?.revision !== learned.revision) this.#keep(key, learned);
        return learned;
      },
    };
  }

  /** A map keeps the order of insertion, so what is taken out and put in again is the newest. */
  #keep(key: string, known: KnownTotal): void {
    this.#totals.delete(key);
    this.#totals.set(key, known);
    const [oldest] = this.#totals.keys();
    if (this.#totals.size > MAX_TOTALS && oldest !== undefined) this.#totals.delete(oldest);
  }
}

function readTotal(row: Row): KnownTotal {
  return { revision: integerOf(row, 'revision'), total: integerOf(row, 'total') };
}
