/** Two accounts with a few records each, chosen so that every operator matches some and rejects some. */

import { findField } from '../../src/catalog/catalog.ts';
import { company } from '../../src/catalog/company.ts';
import { partner } from '../../src/catalog/partner.ts';
import { product } from '../../src/catalog/product.ts';
import type { Field, Resource } from '../../src/catalog/resource.ts';
import type { Value } from '../../src/catalog/value.ts';
import { planCreate } from '../../src/plan/create.ts';
import { planList } from '../../src/plan/list.ts';
import type { CreatePlan, ListPlan } from '../../src/plan/plan.ts';
import { Problem } from '../../src/problem/problem.ts';
import {
  type Account,
  type LoadPlan,
  type LoadResult,
  type NewKey,
  type NoAccess,
  type Page,
  plainLoad,
  type Store,
} from '../../src/store/store.ts';
import { once } from './iterables.ts';

export type RecordValues = Readonly<Record<string, Value | null>>;

export const NOW = '2026-03-01T12:00:00.000Z';
export const LATER = '2026-03-02T12:00:00.000Z';

const [CREATED, WRITTEN] = ['2026-01-01T00:00:00.000Z', '2026-01-02T00:00:00.000Z'];
const dates = { create_date: CREATED, write_date: WRITTEN };

/** Every field of every record, in the order of a response. */
export const products: readonly RecordValues[] = tabled(
  'id name default_code list_price qty_available active categ_id product_tmpl_id is_rsd_product create_date write_date',
  [1, 'Oak Chair', 'CHR-1', 120.5, 10, true, 1, 1, null],
  [2, 'Steel Desk', 'DSK-1', 420, 0, true, 2, null, true],
  [3, 'oak table', null, 260, -3, false, null, 3, false, CREATED, '2026-02-01T09:30:00.000Z'],
  [4, 'Crème Brûlée', 'null', 9.99, 1000000, true, 1, 4, null],
  [5, '100% Wool_Rug "A&B|C"', 'a>b', 0.1, 0.30000000000000004, true, 3, 5, null],
  [6, 'ΟΔΟΣ', '', 1e21, 1e-7, false, 9007199254740991, -5, null],
  [10, 'null', 'CHR-2', 120.5, 7, true, 2, 10, null],
  [11, 'Screen 24" (small), [new]', 'true', 180, 3, true, 4, 11, null, '2026-01-01T00:00:00.001Z'],
  [12, '😀 Lamp \\ shade', 'chr-1', 65, 12, true, 4, 12, null],
  [13, 'a>b', '2024', -12.5, 5, true, 5, 13, null],
  [14, '', ' padded ', 5e-324, 1.7976931348623157e308, true, 0, 14, true],
  [15, 'Zebra Rug', 'RUG-1', 75, 2, true, 5, 15, null],
).map((record) => ({ ...record, ...dates, ...record }));

const kinds = { is_company: false, is_patient: false, active: true };
const person = { ...kinds, is_customer: true, is_vendor: false, is_employee: false };
const address = { street: null, city: null, zip: null, country_code: null };
const unknown = { ref: null, email: null, phone: null, vat: null, ...address };

export const partners: readonly RecordValues[] = [
  { id: 1, name: 'Azure Interior', ...person, is_company: true, ...unknown, city: 'Berlin', country_code: 'DE' },
  { id: 2, name: "Brian O'Neil", ...person, is_employee: true, ...unknown, email: 'brian@example.com' },
  { id: 3, name: 'Chloé Patient', ...person, is_patient: true, ...unknown },
].map((record) => ({ ...record, ...dates }));

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

export function newKey(id: string, account: Pick<Account, 'id'>): NewKey {
  const secretHash = 'ab'.repeat(32);
  const limits = { expiresAt: LATER, rateLimit: null };
  return { id, account: account.id, name: 'Shop “sync”', secretHash, scopes: ['read'], createdAt: NOW, ...limits };
}

/** Records as the rows of a table with these columns. */
export function tabled(columns: string, ...rows: readonly (readonly (Value | null)[])[]): RecordValues[] {
  const names = columns.split(' ');
  return rows.map((values) => Object.fromEntries(values.map((value, index) => [names[index], value])));
}

export function load(
  store: Store,
  account: Pick<Account, 'id'>,
  resource: Resource,
  records: readonly RecordValues[],
  options: Partial<LoadPlan> = {},
): Promise<LoadResult> {
  const rows = records.map((values, index) => ({ line: index + 1, values: valuesOf(resource, values) }));
  return store.records.load({ account: account.id }, { ...plainLoad(resource, NOW), ...options }, once(rows));
}

export function valuesOf(resource: Resource, values: RecordValues): ReadonlyMap<Field, Value | null> {
  return new Map(Object.entries(values).map(([name, value]) => [fieldOf(resource, name), value]));
}

export function fieldOf(resource: Resource, name: string): Field {
  const field = findField(resource, name);
  if (field === undefined) throw new Error(`${resource.name} has no field ${name}`);
  return field;
}

/** The plan of a valid request. */
export function planned<Plan>(plan: Plan | Problem): Plan {
  if (plan instanceof Problem) throw new Error(plan.detail);
  return plan;
}

/** A create that a database rejects. */
export function unwritable(): CreatePlan {
  const plan = planned(planCreate(partner, { name: 'A' }, NOW));
  return { ...plan, values: new Map(plan.values).set(fieldOf(partner, 'active'), 'perhaps') };
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

/** Up to 1,000 records, unless the parameters say otherwise. */
export async function pageOf(
  store: Store,
  { id }: Pick<Account, 'id'>,
  resource: Resource,
  parameters: Readonly<Record<string, string>> = {},
): Promise<TextPage> {
  const values = { limit: '1000', ...parameters };
  const page = await listPage(store, id, planned(planList(resource, { values, continuations: [] })));
  if (page === undefined) throw new Error('the account does not exist');
  return page;
}

/** A page at the current version, read as if the resource had this many records: large resources are read in other ways. */
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
