/** What the change feed has to return at a revision, compared with what it did return. */

import type { Filter } from '../../../../src/filter/ast.ts';
import { parsedFilter } from '../../../support/parsed-filter.ts';
import type { Changes, Yes } from '../history.ts';
import { changedSince, endOf, feedPage } from './feed.ts';
import type { Learned } from './learned.ts';
import type { Model, Version } from './model.ts';
import { unequal, type Wrong, wrongOrder } from './wrong.ts';

/** The changes of a page that does not say how many it may have. */
const DEFAULT_LIMIT = 10;

const NEVER_ISSUED: Wrong = { text: 'its cursor was never issued' };

function filterOf({ filter }: Changes): Filter | undefined {
  return filter === undefined ? undefined : parsedFilter(filter);
}

export function wrongPage(ask: Changes, body: FeedBody, model: Model, learned: Learned): Wrong | undefined {
  const since = ask.since === undefined ? undefined : learned.cursors.get(ask.since);
  if (ask.since !== undefined && since === undefined) return NEVER_ISSUED;
  const expected = feedPage(model, since, ask.limit ?? DEFAULT_LIMIT, filterOf(ask));
  const { data, meta } = body;
  const wrong =
    wrongOrder(
      'the changed records',
      expected.changes.map(({ id }) => id),
      data.map((change) => Number(Object(change).id)),
    ) ??
    expected.changes
      .map(({ id, version }, n) => wrongChange(data[n], id, version, ask, model, learned))
      .find((each) => each !== undefined) ??
    unequal('meta', { count: expected.changes.length, more: expected.more }, { count: meta.count, more: meta.more });
  if (wrong === undefined) learned.cursors.set(meta.cursor, expected.next);
  return wrong;
}

interface FeedBody {
  readonly data: readonly unknown[];
  readonly meta: { readonly count: number; readonly cursor: string; readonly more: boolean };
}

export function wrongLines(ask: Changes, outcome: Yes, model: Model, learned: Learned): Wrong | undefined {
  const beginning = { revision: 0, id: 0, begun: outcome.revision ?? 0 };
  const since = ask.since === undefined ? beginning : learned.cursors.get(ask.since);
  if (since === undefined) return NEVER_ISSUED;
  const lines: readonly unknown[] = Object(outcome.body);
  const { rows, revision, cursor, more } = Object(lines.at(-1)).end;
  const sent = lines.slice(0, -1);
  const last = new Map(sent.map((change) => [Number(Object(change).id), change]));
  const expected = changedSince(model, since, filterOf(ask));
  const wrongEnd = unequal(
    'the last line',
    { rows: sent.length, revision: model.revision, more: false },
    { rows, revision, more },
  );
  if (wrongEnd !== undefined) return wrongEnd;
  for (const [id, version] of expected) {
    const wrong = wrongChange(last.get(id), id, version, ask, model, learned);
    if (wrong !== undefined) return wrong;
  }
  const extra = [...last.keys()].find((id) => !expected.has(id));
  if (extra !== undefined) {
    const text = `${model.resource.name} ${extra} was not written since the cursor, but is among the changes`;
    return { text, ids: [extra] };
  }
  learned.cursors.set(cursor, endOf(model.revision, since.begun));
  return undefined;
}

function wrongChange(
  change: unknown,
  id: number,
  version: Version | undefined,
  { fields }: Changes,
  model: Model,
  learned: Learned,
): Wrong | undefined {
  if (change === undefined) return { text: `${model.resource.name} ${id} is missing among the changes`, ids: [id] };
  if (version === undefined) return unequal('a change', { id, removed: true }, change, [id]);
  return learned.differs(change, id, version, model, fields);
}
