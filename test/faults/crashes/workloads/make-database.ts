/** The database that workloads begin with, unless they need another. */

import { partner } from '../../../../src/catalog/partner.ts';
import { product } from '../../../../src/catalog/product.ts';
import { makeKey } from '../../../support/account-key.ts';
import { times } from './workload.ts';

/** An account with a few records. Returns a key that may do everything. */
export function makeDatabase(path: string, records = 20): Promise<string> {
  return makeKey(path, {
    scopes: ['read', 'write', 'edit'],
    records: [
      [product, times(records, (n) => ({ id: n, name: `Product ${n}` }))],
      [partner, times(records, (n) => ({ id: n, name: `Partner ${n}` }))],
    ],
  });
}
