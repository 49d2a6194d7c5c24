/** Headers that must not be repeated, and the one that must not be missing. */

import { Problem } from '../problem/problem.ts';
import type { Request } from './request.ts';

/** Node keeps the first of several; which one a proxy in front of us used is unknown. */
const SINGLE = new Map([
  ['host', 'Host'],
  ['authorization', 'Authorization'],
]);

/** RFC 9112, section 3.2, and RFC 9110, section 11.6.2. The raw headers are name, value, name, value. */
export function checkHeaders({
  rawHeaders,
  httpVersion,
}: Pick<Request, 'rawHeaders' | 'httpVersion'>): Problem | undefined {
  let seen = '';
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] ?? '';
    // Most headers have another length and need not be lowercased.
    if (name.length !== 'host'.length && name.length !== 'authorization'.length) continue;
    const title = SINGLE.get(name.toLowerCase());
    if (title === undefined) continue;
    if (seen.includes(title))
      return new Problem('malformed_request', `The request has several ${title} headers.`, {
        suggestion: `Send one ${title} header.`,
      });
    seen += title;
  }
  if (seen.includes('Host') || httpVersion !== '1.1') return undefined;
  return new Problem('malformed_request', 'The request has no Host header, which HTTP/1.1 requires.', {
    suggestion: 'Send the host of the account in the header Host.',
  });
}
