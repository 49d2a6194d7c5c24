/** Node's request as the application sees it. */

import type { IncomingMessage } from 'node:http';
import { Problem } from '../problem/problem.ts';
import { bodyTooLarge, MAX_BODY_BYTES } from '../request/body.ts';
import type { Request } from '../request/request.ts';
import { requestId } from '../request/request-id.ts';

export function toRequest(message: IncomingMessage): Request {
  const { method = '', headers, rawHeaders, httpVersion } = message;
  const { target, host } = originForm(message.url ?? '/');
  let body: Promise<Uint8Array | Problem> | undefined;
  return {
    id: requestId(headers['x-request-id']),
    method,
    target,
    httpVersion,
    headers: host === undefined ? headers : { ...headers, host },
    rawHeaders,
    body() {
      body ??= readBody(message);
      return body;
    },
  };
}

/** RFC 9112, section 3.2.2: if the target is an absolute URL, its host overrides the Host header. */
function originForm(url: string): { readonly target: string; readonly host?: string } {
  if (url.startsWith('/')) return { target: url };
  const [, host, rest = ''] = /^https?:\/\/([^/?#]*)(.*)$/is.exec(url) ?? [];
  if (host === undefined) return { target: url };
  return { target: rest.startsWith('/') ? rest : `/${rest}`, host };
}

async function readBody(message: IncomingMessage): Promise<Uint8Array | Problem> {
  if (Number(message.headers['content-length'] ?? 0) > MAX_BODY_BYTES) return bodyTooLarge();
  const chunks: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const chunk of message) {
      chunks.push(chunk);
      bytes += chunk.length;
      if (bytes > MAX_BODY_BYTES) return bodyTooLarge();
    }
  } catch {
    // The client disconnected in the middle of its body; nobody reads this.
    return new Problem('malformed_request', 'The body is incomplete.');
  }
  return chunks.length === 1 ? (chunks[0] ?? Buffer.alloc(0)) : Buffer.concat(chunks);
}
