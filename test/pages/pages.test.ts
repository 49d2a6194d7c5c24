/** The pages under /docs and /problems, over a socket. They do not use the store, so one engine is enough. */

import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { request as httpRequest } from 'node:http';
import { gunzipSync } from 'node:zlib';
import { beforeAll, describe, expect, test } from 'vitest';
import { readGuidePages } from '../../src/pages/guides.ts';
import { html } from '../../src/pages/html.ts';
import { ifBuilt, notBuilt } from '../../src/pages/not-built.ts';
import { registry } from '../../src/problem/registry.ts';
import { sqlite } from '../support/engines.ts';
import { attributes, nestingErrors } from '../support/html.ts';
import { sendRaw } from '../support/raw-socket.ts';
import type { TestReply, TestRequest } from '../support/service.ts';
import { sharedService } from '../support/shared.ts';

const ROOT = new URL('../../', import.meta.url);
const BROWSER = 'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8';

const service = sharedService(sqlite);

/** As a browser without a key. */
function visit(path: string, headers: TestRequest['headers'] = {}, method = 'GET'): Promise<TestReply> {
  return service.send({ method, path, headers: { authorization: undefined, accept: BROWSER, ...headers } });
}

/** Everything that can be reached by links. */
async function crawl(): Promise<ReadonlyMap<string, TestReply>> {
  const pages = new Map<string, TestReply>();
  const queue = ['/docs', '/docs/guides', '/problems'];
  for (let path = queue.shift(); path !== undefined; path = queue.shift()) {
    if (pages.has(path)) continue;
    const page = await visit(path);
    pages.set(path, page);
    if (!page.headers['content-type']?.startsWith('text/html')) continue;
    const links = [...attributes(page.text, 'href'), ...attributes(page.text, 'src')];
    const paths = links.filter((link) => link.startsWith('/')).map((link) => link.replace(/#.*/, ''));
    // Not pages like these: data, and the console.
    queue.push(...paths.filter((path) => path !== '/openapi.json' && path !== '/'));
  }
  return pages;
}

const sha256 = (bytes: string | Uint8Array) => createHash('sha256').update(bytes).digest('hex');

describe('all pages', () => {
  let pages: ReadonlyMap<string, TestReply>;
  beforeAll(async () => {
    pages = await crawl();
  });
  const isHtml = ({ headers }: TestReply) => headers['content-type'] === 'text/html; charset=utf-8';
  const htmlPages = () => [...pages].filter(([, page]) => isHtml(page));

  test('every link leads to a page, and every anchor to a heading', () => {
    for (const [path, { status }] of pages) expect(status, path).toBe(200);
    for (const [path, { text }] of htmlPages()) {
      for (const link of attributes(text, 'href')) {
        const [target = '', anchor] = link.split('#');
        expect(link, path).toMatch(/^(?:\/|#|https?:\/\/)/);
        if (anchor === undefined || /^https?:/.test(link)) continue;
        const ids = attributes(pages.get(target === '' ? path : target)?.text ?? '', 'id');
        expect(ids, `${link} on ${path}`).toContain(anchor);
      }
    }
  });

  test('every guide in docs/ and every error has a page that is linked, and decision records have none', () => {
    const guides = readdirSync(new URL('docs/', ROOT))
      .filter((name) => name.endsWith('.md'))
      .map((name) => `/docs/guides/${name.slice(0, -'.md'.length)}`);
    const problems = Object.keys(registry).map((code) => `/problems/${code}`);
    expect([...pages.keys()]).toEqual(
      expect.arrayContaining([
        ...guides,
        ...problems,
        '/docs/guides/performance.svg',
        '/docs/guides/console-light.png',
      ]),
    );
    expect([...pages.keys()].filter((path) => path.includes('decisions'))).toEqual([]);
  });

  test('are HTML whose elements are closed, with a title, and with nothing from other hosts', () => {
    for (const [path, { text }] of htmlPages()) {
      expect(nestingErrors(text), path).toEqual([]);
      expect(text, path).toMatch(/^<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">/);
      expect(text, path).toMatch(/<title>[^<]+ · Stockbook<\/title>/);
      expect(text, path).not.toMatch(
        /(?:src|srcset|action)="(?:https?:)?\/\/|<link[^>]+href="(?:https?:)?\/\/|<style|style=/,
      );
      expect(new Set(attributes(text, 'id')).size, path).toBe(attributes(text, 'id').length);
    }
  });

  test('can neither be framed nor load anything from other hosts', () => {
    for (const [path, { headers }] of pages) {
      const policy = headers['content-security-policy'];
      expect(policy, path).toMatch(/^default-src 'none'; /);
      expect(policy, path).toContain("frame-ancestors 'none'");
      expect(policy, path).not.toMatch(/https?:|\*|unsafe-eval|script-src[^;]*unsafe-inline/);
      if (path !== '/docs') expect(policy, path).not.toMatch(/script-src|unsafe-inline/);
      expect(headers, path).toMatchObject({
        'x-content-type-options': 'nosniff',
        'x-frame-options': 'DENY',
        'referrer-policy': 'no-referrer',
        'cache-control': 'public, no-cache',
        etag: expect.stringMatching(/^"[\w-]{22}"$/),
      });
    }
  });

  test('are the same bytes when requested again, and a 304 with their entity tag', async () => {
    for (const [path, { headers, text }] of pages) {
      expect({ path, sha256: sha256((await visit(path)).text) }).toEqual({ path, sha256: sha256(text) });
      const { etag } = headers;
      const unchanged = await visit(path, { 'if-none-match': etag });
      expect(unchanged, path).toMatchObject({ status: 304, text: '', headers: { etag } });
      expect(unchanged.headers, path).not.toHaveProperty('content-type');
      const head = await visit(path, {}, 'HEAD');
      expect(head, path).toMatchObject({ status: 200, text: '', headers: { etag } });
      expect(head.headers['content-length'], path).toBe(headers['content-length']);
    }
  });

  test('have the media types of their contents', () => {
    const typeOf = (path: string) => pages.get(path)?.headers['content-type'];
    expect(typeOf('/docs/assets/docs.css')).toBe('text/css; charset=utf-8');
    expect(typeOf('/docs/assets/scalar.js')).toBe('text/javascript; charset=utf-8');
    expect(typeOf('/docs/assets/reference.js')).toBe('text/javascript; charset=utf-8');
    expect(typeOf('/docs/assets/icon.svg')).toBe('image/svg+xml');
    expect(typeOf('/docs/guides/console-light.png')).toBe('image/png');
    expect(typeOf('/docs/guides/performance.svg')).toBe('image/svg+xml');
  });
});

test('a guide has anchors, contents, tables, code and links to other guides', async () => {
  const { text } = await visit('/docs/guides/filter/');
  expect(text).toContain('<h1 id="filter-language">Filter language ');
  expect(text).toContain('<h2 id="operators">Operators <a class="anchor" href="#operators"');
  expect(text).toContain('<li class="level-2"><a href="#operators">Operators</a></li>');
  expect(text).toContain('<code>categ_id![4,null]</code>');
  expect(text).toContain('<a href="/docs/guides/api#fields">');
  expect(text).toContain('<pre tabindex="0"><code>list_price&gt;100\n');
});

test('a link to a file that is not served is text', async () => {
  const { text } = await visit('/docs/guides/operations');
  expect(text).not.toContain('ops/README.md"');
  expect(text).toContain('<code>ops/</code> in the package');
});

test('the list of guides has the title and the first sentence of each', async () => {
  const { text } = await visit('/docs/guides');
  expect(text).toContain(
    '<li><a href="/docs/guides/filter">Filter language</a><p>A filter selects the records of a list for which it is true.</p></li>',
  );
});

test('guides that were not rendered, in a checkout, are a 503 that says how to', async () => {
  const missing = new URL('test/pages/missing.json', ROOT);
  expect(await ifBuilt(readGuidePages(missing))).toBeUndefined();
  const { status, headers, body } = notBuilt('guides', html`the <a href="/docs">reference</a>`);
  expect({ status, headers }).toMatchObject({ status: 503, headers: { 'cache-control': 'no-store' } });
  expect(body).toContain('<code>npm run build</code>');
});

describe('what does not exist', () => {
  test.each([
    ['/docs/guides/filtr', 'Did you mean /docs/guides/filter?'],
    ['/docs/guides/Api', 'Did you mean /docs/guides/api?'],
    ['/docs/assets/doc.css', 'Did you mean /docs/assets/docs.css?'],
    ['/problems/unknown_feild', 'Did you mean /problems/unknown_field?'],
    ['/docs/guides/zzzzzzzzz', 'See /docs/guides for all guides, and /problems for all errors.'],
  ])('%s is a 404 that suggests a page', async (path, suggestion) => {
    expect(await visit(path, { accept: '*/*' })).toRespond(404, { code: 'path_not_found', suggestion });
    const { status, text } = await visit(path);
    expect(status).toBe(404);
    for (const [link] of suggestion.matchAll(/\/[\w/.-]*\w/g)) expect(text).toContain(`<a href="${link}">${link}</a>`);
  });

  test.each([
    '/docs/guides/..%2F..%2Fpackage.json',
    '/docs/guides/../../package.json',
    '/docs/guides/..%5C..%5Cpackage.json',
    '/docs/guides/api.md',
    '/docs/guides/%00',
    '/docs/guides/api%00',
    '/docs/guides/__proto__',
    '/docs/guides/constructor',
    '/docs/assets/scalar%2Fsource.json',
    '/docs/assets/..%2Fpackage.json',
    '/docs/assets/__proto__',
    '/docs/assets/',
    '/problems/toString',
    `/docs/guides/${'a'.repeat(30_000)}`,
  ])('%s is a 404', async (path) => {
    expect(await visit(path, { accept: '*/*' })).toRespond(404, { code: 'path_not_found' });
    expect(await visit(path)).toMatchObject({ status: 404, headers: { 'content-type': 'text/html; charset=utf-8' } });
  });

  test('other methods are a 405', async () => {
    for (const path of ['/docs', '/docs/guides/api', '/docs/assets/scalar.js', '/problems'])
      expect(await visit(path, {}, 'POST'), path).toRespond(405);
  });
});

describe('the pages about errors', () => {
  test.each([
    [BROWSER, 'html'],
    ['text/html', 'html'],
    ['text/plain;q=0.5, text/html', 'html'],
    ['*/*', 'plain'],
    [undefined, 'plain'],
    ['text/plain', 'plain'],
    ['text/html;q=0.5, text/plain', 'plain'],
    ['text/html;q=0, */*', 'plain'],
    ['application/json', 'plain'],
  ])('for Accept: %s are text/%s', async (accept, type) => {
    for (const path of ['/problems', '/problems/unknown_field']) {
      const { headers } = await visit(path, { accept });
      expect(headers).toMatchObject({ 'content-type': `text/${type}; charset=utf-8`, vary: 'accept, accept-encoding' });
    }
  });

  test('have code, status, title and hint in both forms', async () => {
    const { status, title, hint } = registry.scope_missing;
    const plain = await visit('/problems/scope_missing', { accept: '*/*' });
    expect(plain.text).toBe(`scope_missing\n\n${status} ${title}\n\n${hint}\n`);
    const page = await visit('/problems/scope_missing');
    expect(page.text).toContain(`<h1>${title}</h1>`);
    expect(page.text).toContain('<code>scope_missing</code>');
    expect(page.text).toContain('<dd>403</dd>');
    expect(page.text).toContain('<code>stockbook key add ACCOUNT --name LABEL --scope SCOPES</code>');
    expect(page.text).toContain('<a href="/problems">All errors</a>');
    expect(page.headers['etag']).not.toBe(plain.headers['etag']);
  });

  test('are listed in both forms', async () => {
    const plain = await visit('/problems', { accept: '*/*' });
    const page = await visit('/problems');
    for (const [code, { status, title }] of Object.entries(registry)) {
      expect(plain.text).toMatch(new RegExp(`^${code} +${status}  ${title}$`, 'm'));
      expect(page.text).toContain(`<a href="/problems/${code}"><code>${code}</code></a></td><td>${status}</td>`);
    }
  });
});

describe('Scalar', () => {
  const source = JSON.parse(readFileSync(new URL('assets/scalar/source.json', ROOT), 'utf8'));

  /** With its body as it was sent. */
  const download = (acceptEncoding: string) =>
    new Promise<{ headers: Readonly<Record<string, unknown>>; body: Buffer }>((resolve, reject) => {
      const options = { port: service.port, path: '/docs/assets/scalar.js' };
      httpRequest({ ...options, headers: { 'accept-encoding': acceptEncoding } }, (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('end', () => resolve({ headers: response.headers, body: Buffer.concat(chunks) }));
      })
        .on('error', reject)
        .end();
    });

  test('is the file of the npm package that source.json names', async () => {
    const { headers, text } = await visit('/docs/assets/scalar.js');
    expect(headers).not.toHaveProperty('content-encoding');
    expect(sha256(text)).toBe(source.sha256);
    expect(text.match(new RegExp(source.version.replaceAll('.', '\\.')))?.[0]).toBe(source.version);
  });

  test('is complete if the client announces a body that it does not send', async () => {
    const head =
      'GET /docs/assets/scalar.js HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1\r\nConnection: close\r\n\r\n';
    const response = await sendRaw(service.port, head);
    expect(sha256(response.slice(response.indexOf('\r\n\r\n') + 4))).toBe(source.sha256);
  });

  test.each(['gzip', 'gzip, deflate, br, zstd', '*', 'br;q=1, gzip;q=0.1'])(
    'is compressed for Accept-Encoding: %s',
    async (accepted) => {
      const { headers, body } = await download(accepted);
      expect(headers).toMatchObject({ 'content-encoding': 'gzip', vary: 'accept-encoding' });
      expect(headers['content-length']).toBe(String(body.length));
      expect(sha256(gunzipSync(body))).toBe(source.sha256);
    },
  );

  test('has a tag for each coding, and either is known', async () => {
    const tags = [String((await download('')).headers['etag']), String((await download('gzip')).headers['etag'])];
    expect(tags[1]).toBe(tags[0]?.replace(/"$/, '-gzip"'));
    for (const accepted of ['gzip', 'identity'])
      for (const tag of tags)
        expect(
          await service.send({
            path: '/docs/assets/scalar.js',
            headers: { 'accept-encoding': accepted, 'if-none-match': tag },
          }),
        ).toMatchObject({ status: 304, headers: { etag: tag } });
  });

  test.each(['', 'identity', 'br', 'gzip;q=0', `gzip${', x'.repeat(400)}`])(
    'is sent as it is for Accept-Encoding: %s',
    async (accepted) => {
      const { headers, body } = await download(accepted);
      expect(headers).not.toHaveProperty('content-encoding');
      expect(sha256(body)).toBe(source.sha256);
    },
  );

  test('has an entity tag for each form', async () => {
    const { headers: compressed } = await visit('/docs/assets/scalar.js', { 'accept-encoding': 'gzip' }, 'HEAD');
    const { headers: plain } = await visit('/docs/assets/scalar.js', {}, 'HEAD');
    expect(compressed['etag']).not.toBe(plain['etag']);
  });
});
