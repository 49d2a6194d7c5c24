/** Short histories of companies, written by hand: what a client asked, when, and what it got. */

import { createHash } from 'node:crypto';
import type { RecordValues } from '../../support/fixture.ts';
import type { Ask, Call, Changes, Import, ImportRow, List, Outcome, Patch, Remove, Yes } from './history.ts';

/** The first and the last moment of a call. */
export type Times = readonly [number, number];

const DATE = '2026-03-01T12:00:00.000Z';

export function tag(revision: number): string {
  return `"a-1-${revision}"`;
}

/** A company as a response has it. */
export function record(id: number, name: string, branch = '1'): RecordValues {
  return { id, name, company_code: null, branch_user: branch, create_date: DATE, write_date: DATE };
}

export function yes(body?: unknown, headers: Partial<Yes> = {}): Yes {
  const bytes = createHash('sha256')
    .update(JSON.stringify(body) ?? '')
    .digest('hex');
  return { is: 'yes', status: 200, body, bytes, ...headers };
}

export function no(status: number, code: string, revision?: number): Outcome {
  return { is: 'no', status, code, ...(revision !== undefined && { tag: tag(revision) }) };
}

export const lost: Outcome = { is: 'unknown', reason: 'socket hang up' };

const resource = 'company';

/** Writes are known by a number. */
export class Sketch {
  readonly calls: Call[] = [];

  call([start, end]: Times, ask: Ask, outcome: Outcome): this {
    const number = this.calls.length + 1;
    this.calls.push({ number, client: number, start, end, ask, outcome });
    return this;
  }

  /** Adds companies, whose ids follow each other. */
  add(times: Times, write: number, rows: readonly ImportRow[], revision: number | Outcome): this {
    const outcome = typeof revision === 'number' ? imported({ created: rows.length }, revision) : revision;
    return this.import(times, { write, rows }, outcome);
  }

  import(times: Times, ask: Pick<Import, 'write' | 'rows'> & Partial<Import>, outcome: Outcome): this {
    return this.call(times, { kind: 'import', resource, by: 'id', replaces: false, ...ask }, outcome);
  }

  patch(times: Times, ask: Pick<Patch, 'write' | 'id' | 'values'> & Partial<Patch>, outcome: Outcome): this {
    return this.call(times, { kind: 'patch', resource, ...ask }, outcome);
  }

  remove(
    times: Times,
    ask: Pick<Remove, 'write' | 'id'> & Partial<Remove>,
    outcome: Outcome = yes(undefined, { status: 204 }),
  ): this {
    return this.call(times, { kind: 'remove', resource, ...ask }, outcome);
  }

  get(times: Times, id: number, outcome: Outcome): this {
    return this.call(times, { kind: 'get', resource, id }, outcome);
  }

  /** A list that has all records on its page. */
  list(times: Times, records: readonly RecordValues[], revision: number, ask: Partial<List> = {}): this {
    const [count, total] = [records.length, records.length];
    const pagination = { previousPage: null, currentPage: 1, nextPage: null, totalPages: Math.min(1, total) };
    const outcome = yes({ data: records, meta: { count, total }, pagination }, { tag: tag(revision) });
    return this.call(times, { kind: 'list', resource, sort: [], page: 1, limit: 10, ...ask }, outcome);
  }

  /** A page of the feed. */
  changes(times: Times, since: string | undefined, page: FeedPage, ask: Partial<Changes> = {}): this {
    const { data, cursor, more = false, revision } = page;
    const outcome = yes({ data, meta: { count: data.length, cursor, more } }, { revision, oldest: 'oldest' });
    return this.call(times, { kind: 'changes', resource, form: 'page', limit: 2, since, ...ask }, outcome);
  }
}

interface FeedPage {
  readonly data: readonly RecordValues[];
  readonly cursor: string;
  readonly more?: boolean;
  readonly revision: number;
}

export function imported(counts: object, revision: number, headers: Partial<Yes> = {}): Yes {
  const all = { created: 0, updated: 0, unchanged: 0, removed: 0, ...counts };
  return yes({ data: { ...all, skipped: 0, errors: [], revision, cursor: `after ${revision}` } }, headers);
}

/** The response to a change. */
export function changed(values: RecordValues, revision: number, headers: Partial<Yes> = {}): Yes {
  return yes({ data: values }, { tag: tag(revision), ...headers });
}

export function removedChange(id: number): RecordValues {
  return { id, removed: true };
}
