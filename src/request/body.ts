/** The bytes of a request body to the JSON value they contain: syntax only. */

import { Problem } from '../problem/problem.ts';
import type { RequestHeaders } from './request.ts';

/** The largest body in bytes. A record is far smaller. */
export const MAX_BODY_BYTES = 1024 * 1024;

const utf8 = new TextDecoder('utf-8', { fatal: true });

/** Checked before the body is read. */
export function checkBodyType(headers: RequestHeaders): Problem | undefined {
  const type = headers['content-type'];
  if (type === undefined || !/^application\/json *(?:;|$)/i.test(type))
    return unsupported(type === undefined ? 'The body has no Content-Type.' : `The body's Content-Type is ${type}.`);
  const coding = headers['content-encoding'] ?? 'identity';
  if (coding.toLowerCase() !== 'identity') return unsupported(`The body is compressed with ${coding}.`);
  const charset = /;\s*charset\s*=\s*"?([^";\s]+)/i.exec(type)?.[1] ?? 'utf-8';
  if (!/^(utf-8|us-ascii)$/i.test(charset)) return unsupported(`The body's character set is ${charset}.`);
  return undefined;
}

function unsupported(detail: string): Problem {
  return new Problem('unsupported_media_type', detail);
}

export function readJson(body: Uint8Array): { readonly json: unknown } | Problem {
  let text: string;
  try {
    text = utf8.decode(body);
  } catch {
    return new Problem('malformed_json', 'The body is not UTF-8.');
  }
  if (text.trim() === '') return new Problem('malformed_json', 'The request has no body.');
  try {
    return { json: JSON.parse(text) };
  } catch (error) {
    const reason = error instanceof SyntaxError ? `: ${error.message}` : '';
    return new Problem('malformed_json', `The body is not JSON${reason}.`);
  }
}

export function bodyTooLarge(): Problem {
  return new Problem('body_too_large', `The body has more than ${MAX_BODY_BYTES} bytes.`, {
    // The rest of the body is not read.
    headers: { connection: 'close' },
  });
}
