/** A copy of a database as one file: how it is made, and whether it is a complete and sound database of ours. */

import { statSync } from 'node:fs';
import { backup, DatabaseSync } from 'node:sqlite';
import { resources } from '../../catalog/catalog.ts';
import { DEFINITIONS, definitionsIn, NO_DEFINITIONS } from '../fields/definitions.ts';
import { ownFields } from '../migrations/0006-own-fields.ts';
import { APPLIED_MIGRATIONS, unsupportedSchema } from '../migrations/schema-version.ts';
import { integerOf, type Row, textOf } from '../sql/row.ts';
import { StoreUnavailable, UnusableDatabase } from '../store-error.ts';
import { fileUrl } from './connection.ts';
import { isContentError, translateError } from './errors.ts';
import { accessTo, changedWhileRead, fingerprint } from './file-access.ts';
import { SCHEMA_OBJECTS, schemaDifferences } from './schema-check.ts';
import { INTEGRITY_CHECK, integrityErrors } from './storage-check.ts';

/** How many pages are copied before progress is reported. */
const PAGES_PER_STEP = 500;

/** How long to wait for a lock, in milliseconds: another process may be recovering the file. */
const BUSY_TIMEOUT = 5_000;

export type OnCopied = (progress: { readonly bytes: number; readonly total: number }) => void;

/**
 * Copies a database as it is now, while others write to it. The source may have any schema, and is not changed.
 *
 * The copy is made within a read transaction. Without it, SQLite starts over whenever another process has written, and may
 * never finish.
 */
export async function copyDatabase(source: string, target: string, onCopied?: OnCopied): Promise<void> {
  try {
    const print = fingerprint(source);
    const access = accessTo(source);
    // Not read-only if it need not be: if the last process was killed, the log has to be recovered, which writes beside the file.
    const database = new DatabaseSync(fileUrl(source, access), { timeout: BUSY_TIMEOUT });
    try {
      const pageSize = integerOf(row(database, 'PRAGMA page_size'), 'page_size');
      database.exec('BEGIN; SELECT 1 FROM sqlite_schema');
      await backup(database, target, {
        rate: PAGES_PER_STEP,
        progress: ({ totalPages, remainingPages }) =>
          onCopied?.({ bytes: (totalPages - remainingPages) * pageSize, total: totalPages * pageSize }),
      });
      if (access === 'immutable' && fingerprint(source) !== print) throw changedWhileRead(source);
    } finally {
      database.close();
    }
  } catch (error) {
    const translated = translateError(error, source);
    // Only the copy is written.
    const isAboutCopy =
      translated instanceof StoreUnavailable && ['exhausted', 'not writable'].includes(translated.reason);
    throw isAboutCopy ? translateError(error, target) : translated;
  }
}

/** What is in a copy. */
export interface CopyContent {
  readonly bytes: number;
  readonly schema: number;
  readonly accounts: number;
  /** By the resource's name. */
  readonly records: ReadonlyMap<string, number>;
  /** How many ledgers do not have the number of records. */
  readonly wrongLedgers: number;
}

/**
 * Verifies the schema and every page of a copy that nobody uses, and leaves it as one file without a log. Throws if it is
 * damaged, or not a database that this version can use.
 *
 * The schema of the file may be anything. No table is read until that is known to be ours, apart from the schema's version.
 */
export function verifyCopy(copy: string, name: string): CopyContent {
  const bytes = statSync(copy).size;
  try {
    const database = new DatabaseSync(copy);
    try {
      database.exec('PRAGMA trusted_schema = OFF');
      const schema = schemaVersion(database, name);
      requireOurSchema(database, schema, name);
      database.exec('PRAGMA journal_mode = DELETE');
      const errors = integrityErrors(database.prepare(INTEGRITY_CHECK.text).all());
      if (errors.length > 0) throw new UnusableDatabase(`${name} is damaged: ${errors[0]}.`, 'damaged');
      return { bytes, schema, ...contentOf(database) };
    } finally {
      database.close();
    }
  } catch (error) {
    if (error instanceof RangeError)
      throw new UnusableDatabase(`${name} is damaged: it has a number that is out of range.`, 'damaged');
    const translated = translateError(error, name);
    throw translated === error && isContentError(error) ? notOurs(name) : translated;
  }
}

function schemaVersion(database: DatabaseSync, name: string): number {
  const { tables } = row(
    database,
    "SELECT count(*) AS tables FROM sqlite_schema WHERE type = 'table' AND name IN ('migration', 'account', 'ledger')",
  );
  if (tables !== 3) throw notOurs(name);
  const applied = row(database, APPLIED_MIGRATIONS);
  const schema = integerOf(applied, 'number');
  if (schema < 1) throw notOurs(name);
  const problem = unsupportedSchema(name, schema, textOf(applied, 'first'));
  if (problem !== undefined) throw new UnusableDatabase(problem);
  return schema;
}

/** Since this version, operators can add fields. */
const OWN_FIELDS = ownFields.number;

/** Triggers and views of somebody else could change what a write does, and hide that they did. */
function requireOurSchema(database: DatabaseSync, version: number, name: string): void {
  if (version >= OWN_FIELDS) {
    const { tables } = row(
      database,
      "SELECT count(*) AS tables FROM sqlite_schema WHERE type = 'table' AND name IN ('counter', 'own_field')",
    );
    if (tables !== 2) throw notOurs(name);
  }
  const { catalog } = version < OWN_FIELDS ? NO_DEFINITIONS : definitionsIn(database.prepare(DEFINITIONS).all());
  const difference = schemaDifferences(database.prepare(SCHEMA_OBJECTS.text).all(), version, catalog).find(
    ({ type, sql }) => sql !== undefined || !['table', 'index'].includes(type),
  );
  if (difference === undefined) return;
  throw new UnusableDatabase(
    `${name} does not have the schema of a Stockbook database: ${difference.detail}. docs/backup.md says what you can do.`,
    'damaged',
  );
}

function contentOf(database: DatabaseSync): Omit<CopyContent, 'bytes' | 'schema'> {
  const records = new Map<string, number>();
  let wrongLedgers = 0;
  for (const { name } of resources) {
    const table = database.prepare("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?").get(name);
    // An earlier version may not have had the resource.
    if (table === undefined) continue;
    const counted = `(SELECT count(*) FROM ${name} WHERE ${name}.account_id = ledger.account_id)`;
    const ledgers = row(
      database,
      `SELECT coalesce(sum(rows), 0) AS records, coalesce(sum(rows <> ${counted}), 0) AS wrong FROM ledger WHERE resource = '${name}'`,
    );
    records.set(name, integerOf(ledgers, 'records'));
    wrongLedgers += integerOf(ledgers, 'wrong');
  }
  return {
    accounts: integerOf(row(database, 'SELECT count(*) AS accounts FROM account'), 'accounts'),
    records,
    wrongLedgers,
  };
}

function row(database: DatabaseSync, sql: string): Row {
  return database.prepare(sql).get() ?? {};
}

function notOurs(name: string): UnusableDatabase {
  return new UnusableDatabase(`${name} is not a Stockbook database.`);
}
