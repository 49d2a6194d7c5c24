/** How much the serving thread handles at a time, whatever a client sends to any endpoint: it is bounded by a count, so no client keeps it busy for others. */

import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { issueKey } from '../../src/access/issue-key.ts';
import { partner } from '../../src/catalog/partner.ts';
import { apiPath } from '../../src/catalog/resource.ts';
import { SCOPES } from '../../src/catalog/scopes.ts';
import { accountEndpoints, resourceEndpoints } from '../../src/request/endpoints.ts';
import { openDatabase, sqlite, type TestDatabase } from '../support/engines.ts';
import { addAccount, load, NOW } from '../support/fixture.ts';
import { kill, makeFolder, type Serving, serve } from '../support/program.ts';
import { rounds } from '../support/rounds.ts';
import { bearer, sendUnchecked } from '../support/service.ts';
import type { Steps } from '../support/step-probe.ts';
import { workbookFile } from '../support/workbooks.ts';

const PROBE = fileURLToPath(new URL('../support/step-probe.ts', import.meta.url));

const KIB = 1_024;

/** A JSON body has at most 64 KiB; the largest message has the rows of a step of an import, or a row of a mebibyte. */
const LIMITS: Steps = { parsed: 64 * KIB, printed: 512 * KIB, decoded: 128 * KIB, message: 3 * 1_024 * KIB };

const WORKBOOK = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet';

describe('one step of the serving thread', () => {
  const folder = makeFolder();
  const file = join(folder.path, 'steps.json');
  let database: TestDatabase;
  let server: Serving;
  let key: string;

  beforeAll(async () => {
    database = await sqlite.makeMigrated();
    const store = await openDatabase(database.url);
    const account = await addAccount(store, 'acme');
    const rows = Array.from({ length: 3_000 }, (_, n) => ({ id: n + 1, name: `${n} `.repeat(200), city: `City ${n}` }));
    await load(store, account, partner, rows);
    key = await issueKey(store.keys, {
      account: account.id,
      name: 't',
      scopes: SCOPES,
      createdAt: NOW,
      expiresAt: null,
    });
    await store.close();
    const env = { NODE_OPTIONS: `--import ${PROBE}`, STEP_PROBE: file };
    server = await serve(['--database', database.url, '--rate-limit', '0'], { folder: folder.path, env });
  });
  afterAll(async () => {
    await kill(server);
    await database.drop();
    folder.remove();
  });

  const steps = async (): Promise<Steps> => {
    rmSync(file, { force: true });
    server.child.kill('SIGUSR2');
    await expect.poll(() => existsSync(file) && readFileSync(file, 'utf8').endsWith('}')).toBe(true);
    return JSON.parse(readFileSync(file, 'utf8'));
  };
  const send = (method: string, path: string, type?: string, body?: string | Uint8Array): Promise<{ status: number }> =>
    sendUnchecked(server.port, {
      method,
      path,
      headers: { ...bearer(key), ...(type && { 'content-type': type }) },
      ...(body !== undefined && { body }),
      // The service need not read a body that it has refused.
    }).catch(() => ({ status: 0 }));
  const isBounded = async () => {
    const found = await steps();
    const isWithin = (kind: keyof Steps) => found[kind] <= LIMITS[kind];
    expect({
      found,
      within: [isWithin('parsed'), isWithin('printed'), isWithin('decoded'), isWithin('message')],
    }).toEqual({
      found,
      within: [true, true, true, true],
    });
  };

  const query = fc.oneof(
    fc.constantFrom(
      'limit=1000',
      'limit=1000&explain=true',
      'q=city&limit=1000',
      'facets=name,city&limit=1000',
      'format=xlsx',
    ),
    fc
      .integer({ min: 1, max: 55_000 })
      .map((length) => `filter=${encodeURIComponent(`name*${'x'.repeat(length)}`)}`.slice(0, 60_000)),
    fc
      .integer({ min: 1, max: 1_200 })
      .map((count) => `filter=id[${Array.from({ length: count }, (_, n) => n).join()}]`),
    fc.integer({ min: 1, max: 9_000 }).map((count) => `fields=${Array.from({ length: count }, () => 'name').join()}`),
    fc.integer({ min: 1, max: 9_000 }).map((count) => 'x&'.repeat(count)),
  );
  const json = fc.oneof(
    fc.integer({ min: 1, max: 200_000 }).map((length) => JSON.stringify({ name: 'x'.repeat(length) })),
    fc
      .integer({ min: 1, max: 100_000 })
      .map((count) => `{${Array.from({ length: count }, (_, n) => `"m${n}":${n}`).join()}}`),
    fc.integer({ min: 1, max: 200_000 }).map((depth) => `{"name":${'['.repeat(depth)}`),
  );

  const resourceRows = Object.entries(resourceEndpoints).filter(([kind]) => kind !== 'import');
  const accountRows = Object.entries(accountEndpoints).filter(([kind]) => kind !== 'end session');

  test.each([
    ...resourceRows.map(
      ([kind, { method, path }]) => [kind, method, apiPath(partner) + path.replace('{id}', '5')] as const,
    ),
    ...accountRows.map(([kind, { method, path }]) => [kind, method, path.replace(/\{\w+\}/, 'x')] as const),
    ['mcp', 'POST', '/mcp'] as const,
  ])('%s', async (_, method, path) => {
    await fc.assert(
      fc.asyncProperty(query, json, async (parameters, body) => {
        const reply = await (method === 'GET'
          ? send(method, `${path}?${parameters}`)
          : send(method, path, 'application/json', body));
        expect(reply.status).toBeLessThan(500);
      }),
      { numRuns: 6, seed: 44 },
    );
    await isBounded();
  });

  const ROWS = rounds(50_000, 200_000);
  const member = (n: number) => `"unknown_member_${n}":1`;

  test.each<[string, string, () => string | Uint8Array]>([
    ['many rows', 'application/x-ndjson', () => '{}         \n'.repeat(ROWS)],
    ['a long text', 'application/x-ndjson', () => JSON.stringify({ name: 'x'.repeat(1_000_000) })],
    ['an array', 'application/json', () => `[${'{"name":1},'.repeat(100_000)}{}]`],
    ['many lines', 'text/csv', () => `name,city\n${'A,Frankfurt am M\n'.repeat(ROWS)}`],
  ])('import of %s', async (_, type, content) => {
    const path = `${apiPath(partner)}/import?on_error=skip&dry_run=true`;
    expect(await send('POST', path, type, content())).toMatchObject({ status: 200 });
    await isBounded();
  });

  test.each<[string, string, () => string | Uint8Array]>([
    [
      'many members',
      'application/x-ndjson',
      () => `{${Array.from({ length: 90_000 }, (_, n) => member(n)).join()}}`.slice(0, 1e6),
    ],
    [
      'a wide sheet',
      WORKBOOK,
      () => {
        const cells = Array.from(
          { length: 1_000 },
          (_, n) => `<c t="str"><v>${n === 0 ? 'name' : `c${n}`}</v></c>`,
        ).join('');
        return workbookFile({
          sheets: { S: `<row>${cells}</row>${'<row><c t="str"><v>a</v></c></row>'.repeat(20_000)}` },
        });
      },
    ],
  ])('import of %s, with what is unknown ignored or not', async (_, type, content) => {
    const path = `${apiPath(partner)}/import?on_error=skip&ignore_unknown=true&dry_run=true`;
    expect((await send('POST', path, type, content())).status).toBeLessThan(500);
    expect((await send('POST', path.replace('&ignore_unknown=true', ''), type, content())).status).toBeLessThan(500);
    await isBounded();
  });
});
