/** The account `demo` with sample data. */

import { findField } from '../catalog/catalog.ts';
import { company } from '../catalog/company.ts';
import { partner } from '../catalog/partner.ts';
import { product } from '../catalog/product.ts';
import type { Field, Resource } from '../catalog/resource.ts';
import type { Value } from '../catalog/value.ts';
import { type Account, type IncomingRow, plainLoad, type Store } from '../store/store.ts';
import { companies, partners, products, type Sample } from './samples.ts';

export const DEMO_ACCOUNT = 'demo';

/** Adds the account if it doesn't exist. Samples are loaded only into resources that were never written to. */
export async function demoAccount(store: Store, now: string): Promise<Account> {
  const account = (await store.accounts.find(DEMO_ACCOUNT)) ?? (await store.accounts.add(DEMO_ACCOUNT, now));
  // Another process has just added it.
  if (account === undefined) return demoAccount(store, now);
  const version = await store.version(account.id);
  for (const [resource, samples] of SAMPLES) {
    if (version?.ledger.get(resource.name)?.revision !== 0) continue;
    await store.records.load(
      { account: account.id },
      { ...plainLoad(resource, now), import: {} },
      rowsOf(resource, samples()),
    );
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
