/**
 * The target of a request line: the path in segments, and the raw query string.
 *
 *     /api/v1/resources/partner/7?fields=id   { segments: ['api', 'v1', 'resources', 'partner', '7'], query: 'fields=id' }
 */

import { Problem } from '../problem/problem.ts';

/** The longest request line in bytes: method, target and protocol, with the spaces between them. */
export const MAX_REQUEST_LINE_BYTES = 64 * 1024;

/** The limit for the request line and all headers together. Node's parser rejects more, which is a 431. */
export const MAX_HEAD_BYTES = MAX_REQUEST_LINE_BYTES + 16 * 1024;

/** More than the longest path has. */
const MAX_SEGMENTS = 16;

/** How much of a malformed path is looked at to find its first segment, in characters. */
const MAX_FIRST_SEGMENT = 100;

export interface Target {
  /** As in the request line. */
  readonly path: string;
  /** Decoded, without the trailing slash. */
  readonly segments: readonly string[] | Problem;
  readonly query: string;
}

export function readTarget(target: string): Target {
  const { path, query } = splitTarget(target);
  return { path, segments: readSegments(path), query };
}

export function splitTarget(target: string): { readonly path: string; readonly query: string } {
  const mark = target.indexOf('?');
  return mark < 0 ? { path: target, query: '' } : { path: target.slice(0, mark), query: target.slice(mark + 1) };
}

function readSegments(path: string): readonly string[] | Problem {
  // A client that resolves URLs would not send it, so everything after the # is probably a mistake, not part of the path.
  if (path.includes('#'))
    return new Problem('malformed_path', 'The path contains a #.', {
      suggestion: 'Remove the # and everything after it, or encode it as %23.',
    });
  const end = path.length > 1 && path.endsWith('/') ? -1 : undefined;
  // No path has more, so the number does not matter.
  const segments = path.slice(1, end).split('/', MAX_SEGMENTS);
  if (!path.includes('%')) return segments;
  try {
    return segments.map(decodeURIComponent);
  } catch {
    return new Problem('malformed_path', 'The path is not valid percent-encoded UTF-8.');
  }
}

export function isApiPath(target: Target): boolean {
  return firstSegment(target) === 'api';
}

export function isMcpPath(target: Target): boolean {
  return firstSegment(target) === 'mcp';
}

/** That of a malformed path is found in the part that can be decoded. */
function firstSegment({ path, segments }: Target): string | undefined {
  if (!(segments instanceof Problem)) return segments[0];
  const readable = path
    .slice(0, MAX_FIRST_SEGMENT)
    .replaceAll(/%([0-7][0-9a-f])/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  return readable.split('/')[1];
}

export function checkRequestLine(method: string, target: string, httpVersion: string): Problem | undefined {
  const bytes = method.length + ' '.length + target.length + ' HTTP/'.length + httpVersion.length;
  if (bytes <= MAX_REQUEST_LINE_BYTES) return undefined;
  return new Problem(
    'request_line_too_long',
    `The request line has ${bytes} bytes; the limit is ${MAX_REQUEST_LINE_BYTES}.`,
  );
}
