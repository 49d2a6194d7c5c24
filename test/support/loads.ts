/** Loads, and what they leave behind. */

import { expect } from 'vitest';
import { product } from '../../src/catalog/product.ts';
import type { Resource } from '../../src/catalog/resource.ts';
import { type Account, type LoadPlan, type LoadResult, plainLoad } from '../../src/store/store.ts';
import { fieldOf, LATER, type RecordValues, recordsIn, valuesOf } from './fixture.ts';
import type { SharedStore } from './shared.ts';

export const CODE = fieldOf(product, 'default_code');

type Loaded = Extract<LoadResult, { kind: 'loaded' }>;

export function loaded(counts: Partial<Loaded>): Loaded {
  const version = expect.objectContaining({ revision: expect.any(Number) });
  return { kind: 'loaded', created: 0, updated: 0, unchanged: 0, removed: 0, skipped: [], version, ...counts };
}

/** Rows start at line 2, as in a CSV file. */
export function loadBy(
  { store }: SharedStore,
  owner: Account,
  resource: Resource,
  plan: Partial<LoadPlan>,
  records: readonly RecordValues[],
): Promise<LoadResult> {
  const rows = records.map((values, index) => ({
    line: index + 2,
    values: valuesOf(resource, values),
    text: textOf(values),
  }));
  const halves = async function* () {
    yield rows.slice(0, rows.length / 2);
    yield rows.slice(rows.length / 2);
  };
  return store.records.load({ account: owner.id }, { ...plainLoad(resource, LATER), ...plan }, halves());
}

/** What a row says, as it is returned if it cannot be loaded. */
export function textOf(values: RecordValues | undefined): string {
  return `row ${JSON.stringify(values)}`;
}

/** Values of all records: a line for each. */
export async function linesOf(opened: SharedStore, owner: Account, resource: Resource, fields = 'id,name') {
  return (await opened.records(owner, resource, fields)).map((record) => Object.values(record).join(' '));
}

/** The ledger's row, after checking that its number of rows is right. */
export async function ledgerOf(opened: SharedStore, owner: Account, resource: Resource) {
  const [all, counted] = await Promise.all([
    opened.page(owner, resource),
    opened.page(owner, resource, { filter: 'id>0' }),
  ]);
  expect(all.total).toBe(counted.total);
  expect(recordsIn(all.records)).toHaveLength(all.total);
  return { revision: all.version.revision, rows: all.total };
}
