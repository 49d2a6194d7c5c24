/** The OpenAPI document as a response. */

import { createHash } from 'node:crypto';
import { CompressedText } from '../compressed-text.ts';
import { openApiDocument } from '../openapi/document.ts';
import { version } from '../version.ts';
import { type CompleteReply, jsonReply, notModified, published, type Reply } from './reply.ts';

let document: { readonly tag: string; readonly reply: CompleteReply } | undefined;

/** Made once. It is the same for everybody, and changes with a release. */
export function openApiReply(ifNoneMatch: string | undefined): Reply {
  document ??= makeDocument();
  return notModified(ifNoneMatch, document.tag, published) ?? document.reply;
}

function makeDocument() {
  const bytes = Buffer.from(JSON.stringify(openApiDocument(version())));
  const tag = `"${createHash('sha256').update(bytes).digest('base64url').slice(0, 22)}"`;
  return { tag, reply: { ...jsonReply(200, published(tag), [bytes]), compressed: new CompressedText([bytes]) } };
}
