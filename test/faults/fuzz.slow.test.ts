/**
 * Requests from a fuzzer, on the real program. None may cause an internal error, remain without an end, or show anything of another account,
 * and together they must not leave memory or descriptors behind.
 *
 * A failure names the seed. `STOCKBOOK_TEST_SEED` repeats it.
 */

import { readdirSync } from 'node:fs';
import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { company } from '../../src/catalog/company.ts';
import { partner } from '../../src/catalog/partner.ts';
import { product } from '../../src/catalog/product.ts';
import type { Resource } from '../../src/catalog/resource.ts';
import { makeKey } from '../support/account-key.ts';
import { engines, type TestDatabase } from '../support/engines.ts';
import { companies, partners, products, type RecordValues } from '../support/fixture.ts';
import { Fuzzer } from '../support/fuzzer.ts';
import { memoryOf } from '../support/memory.ts';
import { kill, type Serving, serve } from '../support/program.ts';
import { rounds } from '../support/rounds.ts';
import { readiness } from '../support/service.ts';
import { sharedFolder } from '../support/shared.ts';

const SEED = inject('seed');
const REQUESTS = rounds(2_000, 200_000);
const LANES = 32;

/** Requests on one connection. */
const MAX_PIPELINED = 8;

/** How long a client waits for more before it leaves, in milliseconds. */
const PATIENCE = 300;

/** A connection that is open this long after the client has left hangs, in milliseconds. */
const HANG = 90_000;

/** In milliseconds. */
const TIMEOUT = rounds(300_000, 7_200_000);

/** In every text of the other account. No request contains it. */
const MARKER = 'Zq7Marker';
const MARKED_NUMBER = 987_654_321;

const marked = (record: RecordValues): RecordValues =>
  Object.fromEntries(
    Object.entries(record).map(([field, value]) => {
      if (field.endsWith('_date') || field === 'id') return [field, value];
      if (typeof value === 'string') return [field, `${MARKER} ${value}`];
      return [field, typeof value === 'number' ? MARKED_NUMBER : value];
    }),
  );

const RECORDS: readonly (readonly [Resource, readonly RecordValues[]])[] = [
  [product, products],
  [partner, partners],
  [company, companies],
];

interface Exchanged {
  readonly sent: Buffer;
  readonly received: string;
  readonly isHanging: boolean;
}

/** Sends requests on one connection, and a last one that closes it. */
function exchange(port: number, sent: Buffer): Promise<Exchanged> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    const socket = connect(port, '127.0.0.1', () => {
      socket.write(sent);
      socket.write('GET /api HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n');
    });
    const finish = (isHanging: boolean) => {
      clearTimeout(hang);
      socket.destroy();
      resolve({ sent, received: Buffer.concat(chunks).toString('latin1'), isHanging });
    };
    const hang = setTimeout(() => finish(true), HANG);
    socket.setTimeout(PATIENCE, () => socket.end());
    socket
      .on('data', (chunk: Buffer) => chunks.push(chunk))
      .on('error', () => {})
      .on('close', () => finish(false));
  });
}

/** What is wrong with a response, if anything. */
function flawIn({ received, isHanging }: Exchanged): string | undefined {
  if (isHanging) return 'the connection was not closed';
  if (received.includes(MARKER) || received.includes(String(MARKED_NUMBER))) return 'data of the other account';
  if (received.includes('"code":"internal_error"')) return 'an internal error';
  const unexpected = statusesIn(received).find((status) => status.startsWith('5') && !['501', '503'].includes(status));
  return unexpected === undefined ? undefined : `status ${unexpected}`;
}

/** Of several responses, each begins after the end of another. */
function statusesIn(received: string): readonly string[] {
  return [...received.matchAll(/(?:^|[\n\r}])HTTP\/1\.1 (\d{3}) /g)].map(([, status = '']) => status);
}

/** Requests for one connection. The last one may leave it unusable. */
function pipelineOf(fuzzer: Fuzzer, most: number): readonly Buffer[] {
  const requests: Buffer[] = [];
  for (let isSound = true; isSound && requests.length < most; ) {
    const request = fuzzer.next();
    requests.push(request.bytes);
    isSound = request.isSound;
  }
  return requests;
}

interface Resources {
  readonly descriptors: number;
  readonly megabytes: number;
}

/** Undefined on systems other than Linux. */
function resourcesOf(pid: number): Resources | undefined {
  if (process.platform !== 'linux') return undefined;
  const { resident = 0 } = memoryOf(pid) ?? {};
  return { descriptors: readdirSync(`/proc/${pid}/fd`).length, megabytes: resident / 1024 ** 2 };
}

describe.each(engines)('on $name', (engine) => {
  const folder = sharedFolder();
  let database: TestDatabase;
  let server: Serving;
  let key: string;
  beforeAll(async () => {
    database = await engine.makeMigrated();
    key = await makeKey(database.url, { records: RECORDS });
    await makeKey(database.url, {
      name: 'other',
      records: RECORDS.map(([resource, records]) => [resource, records.map(marked)]),
    });
    const flags = ['--database', database.url, '--failed-auth-limit', '0'];
    server = await serve(flags, { folder: folder.path });
  });
  afterAll(async () => {
    await kill(server);
    await database.drop();
  });

  test(`${REQUESTS} requests, seed ${SEED}`, { timeout: TIMEOUT }, async ({ annotate }) => {
    const fuzzer = new Fuzzer({ seed: SEED, key, otherHost: 'other.localhost' });
    const statuses = new Map<string, number>();
    const run = async (count: number) => {
      let left = count;
      const lane = async () => {
        while (left > 0) {
          const requests = pipelineOf(fuzzer, Math.min(left, MAX_PIPELINED));
          left -= requests.length;
          const exchanged = await exchange(server.port, Buffer.concat(requests));
          const flaw = flawIn(exchanged);
          if (flaw !== undefined)
            throw new Error(`${flaw}\n${JSON.stringify(exchanged.sent.toString('latin1'))}\n${exchanged.received}`);
          for (const status of statusesIn(exchanged.received)) statuses.set(status, (statuses.get(status) ?? 0) + 1);
        }
      };
      await Promise.all(Array.from({ length: LANES }, lane));
    };
    const idleResources = async () => {
      await expect.poll(async () => readiness(server)).toRespond(200);
      return resourcesOf(server.child.pid ?? 0);
    };

    await run(REQUESTS / 4);
    const before = await idleResources();
    await run((REQUESTS * 3) / 4);
    expect([...statuses.keys()]).toEqual(expect.arrayContaining(['200', '400', '401', '404']));
    expect(server.output().stderr).not.toContain('"request failed"');
    expect(server.child.exitCode).toBe(null);
    const after = await idleResources();
    await annotate(JSON.stringify({ statuses: Object.fromEntries(statuses), before, after }));
    if (before === undefined || after === undefined) return;
    // Connections that the server has not noticed to be closed are few.
    await expect
      .poll(() => resourcesOf(server.child.pid ?? 0)?.descriptors)
      .toBeLessThanOrEqual(before.descriptors + LANES);
    expect(after.megabytes).toBeLessThan(1.5 * before.megabytes + 64);
  });
});
