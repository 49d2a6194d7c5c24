/** The reference page: Scalar, which shows `/openapi.json` and sends requests, from a bundle in the package. */

import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { framed } from './frame.ts';
import { html } from './html.ts';
import { once } from './once.ts';
import { PACKAGE } from './package.ts';
import { HTML, newPage, type Page, tagOf } from './page.ts';
import { PrecompressedFile } from './precompressed-file.ts';

/** Scalar adds style elements and attributes. Scripts, data and requests come from and go to this host only. */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "form-action 'none'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ');

export function referencePage(): Page {
  const body = html`<main id="content">
<noscript><p>The reference needs JavaScript. Without it, read <a href="/openapi.json">openapi.json</a> or the
<a href="/docs/guides/api">API guide</a>.</p></noscript>
<div id="reference"></div>
</main>`;
  const head = html`<script src="/docs/assets/scalar.js" defer></script>
<script src="/docs/assets/reference.js" defer></script>`;
  const text = framed({ title: 'API reference', head, body });
  return newPage(HTML, text, { 'content-security-policy': CONTENT_SECURITY_POLICY });
}

const BUNDLE = new URL('assets/scalar/standalone.js.gz', PACKAGE);

/** The package has it compressed, and nearly every client takes it as it is. */
export function scalarBundle(): PrecompressedFile {
  const read = once(() => readFile(BUNDLE));
  return new PrecompressedFile({
    type: 'text/javascript; charset=utf-8',
    tag: async () => tagOf([await read()]),
    identity: async () => promisify<Buffer, Buffer>(gunzip)(await read()),
    compressed: new Map([['gzip', read]]),
  });
}
