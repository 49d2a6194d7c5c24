/** `GET /api/v1/me`: what the key of a request is and may do. */

import { describe, expect, test } from 'vitest';
import { issueKey } from '../../src/access/issue-key.ts';
import type { Scope } from '../../src/catalog/scopes.ts';
import { Stockbook } from '../../src/client/index.ts';
import { oneEngine } from '../support/engines.ts';
import { addAccount, NOW } from '../support/fixture.ts';
import { bodyOf, checkReply, checkRow, createPartner, type Row } from '../support/rows.ts';
import { bearer, keyId } from '../support/service.ts';
import { sharedService } from '../support/shared.ts';

const ME = '/api/v1/me';
const RATE_LIMIT = 50;

const rows: readonly Row[] = [
  { name: 'a trailing slash', request: { path: `${ME}/` }, status: 200 },
  { name: 'an empty query', request: { path: `${ME}?` }, status: 200 },
  {
    name: 'no key',
    request: { path: ME, headers: { authorization: undefined } },
    status: 401,
    has: { code: 'authentication_required' },
  },
  {
    name: 'a key that does not exist',
    request: { path: ME, headers: bearer('sbk_wrong') },
    status: 401,
    has: { code: 'credentials_malformed' },
  },
  { name: 'fields', request: { path: `${ME}?fields=key` }, status: 400, has: { code: 'unknown_parameter' } },
  { name: 'a broken query', request: { path: `${ME}?%zz` }, status: 400, has: { code: 'malformed_encoding' } },
  { name: 'a path below it', request: { path: `${ME}/key` }, status: 404, has: { code: 'path_not_found' } },
  { name: 'another case', request: { path: '/api/v1/ME' }, status: 404, has: { code: 'path_not_found' } },
  {
    name: 'POST',
    request: { method: 'POST', path: ME, body: '{}' },
    status: 405,
    has: { code: 'method_not_allowed' },
    headers: { allow: 'GET, HEAD, OPTIONS' },
  },
  { name: 'QUERY', request: { method: 'QUERY', path: ME }, status: 405, has: { code: 'method_not_allowed' } },
  { name: 'OPTIONS', request: { method: 'OPTIONS', path: ME }, status: 204, headers: { allow: 'GET, HEAD, OPTIONS' } },
];

describe.each(oneEngine)('on $name', (engine) => {
  const service = sharedService(engine);
  const limited = sharedService(engine, { settings: { 'rate-limit': String(RATE_LIMIT) } });

  test('has the account, the key and the limits, and nothing else', async () => {
    const reply = await service.send({ path: ME });
    checkReply(reply, {
      status: 200,
      body: {
        data: {
          account: { name: service.acme.name, currency: null },
          key: { id: keyId(service.key), name: 'test', scopes: ['read', 'write'], createdAt: NOW, expiresAt: null },
          limits: {
            requestsPerSecond: { key: null, account: null },
            recordsPerPage: { default: 10, maximum: 1000 },
            records: null,
            bytes: null,
          },
          storage: (({ records, bytes }) => ({ records, bytes }))(
            Object(await service.store.accounts.storage(service.acme.id)),
          ),
        },
      },
      headers: { 'cache-control': 'no-store', etag: undefined },
    });
    expect(reply.text).not.toContain(service.key.slice(-20));
  });

  test('beyond what the account may store, creates are a 403 with the numbers, and /me has them', async () => {
    const account = await addAccount(service.store, 'full');
    const headers = bearer(await service.issue(account));
    await service.store.accounts.setLimits(account.id, { recordLimit: 1 });
    expect(await service.send(createPartner('A', headers))).toRespond(201);
    checkReply(await service.send(createPartner('B', headers)), {
      status: 403,
      has: { code: 'storage_limit_reached', detail: 'The account would have 2 records; the limit is 1.' },
    });
    const storage = { records: 1, bytes: 73 };
    checkReply(await service.send({ path: ME, headers }), {
      status: 200,
      has: { data: { limits: { records: 1, bytes: null }, storage } },
    });
    await service.store.accounts.setLimits(account.id, { recordLimit: null, byteLimit: 100 });
    checkReply(await service.send(createPartner('B', headers)), {
      status: 403,
      has: { detail: "The values of the account's records would have 146 bytes; the limit is 100." },
    });
  });

  test.each<{ scopes: readonly Scope[] }>([{ scopes: ['read'] }, { scopes: ['write'] }])(
    'a key with $scopes may ask',
    async ({ scopes }) => {
      const key = await service.issue(service.acme, { scopes, expiresAt: '2999-01-01T00:00:00.000Z' });
      checkReply(await service.send({ path: ME, headers: bearer(key) }), {
        status: 200,
        has: { data: { key: { scopes, expiresAt: '2999-01-01T00:00:00.000Z' } } },
      });
    },
  );

  test('has the rate limit of the key, and counts towards it', async () => {
    const key = await limited.issue(limited.acme);
    const send = () => limited.send({ path: ME, headers: bearer(key) });
    const requestsPerSecond = { key: RATE_LIMIT, account: null };
    checkReply(await send(), { status: 200, has: { data: { limits: { requestsPerSecond } } } });
    await expect
      .poll(async () => (await Promise.all(Array.from({ length: 2 * RATE_LIMIT }, send))).map(({ status }) => status))
      .toContain(429);
  });

  test('a name is text, whatever it contains', async () => {
    const name = '"}, <script>alert(1)</script> \\ \u2028 é 😀';
    const terms = { account: service.acme.id, name, scopes: ['read'] as const, createdAt: NOW, expiresAt: null };
    const key = await issueKey(service.store.keys, terms);
    checkReply(await service.send({ path: ME, headers: bearer(key) }), {
      status: 200,
      has: { data: { key: { name } } },
    });
  });

  test('HEAD has the headers of GET', async () => {
    const get = await service.send({ path: ME });
    const head = await service.send({ method: 'HEAD', path: ME });
    expect({ status: head.status, text: head.text, length: head.headers['content-length'] }).toEqual({
      status: 200,
      text: '',
      length: get.headers['content-length'],
    });
  });

  test('a key that was revoked, expired or removed with its account gets a 401, although it was accepted before', async () => {
    const revoked = await service.issue(service.acme);
    const account = await service.store.accounts.add('me-removed', NOW);
    if (account === undefined) throw new Error('the account exists already');
    const removed = await service.issue(account);
    for (const key of [revoked, removed]) expect(await service.send({ path: ME, headers: bearer(key) })).toRespond(200);
    await service.store.keys.revoke(keyId(revoked), NOW);
    await service.store.accounts.remove(account.id);
    const expired = await service.issue(service.acme, { expiresAt: NOW });
    for (const key of [revoked, removed, expired])
      checkReply(await service.send({ path: ME, headers: bearer(key) }), {
        status: 401,
        has: { code: 'key_not_accepted' },
      });
  });

  test.each(rows)('$name is a $status', (row) => checkRow(service, row));

  test('is a method of the client', async () => {
    const stockbook = new Stockbook({ url: `http://127.0.0.1:${service.port}`, key: service.key });
    expect(await stockbook.me()).toEqual(bodyOf(await service.send({ path: ME })).data);
    const other = new Stockbook({ url: `http://127.0.0.1:${service.port}`, key: 'sbk_wrong' });
    await expect(other.me({ retries: 0 })).rejects.toMatchObject({ status: 401, code: 'credentials_malformed' });
  });
});
