/**
 * The Accept header to the format of a list.
 *
 *     (none), *\/*, application/json     a page, as the contract defines it
 *     application/x-ndjson; end=line    lines of JSON, and a last one that shows that they are complete
 *     text/csv; excel-safe=true         lines of CSV, escaped for spreadsheets
 */

import Negotiator from 'negotiator';
import { Problem } from '../problem/problem.ts';

export type ListFormat = { readonly kind: 'json' } | LineFormat;

/** How a record is written as a line. */
export type LineFormat =
  /** `hasEnd` adds a last line which shows that the stream is complete. */
  | { readonly kind: 'ndjson'; readonly hasEnd?: boolean }
  /** `excelSafe` escapes text that a spreadsheet would run as a formula. */
  | { readonly kind: 'csv'; readonly excelSafe: boolean };

const JSON_PAGE: ListFormat = { kind: 'json' };

/** By media type, the preferred one first. A range matches a type if the type has all of the range's parameters. */
const formats: ReadonlyMap<string, ListFormat> = new Map<string, ListFormat>([
  ['application/json', JSON_PAGE],
  ['application/x-ndjson', { kind: 'ndjson' }],
  ['application/x-ndjson; end=line', { kind: 'ndjson', hasEnd: true }],
  ['application/ndjson', { kind: 'ndjson' }],
  ['application/jsonl', { kind: 'ndjson' }],
  ['text/csv; charset=utf-8; header=present; excel-safe=false', { kind: 'csv', excelSafe: false }],
  ['text/csv; charset=utf-8; header=present; excel-safe=true', { kind: 'csv', excelSafe: true }],
]);

/** How changes are sent: a page, all there are as lines, or, as they are made, as server-sent events. */
export type ChangesFormat = 'json' | 'ndjson' | 'ndjson with end' | 'event-stream';

const changesFormats: ReadonlyMap<string, ChangesFormat> = new Map<string, ChangesFormat>([
  ['application/json', 'json'],
  ['application/x-ndjson', 'ndjson'],
  ['application/x-ndjson; end=line', 'ndjson with end'],
  ['application/ndjson', 'ndjson'],
  ['application/jsonl', 'ndjson'],
  ['text/event-stream', 'event-stream'],
]);

export function changesFormat(accept: string | undefined): ChangesFormat | Problem {
  if (accept === undefined || accept === '*/*' || accept === 'application/json') return 'json';
  return tooLong(accept) ?? negotiate(accept, changesFormats) ?? 'json';
}

/** Pages about errors are HTML for browsers, and text for programs. */
export type PageFormat = 'html' | 'text';

const pageFormats: ReadonlyMap<string, PageFormat> = new Map<string, PageFormat>([
  ['text/plain', 'text'],
  ['text/html', 'html'],
]);

export function pageFormat(accept: string | undefined): PageFormat | Problem {
  if (accept === undefined || accept === '*/*') return 'text';
  return tooLong(accept) ?? negotiate(accept, pageFormats) ?? 'text';
}

/** Whether a problem is to be a page: for browsers, not for programs that take anything. */
export function prefersHtml(accept: string | undefined): boolean {
  if (accept === undefined || accept.length > MAX_ACCEPT_BYTES) return false;
  return negotiate(accept, problemFormats) === 'html';
}

const problemFormats: ReadonlyMap<string, 'json' | 'html'> = new Map([
  ['application/problem+json', 'json'],
  ['application/json', 'json'],
  ['text/html', 'html'],
]);

/** The longest Accept header in bytes: negotiating takes time in proportion to its length. */
export const MAX_ACCEPT_BYTES = 1_024;

/** A header that names none of our types gets JSON; the response's Content-Type says so. */
export function listFormat(accept: string | undefined): ListFormat | Problem {
  if (accept === undefined || accept === '*/*' || accept === 'application/json') return JSON_PAGE;
  const problem = tooLong(accept);
  if (problem !== undefined) return problem;
  if (split(accept, RANGES).some(hasInvalidExcelSafe))
    return new Problem('not_acceptable', 'excel-safe in the Accept header is neither true nor false.', {
      suggestion: 'Write text/csv; excel-safe=true, or leave the parameter out.',
    });
  return negotiate(accept, formats) ?? JSON_PAGE;
}

/** For a response that is JSON and nothing else. */
export function checkAcceptsJson(accept: string | undefined): Problem | undefined {
  if (accept === undefined) return undefined;
  const problem = tooLong(accept);
  if (problem !== undefined || negotiate(accept, jsonOnly) !== undefined) return problem;
  return new Problem('not_acceptable', 'The Accept header excludes JSON.', {
    suggestion: 'Send Accept: application/json, text/event-stream.',
  });
}

const jsonOnly: ReadonlyMap<string, 'json'> = new Map([['application/json', 'json']]);

function negotiate<Format>(accept: string, byType: ReadonlyMap<string, Format>): Format | undefined {
  const [best = ''] = new Negotiator({ headers: { accept } }).mediaTypes([...byType.keys()]);
  return byType.get(best);
}

/**
 * The content coding that the client prefers, of those that are available; undefined for none. A longer header than anyone
 * needs is not read.
 */
export function preferredCoding<Coding extends string>(
  acceptEncoding: string | undefined,
  available: readonly Coding[],
): Coding | undefined {
  if (acceptEncoding === undefined || acceptEncoding.length > MAX_ACCEPT_BYTES) return undefined;
  const negotiator = new Negotiator({ headers: { 'accept-encoding': acceptEncoding } });
  const [best] = negotiator.encodings([...available, 'identity']);
  return available.find((coding) => coding === best);
}

/** The same, but of the codings that the client accepts equally, the first available one. Browsers list theirs in any order. */
export function smallestCoding<Coding extends string>(
  acceptEncoding: string | undefined,
  available: readonly Coding[],
): Coding | undefined {
  const rank = (item: string) => {
    const at = available.findIndex((coding) => item.trim().toLowerCase().startsWith(coding));
    return at < 0 ? available.length : at;
  };
  // The negotiator takes the first in the header.
  const sorted = acceptEncoding?.split(',').toSorted((a, b) => rank(a) - rank(b));
  return preferredCoding(sorted?.join(','), available);
}

function tooLong(accept: string): Problem | undefined {
  if (accept.length <= MAX_ACCEPT_BYTES) return undefined;
  return new Problem('not_acceptable', `The Accept header has more than ${MAX_ACCEPT_BYTES} bytes.`);
}

/** RFC 9110, section 5.6.4: a comma or semicolon in a quoted string separates nothing. */
const RANGES = /(?:[^",]|"(?:\\.|[^"\\])*"?)+/g;
const RANGE_PARTS = /(?:[^";]|"(?:\\.|[^"\\])*"?)+/g;

/** Whether the range is CSV with an `excel-safe` that is neither true nor false. The negotiator would ignore it. */
function hasInvalidExcelSafe(range: string): boolean {
  const [type, ...parameters] = split(range, RANGE_PARTS);
  if (type?.toLowerCase() !== 'text/csv') return false;
  return parameters.some((text) => /^excel-safe\s*(?:=|$)/i.test(text) && !/=\s*("?)(?:true|false)\1$/i.test(text));
}

function split(text: string, parts: RegExp): readonly string[] {
  return (text.match(parts) ?? []).map((part) => part.trim());
}
