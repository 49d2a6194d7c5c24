/** What a read has to return at a revision, compared with what it did return. */

import { createHash } from 'node:crypto';
import type { RecordValues } from '../../../support/fixture.ts';
import type { Aggregate, Changes, Digest, Export, List, Yes } from '../history.ts';
import { endOf } from './feed.ts';
import { wrongLines, wrongPage } from './feed-answers.ts';
import type { Learned } from './learned.ts';
import { DATES, type Model } from './model.ts';
import { unequal, type Wrong, wrongOrder } from './wrong.ts';

/** A read of a whole resource. */
export type ListAsk = List | Export | Digest | Aggregate | Changes;

/** What is wrong with the response to a read at the revision of the model; undefined if it is right. */
export function wrongAnswer(ask: ListAsk, outcome: Yes, model: Model, learned: Learned): Wrong | undefined {
  const body = Object(outcome.body);
  const selected = (sort: readonly string[] = []) => learned.selected(model, ask.filter, sort);
  switch (ask.kind) {
    case 'list': {
      const found = selected(ask.sort);
      const page = found.slice((ask.page - 1) * ask.limit, ask.page * ask.limit);
      const meta = { count: page.length, total: found.length };
      return (
        wrongRecords(page, body.data, ask, model, learned) ??
        unequal('the total', meta, body.meta) ??
        unequal('the pagination', paginationOf(ask, found.length), body.pagination)
      );
    }
    case 'export': {
      const found = selected();
      const lines: readonly unknown[] = body;
      const end = { end: { rows: found.length, revision: model.revision } };
      return (
        wrongRecords(found, lines.slice(0, -1), ask, model, learned) ?? unequal('the last line', end, lines.at(-1))
      );
    }
    case 'digest': {
      const { total, revision, sha256, cursor } = body.data;
      const found = selected();
      learned.cursors.set(cursor, endOf(model.revision));
      const expected = { total: found.length, revision: model.revision };
      const dated = found.map((record) => learned.dated(record, model)).filter((record) => record !== undefined);
      const fields = ask.fields ?? model.resource.fields.map(({ name }) => name);
      const isKnown = dated.length === found.length || !DATES.some((name) => fields.includes(name));
      const hash = isKnown ? digestOf(dated.length === found.length ? dated : found, fields) : sha256;
      return unequal('the total', expected, { total, revision }) ?? unequal('the hash', hash, sha256);
    }
    case 'aggregate': {
      const found = selected();
      const groups = new Map<unknown, number>();
      for (const record of found) groups.set(record[ask.facet], (groups.get(record[ask.facet]) ?? 0) + 1);
      const got: readonly { readonly value: unknown; readonly measures: { readonly count: number } }[] =
        body.data.facets[ask.facet].groups;
      const gotGroups = new Map(got.map(({ value, measures }) => [value, measures.count]));
      return (
        unequal('the total', found.length, body.meta.total) ??
        unequal('the groups', sortedEntries(groups), sortedEntries(gotGroups))
      );
    }
    case 'changes':
      if (outcome.oldest !== undefined) learned.cursors.set(outcome.oldest, endOf(0));
      return ask.form === 'lines' ? wrongLines(ask, outcome, model, learned) : wrongPage(ask, body, model, learned);
  }
}

function wrongRecords(
  expected: readonly RecordValues[],
  got: readonly unknown[],
  { fields }: List | Export,
  model: Model,
  learned: Learned,
): Wrong | undefined {
  const expectedIds = expected.map(({ id }) => Number(id));
  const ids = got.map((record) => Number(Object(record).id));
  const order = wrongOrder('the records', expectedIds, ids);
  if (order !== undefined) return order;
  for (const [index, id] of expectedIds.entries()) {
    const version = model.records.get(id);
    const wrong = version && learned.differs(got[index], id, version, model, fields);
    if (wrong !== undefined) return wrong;
  }
  return undefined;
}

function paginationOf({ page, limit }: List, total: number): object {
  const totalPages = Math.ceil(total / limit);
  return {
    previousPage: page === 1 || totalPages === 0 ? null : Math.min(page - 1, totalPages),
    currentPage: page,
    nextPage: page < totalPages ? page + 1 : null,
    totalPages,
  };
}

/** docs/sync.md, "Proof". */
export function digestOf(records: readonly RecordValues[], fields: readonly string[]): string {
  const hash = createHash('sha256');
  for (const record of records.toSorted((a, b) => Number(a['id']) - Number(b['id']))) {
    const values = Object.fromEntries(fields.map((name) => [name, record[name]]));
    hash.update(`${JSON.stringify(values)}\n`);
  }
  return hash.digest('hex');
}

function sortedEntries(groups: ReadonlyMap<unknown, number>): readonly string[] {
  return [...groups].map(([value, count]) => `${JSON.stringify(value)}: ${count}`).toSorted();
}
