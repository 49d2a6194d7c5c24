/** The rate limit per key: which requests it counts, and where it stands among the other checks. */

import { beforeEach, describe, expect, test } from 'vitest';
import { rotateKey } from '../../src/access/issue-key.ts';
import { timestamp } from '../../src/schedule/clock.ts';
import { oneEngine } from '../support/engines.ts';
import { addAccount } from '../support/fixture.ts';
import { checkReply, createPartner, PRODUCTS } from '../support/rows.ts';
import { bearer, keyId, send, type TestReply, type TestRequest } from '../support/service.ts';
import { sharedService } from '../support/shared.ts';
import { TestClock } from '../support/test-clock.ts';

const LIMIT = 3;
const SECOND = 1_000;

describe.each(oneEngine)('on $name', (engine) => {
  const clock = new TestClock();
  const service = sharedService(engine, { settings: { 'rate-limit': String(LIMIT) }, clock });

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
    expect(await send(service.port, { path: '/problems/too_many_requests', headers })).toRespond(200);
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
    await service.store.keys.revoke(keyId(key), timestamp(clock));
    expect(await statuses(1, { path: PRODUCTS })).toEqual([401]);
  });

  describe('individual limits', () => {
    const policies = async (request: TestRequest = { path: PRODUCTS }) => {
      const [reply] = await sendTimes(1, request);
      return [reply?.headers['ratelimit-policy'], reply?.headers['ratelimit']];
    };

    test('every response of a limited key says how many requests are left', async () => {
      const [policy, rest] = [`"key";q=${LIMIT};w=1`, [`"key";r=2;t=1`, `"key";r=1;t=1`, `"key";r=0;t=1`]];
      const requests = [{ path: PRODUCTS }, { path: '/api/v1/nothing' }, createPartner(''), { path: PRODUCTS }];
      const seen = [];
      for (const request of requests) seen.push(await policies(request));
      expect(seen).toEqual([...rest, rest[2]].map((left) => [policy, left]));
    });

    test('other responses say nothing', async () => {
      headers = bearer(await service.issue(service.acme, { rateLimit: 0 }));
      expect(await policies()).toEqual([undefined, undefined]);
      headers = bearer('sbk_wrong');
      expect(await policies()).toEqual([undefined, undefined]);
      expect(await policies({ path: '/openapi.json' })).toEqual([undefined, undefined]);
    });

    test('a revoked key learns nothing, although it was limited before', async () => {
      const key = await service.issue(service.acme);
      headers = bearer(key);
      expect(await policies()).toEqual([`"key";q=${LIMIT};w=1`, '"key";r=2;t=1']);
      await service.store.keys.revoke(keyId(key), timestamp(clock));
      expect(await policies()).toEqual([undefined, undefined]);
    });

    test('a key has its own limit, and a change takes effect at once', async () => {
      const key = await service.issue(service.acme, { rateLimit: 1 });
      headers = bearer(key);
      expect(await statuses(2, { path: PRODUCTS })).toEqual([200, 429]);
      await service.store.keys.setRateLimit(keyId(key), 0);
      expect(await statuses(5, { path: PRODUCTS })).toEqual([200, 200, 200, 200, 200]);
      await service.store.keys.setRateLimit(keyId(key), null);
      clock.elapse(SECOND);
      expect(await policies()).toEqual([`"key";q=${LIMIT};w=1`, '"key";r=2;t=1']);
    });

    test('all keys of an account share its limit, and other accounts do not notice', async () => {
      const account = await addAccount(service.store, 'limited');
      const keys = [await service.issue(account, { rateLimit: 0 }), await service.issue(account)];
      const [other] = [headers];
      await service.store.accounts.setLimits(account.id, { rateLimit: 2 });
      const replies = [];
      for (const key of [...keys, ...keys]) {
        headers = bearer(key);
        replies.push(...(await sendTimes(1, { path: PRODUCTS })));
      }
      expect(replies.map(({ status }) => status)).toEqual([200, 200, 429, 429]);
      expect(replies.map((reply) => reply.headers['ratelimit'])).toEqual([
        '"account";r=1;t=1',
        `"key";r=${LIMIT - 1};t=1, "account";r=0;t=1`,
        '"account";r=0;t=1',
        `"key";r=${LIMIT - 1};t=1, "account";r=0;t=1`,
      ]);
      checkReply(replies[2] ?? fail(), {
        status: 429,
        has: { detail: 'The keys of this account together are limited to 2 requests per second.' },
        headers: { 'retry-after': '1', 'ratelimit-policy': '"account";q=2;w=1' },
      });
      headers = other;
      expect(await statuses(LIMIT, { path: PRODUCTS })).toEqual([200, 200, 200]);
      headers = bearer(keys[1] ?? '');
      clock.elapse(SECOND);
      checkReply((await sendTimes(1, { path: '/api/v1/me' }))[0] ?? fail(), {
        status: 200,
        has: { data: { limits: { requestsPerSecond: { key: LIMIT, account: 2 } } } },
      });
    });

    test('a key that replaces another keeps its limit', async () => {
      const key = await service.issue(service.acme, { rateLimit: 7 });
      const old = (await service.store.keys.find(keyId(key)))?.key ?? fail();
      headers = bearer((await rotateKey(service.store.keys, old, clock.wall(), 0)) ?? fail());
      expect(await policies()).toEqual(['"key";q=7;w=1', '"key";r=6;t=1']);
    });
  });
});

function fail(): never {
  throw new Error('there is none');
}
