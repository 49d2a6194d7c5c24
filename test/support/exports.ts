/** Exports as the callers of the store request them. */

import { existsSync, readdirSync, readlinkSync } from 'node:fs';
import type { Resource } from '../../src/catalog/resource.ts';
import { planExport } from '../../src/plan/list.ts';
import { exportBody } from '../../src/reply/export.ts';
import type { StreamFormat } from '../../src/request/accept.ts';
import type { AccountId, Export, Store } from '../../src/store/store.ts';
import { nodeUrls } from './cluster.ts';
import type { TestDatabase } from './engines.ts';
import { planned } from './fixture.ts';
import { queryOnce } from './postgres-connection.ts';

export const NDJSON: StreamFormat = { kind: 'ndjson' };
export const CSV: StreamFormat = { kind: 'csv', excelSafe: false };
export const EXCEL_SAFE: StreamFormat = { kind: 'csv', excelSafe: true };
export const XLSX: StreamFormat = { kind: 'xlsx' };

/** Its lines do not include the header, which is part of the body. */
export async function openExport(
  store: Store,
  account: AccountId,
  resource: Resource,
  format: StreamFormat,
  values: Readonly<Record<string, string>> = {},
): Promise<Export | undefined> {
  const plan = planned(planExport(resource, { values, continuations: [] }, format));
  const opened = await store.records.export({ account }, plan);
  return opened === 'no access' ? undefined : opened;
}

/** The rest of it as text. */
export async function restOf(found: Pick<Export, 'next'>): Promise<string> {
  return (await bytesOf(found)).toString('utf8');
}

async function bytesOf({ next }: Pick<Export, 'next'>): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  for (let chunk = await next(); chunk !== undefined; chunk = await next()) chunks.push(chunk);
  return Buffer.concat(chunks);
}

/** The complete file as text. */
export async function exportedFile(
  store: Store,
  account: AccountId,
  resource: Resource,
  format: StreamFormat,
): Promise<string> {
  return (await exportedBytes(store, account, resource, format)).toString('utf8');
}

/** The complete file, as the command line writes it and HTTP sends it. */
export async function exportedBytes(
  store: Store,
  account: AccountId,
  resource: Resource,
  format: StreamFormat,
): Promise<Buffer> {
  const found = await openExport(store, account, resource, format);
  if (found === undefined) throw new Error('no such account');
  try {
    return await bytesOf(exportBody(found, { resource, fields: resource.fields, format }));
  } finally {
    await found.close();
  }
}

/** The number of open snapshots: SQLite logs that this process has open, or transactions in PostgreSQL. */
export async function heldSnapshots({ url }: TestDatabase): Promise<number> {
  if (!url.startsWith('postgres:')) return openFiles().filter((path) => path === `${url}-wal`).length;
  const nodes = await nodeUrls(url);
  const held = await Promise.all(
    nodes.map(async (node) => {
      const [row] = await queryOnce(
        node,
        `SELECT count(*)::int AS held FROM pg_stat_activity
          WHERE datname = current_database() AND pid <> pg_backend_pid() AND backend_type = 'client backend'
            AND xact_start IS NOT NULL`,
      );
      return Number(row?.['held']);
    }),
  );
  return held.reduce((sum, count) => sum + count, 0);
}

const FILES = '/proc/self/fd';

/** Only Linux lists them; elsewhere there seem to be none. */
function openFiles(): readonly string[] {
  if (!existsSync(FILES)) return [];
  return readdirSync(FILES).flatMap((name) => {
    try {
      return readlinkSync(`${FILES}/${name}`);
    } catch {
      // It has been closed meanwhile.
      return [];
    }
  });
}
