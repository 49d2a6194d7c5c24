/** The bytes of a request body to the JSON value they hold: syntax only. */

import type { IncomingHttpHeaders } from 'node:http';
import { Problem } from '../problem/problem.ts';

/** The largest body, in bytes: a record is far smaller. */
export const MAX_BODY_BYTES = 1024 * 1024;

const utf8 = new TextDecoder('utf-8', { fatal: true });

export function readJson(body: Buffer, headers: IncomingHttpHeaders): unknown {
  const coding = headers['content-encoding'] ?? 'identity';
  if (coding.toLowerCase() !== 'identity') {
    return new Problem('unsupported_media_type', `The body is encoded with ${coding}; bodies are read as they are.`);
  }
  const charset = /;\s*charset\s*=\s*"?([^";\s]+)/i.exec(headers['content-type'] ?? '')?.[1] ?? 'utf-8';
  if (!/^(utf-8|us-ascii)$/i.test(charset)) {
    return new Problem('unsupported_media_type', `The body's character set is ${charset}; JSON is UTF-8.`);
  }
  let text: string;
  try {
    text = utf8.decode(body);
  } catch {
    return new Problem('malformed_json', 'The body is not UTF-8.');
  }
  if (text.trim() === '') return emptyBody();
  try {
    return JSON.parse(text);
  } catch (error) {
    return new Problem(
      'malformed_json',
      `The body is not JSON${error instanceof SyntaxError ? `: ${error.message}` : ''}.`,
    );
  }
}

export function emptyBody(): Problem {
  return new Problem('malformed_json', 'The request has no body.');
}
