/** Basic authentication: the key as the password, for programs that read and cannot send another header. */

import { describe, expect, test } from 'vitest';
import { generateKey, printKey } from '../../src/access/key.ts';
import { issueSignInCode } from '../../src/access/sign-in.ts';
import { oneEngine } from '../support/engines.ts';
import { sendRaw } from '../support/raw-socket.ts';
import { bodyOf, COMPANIES, checkReply, checkRow, createPartner, PARTNERS, PRODUCTS } from '../support/rows.ts';
import { bearer, keyId, send, type TestRequest } from '../support/service.ts';
import { sharedService } from '../support/shared.ts';

type Headers = NonNullable<TestRequest['headers']>;

const basic = (password: string, user = 'anybody') => ({ authorization: `Basic ${btoa(`${user}:${password}`)}` });

/** What programs get to know. */
const CHALLENGE = 'Basic realm="stockbook", charset="UTF-8", Bearer realm="stockbook"';

describe.each(oneEngine)('on $name', (engine) => {
  const service = sharedService(engine);
  const hosted = sharedService(engine, { settings: { domain: 'stock.example.com' } });
  const limited = sharedService(engine, { settings: { 'failed-auth-limit': '1' } });

  test.each(['anybody', '', 'sbk_', 'a b', 'ünïcode'])('the user name can be %j', async (user) => {
    const encoded = Buffer.from(`${user}:${service.key}`).toString('base64');
    for (const authorization of [`Basic ${encoded}`, `basic   ${encoded}`, `BASIC ${encoded}`])
      checkReply(await service.send({ path: `${PRODUCTS}/1`, headers: { authorization } }), {
        status: 200,
        has: { data: { id: 1 } },
      });
  });

  test('every GET and HEAD is the same as with Bearer', async () => {
    const targets = [
      `${PRODUCTS}?limit=2`,
      `${PRODUCTS}?format=csv&fields=id,name`,
      `${PRODUCTS}?format=xlsx&fields=id`,
      `${PRODUCTS}/aggregate`,
      `${PRODUCTS}/digest`,
      `${PRODUCTS}/changes?limit=1`,
      '/api/v1/me',
      '/api/v1/fields',
      '/api/v1/views',
      '/openapi.json',
    ];
    for (const path of targets)
      for (const method of ['GET', 'HEAD']) {
        const [own, other] = [
          await service.send({ method, path, headers: basic(service.key) }),
          await service.send({ method, path }),
        ];
        expect({ path, status: own.status, etag: own.headers['etag'], text: own.text.length }).toEqual({
          path,
          status: 200,
          etag: other.headers['etag'],
          text: other.text.length,
        });
      }
  });

  test('nothing can be changed with it, not even after the key has read with it', async () => {
    const editor = basic(await service.issue(service.acme, { scopes: ['read', 'write', 'edit'] }));
    const json = { 'content-type': 'application/json' };
    checkReply(await service.send({ path: COMPANIES, headers: editor }), { status: 200 });
    const before = bodyOf(await service.send({ path: `${PARTNERS}?limit=1` })).meta.total;
    for (const request of [
      createPartner('Forged', editor),
      { method: 'PATCH', path: `${PARTNERS}/1`, headers: { ...editor, ...json }, body: '{"city":"Rom"}' },
      { method: 'DELETE', path: `${PARTNERS}/1`, headers: editor },
      { method: 'POST', path: `${PARTNERS}/import`, headers: { ...editor, ...json }, body: '[{"name":"A"}]' },
      { method: 'PUT', path: '/api/v1/views/v', headers: { ...editor, ...json }, body: '{}' },
      {
        method: 'QUERY',
        path: PRODUCTS,
        headers: { ...editor, 'content-type': 'application/x-www-form-urlencoded' },
        body: 'limit=1',
      },
      {
        method: 'POST',
        path: '/api/v1/session',
        headers: { ...editor, ...json, 'stockbook-console': 'http' },
        body: '{"remember":false}',
      },
      { method: 'POST', path: '/mcp', headers: { ...editor, ...json }, body: '{}' },
      { method: 'OPTIONS', path: PRODUCTS, headers: editor },
    ])
      checkReply(await service.send(request), {
        status: 401,
        has: {
          code: 'basic_not_accepted',
          detail: `Basic authentication is accepted for GET and HEAD, not for ${request.method}.`,
        },
        headers: { 'www-authenticate': 'Bearer realm="stockbook"', 'set-cookie': undefined },
      });
    expect(bodyOf(await service.send({ path: `${PARTNERS}?limit=1` })).meta.total).toBe(before);
  });

  test.each<[string, Headers]>([
    ['another site', { 'sec-fetch-site': 'cross-site' }],
    ['another host of this site', { 'sec-fetch-site': 'same-site' }],
    [
      'a link on another site',
      { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' },
    ],
    [
      'an image on another site',
      { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'no-cors', 'sec-fetch-dest': 'image' },
    ],
    ['another origin', { origin: 'https://evil.test' }],
    ['a sandboxed page', { origin: 'null' }],
    ['an origin that begins alike', { origin: 'http://127.0.0.1.evil.test' }],
    ['nonsense', { origin: 'x' }],
  ])('it does not count if the request comes from %s, even with a cached session', async (_, headers) => {
    expect(await service.send({ path: PRODUCTS, headers: basic(service.key) })).toRespond(200);
    for (const path of [PRODUCTS, '/openapi.json'])
      checkReply(await service.send({ path, headers: { ...basic(service.key), ...headers } }), {
        status: 401,
        has: { code: 'basic_not_accepted', detail: 'A page of another origin has made the browser send this request.' },
        headers: { 'www-authenticate': 'Bearer realm="stockbook"' },
      });
    // With Bearer, it is the page that has the key.
    expect(await service.send({ path: PRODUCTS, headers })).toRespond(200);
  });

  test.each<[string, Headers]>([
    ['somebody has typed', { 'sec-fetch-site': 'none', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' }],
    ['a page of this host sends', { 'sec-fetch-site': 'same-origin', origin: 'http://127.0.0.1:8443' }],
  ])('it counts for what %s', async (_, headers) => {
    checkReply(await service.send({ path: `${PRODUCTS}/1`, headers: { ...basic(service.key), ...headers } }), {
      status: 200,
    });
  });

  test.each<[string, Headers]>([
    ['no key', { authorization: undefined }],
    ['a wrong key', basic(printKey(generateKey()))],
    ['something that is no key', basic('secret')],
    ['no password', { authorization: `Basic ${btoa('anybody')}` }],
    ['the key as the user name', { authorization: `Basic ${btoa(`${printKey(generateKey())}:`)}` }],
    ['nothing', { authorization: 'Basic' }],
    ['no base64', { authorization: 'Basic \u00ff\u00fe' }],
    ['a wrong key as Bearer', bearer(printKey(generateKey()))],
  ])('programs with %s are asked for it', async (_, headers) => {
    for (const accept of [undefined, '*/*', 'text/csv', 'application/json']) {
      const reply = await service.send({ path: PRODUCTS, headers: { ...headers, accept } });
      expect(reply).toRespond(401);
      expect(reply.headers['www-authenticate']?.replace(', error="invalid_token"', '')).toBe(CHALLENGE);
    }
    const head = await service.send({ method: 'HEAD', path: PRODUCTS, headers });
    expect([head.status, head.headers['www-authenticate']?.startsWith('Basic ')]).toEqual([401, true]);
  });

  test.each<[string, Headers]>([
    ['that opens an address', { accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8' }],
    [
      'that opens an address securely',
      { 'sec-fetch-site': 'none', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' },
    ],
    [
      'whose page sends a request',
      { 'sec-fetch-site': 'same-origin', 'sec-fetch-mode': 'cors', 'sec-fetch-dest': 'empty' },
    ],
    ['that only names the mode', { 'sec-fetch-mode': 'cors' }],
    ['with another page', { origin: 'https://evil.test' }],
    ['with the console', { 'stockbook-console': 'http' }],
  ])('a browser %s is not asked for it, and so has no password to send', async (_, headers) => {
    for (const authorization of [undefined, 'Bearer sbk_wrong'])
      for (const path of [PRODUCTS, '/api/v1/nothing']) {
        const reply = await service.send({ path, headers: { authorization, ...headers } });
        expect(reply).toRespond(401);
        expect(reply.headers['www-authenticate']).not.toMatch(/basic/i);
      }
  });

  test('who cannot use it is not asked for it', async () => {
    for (const request of [
      createPartner('A', { authorization: undefined }),
      { method: 'POST', path: '/mcp', headers: { authorization: undefined } },
    ])
      checkReply(await service.send(request), {
        status: 401,
        headers: { 'www-authenticate': 'Bearer realm="stockbook"' },
      });
    const reader = await service.issue(service.acme, { scopes: ['company:read'] });
    checkReply(await service.send({ path: PRODUCTS, headers: basic(reader) }), {
      status: 403,
      has: { code: 'scope_missing' },
      headers: { 'www-authenticate': /^Bearer realm="stockbook", error="insufficient_scope"/ },
    });
  });

  test('what is wrong with the password is said, without it', async () => {
    const detailOf = async (headers: Headers) => Object((await service.send({ path: PRODUCTS, headers })).json).detail;
    for (const authorization of [basic('x').authorization, `Basic ${btoa(`${service.key}:`)}`])
      expect(await detailOf({ authorization })).toBe(
        'The password is not a complete key. The user name can be anything.',
      );
    expect(await detailOf(basic(printKey(generateKey())))).toBe('This key is not accepted for this host.');
    const code = await issueSignInCode(service.store.keys, service.acme.id, Date.now());
    expect(await detailOf(basic(code))).toContain('requires the scope');
  });

  test('hosts, revocation and expiry are as with Bearer', async () => {
    const path = `${PRODUCTS}/1`;
    const host = 'acme.stock.example.com';
    const at = (headers: Headers) => send(hosted.port, { path, headers });
    expect(await at({ ...basic(hosted.key), host })).toRespond(200);
    expect(await at({ ...basic(hosted.key), host: 'globex.stock.example.com' })).toRespond(401);
    expect(await at({ ...basic(hosted.key), host: 'elsewhere.test' })).toRespond(401);
    expect(await at({ ...basic(hosted.key), host, origin: `https://${host}` })).toRespond(200);
    expect(await at({ ...basic(hosted.key), host, origin: 'https://globex.stock.example.com' })).toRespond(401);
    const key = await service.issue(service.acme);
    expect(await service.send({ path, headers: basic(key) })).toRespond(200);
    await service.store.keys.revoke(keyId(key), new Date().toISOString());
    expect(await service.send({ path, headers: basic(key) })).toRespond(401);
  });

  test('wrong keys are limited together with those of Bearer, and requests that other pages make do not count', async () => {
    const statusOf = async (headers: Headers) => (await limited.send({ path: PRODUCTS, headers })).status;
    const own = basic(limited.key);
    expect(await statusOf(own)).toBe(200);
    for (let n = 0; n < 30; n += 1)
      expect(await statusOf({ ...basic('sbk_wrong'), 'sec-fetch-site': 'cross-site' })).toBe(401);
    for (let n = 0; n < 10; n += 1)
      expect(await statusOf(n % 2 === 0 ? basic('sbk_wrong') : bearer('sbk_wrong'))).toBe(401);
    expect(await statusOf(basic('sbk_wrong'))).toBe(429);
    expect(await statusOf(bearer('sbk_wrong'))).toBe(429);
    // What was accepted before is.
    expect(await statusOf(own)).toBe(200);
  });

  test('several Authorization headers are a 400, whatever their schemes', async () => {
    const lines = [basic(service.key).authorization, `Bearer ${service.key}`].map(
      (value) => `Authorization: ${value}\r\n`,
    );
    const text = await sendRaw(
      service.port,
      `GET ${PRODUCTS} HTTP/1.1\r\nHost: a\r\n${lines.join('')}Connection: close\r\n\r\n`,
    );
    expect(text).toMatch(/^HTTP\/1\.1 400 /);
  });

  test('pages that need no key take no notice of it', async () => {
    await checkRow(service, { request: { path: '/problems/unknown_field', headers: basic('x') }, status: 200 });
    expect(await service.send({ path: '/docs', headers: { ...basic('x'), 'sec-fetch-site': 'cross-site' } })).toRespond(
      200,
    );
  });
});
