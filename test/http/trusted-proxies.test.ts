/** Forwarded headers over real sockets: which limits and log lines they decide about, and for whom. */

import { connect } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import { generateKey, printKey } from '../../src/access/key.ts';
import { FailedAttempts } from '../../src/limits/failed-attempts.ts';
import { TokenBuckets } from '../../src/limits/token-buckets.ts';
import { Problem } from '../../src/problem/problem.ts';
import { readTarget } from '../../src/request/target.ts';
import { TrustedProxies } from '../../src/request/trusted-proxies.ts';
import { oneEngine } from '../support/engines.ts';
import { serveApp, textResponse } from '../support/http-app.ts';
import { rounds } from '../support/rounds.ts';
import { PRODUCTS } from '../support/rows.ts';
import { bearer, send, sendUnchecked, startService, type TestService } from '../support/service.ts';
import { TestClock } from '../support/test-clock.ts';

const LOCAL = TrustedProxies.read('127.0.0.1');
const ELSEWHERE = TrustedProxies.read('10.0.0.0/8');
if (LOCAL === undefined || ELSEWHERE === undefined) throw new Error('these are addresses');

/** A counterfeit, one per request. */
const forged = (n: number) => `203.0.${(n >> 8) & 255}.${n & 255}`;

describe('the address of a request', () => {
  test.each([
    { name: 'without trusted proxies', proxies: new TrustedProxies(), address: '127.0.0.1' },
    { name: 'from another address', proxies: ELSEWHERE, address: '127.0.0.1' },
    { name: 'from a trusted proxy', proxies: LOCAL, address: '203.0.113.7' },
  ])('$name is $address', async ({ proxies, address }) => {
    const app = await serveApp(async (request) => textResponse(`${request.address} ${request.headers.host}`), {
      proxies,
    });
    try {
      const headers = {
        host: 'acme.example.com',
        'x-forwarded-for': '198.51.100.1, 203.0.113.7',
        'x-forwarded-host': 'globex.example.com',
        'x-forwarded-proto': 'https',
        'x-real-ip': '198.51.100.2',
      };
      // The host is never forwarded: it decides about the account.
      expect((await sendUnchecked(app.port, { path: '/', headers })).text).toBe(`${address} acme.example.com`);
      const forwarded = { host: 'acme.example.com', forwarded: 'for=203.0.113.7;host=globex.example.com' };
      const { text } = await sendUnchecked(app.port, { path: '/', headers: forwarded });
      expect(text).toBe(`${address} acme.example.com`);
    } finally {
      await app.stop();
    }
  });

  test('the connections of a trusted proxy are not limited, those of others are', async () => {
    const connections = { total: 100, perAddress: 2 };
    for (const { proxies, refused } of [
      { proxies: LOCAL, refused: 0 },
      { proxies: ELSEWHERE, refused: 3 },
    ]) {
      const app = await serveApp(async () => textResponse('ok'), { proxies, connections });
      const sockets = Array.from({ length: 5 }, () => connect(app.port, '127.0.0.1'));
      const texts = sockets.map(() => '');
      for (const [n, socket] of sockets.entries()) {
        socket
          .on('error', () => {})
          .on('data', (bytes) => {
            texts[n] += String(bytes);
          });
        socket.write('GET / HTTP/1.1\r\nhost: a\r\n\r\n');
      }
      await expect.poll(() => texts.every((text) => text.startsWith('HTTP/1.1 '))).toBe(true);
      expect(texts.filter((text) => text.startsWith('HTTP/1.1 503'))).toHaveLength(refused);
      for (const socket of sockets) socket.destroy();
      await app.stop();
    }
  });
});

describe.each(oneEngine)('wrong keys on $name', (engine) => {
  const [LIMIT, BURST] = [1, 10];
  let service: TestService;
  afterEach(() => service.close());

  const guess = async (count: number, address: (n: number) => string) => {
    const statuses: number[] = [];
    for (let n = 0; n < count; n += 1) {
      const headers = { ...bearer(printKey(generateKey())), 'x-forwarded-for': address(n) };
      statuses.push((await send(service.port, { path: PRODUCTS, headers })).status);
    }
    return statuses;
  };

  test('a client that forges its address is limited like any other, and its neighbour is not', async () => {
    service = await startService(engine, {
      settings: { 'failed-auth-limit': String(LIMIT), 'trusted-proxies': '127.0.0.1' },
      clock: new TestClock(),
    });
    const appended = (client: string) => (n: number) => `${forged(n)}, ${client}`;
    expect(await guess(BURST + 2, appended('198.51.100.1'))).toEqual([...Array(BURST).fill(401), 429, 429]);
    expect(await guess(1, appended('198.51.100.2'))).toEqual([401]);
    const failed = service.events.filter((event) => event.kind === 'authentication failed');
    expect(failed.map(({ address }) => address)).toEqual(['198.51.100.1']);
  });

  test('forged headers of a peer that is not trusted change nothing', async () => {
    service = await startService(engine, {
      settings: { 'failed-auth-limit': String(LIMIT), 'trusted-proxies': '10.0.0.0/8' },
      clock: new TestClock(),
    });
    expect(await guess(BURST + 2, forged)).toEqual([...Array(BURST).fill(401), 429, 429]);
  });
});

test('a million forged addresses of one peer take one bucket, and its neighbour keeps its own', async () => {
  const buckets = new TokenBuckets(new TestClock());
  const nobody = {
    keys: { find: async () => undefined },
    accounts: { find: async () => undefined },
    domain: 'localhost',
  };
  const attempts = new FailedAttempts(10, buckets, nobody, () => undefined);
  const from = (peer: string, headers: Readonly<Record<string, string>>) => ({
    id: 'r',
    target: readTarget('/'),
    address: ELSEWHERE.clientOf(peer, headers),
    headers: { authorization: 'Bearer x' },
  });
  for (let n = 0; n < rounds(100_000, 1_000_000); n += 1)
    attempts.add(from('192.0.2.1', { 'x-forwarded-for': forged(n), forwarded: `for=${forged(n + 1)}` }), 'unknown key');
  expect(buckets.size).toBe(1);
  expect(await attempts.check(from('192.0.2.1', {}))).toBeInstanceOf(Problem);
  expect(await attempts.check(from('192.0.2.2', {}))).toBeUndefined();
});
