/** Exports while they are sent: slots, clients that read slowly or leave, and failures. */

import { readFileSync, writeFileSync } from 'node:fs';
import { type ClientRequest, request as httpRequest } from 'node:http';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { partner } from '../../src/catalog/partner.ts';
import { type Account, plainLoad, type Store } from '../../src/store/store.ts';
import { engines } from '../support/engines.ts';
import { heldSnapshots } from '../support/exports.ts';
import { addAccount, NOW, type RecordValues, valuesOf } from '../support/fixture.ts';
import { serveMeasured } from '../support/memory.ts';
import { kill, makeFolder } from '../support/program.ts';
import { begin, finish } from '../support/response-stream.ts';
import { COMPANIES, checkReply, PARTNERS, PRODUCTS } from '../support/rows.ts';
import { bearer, send, type TestRequest } from '../support/service.ts';
import { sharedService } from '../support/shared.ts';

const NDJSON = 'application/x-ndjson';
const CSV = 'text/csv';
const XLSX = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet';

/** Their export has 20 MB, more than the socket buffers between client and server hold. */
const MANY = 6_000;
const LONG = '€'.repeat(1_000);

async function addMany(store: Store, name: string): Promise<Account> {
  const owner = await addAccount(store, name);
  const batches = async function* () {
    for (let from = 0; from < MANY; from += 1_000)
      yield Array.from({ length: 1_000 }, (_, n) => ({
        line: from + n,
        values: valuesOf(partner, { name: `Partner ${from + n}`, street: LONG }),
      }));
  };
  await store.records.load({ account: owner.id }, plainLoad(partner, NOW), batches());
  return owner;
}

describe.each(engines)('on $name', (engine) => {
  /** The credentials of an account with many records. */
  let big: { readonly authorization: string };
  /** How many snapshots are open without an export. */
  let atRest: number;
  const service = sharedService(engine);
  beforeAll(async () => {
    big = bearer(await service.issue(await addMany(service.store, 'big')));
    // Opens the connections that stay open.
    await service.send({ path: PRODUCTS });
    atRest = await heldSnapshots(service.database);
  });

  const get = (path: string, accept: string, headers: TestRequest['headers'] = {}) =>
    service.send({ path, headers: { accept, ...headers } });
  const lines = (text: string): readonly RecordValues[] =>
    text
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line));
  const beginBig = (accept = NDJSON) =>
    begin(service.port, { path: PARTNERS, headers: { accept, te: 'trailers', ...big } });
  /** Waits until no export is running, and none has left anything behind. */
  const noneIsRunning = async () => {
    // An export whose client left early has a slot, but no snapshot yet.
    await expect.poll(() => rejectedOf(4)).toBe(0);
    await expect.poll(() => heldSnapshots(service.database)).toBe(atRest);
  };
  /** How many of this many concurrent exports of the account get no slot. */
  const rejectedOf = async (count: number) => {
    const replies = await Promise.all(Array.from({ length: count }, () => get(COMPANIES, CSV, big)));
    return replies.filter(({ status }) => status !== 200).length;
  };

  test('what clients do not read is not buffered', async () => {
    const folder = makeFolder();
    onTestFinished(folder.remove);
    const measured = await serveMeasured(['--database', service.database.url, '--rate-limit', 'unlimited'], {
      folder: folder.path,
    });
    onTestFinished(() => kill(measured));
    const products = { path: PRODUCTS, headers: bearer(service.key) };
    const MIB = 1024 * 1024;
    /** Once it stays the same while requests are served: an export that ignored backpressure would read on meanwhile. */
    const settled = async () => {
      for (let last = 0; ; ) {
        for (let n = 0; n < 100; n += 1) expect(await send(measured.port, products)).toRespond(200);
        const bytes = await measured.bufferedBytes();
        if (Math.abs(bytes - last) < MIB) return bytes;
        last = bytes;
      }
    };
    const before = await settled();
    const requests = Array.from({ length: 4 }, () =>
      begin(measured.port, { path: PARTNERS, headers: { accept: NDJSON, ...big } }),
    );
    const held = await Promise.all(requests);
    expect(held.map(({ statusCode }) => statusCode)).toEqual(held.map(() => 200));
    // The bodies have four times 20 MB.
    expect((await settled()) - before).toBeLessThan(16 * MIB);
    for (const response of held) response.destroy();
  });

  describe('concurrent exports', () => {
    test('the fifth of an account is a 503', async () => {
      await noneIsRunning();
      const held = await Promise.all(Array.from({ length: 4 }, () => beginBig()));
      expect(held.map(({ statusCode }) => statusCode)).toEqual(held.map(() => 200));
      const [first, second] = held;
      if (first === undefined || second === undefined) throw new Error('there are no responses');
      try {
        checkReply(await get(COMPANIES, CSV, big), {
          status: 503,
          has: { code: 'exports_busy' },
          headers: { 'retry-after': '5', trailer: undefined },
        });
        // Another account has slots of its own.
        expect(await get(PRODUCTS, CSV)).toRespond(200);
        // Requests that are not exports are served.
        expect(await service.send({ path: PRODUCTS })).toRespond(200);

        first.destroy();
        await expect.poll(() => get(COMPANIES, CSV, big)).toRespond(200);
        // The others are not interrupted.
        expect(await finish(second)).toMatchObject({ isComplete: true });
        expect(second.trailers['stockbook-rows']).toBe(String(MANY));
      } finally {
        for (const response of held) response.destroy();
      }
      await noneIsRunning();
    });

    test('release their slots when they end', async () => {
      await Promise.all(
        Array.from({ length: 4 }, async () => {
          for (let n = 0; n < 12; n += 1) expect(await get(COMPANIES, CSV)).toRespond(200);
        }),
      );
      await noneIsRunning();
    });

    test('leave nothing behind and are not errors when their clients disconnect, at whatever point', async () => {
      const since = service.events.length;
      const leaves: readonly Leave[] = [
        (request, leave) => request.once('socket', leave),
        (request, leave) => request.once('finish', leave),
        (request, leave) => request.once('response', leave),
        ...Array.from({ length: 13 }, (_, n) => leaveAfterChunks(n + 1)),
      ];
      for (const accept of [NDJSON, CSV, XLSX])
        for (let from = 0; from < leaves.length; from += 4) {
          await noneIsRunning();
          await Promise.all(leaves.slice(from, from + 4).map((leave) => disconnect(accept, leave)));
        }
      await noneIsRunning();
      const kinds = service.events.slice(since).map(({ kind }) => kind);
      expect(kinds.filter((kind) => kind === 'stream aborted' || kind === 'request failed')).toEqual([]);
    });

    type Leave = (request: ClientRequest, leave: () => void) => void;

    /** Starts an export, leaves when `on` says so, and resolves when the connection is closed. */
    const disconnect = async (accept: string, on: Leave): Promise<void> => {
      const request = httpRequest({
        host: '127.0.0.1',
        port: service.port,
        path: PARTNERS,
        headers: { accept, ...big },
        agent: false,
      });
      const closed = new Promise((resolve) => request.once('close', resolve));
      request.on('error', () => {});
      request.on('response', (response) => response.on('error', () => {}).resume());
      on(request, () => request.destroy());
      request.end();
      await closed;
    };

    const leaveAfterChunks =
      (count: number): Leave =>
      (request, leave) => {
        let chunks = 0;
        request.on('response', (response) =>
          response.on('data', () => {
            chunks += 1;
            if (chunks === count) leave();
          }),
        );
      };

    test('that are a 304 take no slot', async () => {
      const tag = (await get(COMPANIES, CSV)).headers['etag'];
      for (let n = 0; n < 20; n += 1) expect(await get(COMPANIES, CSV, { 'if-none-match': tag })).toRespond(304);
      await noneIsRunning();
    });

    test('that are HEAD release their slots', async () => {
      const request = { method: 'HEAD', path: PARTNERS, headers: { accept: CSV, ...big } };
      for (let n = 0; n < 20; n += 1) expect(await service.send(request)).toRespond(200);
      await noneIsRunning();
    });
  });

  test('a slow reader gets everything, and others are served meanwhile', async () => {
    const response = await beginBig();
    const chunks: Buffer[] = [];
    for await (const chunk of response) {
      chunks.push(chunk);
      if (chunks.length % 10 === 0) expect(await service.send({ path: `${PRODUCTS}/1` })).toRespond(200);
    }
    expect(chunks.length).toBeGreaterThan(10);
    expect(response.complete).toBe(true);
    expect(response.trailers).toEqual({ 'stockbook-rows': String(MANY), 'stockbook-revision': '1' });
    const records = lines(Buffer.concat(chunks).toString('utf8'));
    expect(records.map(({ id }) => id)).toEqual(Array.from({ length: MANY }, (_, n) => n + 1));
    expect(new Set(records.map(({ street }) => street))).toEqual(new Set([LONG]));
  });
});

describe.each(engines)('a failing export on $name', (engine) => {
  let big: { readonly authorization: string };
  let atRest: number;
  const service = sharedService(engine);
  beforeAll(async () => {
    big = bearer(await service.issue(await addMany(service.store, 'big')));
    await service.send({ path: PRODUCTS });
    atRest = await heldSnapshots(service.database);
  });

  const aborted = (requestId: string) =>
    service.events.filter((event) => event.kind === 'stream aborted' && event.requestId === requestId);

  test.each([NDJSON, CSV])('never looks complete if it fails before the first record (%s)', async (accept) => {
    await service.database.execute('ALTER TABLE company RENAME TO misplaced');
    try {
      const headers = { accept, te: 'trailers', ...bearer(service.key) };
      const response = await begin(service.port, { path: COMPANIES, headers }).catch(() => undefined);
      if (response?.statusCode === 200) {
        expect(await finish(response)).toMatchObject({ isComplete: false });
        expect(response.trailers).toEqual({});
      } else if (response !== undefined) {
        expect(response.statusCode).toBe(500);
        expect(response.headers['content-type']).toBe('application/problem+json');
        for (const name of ['etag', 'trailer', 'stockbook-rows', 'stockbook-total', 'stockbook-revision'])
          expect({ [name]: response.headers[name] }).toEqual({ [name]: undefined });
        response.destroy();
      }
    } finally {
      await service.database.execute('ALTER TABLE misplaced RENAME TO company');
    }
    expect(await service.send({ path: COMPANIES, headers: { accept } })).toRespond(200);
  });

  test('breaks the connection if it fails in the middle, and is an event', async () => {
    // Only what is in the file can be damaged there.
    if (engine.name === 'SQLite') await service.database.execute('PRAGMA wal_checkpoint(TRUNCATE)');
    const responses = await Promise.all(
      [NDJSON, CSV].map((accept) =>
        begin(service.port, {
          path: PARTNERS,
          headers: { accept, te: 'trailers', ...big, 'x-request-id': `aborted-${accept}` },
        }),
      ),
    );
    expect(responses.map(({ statusCode }) => statusCode)).toEqual([200, 200]);
    if (engine.name === 'SQLite') damage(service.database.url);
    else
      await service.database.execute(
        `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
          WHERE datname = current_database() AND pid <> pg_backend_pid() AND backend_type = 'client backend'
            AND xact_start IS NOT NULL`,
      );
    for (const response of responses) {
      const { bytes, isComplete } = await finish(response);
      expect(isComplete).toBe(false);
      expect(bytes).toBeGreaterThan(0);
      expect(bytes).toBeLessThan(MANY * LONG.length * 3);
      expect(response.trailers).toEqual({});
    }
    for (const accept of [NDJSON, CSV]) await expect.poll(() => aborted(`aborted-${accept}`)).toHaveLength(1);
    await expect.poll(() => heldSnapshots(service.database)).toBeLessThanOrEqual(atRest);
  });
});

/** Overwrites all but the beginning of a file, as a failing disk might. */
function damage(path: string): void {
  const content = readFileSync(path);
  writeFileSync(path, content.fill(0, Math.floor(content.length / 4)), { flag: 'r+' });
}
