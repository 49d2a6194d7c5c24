/** The account `demo`, with sample data to try everything on. */

import { findField } from '../catalog/catalog.ts';
import { company } from '../catalog/company.ts';
import { partner } from '../catalog/partner.ts';
import { product } from '../catalog/product.ts';
import type { Field, Resource, Value } from '../catalog/resource.ts';
import { type Account, type IncomingRow, plainLoad, type Store } from '../store/store.ts';
import { companies, partners, products, type Sample } from './samples.ts';

export const DEMO_ACCOUNT = 'demo';

/** Made where there is none. Samples go only where nothing was ever written. */
export async function demoAccount(store: Store, now: string): Promise<Account> {
  const account = (await store.accounts.find(DEMO_ACCOUNT)) ?? (await store.accounts.add(DEMO_ACCOUNT, now));
  // Another process has just made it.
  if (account === undefined) return demoAccount(store, now);
  const stamp = await store.stamp(account.id);
  for (const [resource, samples] of SAMPLES) {
    if (stamp?.ledger.get(resource.name)?.revision !== 0) continue;
    await store.records.load(account.id, plainLoad(resource, now), rowsOf(resource, samples()));
  }
  return account;
}

const SAMPLES: readonly (readonly [Resource, () => Iterable<Sample>])[] = [
  [product, products],
  [partner, partners],
  [company, companies],
];

async function* rowsOf(resource: Resource, samples: Iterable<Sample>): AsyncIterable<readonly IncomingRow[]> {
  yield [...samples].map((sample, index) => ({ line: index + 1, values: valuesOf(resource, sample) }));
}

function valuesOf(resource: Resource, sample: Sample): ReadonlyMap<Field, Value | null> {
  const values = new Map<Field, Value | null>();
  for (const [name, value] of Object.entries(sample)) {
    const field = findField(resource, name);
    if (field !== undefined) values.set(field, value);
  }
  return values;
}
