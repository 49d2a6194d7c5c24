/**
 * The console: a page that shows an account to whoever has a key for it. The page itself is the same for everyone. It is built
 * from `console/` into `dist/console/`, which is read once.
 */

import { readdir, readFile } from 'node:fs/promises';
import { resources } from '../catalog/catalog.ts';
import { apiPath } from '../catalog/resource.ts';
import { Problem } from '../problem/problem.ts';
import { quoted } from '../problem/quoted.ts';
import { registry } from '../problem/registry.ts';
import { FILE_CODINGS, type FileCoding } from '../reply/compressed-text.ts';
import type { Reply } from '../reply/reply.ts';
import { pageFormat } from '../request/accept.ts';
import type { Request } from '../request/request.ts';
import { html } from './html.ts';
import { ifBuilt, notBuilt } from './not-built.ts';
import { once } from './once.ts';
import { PACKAGE } from './package.ts';
import { HTML, kept, newPage, type Page, pageReply, tagOf } from './page.ts';
import { PrecompressedFile } from './precompressed-file.ts';

const BUILT = new URL('dist/console/', PACKAGE);

/** Scripts and styles are files of this host, and requests go to this host. */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "font-src 'self'",
  "connect-src 'self'",
  "form-action 'none'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ');

const PAGE_HEADERS = {
  'content-security-policy': CONTENT_SECURITY_POLICY,
  'cross-origin-opener-policy': 'same-origin',
  'permissions-policy': 'camera=(), display-capture=(), geolocation=(), microphone=(), payment=(), usb=()',
  // The form depends on the request, and so does the coding.
  vary: 'accept, accept-encoding',
};

/** The name of an asset changes with its content. */
const ASSET_HEADERS = { 'cache-control': 'public, max-age=31536000, immutable' };

/** By file extension. */
const MEDIA_TYPES: Readonly<Record<string, string>> = {
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  svg: 'image/svg+xml',
  png: 'image/png',
  woff2: 'font/woff2',
};

const EXTENSIONS: Readonly<Record<FileCoding, string>> = { br: '.br', gzip: '.gz' };

interface Built {
  readonly page: Page;
  /** By name. */
  readonly assets: ReadonlyMap<string, PrecompressedFile>;
}

export class Console {
  readonly #read: () => Promise<Built>;
  readonly #text = once(async () => newPage('text/plain; charset=utf-8', TEXT, { vary: PAGE_HEADERS.vary }));

  constructor(folder = BUILT) {
    this.#read = once(() => readBuilt(folder));
  }

  /** The page for browsers, and for programs a text that says what there is instead. */
  async page(request: Request): Promise<Reply | Problem> {
    const format = pageFormat(request.headers.accept);
    if (format instanceof Problem) return format;
    if (format === 'text') return pageReply(await this.#text(), request);
    const built = await ifBuilt(this.#read());
    return built === undefined
      ? notBuilt('console', OTHERS, { vary: PAGE_HEADERS.vary })
      : pageReply(built.page, request);
  }

  /** The page says that there is nothing at its address. Undefined if it has not been built. */
  async wrongPath(): Promise<Reply | undefined> {
    const built = await ifBuilt(this.#read());
    if (built === undefined) return undefined;
    const { headers, body, compressed } = built.page;
    const { etag: _, ...others } = headers;
    return {
      status: registry.path_not_found.status,
      headers: { ...others, 'cache-control': 'no-store' },
      body,
      compressed,
      problem: 'path_not_found',
    };
  }

  async asset(request: Request, name: string): Promise<Reply | Problem> {
    const built = await ifBuilt(this.#read());
    const file = built?.assets.get(name);
    if (file !== undefined) return file.reply(request);
    return new Problem('path_not_found', `The console has no asset ${quoted(name)}.`, {
      suggestion: built === undefined ? NOT_BUILT : 'Reload the page: it may be from another version.',
    });
  }
}

/** All of it, so that the page and its assets are of one build even if it is built again. */
async function readBuilt(folder: URL): Promise<Built> {
  const page = kept(newPage(HTML, await readFile(new URL('index.html', folder), 'utf8'), PAGE_HEADERS));
  const assets = new URL('assets/', folder);
  const names = await readdir(assets);
  const contents = new Map(
    await Promise.all(names.map(async (name) => [name, await readFile(new URL(name, assets))] as const)),
  );
  const files = [...contents].flatMap(([name, bytes]) => {
    const type = MEDIA_TYPES[name.slice(name.lastIndexOf('.') + 1)];
    if (type === undefined) return [];
    const compressed = new Map(
      FILE_CODINGS.flatMap((coding) => {
        const form = contents.get(name + EXTENSIONS[coding]);
        return form === undefined ? [] : [[coding, async () => form] as const];
      }),
    );
    const forms = { type, tag: async () => tagOf([bytes]), identity: async () => bytes, compressed };
    return [[name, new PrecompressedFile(forms, ASSET_HEADERS)] as const];
  });
  return { page, assets: new Map(files) };
}

const NOT_BUILT = 'The console has not been built: run `npm run build` in the directory of Stockbook.';

const OTHERS = html`the <a href="/docs">reference</a>, in which you can send requests, and the <a href="/docs/guides">guides</a>`;

const TEXT = `Stockbook: an account's products, partners and companies as JSON over HTTP.

In a browser, this address is the console, and /docs has the documentation.

${resources.map((resource) => `  GET ${apiPath(resource)}`).join('\n')}
  GET /api/v1/me
  GET /openapi.json

Requests under /api need a key:

  curl -H "Authorization: Bearer <API_KEY>" "http://<host>${resources.map(apiPath)[0]}?limit=3"
`;
