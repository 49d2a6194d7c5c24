/** Headers that must not be repeated. */

import { Problem } from '../problem/problem.ts';

/** Node keeps the first of several; which one a proxy in front of us used is unknown. */
const SINGLE = new Map([
  ['host', 'Host'],
  ['authorization', 'Authorization'],
]);

/** RFC 9112, section 3.2, and RFC 9110, section 11.6.2. `rawHeaders` is name, value, name, value. */
export function checkSingleHeaders(rawHeaders: readonly string[]): Problem | undefined {
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
  return undefined;
}
