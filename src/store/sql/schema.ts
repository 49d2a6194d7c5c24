/** The tables, derived from the catalog. The keys of records begin with the account, so that an account's rows lie together. */

import type { Resource } from '../../catalog/resource.ts';
import type { ValueType } from '../../filter/operators.ts';
import { type Column, columnsOf } from './columns.ts';
import type { Dialect } from './dialect.ts';

/** Accounts, keys and the ledger. */
export function serviceTables(dialect: Dialect): readonly string[] {
  const column = (name: string, type: ValueType, constraint = 'NOT NULL') =>
    `${name} ${dialect.columnTypes[type]} ${constraint}`;
  const account = column('account_id', 'integer', 'NOT NULL REFERENCES account (id) ON DELETE CASCADE');
  const table = (name: string, ...parts: string[]) =>
    `CREATE TABLE ${name} (${parts.join(', ')})${dialect.tableOptions}`;
  return [
    // Account ids are counted here rather than by the engine, so that the id of a removed account never comes back.
    table('counter', column('name', 'text', 'PRIMARY KEY'), column('value', 'integer')),
    "INSERT INTO counter (name, value) VALUES ('account', 0)",
    table(
      'account',
      column('id', 'integer', 'PRIMARY KEY'),
      column('name', 'text', 'NOT NULL UNIQUE'),
      column('created_at', 'timestamp'),
    ),
    table(
      'api_key',
      column('id', 'text', 'PRIMARY KEY'),
      account,
      column('name', 'text'),
      column('secret_hash', 'text'),
      column('scopes', 'text'),
      column('created_at', 'timestamp'),
      column('expires_at', 'timestamp', ''),
      column('last_used_at', 'timestamp', ''),
      column('revoked_at', 'timestamp', ''),
    ),
    'CREATE INDEX api_key_account ON api_key (account_id)',
    table(
      'ledger',
      account,
      column('resource', 'text'),
      column('revision', 'integer'),
      column('rows', 'integer'),
      column('last_id', 'integer'),
      'PRIMARY KEY (account_id, resource)',
    ),
  ];
}

/** What the catalog says came with a migration: new tables, and columns of tables that were there before. */
export function recordTables(resources: readonly Resource[], migration: number, dialect: Dialect): readonly string[] {
  return resources.flatMap((resource) => {
    const joining = columnsOf(resource).filter(({ field }) => (field.since ?? resource.since) === migration);
    if (resource.since === migration) return newTable(resource, joining, dialect);
    return joining.map((column) => `ALTER TABLE ${resource.name} ADD COLUMN ${addedColumn(column, dialect)}`);
  });
}

/** The ledger row, which every write takes first, stands for the account. Tables that came before this migration have a reference as well. */
const WITHOUT_REFERENCES = 6;

export function refersToAccount({ since }: Resource): boolean {
  return since < WITHOUT_REFERENCES;
}

function newTable(resource: Resource, columns: readonly Column[], dialect: Dialect): readonly string[] {
  const integer = dialect.columnTypes.integer;
  const parts = [
    `account_id ${integer} NOT NULL${refersToAccount(resource) ? ' REFERENCES account (id) ON DELETE CASCADE' : ''}`,
    ...columns.map(({ name, type, nullable }) => `${name} ${dialect.columnTypes[type]}${nullable ? '' : ' NOT NULL'}`),
    `revision ${integer} NOT NULL`,
    'PRIMARY KEY (account_id, id)',
  ];
  return [
    `CREATE TABLE ${resource.name} (${parts.join(', ')})${dialect.tableOptions}`,
    `INSERT INTO ledger (account_id, resource, revision, rows, last_id) SELECT id, '${resource.name}', 0, 0, 0 FROM account`,
  ];
}

function addedColumn({ name, type, nullable }: Column, dialect: Dialect): string {
  if (!nullable) throw new Error(`${name} joins a table that may have rows, so it has to be nullable`);
  return `${name} ${dialect.columnTypes[type]}`;
}
