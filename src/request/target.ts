/**
 * The target of a request line: path and query string.
 *
 *     /api/v1/resources/partner/7?fields=id   { parent: '/api/v1/resources/partner', name: '7', query: 'fields=id' }
 */

import { Problem } from '../problem/problem.ts';

/** The longest request line in bytes: method, target and protocol, with the spaces between them. */
export const MAX_REQUEST_LINE_BYTES = 64 * 1024;

/** The limit for the request line and all headers together. Node's parser rejects more, which is a 431. */
export const MAX_HEAD_BYTES = MAX_REQUEST_LINE_BYTES + 16 * 1024;

/** How much of a malformed path is looked at to find its first segment, in characters. */
const MAX_FIRST_SEGMENT = 100;

export interface Target {
  /** As in the request line. */
  readonly text: string;
  /** As in the request line. */
  readonly path: string;
  readonly location: Location | Problem;
  readonly query: string;
}

/** A path in two parts, decoded, without the trailing slash: up to its last segment, and that segment. */
export interface Location {
  readonly parent: string;
  readonly name: string;
}

export function readTarget(text: string): Target {
  const { path, query } = splitTarget(text);
  return { text, path, location: readLocation(path), query };
}

export function splitTarget(target: string): { readonly path: string; readonly query: string } {
  const mark = target.indexOf('?');
  return mark < 0 ? { path: target, query: '' } : { path: target.slice(0, mark), query: target.slice(mark + 1) };
}

function readLocation(path: string): Location | Problem {
  // A client that resolves URLs would not send it, so everything after the # is probably a mistake, not part of the path.
  if (path.includes('#'))
    return new Problem('malformed_path', 'The path contains a #.', {
      suggestion: 'Remove the # and everything after it, or encode it as %23.',
    });
  const end = path.length > 1 && path.endsWith('/') ? path.length - 1 : path.length;
  const slash = path.lastIndexOf('/', end - 1);
  const [parent, name] = [path.slice(0, Math.max(0, slash)), path.slice(slash + 1, end)];
  if (!path.includes('%')) return { parent, name };
  try {
    return { parent: decodeURIComponent(parent), name: decodeURIComponent(name) };
  } catch {
    return new Problem('malformed_path', 'The path is not valid percent-encoded UTF-8.');
  }
}

export function isApiPath(target: Target): boolean {
  return isBelow(target, '/api');
}

export function isMcpPath(target: Target): boolean {
  return isBelow(target, '/mcp');
}

export const DESCRIPTION_PATH = '/openapi.json';

export function isDescriptionPath({ location }: Target): boolean {
  return !(location instanceof Problem) && `${location.parent}/${location.name}` === DESCRIPTION_PATH;
}

/** Whether a path starts with a segment. That of a malformed path is found in the part that can be decoded. */
function isBelow({ path, location }: Target, first: string): boolean {
  if (!(location instanceof Problem)) {
    const { parent, name } = location;
    return parent === '' ? `/${name}` === first : parent === first || parent.startsWith(`${first}/`);
  }
  const readable = path
    .slice(0, MAX_FIRST_SEGMENT)
    .replaceAll(/%([0-7][0-9a-f])/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  return `/${readable.split('/')[1]}` === first;
}

interface RequestLine {
  readonly method: string;
  readonly target: Target;
  readonly httpVersion: string;
}

export function checkRequestLine({ method, target, httpVersion }: RequestLine): Problem | undefined {
  const bytes = method.length + ' '.length + target.text.length + ' HTTP/'.length + httpVersion.length;
  if (bytes <= MAX_REQUEST_LINE_BYTES) return undefined;
  return new Problem(
    'request_line_too_long',
    `The request line has ${bytes} bytes; the limit is ${MAX_REQUEST_LINE_BYTES}.`,
  );
}
