/** Revoking keys with the real program: on a machine whose clock is wrong, and while another process is writing. */

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { product } from '../../src/catalog/product.ts';
import type { Store } from '../../src/store/store.ts';
import { commands } from '../support/commands.ts';
import { engines, openDatabase, type TestDatabase } from '../support/engines.ts';
import { load } from '../support/fixture.ts';
import { kill, run, type Serving, serve, start } from '../support/program.ts';
import { PRODUCTS } from '../support/rows.ts';
import { bearer, keyId, send } from '../support/service.ts';
import { sharedFolder } from '../support/shared.ts';

const HOUR = 3_600_000;

/** The environment of a machine whose clock is ahead by this many milliseconds. */
function clockAhead(milliseconds: number): Readonly<Record<string, string>> {
  const program = `
    const System = Date;
    globalThis.Date = class extends System {
      constructor(...given) {
        if (given.length > 0) super(...given);
        else super(System.now() + ${milliseconds});
      }
      static now() {
        return System.now() + ${milliseconds};
      }
    };`;
  return { NODE_OPTIONS: `--import data:text/javascript;base64,${Buffer.from(program).toString('base64')}` };
}

describe.each(engines)('on $name', (engine) => {
  const folder = sharedFolder();
  let database: TestDatabase;
  let store: Store;
  let server: Serving;
  const options = (env: Readonly<Record<string, string>> = {}) => ({
    folder: folder.path,
    env: { STOCKBOOK_DATABASE: database.url, ...env },
  });
  beforeAll(async () => {
    database = await engine.makeMigrated();
    store = await openDatabase(database.url);
    await stockbook('account', 'add', 'acme');
    server = await serve([], options());
  });
  afterAll(async () => {
    await kill(server);
    await store.close();
    await database.drop();
  });

  const stockbook = (...args: string[]) => commands.run([...args, '--database', database.url], { folder: folder.path });
  const issue = async () => (await stockbook('key', 'add', 'acme', '--name', 'shop')).stdout.trim();
  const products = (key: string) => send(server.port, { path: PRODUCTS, headers: bearer(key) });

  test.each([
    ['an hour ahead', HOUR],
    ['an hour behind', -HOUR],
  ])('a key revoked on a machine whose clock is %s does not work any more', async (_, difference) => {
    const key = await issue();
    expect(await products(key)).toRespond(200);
    expect(await run(['key', 'revoke', key], options(clockAhead(difference)))).toMatchObject({ code: 0 });
    expect(await products(key)).toRespond(401);
    expect((await stockbook('key', 'list', 'acme')).stdout).toMatch(new RegExp(`^${keyId(key)} .* revoked `, 'm'));
  });

  const isSqlite = engine.name === 'SQLite';

  test.runIf(isSqlite)(
    'a key is revoked although another process is writing; the audit trail has it later',
    async () => {
      const key = await issue();
      const waiting = send(server.port, {
        path: `${PRODUCTS}/changes`,
        headers: { ...bearer(key), prefer: 'wait=60' },
      });
      expect(await products(key)).toRespond(200);
      const release = await database.holdWrites();
      try {
        expect(await run(['key', 'revoke', key], options())).toMatchObject({
          code: 0,
          stdout: expect.stringContaining('Revoked the key'),
          stderr: expect.stringContaining('The key no longer works'),
        });
        await expect.poll(() => products(key)).toRespond(401);
        expect((await stockbook('key', 'list', 'acme')).stdout).toMatch(new RegExp(`^${keyId(key)} .* revoked `, 'm'));
      } finally {
        await release();
      }
      const trail = async () => (await stockbook('audit', '--action', 'key revoked', '--json')).stdout;
      await expect.poll(trail).toContain(keyId(key));
      // Once only, also if it is revoked again.
      expect(await stockbook('key', 'revoke', key)).toMatchObject({ code: 1 });
      expect((await trail()).split(keyId(key))).toHaveLength(2);
      // The access version has changed, so the request that waited is refused.
      await load(store, { id: (await store.accounts.find('acme'))?.id ?? 0 }, product, [{ name: 'A' }]);
      expect(await waiting).toRespond(401);
    },
  );

  test.each(isSqlite ? ['rotate'] : ['revoke', 'rotate'])(
    'key %s waits for a lock longer than other writes do',
    async (command) => {
      const key = await issue();
      const release = await database.holdWrites();
      const running = start(['key', command, key], options());
      try {
        await expect.poll(() => running.output().stderr).toContain('Waiting for the database');
        // Started after the command, it gives up before the lock is released.
        await expect(store.keys.recordUse(new Map([[keyId(key), new Date().toISOString()]]))).rejects.toMatchObject({
          reason: 'busy',
        });
        expect(running.child.exitCode).toBeNull();
      } finally {
        await release();
      }
      expect(await running.finished).toMatchObject({ code: 0 });
      expect(await products(key)).toRespond(command === 'revoke' ? 401 : 200);
    },
  );

  test('a rotated key cannot be rotated again', async () => {
    const key = await issue();
    const successor = (await stockbook('key', 'rotate', key)).stdout.trim();
    expect(await stockbook('key', 'rotate', key)).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringContaining(`has already been rotated: ${keyId(successor)} replaces it.`),
    });
  });

  test('a rotated key does not work for longer than it would have otherwise', async () => {
    const key = (await stockbook('key', 'add', 'acme', '--name', 'shop', '--expires', '1h')).stdout.trim();
    const expiry = (await store.keys.find(keyId(key)))?.key.expiresAt;
    expect((await stockbook('key', 'rotate', key, '--overlap', '2h')).stderr).toContain(`works until ${expiry}.`);
    expect((await store.keys.find(keyId(key)))?.key).toMatchObject({ expiresAt: expiry, revokedAt: null });
  });
});
