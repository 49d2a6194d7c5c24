/** The reference page: Scalar, which shows `/openapi.json` and sends requests, from a bundle in the package. */

import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import type { Pieces } from '../pieces.ts';
import { codedTag } from '../reply/entity-tag.ts';
import { framedPage } from './frame.ts';
import { html } from './html.ts';
import { PACKAGE } from './package.ts';
import { newPage, type Page, tagOf } from './page.ts';

/** Scalar adds style elements and attributes. Scripts, data and requests come from and go to this host only. */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "form-action 'self'",
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
  return framedPage({ title: 'API reference', head, body }, { 'content-security-policy': CONTENT_SECURITY_POLICY });
}

const BUNDLE = new URL('assets/scalar/standalone.js.gz', PACKAGE);

/** The bundle is compressed in the package. Nearly every client takes it as it is. */
export async function scalarBundle(coding: 'gzip' | 'identity'): Promise<Page> {
  const compressed = await readFile(BUNDLE);
  const bytes = coding === 'gzip' ? compressed : await promisify<Buffer, Buffer>(gunzip)(compressed);
  const tag = tagOf([compressed]);
  return newPage(
    'text/javascript; charset=utf-8',
    inPieces(bytes),
    coding === 'gzip' ? { etag: codedTag(tag, coding), 'content-encoding': coding } : { etag: tag },
  );
}

/** In bytes. */
const PIECE_SIZE = 64 * 1024;

function inPieces(bytes: Buffer): Pieces {
  return Array.from({ length: Math.ceil(bytes.length / PIECE_SIZE) }, (_, n) =>
    bytes.subarray(n * PIECE_SIZE, (n + 1) * PIECE_SIZE),
  );
}
