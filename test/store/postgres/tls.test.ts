import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { generate } from 'selfsigned';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Primary } from '../../../src/store/postgres/primary.ts';
import { SINGLE_SERVER } from '../../../src/store/postgres/single-server.ts';
import { readPostgresUrl } from '../../../src/store/postgres/url.ts';
import { UnusableDatabase } from '../../../src/store/store-error.ts';
import { type PostgresServer, startPostgres } from '../../support/postgres-server.ts';

const folder = mkdtempSync(join(tmpdir(), 'stockbook-tls-'));
const trusted = join(folder, 'server.crt');
let server: PostgresServer;
beforeAll(async () => {
  const { cert, private: key } = await generate([{ name: 'commonName', value: 'localhost' }], {
    extensions: [{ name: 'subjectAltName', altNames: [{ type: 2, value: 'localhost' }] }],
  });
  writeFileSync(trusted, cert);
  server = await startPostgres(['ssl=on'], { 'server.crt': cert, 'server.key': key });
});
afterAll(async () => {
  await server.remove();
  rmSync(folder, { recursive: true });
});

async function isEncrypted(host: string, query: string): Promise<boolean> {
  const url = readPostgresUrl(`postgres://stockbook@${host}:${server.port}/postgres?${query}`);
  if (url === undefined) throw new Error('the URL is invalid');
  const primary = new Primary(url, SINGLE_SERVER, { poolSize: 1, statementTimeout: 0 });
  try {
    const [row] = await primary.run(async (found) =>
      (await found.reserved.next()).query('SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()'),
    );
    return row?.['ssl'] === 't';
  } finally {
    await primary.close();
  }
}

test.each([
  ['127.0.0.1', '', false],
  ['127.0.0.1', 'sslmode=prefer', true],
  ['127.0.0.1', 'sslmode=require', true],
  ['127.0.0.1', `sslmode=require&sslrootcert=${trusted}`, true],
  ['localhost', `sslmode=verify-full&sslrootcert=${trusted}`, true],
  ['127.0.0.1', `sslmode=verify-ca&sslrootcert=${trusted}`, true],
])('connecting to %s with %j uses TLS: %s', async (host, query, encrypted) => {
  expect(await isEncrypted(host, query)).toBe(encrypted);
});

test.each([
  ['localhost', 'sslmode=verify-full'],
  ['localhost', 'sslmode=require&sslrootcert=/nowhere.crt'],
  ['127.0.0.1', `sslmode=verify-full&sslrootcert=${trusted}`],
])('connecting to %s with %j is refused', async (host, query) => {
  await expect(isEncrypted(host, query)).rejects.toThrow(UnusableDatabase);
});
