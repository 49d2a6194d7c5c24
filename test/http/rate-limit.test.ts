/** The rate limit per key: which requests it counts, and where it stands among the other checks. */

import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { engines } from '../support/engines.ts';
import { checkReply, createPartner, PRODUCTS } from '../support/rows.ts';
import {
  bearer,
  keyId,
  send,
  startService,
  type TestReply,
  type TestRequest,
  type TestService,
} from '../support/service.ts';

const LIMIT = 3;
const SECOND = 1_000;

describe.each(engines)('on $name', (engine) => {
  let service: TestService;
  /** Moves only if a test moves it. */
  let now = 0;
  beforeAll(async () => {
    service = await startService(engine, { rateLimit: LIMIT, now: () => now });
  });
  afterAll(() => service.close());

  /** Of a key that has not been used. */
  let headers: { readonly authorization: string };
  beforeEach(async () => {
    headers = bearer(await service.issue(service.acme));
  });

  const sendTimes = async (count: number, request: TestRequest): Promise<readonly TestReply[]> =>
    Promise.all(
      Array.from({ length: count }, () => service.send({ ...request, headers: { ...headers, ...request.headers } })),
    );
  const statuses = async (count: number, request: TestRequest) =>
    (await sendTimes(count, request)).map(({ status }) => status).toSorted();

  test('requests over the limit are a 429 that says when to retry', async () => {
    const replies = await sendTimes(LIMIT + 2, { path: PRODUCTS });
    expect(replies.map(({ status }) => status).toSorted()).toEqual([200, 200, 200, 429, 429]);
    for (const reply of replies.filter(({ status }) => status === 429))
      checkReply(reply, {
        status: 429,
        has: { code: 'too_many_requests', detail: `This key is limited to ${LIMIT} requests per second.` },
        headers: { 'retry-after': '1' },
      });
  });

  test('after a second, as many requests as the limit are accepted again', async () => {
    await sendTimes(LIMIT, { path: PRODUCTS });
    now += SECOND - 1;
    expect(await statuses(LIMIT, { path: PRODUCTS })).toEqual([200, 200, 429]);
    now += SECOND;
    expect(await statuses(LIMIT + 1, { path: PRODUCTS })).toEqual([200, 200, 200, 429]);
  });

  test('every key has its own limit', async () => {
    await sendTimes(LIMIT, { path: PRODUCTS });
    const other = bearer(await service.issue(service.acme));
    expect(await statuses(LIMIT, { path: PRODUCTS, headers: other })).toEqual([200, 200, 200]);
    expect(await statuses(1, { path: PRODUCTS })).toEqual([429]);
  });

  test.each<[string, number, TestRequest]>([
    ['an unknown path', 404, { path: '/api/v1/nothing' }],
    ['an unknown record', 404, { path: `${PRODUCTS}/999999` }],
    ['an unsupported method', 405, { method: 'DELETE', path: PRODUCTS }],
    ['an invalid parameter', 400, { path: `${PRODUCTS}?page=0` }],
    ['a malformed path', 400, { path: '/api/v1/%zz' }],
    ['an invalid body', 400, createPartner('')],
  ])('%s is a %i within the limit and a 429 over it', async (_, status, request) => {
    expect(await statuses(LIMIT + 1, request)).toEqual([status, status, status, 429]);
  });

  test('a missing scope is a 403 within the limit and a 429 over it', async () => {
    headers = bearer(await service.issue(service.acme, { scopes: ['write'] }));
    expect(await statuses(LIMIT + 1, { path: PRODUCTS })).toEqual([403, 403, 403, 429]);
  });

  test('a request that cannot be authenticated is a 401 and is not counted', async () => {
    const anywhereElse = { host: 'globex.localhost' };
    expect(await statuses(LIMIT + 1, { path: PRODUCTS, headers: anywhereElse })).toEqual([401, 401, 401, 401]);
    expect(await statuses(LIMIT, { path: PRODUCTS })).toEqual([200, 200, 200]);
    expect(await statuses(1, { path: PRODUCTS, headers: anywhereElse })).toEqual([401]);
  });

  test('problem pages are not limited', async () => {
    await sendTimes(LIMIT, { path: PRODUCTS });
    expect((await send(service.port, { path: '/problems/too_many_requests', headers })).status).toBe(200);
  });

  test.each<[string, number, TestRequest]>([
    ['a list', 200, { path: PRODUCTS }],
    ['a record', 200, { path: `${PRODUCTS}/1` }],
    ['an unknown record', 404, { path: `${PRODUCTS}/999999` }],
    ['an invalid parameter', 400, { path: `${PRODUCTS}?page=0` }],
    ['a create', 201, createPartner('Counted once')],
  ])('a request is counted once, even if its cached session is outdated: %s', async (_, status, request) => {
    // A new key changes the account's access version, and with it every cached session is outdated.
    const outdateSession = () => service.issue(service.acme);
    for (let n = 0; n < LIMIT; n += 1) {
      expect(await statuses(1, request)).toEqual([status]);
      await outdateSession();
    }
    expect(await statuses(1, request)).toEqual([429]);
  });

  test('over the limit, a revoked key is a 401', async () => {
    const key = await service.issue(service.acme);
    headers = bearer(key);
    expect(await statuses(LIMIT + 1, { path: PRODUCTS })).toEqual([200, 200, 200, 429]);
    await service.store.keys.revoke(keyId(key), new Date(now).toISOString());
    expect(await statuses(1, { path: PRODUCTS })).toEqual([401]);
  });
});
