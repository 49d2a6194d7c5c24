/** The change feed, as docs/sync.md describes it: what a page has, given a cursor, and where the next one continues. */

import type { Filter } from '../../../../src/filter/ast.ts';
import type { RecordValues } from '../../../support/fixture.ts';
import { matches } from '../../../support/oracle.ts';
import type { Model, Version } from './model.ts';

/** After everything of a revision, or after one record of it. */
export interface Cursor {
  readonly revision: number;
  readonly id: number;
  /** The revision at which the copy began, which has nothing to remove from before. */
  readonly begun: number;
}

/** A record in its current state, or that it is gone. */
export type Change = { readonly id: number; readonly version: Version | undefined };

export interface FeedPage {
  readonly changes: readonly Change[];
  readonly next: Cursor;
  readonly more: boolean;
}

export function endOf(revision: number, begun = revision): Cursor {
  return { revision, id: Number.POSITIVE_INFINITY, begun };
}

export function feedPage(model: Model, since: Cursor | undefined, limit: number, filter?: Filter): FeedPage {
  const begun = since?.begun ?? model.revision;
  const position = since ?? { revision: 0, id: 0 };
  const isBeginning =
    position.revision < begun || (position.revision === begun && position.id !== Number.POSITIVE_INFINITY);
  const isMatch = (id: number, { values }: Version) =>
    filter === undefined || matches(filter, { ...values, id } satisfies RecordValues, model.resource);
  const isAfter = (revision: number, id: number) =>
    revision > position.revision || (revision === position.revision && id > position.id);
  const entries: (Change & { readonly revision: number })[] = [];
  for (const [id, version] of model.records) {
    const { revision } = version;
    if (!isAfter(revision, id)) continue;
    if (isBeginning && (revision > begun || !isMatch(id, version))) continue;
    entries.push({ id, revision, version: isMatch(id, version) ? version : undefined });
  }
  if (!isBeginning)
    for (const [id, revision] of model.removed)
      if (isAfter(revision, id)) entries.push({ id, revision, version: undefined });
  entries.sort((a, b) => a.revision - b.revision || a.id - b.id);
  const changes = entries.slice(0, limit);
  const last = changes.at(-1);
  const isCut = entries.length > limit;
  const end = isBeginning ? endOf(begun) : endOf(model.revision, begun);
  const next = isCut && last !== undefined ? { revision: last.revision, id: last.id, begun } : end;
  return { changes, next, more: isCut || next.revision < model.revision };
}

/** What a stream of all changes leads to: whatever was written since, once or several times, and in the end in its current state. */
export function changedSince(
  model: Model,
  since: Cursor | undefined,
  filter?: Filter,
): ReadonlyMap<number, Version | undefined> {
  const everything = Number.POSITIVE_INFINITY;
  const first = feedPage(model, since, everything, filter);
  const later = first.more ? feedPage(model, first.next, everything, filter).changes : [];
  return new Map([...first.changes, ...later].map(({ id, version }) => [id, version]));
}
