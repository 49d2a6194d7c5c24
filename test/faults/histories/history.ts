/** A history: what clients asked at the same time, and what became of each call. A file has one call per line. */

import { closeSync, openSync, readFileSync, writeSync } from 'node:fs';
import type { RecordValues } from '../../support/fixture.ts';

export type ResourceName = 'partner' | 'company';

/** Starts and ends are numbered in the order in which they happened, so that no two are at the same time. */
export interface Call {
  /** In the order in which calls started. */
  readonly number: number;
  readonly client: number;
  readonly start: number;
  readonly end: number;
  readonly ask: Ask;
  readonly outcome: Outcome;
}

interface OfResource {
  readonly resource: ResourceName;
}

interface Write extends OfResource {
  /** The same for a request that is sent again with its idempotency key. */
  readonly write: number;
  readonly key?: string | undefined;
}

export interface Create extends Write {
  readonly kind: 'create';
  readonly name: string;
}

export interface Patch extends Write {
  readonly kind: 'patch';
  readonly id: number;
  readonly values: RecordValues;
  /** An entity tag, as it was read. */
  readonly ifMatch?: string | undefined;
}

export interface Remove extends Write {
  readonly kind: 'remove';
  readonly id: number;
  readonly ifMatch?: string | undefined;
}

/** The values of a record, with its id or without; or its id, and that it is to be removed. */
export type ImportRow = Readonly<Record<string, RecordValues[string]>>;

export interface Import extends Write {
  readonly kind: 'import';
  readonly rows: readonly ImportRow[];
  /** The field that identifies records. */
  readonly by: string;
  readonly replaces: boolean;
}

/** A patch with the values and the tag that the record has, as a client knows them: it changes nothing. */
export interface Touch extends OfResource {
  readonly kind: 'touch';
  readonly id: number;
  readonly values: RecordValues;
  readonly ifMatch: string;
}

export interface Get extends OfResource {
  readonly kind: 'get';
  readonly id: number;
  readonly ifNoneMatch?: string | undefined;
}

interface Selection extends OfResource {
  readonly filter?: string | undefined;
  /** All of them if there are none. */
  readonly fields?: readonly string[] | undefined;
}

export interface List extends Selection {
  readonly kind: 'list';
  readonly sort: readonly string[];
  readonly page: number;
  readonly limit: number;
  readonly ifNoneMatch?: string | undefined;
}

export interface Export extends Selection {
  readonly kind: 'export';
}

export interface Digest extends Selection {
  readonly kind: 'digest';
}

export interface Aggregate extends OfResource {
  readonly kind: 'aggregate';
  readonly filter?: string | undefined;
  readonly facet: string;
}

export interface Changes extends Selection {
  readonly kind: 'changes';
  /** A page, a page that is waited for, or everything there is as lines. */
  readonly form: 'page' | 'wait' | 'lines';
  readonly since?: string | undefined;
  readonly limit?: number | undefined;
}

export type WriteAsk = Create | Patch | Remove | Import;
export type Ask = WriteAsk | Touch | Get | List | Export | Digest | Aggregate | Changes;

export interface Yes {
  readonly is: 'yes';
  readonly status: number;
  readonly tag?: string | undefined;
  /** The header `Stockbook-Revision`. */
  readonly revision?: number | undefined;
  /** The header `Stockbook-Oldest-Cursor`. */
  readonly oldest?: string | undefined;
  readonly isReplayed?: true | undefined;
  /** Where the total comes from: docs/api.md, "Where a total comes from". */
  readonly source?: string | undefined;
  /** Of NDJSON, the lines. */
  readonly body?: unknown;
  /** A hash of the body as it was sent. */
  readonly bytes: string;
}

/** An error that promises that nothing was written. */
export interface No {
  readonly is: 'no';
  readonly status: number;
  readonly code: string;
  readonly tag?: string | undefined;
}

/** No response, or one that promises nothing. */
export interface Unknown {
  readonly is: 'unknown';
  /** The status and the code of an error, or that of the connection. */
  readonly reason: string;
  readonly status?: number | undefined;
}

export type Outcome = Yes | No | Unknown;

export function isWrite(ask: Ask): ask is WriteAsk {
  return 'write' in ask;
}

/** The revision in an entity tag. */
export function revisionIn(tag: string): number {
  return Number(/-(\d+)(?:-[a-z-]+)?"$/.exec(tag)?.[1]);
}

export function writeHistory(path: string, calls: readonly Call[]): void {
  const file = openSync(path, 'w');
  for (const call of calls) writeSync(file, `${JSON.stringify(call)}\n`);
  closeSync(file);
}

export function readHistory(path: string): readonly Call[] {
  const lines = readFileSync(path, 'utf8').split('\n').filter(Boolean);
  return lines.map((line): Call => JSON.parse(line));
}
