/** A copy that is built from the change feed alone, compared with the digest of the same revision. */

import type { RecordValues } from '../../../support/fixture.ts';
import type { Call } from '../history.ts';
import { digestOf } from './answers.ts';
import type { Violation } from './violation.ts';

export interface Copies {
  /** How many copies were compared. */
  readonly compared: number;
  readonly violations: readonly Violation[];
}

export function checkCopies(calls: readonly Call[]): Copies {
  const pages = calls.filter(isPageOfEverything);
  // Of several pages with the same cursor, the first has led to the others.
  const byCursor = new Map(pages.toReversed().map((page) => [cursorOf(page), page]));
  const beginnings = new Set(pages.map(({ outcome }) => (outcome.is === 'yes' ? outcome.oldest : undefined)));
  const complete = Map.groupBy(pages.filter(isComplete), (call) => `${call.ask.resource} ${revisionOf(call)}`);
  let compared = 0;
  const violations: Violation[] = [];
  for (const call of calls) {
    const { ask, outcome } = call;
    if (ask.kind !== 'digest' || outcome.is !== 'yes' || ask.filter !== undefined || ask.fields !== undefined) continue;
    const { revision, sha256 } = Object(outcome.body).data;
    for (const page of complete.get(`${ask.resource} ${revision}`) ?? []) {
      const copy = copyAt(page, byCursor, beginnings);
      if (copy === undefined) continue;
      compared += 1;
      const records = [...copy.values()];
      if (digestOf(records, Object.keys(records[0] ?? {})) === sha256) continue;
      violations.push({
        rule: 'copy',
        text: `A copy from the feed of ${ask.resource}, with ${records.length} records, differs from the digest at revision ${revision}.`,
        calls: [page, call],
      });
    }
  }
  return { compared, violations };
}

function isPageOfEverything({ ask, outcome }: Call): boolean {
  return ask.kind === 'changes' && ask.filter === undefined && ask.fields === undefined && outcome.is === 'yes';
}

interface Page {
  readonly changes: readonly RecordValues[];
  readonly cursor: string;
  readonly more: boolean;
}

function pageOf({ outcome }: Call): Page {
  const body: unknown = outcome.is === 'yes' ? outcome.body : undefined;
  if (Array.isArray(body)) return { changes: body.slice(0, -1), ...body.at(-1).end };
  const { data, meta } = Object(body);
  return { changes: data, ...meta };
}

function cursorOf(call: Call): string {
  return pageOf(call).cursor;
}

function isComplete(call: Call): boolean {
  return !pageOf(call).more;
}

function revisionOf({ outcome }: Call): number | undefined {
  if (outcome.is !== 'yes') return undefined;
  return Array.isArray(outcome.body) ? outcome.body.at(-1).end.revision : outcome.revision;
}

/** Undefined if the feed was not read from its beginning. */
function copyAt(
  last: Call,
  byCursor: ReadonlyMap<string, Call>,
  beginnings: ReadonlySet<string | undefined>,
): ReadonlyMap<number, RecordValues> | undefined {
  const pages: Page[] = [];
  for (let call: Call = last; ; ) {
    pages.unshift(pageOf(call));
    const since = call.ask.kind === 'changes' ? call.ask.since : undefined;
    if (since === undefined || beginnings.has(since)) break;
    const before = byCursor.get(since);
    if (before === undefined) return undefined;
    call = before;
  }
  const copy = new Map<number, RecordValues>();
  for (const { changes } of pages)
    for (const change of changes) {
      if (change['removed'] === true) copy.delete(Number(change['id']));
      else copy.set(Number(change['id']), change);
    }
  return copy;
}
