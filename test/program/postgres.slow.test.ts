/** The program on PostgreSQL: only `--database` differs. */

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { makePostgresDatabase, type TestDatabase } from '../support/engines.ts';
import { kill, run, type Serving, serve } from '../support/program.ts';
import { PARTNERS, PRODUCTS } from '../support/rows.ts';
import { send } from '../support/service.ts';
import { sharedFolder } from '../support/shared.ts';

const PASSWORD = 'never-printed';
const folder = sharedFolder();
let database: TestDatabase;
let env: Readonly<Record<string, string>>;
let server: Serving | undefined;
beforeAll(async () => {
  database = await makePostgresDatabase(inject('postgresUrl'));
  // This PostgreSQL server trusts everyone: what matters is that the password is never printed.
  env = { STOCKBOOK_DATABASE: database.url.replace(/\/\/([^:@]*)@/, `//$1:${PASSWORD}@`) };
});
afterAll(async () => {
  await kill(server);
  await database.drop();
});

const stockbook = (...args: string[]) => run(args, { folder: folder.path, env });

test('accounts, keys, imports and the service work as on SQLite', async () => {
  expect(await stockbook('account', 'add', 'acme')).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('Added the account acme.'),
  });
  const key = (await stockbook('key', 'add', 'acme', '--name', 'shop')).stdout.trim();
  writeFileSync(
    join(folder.path, 'p.csv'),
    'id,name,list_price,default_code\n1,"Tab\tand ""quote"" and \\back\\slash\nand line",9.99,\n,Zwei,1e21,""\n',
  );
  expect((await stockbook('import', 'acme', 'product', 'p.csv')).stdout).toContain('2 created');
  expect((await stockbook('import', 'acme', 'product', 'p.csv', '--add')).stdout).toContain(
    '1 created, 0 updated, 1 unchanged',
  );
  expect((await stockbook('account', 'list')).stdout).toMatch(/^acme +3 +0 +0 /m);

  server = await serve(['--log-level', 'debug'], { folder: folder.path, env });
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  const { json } = await send(server.port, {
    path: `${PRODUCTS}?fields=id,name,list_price,default_code&limit=2`,
    headers,
  });
  expect(Object(json).data).toEqual([
    { id: 1, name: 'Tab\tand "quote" and \\back\\slash\nand line', list_price: 9.99, default_code: null },
    { id: 2, name: 'Zwei', list_price: 1e21, default_code: '' },
  ]);
  expect(await send(server.port, { method: 'POST', path: PARTNERS, headers, body: '{"name":"New"}' })).toRespond(201);
  server.child.kill('SIGTERM');
  const { code, stdout, stderr } = await server.finished;
  expect(code).toBe(0);
  expect(stdout + stderr).not.toContain(PASSWORD);
  expect(stderr).toMatch(/"settings":"(?:\S+ )*database=postgres:\/\/stockbook:\*\*\*@/);
  expect((await stockbook('key', 'revoke', key)).code).toBe(0);
  expect((await stockbook('account', 'remove', 'acme', '--yes')).stdout).toContain(
    'with 3 products, 1 partner, 0 companies',
  );
  const trail = (await stockbook('audit', '--json')).stdout;
  expect([...trail.matchAll(/"action":"(.*?)"/g)].map(([, action]) => action)).toEqual([
    'account added',
    'key issued',
    'records imported',
    'records imported',
    'key revoked',
    'account removed',
  ]);
  expect(trail).not.toContain(PASSWORD);
});

describe('the password is never printed', () => {
  test('config', async () => {
    const { stdout } = await stockbook('config');
    expect(stdout).toMatch(/^database +postgres:\/\/stockbook:\*\*\*@/m);
    expect(stdout).not.toContain(PASSWORD);
  });

  test.each([
    ['an unreachable server', `postgres://u:${PASSWORD}@127.0.0.1:1/x`, 1, 'PostgreSQL: connect ECONNREFUSED'],
    [
      'an invalid URL',
      `postgres://u:${PASSWORD}@h/x?sslmode=maybe`,
      2,
      'STOCKBOOK_DATABASE is not a valid PostgreSQL URL.',
    ],
    ['a database that does not exist', '', 1, 'The PostgreSQL database does not exist.'],
  ])('%s is an error without the password', async (_, given, code, message) => {
    const url = given || (env['STOCKBOOK_DATABASE'] ?? '').replace(/\/[^/]*$/, '/nowhere');
    const finished = await run(['account', 'list'], { folder: folder.path, env: { STOCKBOOK_DATABASE: url } });
    expect(finished).toMatchObject({ code, stderr: expect.stringContaining(message) });
    expect(finished.stdout + finished.stderr).not.toContain(PASSWORD);
    expect(finished.stderr).not.toMatch(/\n {4}at /);
  });
});
