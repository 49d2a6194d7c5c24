/** The target of a request line: path and query, as they came. */

import { Problem } from '../problem/problem.ts';

/** The longest request line, in bytes: method, target and protocol with the spaces between them. */
export const MAX_REQUEST_LINE_BYTES = 64 * 1024;

/** What is taken for the request line and all header fields together; beyond it Node's parser gives up, which is a 431. */
export const MAX_HEAD_BYTES = MAX_REQUEST_LINE_BYTES + 16 * 1024;

export function checkRequestLine(method: string, target: string, httpVersion: string): Problem | undefined {
  const bytes = method.length + ' '.length + target.length + ' HTTP/'.length + httpVersion.length;
  if (bytes > MAX_REQUEST_LINE_BYTES) {
    return new Problem(
      'request_line_too_long',
      `The request line has ${bytes} bytes; at most ${MAX_REQUEST_LINE_BYTES} are accepted.`,
    );
  }
  // For the router a path ends there, and what follows, such as a filter, would count for nothing.
  if (target.includes('#') && splitTarget(target).path.includes('#'))
    return new Problem('malformed_path', 'The path has a #.', {
      suggestion: 'Send nothing from the # on, or send it as %23.',
    });
  return undefined;
}

export function splitTarget(target: string): { readonly path: string; readonly query: string } {
  const mark = target.indexOf('?');
  return mark < 0 ? { path: target, query: '' } : { path: target.slice(0, mark), query: target.slice(mark + 1) };
}
