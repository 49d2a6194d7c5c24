/** Requests that write, and what is true once they are acknowledged. */

import { COMPANIES, PARTNERS, PRODUCTS } from '../../../support/rows.ts';
import { ACCOUNT, type Write } from '../recording.ts';

const PATHS = { product: PRODUCTS, partner: PARTNERS, company: COMPANIES } as const;

type Table = keyof typeof PATHS;

/** The number of the account. */
const OWNER = `(SELECT id FROM account WHERE name = ${text(ACCOUNT)})`;

/** A text in SQL. */
export function text(value: string): string {
  return `'${value.replaceAll("'", "''")}'`;
}

function record(table: Table, condition: string): string {
  return `SELECT count(*) FROM ${table} WHERE account_id = ${OWNER} AND ${condition}`;
}

export function create(name: string, key?: string): Write {
  return {
    request: { method: 'POST', path: PARTNERS, headers: jsonHeaders(key), body: JSON.stringify({ name }) },
    operation: ({ json }) => ({
      name: `create ${name}`,
      // One with that name, and it has the id.
      promised: {
        holds: `(${record('partner', `name = ${text(name)} AND id = ${Object(json).data.id}`)}) = 1
          AND (${record('partner', `name = ${text(name)}`)}) = 1`,
      },
    }),
  };
}

export function change(table: Table, id: number, name: string, key?: string): Write {
  return {
    request: {
      method: 'PATCH',
      path: `${PATHS[table]}/${id}`,
      headers: jsonHeaders(key),
      body: JSON.stringify({ name }),
    },
    operation: () => ({
      name: `change ${table} ${id} to ${name}`,
      promised: { holds: `(${record(table, `id = ${id} AND name = ${text(name)}`)}) = 1` },
    }),
  };
}

export function remove(table: Table, id: number, key?: string): Write {
  const tombstone = `SELECT 1 FROM tombstone WHERE account_id = ${OWNER} AND resource = ${text(table)} AND id = ${id}`;
  return {
    request: { method: 'DELETE', path: `${PATHS[table]}/${id}`, headers: keyHeader(key) },
    operation: () => ({
      name: `remove ${table} ${id}`,
      promised: { holds: `(${record(table, `id = ${id}`)}) = 0 AND EXISTS (${tombstone})`, isFinal: true },
    }),
  };
}

export interface ImportOptions {
  readonly key?: string;
  readonly source?: { readonly name: string; readonly position: string };
  readonly parameters?: Readonly<Record<string, string>>;
}

/** `condition` is met by the records of these rows, and by no others. */
export function importRows(
  table: Table,
  rows: readonly object[],
  condition: string,
  { key, source, parameters = {} }: ImportOptions = {},
): Write {
  const query = new URLSearchParams({
    ...parameters,
    ...(source && { source: source.name, position: source.position }),
  });
  const saved = `SELECT 1 FROM source WHERE account_id = ${OWNER} AND name = ${text(source?.name ?? '')}
    AND position = ${text(source?.position ?? '')}`;
  return {
    request: {
      method: 'POST',
      path: `${PATHS[table]}/import?${query}`,
      headers: { 'content-type': 'application/x-ndjson', ...keyHeader(key) },
      body: rows.map((row) => `${JSON.stringify(row)}\n`).join(''),
    },
    operation: () => ({
      name: `import ${rows.length} rows, ${condition}`,
      promised: {
        holds: `(${record(table, condition)}) = ${rows.length}${source ? ` AND EXISTS (${saved})` : ''}`,
        ...(source && { half: `(${record(table, condition)}) <> ${rows.length} AND EXISTS (${saved})` }),
      },
    }),
  };
}

/** An import that goes on after its response, which promises no more than that it is listed. */
export function acceptRows(table: Table, rows: readonly object[]): Write {
  return {
    request: {
      method: 'POST',
      path: `${PATHS[table]}/import`,
      headers: { 'content-type': 'application/x-ndjson', prefer: 'respond-async' },
      body: rows.map((row) => `${JSON.stringify(row)}\n`).join(''),
    },
    operation: ({ json }) => ({
      name: `accept ${rows.length} rows`,
      promised: {
        holds: `EXISTS (SELECT 1 FROM import WHERE account_id = ${OWNER} AND id = ${text(Object(json).data.id)})`,
      },
    }),
  };
}

/** An import that removes the records with these codes. */
export function removeProducts(codes: readonly string[]): Write {
  const rows = codes.map((code) => `${JSON.stringify({ default_code: code, removed: true })}\n`);
  const removed = `default_code IN (${codes.map(text).join(', ')})`;
  return {
    request: {
      method: 'POST',
      path: `${PRODUCTS}/import?key=default_code`,
      headers: { 'content-type': 'application/x-ndjson' },
      body: rows.join(''),
    },
    operation: () => ({
      name: `remove ${codes.length} products`,
      promised: { holds: `(${record('product', removed)}) = 0`, isFinal: true },
    }),
  };
}

export function saveView(id: string, name: string): Write {
  const view = { name, resource: 'product', query: 'filter=list_price>5' };
  const saved = `SELECT 1 FROM saved_view WHERE account_id = ${OWNER} AND id = ${text(id)} AND name = ${text(name)}`;
  return {
    request: { method: 'PUT', path: `/api/v1/views/${id}`, headers: jsonHeaders(), body: JSON.stringify(view) },
    operation: () => ({ name: `save the view ${id} as ${name}`, promised: { holds: `EXISTS (${saved})` } }),
  };
}

export function removeView(id: string): Write {
  const saved = `SELECT 1 FROM saved_view WHERE account_id = ${OWNER} AND id = ${text(id)}`;
  return {
    request: { method: 'DELETE', path: `/api/v1/views/${id}` },
    operation: () => ({ name: `remove the view ${id}`, promised: { holds: `NOT EXISTS (${saved})` } }),
  };
}

function jsonHeaders(key?: string): Readonly<Record<string, string>> {
  return { 'content-type': 'application/json', ...keyHeader(key) };
}

function keyHeader(key?: string): Readonly<Record<string, string>> {
  return key === undefined ? {} : { 'idempotency-key': key };
}
