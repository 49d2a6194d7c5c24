/** Everything in a SQLite file, as a text that two files share if they have the same content. */

import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { DatabaseSync, type SQLOutputValue } from 'node:sqlite';
import { pathToFileURL } from 'node:url';

/** Columns that may differ although the same writes are there. All others are compared, in every table that there is. */
const VOLATILE: Readonly<Record<string, { readonly columns: readonly string[]; readonly because: string }>> = {
  api_key: { columns: ['last_used_at'], because: 'it is stored some time after the requests that it is about' },
  migration: { columns: ['applied_at'], because: 'a database whose upgrade was lost is upgraded when it is opened' },
  audit_entry: { columns: ['at', 'actor', 'origin'], because: 'the same: by whoever opens it' },
  generation: {
    columns: ['id', 'began_at'],
    because: 'a database whose creation was lost is created when it is opened',
  },
};

/** Of a database of the store. Throws if the file is not sound. */
export function dumpOf(path: string): string {
  return dumped(path, (database) => {
    const schema = database.prepare('SELECT type, name, sql FROM sqlite_schema ORDER BY type, name').all();
    const tables = schema.filter(({ type, sql }) => type === 'table' && !String(sql).startsWith('CREATE VIRTUAL '));
    return [schema, tables.map(({ name }) => rowsOf(database, String(name)))];
  });
}

/** Of a file of revocations: one that has none may have been prepared or not. */
export function revocationsIn(path: string): string {
  return dumped(path, (database) => {
    const [table] = database.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'revocation'").all();
    return table === undefined ? [] : rowsOf(database, 'revocation');
  });
}

export const NO_REVOCATIONS = hashed([]);

function dumped(path: string, read: (database: DatabaseSync) => unknown): string {
  const database = open(path);
  try {
    const [{ integrity_check: integrity } = {}] = database.prepare('PRAGMA integrity_check').all();
    if (integrity !== 'ok') throw new Error(`${path} is not sound: ${integrity}`);
    return hashed(read(database));
  } finally {
    database.close();
  }
}

function hashed(content: unknown): string {
  return createHash('sha1').update(JSON.stringify(content)).digest('base64');
}

/** Not in the order of row ids: a file that was rebuilt may have others. */
function rowsOf(database: DatabaseSync, table: string): readonly string[] {
  const volatile = VOLATILE[table]?.columns ?? [];
  const columns = database
    .prepare('SELECT name FROM pragma_table_info(?)')
    .all(table)
    .map(({ name }) => String(name))
    .filter((name) => !volatile.includes(name));
  const statement = database.prepare(`SELECT ${columns.map((name) => `"${name}"`).join(', ')} FROM "${table}"`);
  statement.setReadBigInts(true);
  return statement
    .all()
    .map((row) => JSON.stringify(Object.values(row).map(printed)))
    .toSorted();
}

function printed(value: SQLOutputValue): string | number | null {
  if (typeof value === 'bigint') return `integer ${value}`;
  return value instanceof Uint8Array ? `blob ${Buffer.from(value).toString('base64')}` : value;
}

/** Whether a condition in SQL holds in the file, to which the revoked keys beside it are attached as `revoked`. */
export function holdsIn(path: string, condition: string): boolean {
  if (!existsSync(path)) return false;
  const database = open(path);
  try {
    const revoked = `${path}-revoked`;
    database.prepare('ATTACH ? AS revoked').run(existsSync(revoked) ? revoked : ':memory:');
    if (!existsSync(revoked)) database.exec('CREATE TABLE revoked.revocation (key TEXT)');
    return database.prepare(`SELECT (${condition}) AS holds`).get()?.['holds'] === 1;
  } finally {
    database.close();
  }
}

function open(path: string): DatabaseSync {
  const url = pathToFileURL(path);
  url.search = 'mode=rw';
  return new DatabaseSync(url);
}
