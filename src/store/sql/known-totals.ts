/** How many records filters matched, each with the revision at which it was counted. It holds for as long as the ledger says so. */

import { LRUCache } from 'lru-cache';
import { canonical } from '../../plan/canonical.ts';
import type { Selection } from '../../plan/plan.ts';
import type { AccountId, TotalSource } from '../store.ts';
import { integerOf, type Row } from './row.ts';

/** What all of it may take, in bytes, about; the total that was asked about longest ago makes room. */
const MAX_BYTES = 8 * 1024 * 1024;
const BYTES_OF_TOTAL = 300;

export interface KnownTotal {
  readonly revision: number;
  readonly total: number;
}

/** What is known before a statement runs, and a way to learn from the row that it returned. */
export interface Knowledge {
  readonly total: KnownTotal | undefined;
  learn(row: Row): KnownTotal & { readonly source: TotalSource };
}

export class KnownTotals {
  readonly #totals = new LRUCache<string, KnownTotal>({
    maxSize: MAX_BYTES,
    sizeCalculation: (_, name) => BYTES_OF_TOTAL + name.length * 2,
  });

  of(epoch: number, account: AccountId, { resource, where }: Selection): Knowledge {
    if (where === undefined) return { total: undefined, learn: (row) => ({ ...readTotal(row), source: 'ledger' }) };
    const key = `${epoch} ${account} ${resource.name} ${canonical(where)}`;
    const total = this.#totals.get(key);
    return {
      total,
      learn: (row) => {
        const learned = readTotal(row);
        if (total?.revision === learned.revision) return { ...learned, source: 'known' };
        this.#totals.set(key, learned);
        return { ...learned, source: 'counted' };
      },
    };
  }
}

function readTotal(row: Row): KnownTotal {
  return { revision: integerOf(row, 'revision'), total: integerOf(row, 'total') };
}
