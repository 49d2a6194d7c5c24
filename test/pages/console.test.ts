/** The console as it is sent: the page, its assets, and what clients get that are not browsers. One engine is enough. */

import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { get, type IncomingHttpHeaders } from 'node:http';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { builtInCatalog } from '../../src/catalog/catalog.ts';
import { apiPath } from '../../src/catalog/resource.ts';
import { Console } from '../../src/pages/console.ts';
import { Problem } from '../../src/problem/problem.ts';
import type { Reply } from '../../src/reply/reply.ts';
import type { Request } from '../../src/request/request.ts';
import { sqlite } from '../support/engines.ts';
import { attributes, nestingErrors } from '../support/html.ts';
import { sendRaw } from '../support/raw-socket.ts';
import { requestWith } from '../support/request.ts';
import { checkReply } from '../support/rows.ts';
import type { TestReply, TestRequest } from '../support/service.ts';
import { sharedFolder, sharedService } from '../support/shared.ts';

const BUILT = fileURLToPath(new URL('../../dist/console/', import.meta.url));
const BROWSER = 'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8';
const PATHS = ['/', ...builtInCatalog.resources.map(({ plural }) => `/${plural}`)];

const service = sharedService(sqlite);

function visit(path: string, headers: TestRequest['headers'] = {}, method = 'GET'): Promise<TestReply> {
  return service.send({ method, path, headers: { authorization: undefined, accept: BROWSER, ...headers } });
}

/** The bytes as they are sent. */
function bytesOf(path: string, acceptEncoding: string): Promise<{ headers: IncomingHttpHeaders; body: Buffer }> {
  return new Promise((resolve, reject) => {
    const headers = { 'accept-encoding': acceptEncoding };
    get({ host: '127.0.0.1', port: service.port, path, headers, agent: false }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () => resolve({ headers: response.headers, body: Buffer.concat(chunks) }));
    }).on('error', reject);
  });
}

describe('the page', () => {
  test.each([...PATHS, '/products/', '/products?filter=name*a&page=2', '/?x=%zz'])(
    'is the same at %s',
    async (path) => {
      const reply = await visit(path);
      expect(reply).toMatchObject({ status: 200, text: readFileSync(join(BUILT, 'index.html'), 'utf8') });
      expect(reply.headers).toMatchObject({
        'content-type': 'text/html; charset=utf-8',
        'cache-control': 'public, no-cache',
        vary: 'accept, accept-encoding',
        etag: expect.stringMatching(/^"[\w-]+"$/),
        'cross-origin-opener-policy': 'same-origin',
        'referrer-policy': 'no-referrer',
        'x-content-type-options': 'nosniff',
        'x-frame-options': 'DENY',
        'permissions-policy': expect.stringContaining('camera=()'),
      });
    },
  );

  test('its policy allows files of this host, and nothing inline', async () => {
    const policy = (await visit('/')).headers['content-security-policy'] ?? '';
    expect(policy.split('; ')).toEqual(
      expect.arrayContaining(["default-src 'none'", "script-src 'self'", "style-src 'self'", "connect-src 'self'"]),
    );
    expect(policy).not.toMatch(/unsafe|data:|blob:|\*|https?:/);
  });

  test('everything it loads is an asset that exists, or the icon', async () => {
    const { text } = await visit('/');
    const loaded = [...text.matchAll(/ (?:src|href)="([^"]+)"/g)].map(([, path = '']) => path);
    const own = loaded.filter((path) => path.startsWith('/console/assets/'));
    expect(own).not.toEqual([]);
    for (const path of loaded) expect((await visit(path)).status, path).toBe(200);
    expect(text).not.toMatch(/<style|<script(?![^>]* src=)[^>]*>/);
  });

  test('is a 304 if it is known, and has no body with HEAD', async () => {
    const { headers } = await visit('/');
    expect(await visit('/partners', { 'if-none-match': headers['etag'] })).toMatchObject({ status: 304, text: '' });
    const head = await visit('/', {}, 'HEAD');
    expect(head).toMatchObject({ status: 200, text: '' });
    expect(head.headers['content-length']).toBe(headers['content-length']);
  });

  test.each(['POST', 'PUT', 'DELETE', 'QUERY'])('%s is not allowed', async (method) => {
    const headers = { allow: 'GET, HEAD, OPTIONS' };
    checkReply(await visit('/', { accept: '*/*' }, method), { status: 405, headers });
    expect(await visit('/', {}, method)).toMatchObject({ status: 405, headers });
  });

  test.each(['/product', '/Products', '/products/1', '/inventory/product', '/doc', '/nonsense'])(
    '%s is not a page: programs get the problem, and browsers the console, which says so',
    async (path) => {
      for (const accept of [undefined, '*/*', 'application/json', 'text/html;q=0.1, application/json'])
        checkReply(await visit(path, { accept }), { status: 404, has: { code: 'path_not_found' } });
      const { status, headers, text } = await visit(path);
      expect([status, text]).toEqual([404, (await visit('/')).text]);
      expect(headers).toMatchObject({
        'content-type': 'text/html; charset=utf-8',
        'cache-control': 'no-store',
        vary: 'accept, accept-encoding',
        'content-security-policy': (await visit('/')).headers['content-security-policy'],
      });
      expect(headers).not.toHaveProperty('etag');
    },
  );

  test.each([
    ['/docs/guide', '/docs/guides'],
    ['/problems/nonsense', undefined],
    ['/console', undefined],
    ['/console/', undefined],
    ['/console/index.html', undefined],
    ['/index.html', undefined],
  ])('%s is not a page of the console: browsers get a page with links', async (path, meant) => {
    for (const accept of [undefined, '*/*', 'application/json', 'text/html;q=0.1, application/json'])
      checkReply(await visit(path, { accept }), { status: 404, has: { code: 'path_not_found' } });
    const { status, headers, text } = await visit(path);
    expect(status).toBe(404);
    expect(headers).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-store',
      vary: 'accept, accept-encoding',
      'content-security-policy': expect.stringContaining("default-src 'none'"),
    });
    expect(headers).not.toHaveProperty('etag');
    expect(nestingErrors(text)).toEqual([]);
    expect(text).toContain(`There is nothing at &#39;${path}&#39;.`);
    expect(/Did you mean <a href="([^"]+)">/.exec(text)?.[1]).toBe(meant);
    for (const link of ['/', '/products', '/docs', '/docs/guides', '/problems/path_not_found'])
      expect(attributes(text, 'href')).toContain(link);
  });

  test('whatever a wrong path contains is text', async () => {
    const { status, text } = await visit('/docs/%3Cscript%3Ealert(1)%3C/script%3E/%22%3E<img%20src=x>');
    expect([status, nestingErrors(text)]).toEqual([404, []]);
    expect(text).not.toMatch(/<script|<img/);
  });

  test('the target * is not /', async () => {
    const received = await sendRaw(service.port, 'GET * HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n');
    expect(received).toMatch(/^HTTP\/1\.1 40[04] /);
  });
});

describe('clients that do not prefer HTML', () => {
  test.each([undefined, '*/*', 'text/plain', 'application/json'])('get a text: %s', async (accept) => {
    for (const path of PATHS) {
      const reply = await visit(path, { accept });
      expect(reply).toMatchObject({ status: 200, headers: { 'content-type': 'text/plain; charset=utf-8' } });
      for (const resource of builtInCatalog.resources) expect(reply.text).toContain(`GET ${apiPath(resource)}\n`);
      expect(reply.text).toContain('/docs');
    }
  });
});

describe('an asset', () => {
  const names = () => readdirSync(join(BUILT, 'assets')).filter((name) => !/\.(?:br|gz)$/.test(name));
  const path = (name = names()[0]) => `/console/assets/${name}`;

  test.each([
    ['br', 'br'],
    ['gzip, deflate, br, zstd', 'br'],
    ['gzip, deflate', 'gzip'],
    ['br;q=0.5, gzip', 'gzip'],
    ['br;q=0, *', 'gzip'],
    ['zstd', undefined],
    ['identity', undefined],
    ['', undefined],
  ])('with Accept-Encoding: %s is sent in %s', async (accepted, coding) => {
    for (const name of names()) {
      const { headers, body } = await bytesOf(path(name), accepted);
      expect(headers).toMatchObject({
        vary: 'accept-encoding',
        'cache-control': 'public, max-age=31536000, immutable',
        'content-length': String(body.length),
      });
      expect(headers['content-encoding']).toBe(coding);
      const decode = { br: brotliDecompressSync, gzip: gunzipSync }[coding ?? ''] ?? ((bytes: Buffer) => bytes);
      expect(decode(body).equals(readFileSync(join(BUILT, 'assets', name)))).toBe(true);
    }
  });

  test('has a tag per coding, and is a 304 for each of them', async () => {
    const tags = await Promise.all(
      ['br', 'gzip', 'identity'].map(
        async (coding) => (await visit(path(), { 'accept-encoding': coding })).headers['etag'] ?? '',
      ),
    );
    expect(new Set(tags).size).toBe(3);
    for (const tag of tags)
      expect(await visit(path(), { 'accept-encoding': 'br', 'if-none-match': tag })).toMatchObject({
        status: 304,
        text: '',
        headers: { etag: tag, 'cache-control': 'public, max-age=31536000, immutable' },
      });
    expect(await visit(path(), { 'if-none-match': '"other"' })).toRespond(200);
  });

  test('HEAD has the headers of GET', async () => {
    const { headers } = await visit(path(), { 'accept-encoding': 'br' });
    const head = await visit(path(), { 'accept-encoding': 'br' }, 'HEAD');
    expect(head).toMatchObject({ status: 200, text: '' });
    for (const name of ['content-length', 'etag', 'content-encoding', 'content-type'])
      expect(head.headers[name]).toBe(headers[name]);
  });

  test.each([
    'nothing.js',
    '..%2findex.html',
    '..%2f..%2f..%2fpackage.json',
    '%2e%2e%2findex.html',
    '..%5cindex.html',
    'index.html',
    '__proto__',
    'constructor',
    '%00',
    '%252e%252e%252findex.html',
    'x'.repeat(5_000),
  ])('%s does not exist', async (name) => {
    const reply = await visit(`/console/assets/${name}`, { accept: '*/*' });
    checkReply(reply, {
      status: 404,
      has: { code: 'path_not_found', suggestion: 'Reload the page: it may be from another version.' },
      headers: { 'cache-control': 'no-store' },
    });
  });

  test('compressed forms and directories are not assets of their own', async () => {
    for (const name of [`${names()[0]}.br`, `${names()[0]}.gz`, '', '.', '..'])
      expect(
        await sendRaw(service.port, `GET /console/assets/${name} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`),
      ).toMatch(/^HTTP\/1\.1 404 /);
  });
});

describe('a console', () => {
  const folder = sharedFolder();
  const request = (headers: Request['headers'] = {}) => requestWith({ headers });
  const replyOf = (outcome: Reply | Problem): Reply => {
    if (outcome instanceof Problem) throw new Error(outcome.detail);
    return outcome;
  };

  test('that is not built says so, until it is', async () => {
    const built = new Console(pathToFileURL(`${folder.path}/`));
    const missing = replyOf(await built.page(request({ accept: BROWSER })));
    expect(missing).toMatchObject({ status: 503, headers: { 'cache-control': 'no-store' } });
    expect(missing.headers).not.toHaveProperty('etag');
    expect(String(missing.body)).toContain('npm run build');
    expect(await built.asset(request(), 'main.js')).toMatchObject({
      code: 'path_not_found',
      context: { suggestion: expect.stringContaining('npm run build') },
    });
    expect(replyOf(await built.page(request({ accept: '*/*' }))).status).toBe(200);

    mkdirSync(join(folder.path, 'assets'));
    writeFileSync(join(folder.path, 'index.html'), '<!doctype html>');
    writeFileSync(join(folder.path, 'assets', 'main.js'), 'main()');
    writeFileSync(join(folder.path, 'assets', 'notes.txt'), 'not served');
    expect(replyOf(await built.page(request({ accept: BROWSER })))).toMatchObject({ status: 200 });
    // Without compressed forms it is sent as it is.
    const asset = replyOf(await built.asset(request({ 'accept-encoding': 'br, gzip' }), 'main.js'));
    expect(asset.headers).not.toHaveProperty('content-encoding');
    expect(await built.asset(request(), 'notes.txt')).toBeInstanceOf(Problem);
  });
});
