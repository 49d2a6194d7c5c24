/** Disks that are full, read-only or broken while clients write: writes are a 503, reads continue, and it ends by itself. */

import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { makeKey } from '../support/account-key.ts';
import { canFailDisks, type DiskFault, type FailingDisk, makeFailingDisk } from '../support/disk-faults.ts';
import { onPostgres } from '../support/engines.ts';
import { type PostgresServer, startPostgres } from '../support/postgres-server.ts';
import { kill, run, type Serving, serve } from '../support/program.ts';
import { rounds } from '../support/rounds.ts';
import { bodyOf, createPartner, PARTNERS } from '../support/rows.ts';
import { bearer, keyId, send, type TestReply } from '../support/service.ts';
import { sharedFolder } from '../support/shared.ts';

const folder = sharedFolder();
let server: Serving | undefined;
afterEach(async () => {
  await kill(server);
  server = undefined;
});

interface Client {
  readonly key: string;
  /** Of a request with the key. */
  statusOf(): Promise<number>;
  create(name: string): Promise<TestReply>;
  /** The names of all partners. */
  names(): Promise<readonly string[]>;
}

/** Starts the program on a database with an account. */
async function start(url: string, env: Readonly<Record<string, string>> = {}, workers = 1): Promise<Client> {
  const key = await makeKey(url);
  const flags = ['--database', url, '--workers', String(workers)];
  const { port } = await serve(flags, { folder: folder.path, env }).then((started) => {
    server = started;
    return started;
  });
  return {
    key,
    statusOf: async () => (await send(port, { path: PARTNERS, headers: bearer(key) })).status,
    create: (name) => send(port, createPartner(name, bearer(key))),
    async names() {
      const reply = await send(port, { path: `${PARTNERS}?fields=name&limit=1000`, headers: bearer(key) });
      expect(reply).toRespond(200);
      return bodyOf(reply).data.map(({ name }: { name: string }) => name);
    },
  };
}

const logLines = () =>
  (server?.output().stderr ?? '')
    .split('\n')
    .filter(Boolean)
    .map((line) => Object(JSON.parse(line)));

// Linux and a C compiler are needed to make a disk fail without root.
describe.runIf(canFailDisks)('on SQLite', () => {
  const EXPECTED: Record<DiskFault, { readonly code: string; readonly retryAfter: string; readonly cause: string }> = {
    ENOSPC: { code: 'store_exhausted', retryAfter: '60', cause: 'is full' },
    EROFS: { code: 'store_not_writable', retryAfter: '10', cause: 'rejects writes' },
    EIO: { code: 'store_not_writable', retryAfter: '10', cause: 'rejects writes' },
  };
  let disk: FailingDisk;
  beforeAll(() => {
    disk = makeFailingDisk(folder.path, '.db');
  });

  const checkRejected = (reply: TestReply, fault: DiskFault) =>
    expect(reply).toMatchObject({
      status: 503,
      json: { code: EXPECTED[fault].code },
      headers: { 'retry-after': EXPECTED[fault].retryAfter },
    });

  test.each([1, 2].slice(0, rounds(1, 2)))('every kind of fault, with %d workers', async (workers) => {
    const { create, names } = await start(join(folder.path, `faults-${workers}.db`), disk.env, workers);
    const acknowledged: string[] = [];
    const attempt = async (name: string) => {
      const reply = await create(name);
      if (reply.status === 201) acknowledged.push(name);
      return reply;
    };
    for (const fault of ['ENOSPC', 'EROFS', 'EIO'] as const) {
      expect(await attempt(`before ${fault}`)).toRespond(201);
      const load = Array.from({ length: 20 }, (_, n) => attempt(`during ${fault} ${n}`));
      disk.fail(fault);
      for (const reply of await Promise.all(load)) if (reply.status !== 201) checkRejected(reply, fault);
      for (const reply of await Promise.all(['x', 'y', 'z'].map(attempt))) checkRejected(reply, fault);
      expect((await names()).toSorted()).toEqual(acknowledged.toSorted());
      disk.recover();
      expect(await attempt(`after ${fault}`)).toRespond(201);
      expect((await names()).toSorted()).toEqual(acknowledged.toSorted());
      const causes = logLines().flatMap(({ error }) => (error === undefined ? [] : [error.message]));
      expect(causes).toContainEqual(expect.stringContaining(EXPECTED[fault].cause));
    }
    const errors = logLines().filter(({ level }) => level === 'error');
    expect(errors.filter(({ msg }) => msg !== 'database unavailable')).toEqual([]);
    // Each worker detects the outage for itself. EROFS and EIO are the same reason.
    expect(new Set(errors.map(({ reason }) => reason))).toEqual(new Set(['exhausted', 'not writable']));
    expect(new Set(errors.map(({ pid, reason }) => `${pid} ${reason}`)).size).toBe(errors.length);
  });

  test('a key is revoked on a full disk, and the audit trail has it when there is room again', async () => {
    const database = join(folder.path, 'revoked.db');
    const { create, statusOf, key } = await start(database, disk.env);
    expect(await create('before')).toRespond(201);
    disk.fail('ENOSPC');
    const options = { folder: folder.path, env: { ...disk.env, STOCKBOOK_DATABASE: database } };
    expect(await run(['key', 'revoke', key], options)).toMatchObject({ code: 0 });
    await expect.poll(statusOf).toBe(401);
    disk.recover();
    const trail = async () => (await run(['audit', '--action', 'key revoked', '--json'], options)).stdout;
    await expect.poll(trail).toContain(keyId(key));
  });

  test('a disk that is read-only when the first write opens the file', async () => {
    const { create, names } = await start(join(folder.path, 'read-only.db'), disk.env);
    disk.fail('EROFS');
    for (const name of ['a', 'b']) checkRejected(await create(name), 'EROFS');
    expect(await names()).toEqual([]);
    disk.recover();
    expect(await create('c')).toRespond(201);
    expect(await names()).toEqual(['c']);
  });
});

describe('on PostgreSQL', () => {
  let postgres: PostgresServer;
  let disk: FailingDisk | undefined;
  let url: string;
  beforeAll(async () => {
    if (canFailDisks) disk = makeFailingDisk(folder.path, '/base/');
    postgres = await startPostgres([], {}, disk?.env);
    url = postgres.url('postgres');
  });
  afterAll(() => postgres.remove());

  test('a server that is made read-only, and a disk that is full', async () => {
    const { create, names } = await start(url);
    const setReadOnly = async (state: 'on' | 'off') => {
      await onPostgres(url, `ALTER SYSTEM SET default_transaction_read_only = ${state}`);
      await onPostgres(url, 'SELECT pg_reload_conf()');
    };
    expect(await create('before')).toRespond(201);
    await setReadOnly('on');
    await expect.poll(() => create('during')).toRespond(503);
    expect(await create('during')).toRespond(503, { code: 'store_not_writable' });
    const during = await names();
    expect(during).toContain('before');
    await setReadOnly('off');
    await expect.poll(() => create('after')).toRespond(201);
    expect(await names()).toEqual([...during, 'after']);

    if (disk === undefined) return;
    disk.fail('ENOSPC');
    // Pages that exist already still have room.
    const fillUp = async () => {
      const replies = await Promise.all(Array.from({ length: 20 }, () => create('x'.repeat(1_000))));
      for (const { status } of replies) expect([201, 503]).toContain(status);
      return replies.find(({ status }) => status === 503)?.json;
    };
    await expect.poll(fillUp).toMatchObject({ code: 'store_exhausted' });
    expect(await names()).toContain('before');
    disk.recover();
    expect(await create('with space')).toRespond(201);
    expect(await names()).toContain('with space');
  });
});
