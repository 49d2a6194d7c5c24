/** Two accounts with a few records each, chosen so that every operator matches some and rejects some. */

import { findField } from '../../src/catalog/catalog.ts';
import { company } from '../../src/catalog/company.ts';
import { partner } from '../../src/catalog/partner.ts';
import { product } from '../../src/catalog/product.ts';
import type { Field, Resource } from '../../src/catalog/resource.ts';
import type { Value } from '../../src/catalog/value.ts';
import type { ListPlan } from '../../src/plan/plan.ts';
import { Problem } from '../../src/problem/problem.ts';
import {
  type Account,
  type LoadPlan,
  type LoadResult,
  type NoAccess,
  type Page,
  plainLoad,
  type Store,
} from '../../src/store/store.ts';

export type RecordValues = Readonly<Record<string, Value | null>>;

export const NOW = '2026-03-01T12:00:00.000Z';

const dates = { create_date: '2026-01-01T00:00:00.000Z', write_date: '2026-01-02T00:00:00.000Z' };

/** Every field of every record, in the order of a response. */
export const products: readonly RecordValues[] = [
  {
    id: 1,
    name: 'Oak Chair',
    default_code: 'CHR-1',
    list_price: 120.5,
    qty_available: 10,
    active: true,
    categ_id: 1,
    product_tmpl_id: 1,
    is_rsd_product: null,
    ...dates,
  },
  {
    id: 2,
    name: 'Steel Desk',
    default_code: 'DSK-1',
    list_price: 420,
    qty_available: 0,
    active: true,
    categ_id: 2,
    product_tmpl_id: null,
    is_rsd_product: true,
    ...dates,
  },
  {
    id: 3,
    name: 'oak table',
    default_code: null,
    list_price: 260,
    qty_available: -3,
    active: false,
    categ_id: null,
    product_tmpl_id: 3,
    is_rsd_product: false,
    ...dates,
    write_date: '2026-02-01T09:30:00.000Z',
  },
  {
    id: 4,
    name: 'Crème Brûlée',
    default_code: 'null',
    list_price: 9.99,
    qty_available: 1000000,
    active: true,
    categ_id: 1,
    product_tmpl_id: 4,
    is_rsd_product: null,
    ...dates,
  },
  {
    id: 5,
    name: '100% Wool_Rug "A&B|C"',
    default_code: 'a>b',
    list_price: 0.1,
    qty_available: 0.30000000000000004,
    active: true,
    categ_id: 3,
    product_tmpl_id: 5,
    is_rsd_product: null,
    ...dates,
  },
  {
    id: 6,
    name: 'ΟΔΟΣ',
    default_code: '',
    list_price: 1e21,
    qty_available: 1e-7,
    active: false,
    categ_id: 9007199254740991,
    product_tmpl_id: -5,
    is_rsd_product: null,
    ...dates,
  },
  {
    id: 10,
    name: 'null',
    default_code: 'CHR-2',
    list_price: 120.5,
    qty_available: 7,
    active: true,
    categ_id: 2,
    product_tmpl_id: 10,
    is_rsd_product: null,
    ...dates,
  },
  {
    id: 11,
    name: 'Screen 24" (small), [new]',
    default_code: 'true',
    list_price: 180,
    qty_available: 3,
    active: true,
    categ_id: 4,
    product_tmpl_id: 11,
    is_rsd_product: null,
    ...dates,
    create_date: '2026-01-01T00:00:00.001Z',
  },
  {
    id: 12,
    name: '😀 Lamp \\ shade',
    default_code: 'chr-1',
    list_price: 65,
    qty_available: 12,
    active: true,
    categ_id: 4,
    product_tmpl_id: 12,
    is_rsd_product: null,
    ...dates,
  },
  {
    id: 13,
    name: 'a>b',
    default_code: '2024',
    list_price: -12.5,
    qty_available: 5,
    active: true,
    categ_id: 5,
    product_tmpl_id: 13,
    is_rsd_product: null,
    ...dates,
  },
  {
    id: 14,
    name: '',
    default_code: ' padded ',
    list_price: 5e-324,
    qty_available: 1.7976931348623157e308,
    active: true,
    categ_id: 0,
    product_tmpl_id: 14,
    is_rsd_product: true,
    ...dates,
  },
  {
    id: 15,
    name: 'Zebra Rug',
    default_code: 'RUG-1',
    list_price: 75,
    qty_available: 2,
    active: true,
    categ_id: 5,
    product_tmpl_id: 15,
    is_rsd_product: null,
    ...dates,
  },
];

const person = {
  is_company: false,
  is_patient: false,
  active: true,
  is_customer: true,
  is_vendor: false,
  is_employee: false,
};
const unknown = {
  ref: null,
  email: null,
  phone: null,
  vat: null,
  street: null,
  city: null,
  zip: null,
  country_code: null,
};

export const partners: readonly RecordValues[] = [
  {
    id: 1,
    name: 'Azure Interior',
    ...person,
    is_company: true,
    ...unknown,
    city: 'Berlin',
    country_code: 'DE',
    ...dates,
  },
  { id: 2, name: "Brian O'Neil", ...person, is_employee: true, ...unknown, email: 'brian@example.com', ...dates },
  { id: 3, name: 'Chloé Patient', ...person, is_patient: true, ...unknown, ...dates },
];

export const companies: readonly RecordValues[] = [
  { id: 1, name: 'Northwind', company_code: null, branch_user: '1001', ...dates },
  { id: 2, name: 'Northwind Suomi', company_code: 'NW02', branch_user: '0042', ...dates },
];

/** The records of another account, which acme must never see. */
const foreignProducts: readonly RecordValues[] = [{ id: 7, name: 'Secret of Globex', list_price: 777 }];
const foreignPartners: readonly RecordValues[] = [{ id: 900, name: 'Globex Partner' }];

export interface Fixture {
  readonly acme: Account;
  readonly globex: Account;
}

export async function fill(store: Store): Promise<Fixture> {
  const acme = await addAccount(store, 'acme');
  const globex = await addAccount(store, 'globex');
  await load(store, acme, product, products);
  await load(store, acme, partner, partners);
  await load(store, acme, company, companies);
  await load(store, globex, product, foreignProducts);
  await load(store, globex, partner, foreignPartners);
  return { acme, globex };
}

export async function addAccount(store: Store, name: string): Promise<Account> {
  const account = await store.accounts.add(name, NOW);
  if (account === undefined) throw new Error(`the account ${name} already exists`);
  return account;
}

export function load(
  store: Store,
  account: Pick<Account, 'id'>,
  resource: Resource,
  records: readonly RecordValues[],
  options: Partial<LoadPlan> = {},
): Promise<LoadResult> {
  const rows = records.map((values, index) => ({ line: index + 1, values: valuesOf(resource, values) }));
  return store.records.load(account.id, { ...plainLoad(resource, NOW), ...options }, once(rows));
}

export function valuesOf(resource: Resource, values: RecordValues): ReadonlyMap<Field, Value | null> {
  return new Map(
    Object.entries(values).map(([name, value]) => {
      const field = findField(resource, name);
      if (field === undefined) throw new Error(`${resource.name} has no field ${name}`);
      return [field, value];
    }),
  );
}

async function* once<Item>(item: Item): AsyncIterable<Item> {
  yield item;
}

/** The plan of a valid request. */
export function planned<Plan>(plan: Plan | Problem): Plan {
  if (plan instanceof Problem) throw new Error(plan.detail);
  return plan;
}

/** The records in the JSON of a page. */
export function recordsIn(json: string): RecordValues[] {
  return JSON.parse(`[${json}]`);
}

/** Undefined if the account doesn't exist. */
export async function revisionOf(store: Store, account: number, resource: Resource): Promise<number | undefined> {
  return (await store.version(account))?.ledger.get(resource.name)?.revision;
}

/** A page whose records are one text, however they were read. */
export interface TextPage extends Page {
  readonly records: string;
}

function textPage(page: Page | NoAccess): TextPage | undefined {
  if (page === 'no access') return undefined;
  const { records } = page;
  return { ...page, records: typeof records === 'string' ? records : Buffer.concat(records).toString() };
}

/** A page at the current version, as a request reads it. Undefined if the account doesn't exist. */
export async function listPage(store: Store, account: number, plan: ListPlan): Promise<TextPage | undefined> {
  const version = (await store.version(account))?.ledger.get(plan.resource.name);
  if (version === undefined) return undefined;
  return textPage(await store.records.list({ account }, plan, version));
}

/** The same, read as if the resource had this many records: large resources are read in other ways. */
export async function listPageOfLarge(
  store: Store,
  account: number,
  plan: ListPlan,
  rows: number,
): Promise<TextPage | undefined> {
  const version = (await store.version(account))?.ledger.get(plan.resource.name);
  if (version === undefined) return undefined;
  return textPage(await store.records.list({ account }, plan, { ...version, rows }));
}
