/** The tables whose rows belong to an account. */

import { resources } from '../../catalog/catalog.ts';

/** Their content cannot be derived from anything else. */
export const ORIGINAL_TABLES: readonly string[] = ['api_key', 'saved_view', ...resources.map(({ name }) => name)];

/** The ledger comes first: a transaction that has locked its rows is the only writer. */
export const ACCOUNT_TABLES: readonly string[] = [
  'ledger',
  'ledger_history',
  'tombstone',
  'idempotency_key',
  'import',
  'source',
  'view_list',
  ...ORIGINAL_TABLES,
];

/** Those that may have many rows of an account, with the rest of their primary key. */
export const LARGE_TABLES: ReadonlyMap<string, string> = new Map([
  ...resources.map(({ name }) => [name, 'id'] as const),
  ['tombstone', 'resource, id'],
  ['idempotency_key', 'resource, key_hash'],
  ['import', 'id'],
  ['source', 'name'],
]);
