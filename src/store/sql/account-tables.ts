/** The tables whose rows belong to an account. */

import { catalog } from '../../catalog/catalog.ts';

/** Their content cannot be derived from anything else. */
export const ORIGINAL_TABLES: readonly string[] = ['api_key', ...catalog.map(({ name }) => name)];

/** The ledger comes first: a transaction that has locked its rows is the only writer. */
export const ACCOUNT_TABLES: readonly string[] = [
  'ledger',
  'ledger_history',
  'tombstone',
  'idempotency_key',
  ...ORIGINAL_TABLES,
];
