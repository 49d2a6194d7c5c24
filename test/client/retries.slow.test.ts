/** Retries, timeouts and abort signals, against a real service and a network that fails. */

import { once } from 'node:events';
import { createServer } from 'node:http';
import { afterEach, beforeAll, describe, expect, test } from 'vitest';
import { partner } from '../../src/catalog/partner.ts';
import type { ConnectionOptions } from '../../src/client/connection.ts';
import { Stockbook, StockbookError } from '../../src/client/index.ts';
import { aboveStore } from '../support/above-store.ts';
import { load } from '../support/fixture.ts';
import { type Fault, type FaultyProxy, startProxy } from '../support/proxy.ts';
import { rounds } from '../support/rounds.ts';
import { awaitedLater } from '../support/service.ts';
import { sharedService } from '../support/shared.ts';
import { TestClock } from '../support/test-clock.ts';

const RATE_LIMIT = 5;

describe.each(aboveStore)('on $name', (engine) => {
  const service = sharedService(engine);
  /** Of the limited service. */
  const clock = new TestClock({ isPassing: true });
  const limited = sharedService(engine, { settings: { 'rate-limit': String(RATE_LIMIT) }, clock });
  beforeAll(async () => {
    const rows = Array.from({ length: 5_000 }, (_, n) => ({ id: n + 1, name: `Partner ${n + 1}` }));
    await load(service.store, service.globex, partner, rows);
  });

  const proxies: FaultyProxy[] = [];
  afterEach(async () => {
    for (const proxy of proxies.splice(0)) await proxy.close();
  });
  /** Pauses take no time unless there is another clock. */
  const through = async (faults: readonly Fault[], given: Partial<ConnectionOptions> = {}) => {
    const proxy = await startProxy(service.port, faults);
    proxies.push(proxy);
    const options = { url: proxy.url, key: service.key, clock: new TestClock({ isPassing: true }), ...given };
    return { proxy, ...new Stockbook(options) };
  };
  const keysOf = (proxy: FaultyProxy) =>
    new Set(proxy.requests.flatMap((head) => /^idempotency-key: (.*)$/im.exec(head)?.[1] ?? []));

  describe('a request over the rate limit', () => {
    test('waits its turn, however long the queue is', async () => {
      const key = await limited.issue(limited.acme);
      const options = { url: `http://127.0.0.1:${limited.port}`, key, clock };
      const { products } = new Stockbook(options);
      const calls = rounds(2, 8) * RATE_LIMIT;
      const pages = await Promise.all(Array.from({ length: calls }, () => products.list({ limit: 1 })));
      expect(pages).toHaveLength(calls);
    });

    test('waits until its signal aborts', async () => {
      const key = await limited.issue(limited.acme);
      const still = new TestClock();
      const options = { url: `http://127.0.0.1:${limited.port}`, key, clock: still };
      const { products } = new Stockbook(options);
      const controller = new AbortController();
      const { signal } = controller;
      const calls = Array.from({ length: 2 * RATE_LIMIT }, () => products.list({ limit: 1, signal }));
      const results = Promise.allSettled(calls);
      // They are told to wait a second, and wait up to another one.
      await expect.poll(() => still.waiting).toEqual(Array(RATE_LIMIT).fill(1_500));
      controller.abort(new Error('enough'));
      const reasons = (await results).flatMap((result) => (result.status === 'rejected' ? [result.reason] : []));
      expect(reasons.map(({ message }) => message)).toEqual(Array(RATE_LIMIT).fill('enough'));
    });

    test('is an error without retries, which says when to try again', async () => {
      const key = await limited.issue(limited.acme);
      const { products } = new Stockbook({ url: `http://127.0.0.1:${limited.port}`, key, retries: 0 });
      const results = await Promise.allSettled(Array.from({ length: 3 * RATE_LIMIT }, () => products.list()));
      const [error] = results.flatMap((result) => (result.status === 'rejected' ? [result.reason] : []));
      expect(error).toMatchObject({ code: 'too_many_requests', status: 429, retryAfter: 1_000, isTemporary: true });
    });
  });

  test.each<Fault>(['request lost', 'response lost', { cutAfter: 100 }])('a GET is repeated: %o', async (fault) => {
    const { proxy, products } = await through([fault, fault]);
    expect((await products.list()).meta.total).toBe(12);
    expect(proxy.requests).toHaveLength(3);
  });

  test.each<Fault>(['request lost', 'response lost', { cutAfter: 100 }])(
    'a create is repeated with the same key, so there is one record: %o',
    async (fault) => {
      const { proxy, partners } = await through([fault, fault]);
      const name = `Created after ${JSON.stringify(fault)}`;
      const id = await partners.create({ name });
      expect(proxy.requests).toHaveLength(3);
      expect(keysOf(proxy).size).toBe(1);
      const { data } = await partners.list({ filter: partners.where('name', '=', name), fields: ['id'] });
      expect(data).toEqual([{ id }]);
    },
  );

  test('a create that the database is too busy for is repeated until it is not', async () => {
    // On SQLite, the service waits for two minutes before it gives up.
    const time = new TestClock();
    const { proxy, partners } = await through([], { timeout: 2_000, clock: time });
    const release = await service.database.holdWrites();
    let id: number | undefined;
    const creating = partners.create({ name: 'Patient' }, { retries: 100 }).then((created) => {
      id = created;
    });
    const passing = <Result>(look: () => Result) =>
      expect.poll(async () => {
        await time.advance(100);
        return look();
      });
    await passing(() => proxy.requests.length).toBeGreaterThan(2);
    await release();
    await passing(() => id).toBeDefined();
    await creating;
    expect(keysOf(proxy).size).toBe(1);
    const { data } = await partners.list({ filter: 'name=Patient', fields: ['id'] });
    expect(data).toEqual([{ id }]);
  });

  test('what cannot succeed is not repeated', async () => {
    const { proxy, products } = await through([]);
    await expect(products.list({ filter: 'nothing=1' })).rejects.toMatchObject({ status: 400 });
    expect(proxy.requests).toHaveLength(1);
  });

  test('an error that remains is thrown after the last retry', async () => {
    const { proxy, products } = await through(Array<Fault>(5).fill('request lost'), { retries: 2 });
    const error = await products.list().catch((cause: unknown) => cause);
    expect(error).toBeInstanceOf(StockbookError);
    expect(error).toMatchObject({ code: 'connection_failed', isTemporary: true });
    expect(Object(error).status).toBeUndefined();
    expect(proxy.requests).toHaveLength(3);
  });

  describe('a timeout', () => {
    test('ends an attempt, and the next one may succeed', async () => {
      const time = new TestClock({ isPassing: true });
      const { proxy, products } = await through(['silence'], { timeout: 1_000, clock: time });
      const listing = products.list();
      await expect.poll(() => proxy.requests.length).toBe(1);
      await time.advance(999);
      expect(proxy.requests).toHaveLength(1);
      await time.advance(1);
      expect((await listing).meta.total).toBe(12);
      expect(proxy.requests).toHaveLength(2);
    });

    test('can be switched off', async () => {
      const { products } = await through([], { timeout: Number.POSITIVE_INFINITY });
      expect((await products.list()).meta.total).toBe(12);
    });

    test('is an error', async () => {
      const time = new TestClock();
      const { proxy, products } = await through(['silence'], { timeout: 50, retries: 0, clock: time });
      const listing = awaitedLater(products.list());
      await expect.poll(() => proxy.requests.length).toBe(1);
      await time.advance(50);
      await expect(listing).rejects.toMatchObject({ code: 'timeout', detail: 'There was no response within 50 ms.' });
    });

    test('ends a stream that falls silent', async () => {
      const time = new TestClock();
      const key = await service.issue(service.globex);
      const { partners } = await through([{ stallAfter: 20_000 }], { key, clock: time });
      let rows = 0;
      const read = async () => {
        for await (const _ of partners.stream({ timeout: 1_000 })) rows += 1;
      };
      const reading = awaitedLater(read());
      await expect.poll(() => rows).toBeGreaterThan(0);
      await time.advance(1_000);
      await expect(reading).rejects.toMatchObject({ code: 'timeout' });
    });

    test('does not count the time that the caller of a stream takes', async () => {
      const time = new TestClock();
      const { products } = await through([], { timeout: 1_000, clock: time });
      let rows = 0;
      for await (const _ of products.stream()) {
        rows += 1;
        await time.advance(1_500);
      }
      expect(rows).toBe(12);
    });
  });

  describe('an abort signal', () => {
    test.each<[string, (signal: AbortSignal, client: Omit<Stockbook, 'me' | 'fields'>) => Promise<unknown>]>([
      ['a request', (signal, { products }) => products.list({ signal })],
      ['a create', (signal, { partners }) => partners.create({ name: 'Aborted' }, { signal })],
      ['an update', (signal, { partners }) => partners.update(1, { name: 'Aborted' }, { signal })],
      ['a removal', (signal, { partners }) => partners.remove(1, { signal })],
      ['an import', (signal, { partners }) => partners.import([{ name: 'Aborted' }], { signal })],
      ['a stream', (signal, { products }) => products.stream({ signal }).next()],
      ['an iteration', (signal, { products }) => products.each({ signal }).next()],
      ['a feed', (signal, { products }) => products.changes({ signal }).next()],
    ])('ends %s that is not answered', async (_, call) => {
      const { proxy, ...client } = await through(['silence']);
      const controller = new AbortController();
      const outcome = awaitedLater(call(controller.signal, client));
      await expect.poll(() => proxy.requests.length).toBe(1);
      const reason = new Error('enough');
      controller.abort(reason);
      await expect(outcome).rejects.toBe(reason);
      await expect.poll(() => proxy.open()).toBe(0);
      expect(proxy.requests).toHaveLength(1);
    });

    test('that has aborted before prevents the request', async () => {
      const { proxy, products } = await through([]);
      const signal = AbortSignal.abort(new Error('too late'));
      await expect(products.list({ signal })).rejects.toThrow('too late');
      await expect(products.each({ signal }).next()).rejects.toThrow('too late');
      expect(proxy.requests).toEqual([]);
    });

    test('ends the pause between two attempts', async () => {
      const time = new TestClock();
      const { proxy, products } = await through(['request lost'], { clock: time });
      const controller = new AbortController();
      const outcome = awaitedLater(products.list({ signal: controller.signal }));
      // Half of the first pause, which is random.
      await expect.poll(() => time.waiting).toEqual([125]);
      controller.abort(new Error('enough'));
      await expect(outcome).rejects.toThrow('enough');
      expect(proxy.requests).toHaveLength(1);
    });

    test('ends a stream in the middle', async () => {
      const key = await service.issue(service.globex);
      const { partners } = new Stockbook({ url: `http://127.0.0.1:${service.port}`, key });
      const controller = new AbortController();
      const read = async () => {
        for await (const { id } of partners.stream({ signal: controller.signal }))
          if (id === 5) controller.abort(new Error('enough'));
      };
      await expect(read()).rejects.toThrow('enough');
    });
  });
});

describe('other responses', () => {
  const servers: ReturnType<typeof createServer>[] = [];
  afterEach(() => {
    for (const server of servers.splice(0)) server.close();
  });
  /** A server that sends one response to everything. */
  const responding = async (status: number, headers: Record<string, string>, body: string) => {
    const server = createServer((_, response) => response.writeHead(status, headers).end(body)).listen(0, '127.0.0.1');
    servers.push(server);
    await once(server, 'listening');
    const { port } = Object(server.address());
    return new Stockbook({ url: `http://127.0.0.1:${port}`, key: 'key', retries: 0 });
  };
  const json = { 'content-type': 'application/json' };
  /** A server that refuses the first requests, and a client of it. */
  const refusing = async (refusals: number, status: number, headers: Record<string, string>, code: string) => {
    let requests = 0;
    const server = createServer((_, response) => {
      requests += 1;
      if (requests > refusals) response.writeHead(200, json).end('{"data":{"id":1}}');
      else
        response
          .writeHead(status, { ...headers, 'content-type': 'application/problem+json' })
          .end(JSON.stringify({ code, detail: 'Not now.' }));
    }).listen(0, '127.0.0.1');
    servers.push(server);
    await once(server, 'listening');
    const { port } = Object(server.address());
    const options = { url: `http://127.0.0.1:${port}`, key: 'key', clock: new TestClock({ isPassing: true }) };
    return { ...new Stockbook(options), requests: () => requests };
  };

  test('while the service is busy and sends Retry-After, the client waits its turn', async () => {
    const busy: readonly [number, string][] = [
      [429, 'too_many_requests'],
      [429, 'too_many_slow_requests'],
      [503, 'exports_busy'],
      [503, 'store_busy'],
      [503, 'service_overloaded'],
      [503, 'too_many_connections'],
      [409, 'idempotency_key_in_progress'],
    ];
    const attempts = busy.map(async ([status, code]) => {
      const { products, requests } = await refusing(6, status, { 'retry-after': '0' }, code);
      return [code, await products.get(1), requests()];
    });
    expect(await Promise.all(attempts)).toEqual(busy.map(([, code]) => [code, { id: 1 }, 7]));
  });

  test.each([
    [429, 'too_many_requests', {}],
    [503, 'store_unreachable', { 'retry-after': '0' }],
  ])('a %s %s with these headers is a failure: %o', async (status, code, headers) => {
    const { products, requests } = await refusing(6, status, headers, code);
    await expect(products.get(1, { retries: 2 })).rejects.toMatchObject({ code });
    expect(requests()).toBe(3);
  });

  test.each(['7', '{"data":{"id":7}}'])('a create accepts both shapes of the contract: %s', async (body) => {
    expect(await (await responding(201, json, body)).partners.create({ name: 'Either' })).toBe(7);
  });

  test('a create without an id is an unexpected response', async () => {
    const { partners } = await responding(201, json, '{}');
    await expect(partners.create({ name: 'Neither' })).rejects.toMatchObject({ code: 'unexpected_response' });
  });

  test.each([
    ['a page of a proxy', 502, { 'content-type': 'text/html' }, '<h1>Bad Gateway</h1>', true],
    ['a page of a login', 200, { 'content-type': 'text/html' }, '<h1>Log in</h1>', false],
    ['half a response', 200, json, '{"data":[', false],
    ['half a problem', 400, { 'content-type': 'application/problem+json' }, '{"code":"unk', false],
    ['a problem of a proxy', 504, { 'content-type': 'application/problem+json' }, '{"title":"Timeout"}', true],
  ])('%s is an unexpected response', async (_, status, headers, body, isTemporary) => {
    const { products } = await responding(status, headers, body);
    await expect(products.list()).rejects.toMatchObject({ code: 'unexpected_response', isTemporary });
  });

  test.each([
    ['120', 120_000],
    ['soon', undefined],
    [new Date(0).toUTCString(), 0],
  ])('Retry-After: %s', async (value, retryAfter) => {
    const { products } = await responding(503, { 'retry-after': value }, '');
    await expect(products.list()).rejects.toMatchObject({ status: 503, retryAfter });
  });

  test('a pause of minutes is left to the caller', async () => {
    const { products } = await responding(503, { 'retry-after': '120' }, '');
    await expect(products.list({ retries: 5 })).rejects.toMatchObject({ retryAfter: 120_000 });
  });
});
