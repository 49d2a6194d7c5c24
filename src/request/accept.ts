/**
 * The Accept header, or the parameter `format`, to the format of a list.
 *
 *     (none), *\/*, application/json                      a page, as the contract defines it
 *     application/x-ndjson; end=line, ndjson;end=line    lines of JSON, and a last one that shows that they are complete
 *     text/csv; excel-safe=true, csv;excel-safe=true     lines of CSV, escaped for spreadsheets
 *     application/vnd.openxmlformats-…, xlsx             a workbook of Excel
 */

import Negotiator from 'negotiator';
import { nearest } from '../problem/nearest.ts';
import { Problem } from '../problem/problem.ts';
import { quoted } from '../problem/quoted.ts';

export type ListFormat = { readonly kind: 'json' } | StreamFormat;

/** How a record is written in a stream: as a line, or as a row of a sheet. */
export type StreamFormat =
  /** `hasEnd` adds a last line which shows that the stream is complete. */
  | { readonly kind: 'ndjson'; readonly hasEnd?: boolean }
  /** `excelSafe` escapes text that a spreadsheet would run as a formula. */
  | { readonly kind: 'csv'; readonly excelSafe: boolean }
  | { readonly kind: 'xlsx' };

/** A format that a response can have. */
interface Offer<Format> {
  /** In the parameter `format`: what it is called, and options as the media type has them. */
  readonly name: string;
  /** In `Accept`. A range matches a type if the type has all of the range's parameters. */
  readonly types: readonly string[];
  readonly format: Format;
}

/** What a workbook of Excel is called. */
export const XLSX_TYPE = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet';

const JSON_PAGE: ListFormat = { kind: 'json' };
const NDJSON_TYPES = ['application/x-ndjson', 'application/ndjson', 'application/jsonl'];

/** The preferred one first. */
const listOffers: readonly Offer<ListFormat>[] = [
  { name: 'json', types: ['application/json'], format: JSON_PAGE },
  { name: 'ndjson', types: NDJSON_TYPES, format: { kind: 'ndjson' } },
  { name: 'ndjson;end=line', types: ['application/x-ndjson; end=line'], format: { kind: 'ndjson', hasEnd: true } },
  {
    name: 'csv',
    types: ['text/csv; charset=utf-8; header=present; excel-safe=false'],
    format: { kind: 'csv', excelSafe: false },
  },
  {
    name: 'csv;excel-safe=true',
    types: ['text/csv; charset=utf-8; header=present; excel-safe=true'],
    format: { kind: 'csv', excelSafe: true },
  },
  { name: 'xlsx', types: [XLSX_TYPE], format: { kind: 'xlsx' } },
];

/** How changes are sent: a page, all there are as lines, or, as they are made, as server-sent events. */
export type ChangesFormat = 'json' | 'ndjson' | 'ndjson with end' | 'event-stream';

const changesOffers: readonly Offer<ChangesFormat>[] = [
  { name: 'json', types: ['application/json'], format: 'json' },
  { name: 'ndjson', types: NDJSON_TYPES, format: 'ndjson' },
  { name: 'ndjson;end=line', types: ['application/x-ndjson; end=line'], format: 'ndjson with end' },
  { name: 'event-stream', types: ['text/event-stream'], format: 'event-stream' },
];

/** `named` is the parameter `format`, which wins. */
export function changesFormat(accept: string | undefined, named?: string): ChangesFormat | Problem {
  if (named !== undefined) return namedFormat(named, accept, changesOffers);
  if (accept === undefined || accept === '*/*' || accept === 'application/json') return 'json';
  return tooLong(accept) ?? negotiate(accept, changesOffers) ?? 'json';
}

/** Pages about errors are HTML for browsers, and text for programs. */
export type PageFormat = 'html' | 'text';

const pageOffers: readonly Offer<PageFormat>[] = [
  { name: 'text', types: ['text/plain'], format: 'text' },
  { name: 'html', types: ['text/html'], format: 'html' },
];

export function pageFormat(accept: string | undefined): PageFormat | Problem {
  if (accept === undefined || accept === '*/*') return 'text';
  return tooLong(accept) ?? negotiate(accept, pageOffers) ?? 'text';
}

/** Whether a problem is to be a page: for browsers, not for programs that take anything. */
export function prefersHtml(accept: string | undefined): boolean {
  if (accept === undefined || accept.length > MAX_ACCEPT_BYTES) return false;
  return negotiate(accept, problemOffers) === 'html';
}

const problemOffers: readonly Offer<'json' | 'html'>[] = [
  { name: 'json', types: ['application/problem+json', 'application/json'], format: 'json' },
  { name: 'html', types: ['text/html'], format: 'html' },
];

/** The longest Accept header in bytes: negotiating takes time in proportion to its length. */
export const MAX_ACCEPT_BYTES = 1_024;

/**
 * `named` is the parameter `format`, which wins. A header that names none of our types gets JSON; the response's Content-Type
 * says so.
 */
export function listFormat(accept: string | undefined, named?: string): ListFormat | Problem {
  if (named !== undefined) return namedFormat(named, accept, listOffers);
  if (accept === undefined || accept === '*/*' || accept === 'application/json') return JSON_PAGE;
  const problem = tooLong(accept);
  if (problem !== undefined) return problem;
  if (split(accept, RANGES).some(hasInvalidExcelSafe))
    return new Problem('not_acceptable', 'excel-safe in the Accept header is neither true nor false.', {
      suggestion: 'Write text/csv; excel-safe=true, or leave the parameter out.',
    });
  return negotiate(accept, listOffers) ?? JSON_PAGE;
}

/** Whether rows as they were sent are preferred to JSON about them. */
export function prefersRows(accept: string | undefined): boolean {
  if (accept === undefined || accept.length > MAX_ACCEPT_BYTES) return false;
  const offers = [...jsonOnly, { name: 'rows', types: ['text/csv', ...NDJSON_TYPES], format: 'rows' as const }];
  return negotiate<'json' | 'rows'>(accept, offers) === 'rows';
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

const jsonOnly: readonly Offer<'json'>[] = [{ name: 'json', types: ['application/json'], format: 'json' }];

function negotiate<Format>(accept: string, offers: readonly Offer<Format>[]): Format | undefined {
  const [best = ''] = new Negotiator({ headers: { accept } }).mediaTypes(offers.flatMap(({ types }) => types));
  return offers.find(({ types }) => types.includes(best))?.format;
}

/** If the name has no options, those of `Accept` hold, as far as it accepts the format. */
function namedFormat<Format>(
  named: string,
  accept: string | undefined,
  offers: readonly Offer<Format>[],
): Format | Problem {
  const found = offers.find(({ name }) => name === named);
  if (found === undefined) return invalidFormat(named, offers);
  const variants = offers.filter(({ name }) => name === named || name.startsWith(`${named};`));
  const isRead = accept !== undefined && tooLong(accept) === undefined && variants.length > 1;
  return (isRead ? negotiate(accept, variants) : undefined) ?? found.format;
}

/** What others call the formats. */
const FORMAT_ALIASES: ReadonlyMap<string, string> = new Map([
  ...['excel', 'xls', 'workbook', 'spreadsheet'].map((name) => [name, 'xlsx'] as const),
  ...['jsonl', 'jsonlines', 'lines'].map((name) => [name, 'ndjson'] as const),
  ...['sse', 'events'].map((name) => [name, 'event-stream'] as const),
]);

function invalidFormat(named: string, offers: readonly Offer<unknown>[]): Problem {
  const names = offers.map(({ name }) => name);
  const meant = names.find((name) => name === FORMAT_ALIASES.get(named.toLowerCase())) ?? nearest(named, names);
  return new Problem('invalid_format', `There is no format ${quoted(named)} here.`, {
    parameter: 'format',
    suggestion: meant === undefined ? `The formats are ${names.join(', ')}.` : `Did you mean ${meant}?`,
    ...(meant !== undefined && { fixed: { format: meant } }),
  });
}

/**
 * The content coding that the client prefers, of those that are available; undefined for none. A header that is longer than anyone needs is not
 * read.
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

/** The header `TE` of RFC 9110, section 10.1.4: whether trailers are read, and not dropped on the way. */
export function acceptsTrailers(te: string | readonly string[] | undefined): boolean {
  return te !== undefined && /(?:^|,)\s*trailers\s*(?:,|$)/i.test(String(te));
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
