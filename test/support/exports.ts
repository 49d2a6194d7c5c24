/** Exports through the store, as its callers ask for them. */

import { existsSync, readdirSync, readlinkSync } from 'node:fs';
import postgres from 'postgres';
import type { Resource } from '../../src/catalog/resource.ts';
import { planExport } from '../../src/plan/list.ts';
import { exportBody } from '../../src/reply/export.ts';
import type { LineFormat } from '../../src/request/accept.ts';
import type { AccountId, Export, Store } from '../../src/store/store.ts';
import type { TestDatabase } from './engines.ts';
import { planned } from './fixture.ts';

export const NDJSON: LineFormat = { kind: 'ndjson' };
export const CSV: LineFormat = { kind: 'csv', excelSafe: false };
export const EXCEL_SAFE: LineFormat = { kind: 'csv', excelSafe: true };

/** Lines alone: the names of the columns come before them, from whoever sends them. */
export async function openExport(
  store: Store,
  account: AccountId,
  resource: Resource,
  format: LineFormat,
  values: Readonly<Record<string, string>> = {},
): Promise<Export | undefined> {
  const plan = planned(planExport(resource, { values, continuations: [] }, format));
  return store.records.export(account, plan);
}

/** What is left of it, in one text. */
export async function restOf({ next }: Pick<Export, 'next'>): Promise<string> {
  const pieces: Uint8Array[] = [];
  for (let piece = await next(); piece !== undefined; piece = await next()) pieces.push(piece);
  return Buffer.concat(pieces).toString('utf8');
}

/** The whole file, as the command line and HTTP give it. */
export async function exportedFile(
  store: Store,
  account: AccountId,
  resource: Resource,
  format: LineFormat,
): Promise<string> {
  const found = await openExport(store, account, resource, format);
  if (found === undefined) throw new Error('no such account');
  try {
    return await restOf(exportBody(found, resource.fields, format));
  } finally {
    await found.close();
  }
}

/** How many snapshots of the database are held: open logs of SQLite in this process, or transactions of PostgreSQL. */
export async function heldSnapshots({ url }: TestDatabase): Promise<number> {
  if (!url.startsWith('postgres:')) return openFiles().filter((path) => path === `${url}-wal`).length;
  const sql = postgres(url, { max: 1, onnotice: () => {} });
  const [row] = await sql`SELECT count(*)::int AS held FROM pg_stat_activity
    WHERE datname = current_database() AND pid <> pg_backend_pid() AND backend_type = 'client backend'
      AND xact_start IS NOT NULL`;
  await sql.end();
  return row?.['held'];
}

const FILES = '/proc/self/fd';

/** Only Linux tells; elsewhere there seem to be none. */
function openFiles(): readonly string[] {
  if (!existsSync(FILES)) return [];
  return readdirSync(FILES).flatMap((name) => {
    try {
      return readlinkSync(`${FILES}/${name}`);
    } catch {
      // Closed in between.
      return [];
    }
  });
}
