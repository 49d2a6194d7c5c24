/** The checker finds histories that are wrong in each way, and accepts those that only look odd. */

import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { check, explain } from './check.ts';
import { shrunk } from './shrink.ts';
import { changed, imported, lost, no, record, removedChange, Sketch, tag, yes } from './sketch.ts';

const A = { name: 'A', branch_user: '1' };
const B = { name: 'B', branch_user: '1' };
const [first, second] = [record(1, 'A'), record(2, 'B')];

/** Two companies at revision 1. */
const two = () => new Sketch().add([1, 2], 1, [A, B], 1);

/** How often there was which rule. */
function rulesBroken({ calls }: Sketch): readonly string[] {
  return [...new Set(check(calls).violations.map(({ rule }) => rule))];
}

const right: Readonly<Record<string, Sketch>> = {
  'reads at the same time see a write or not': two()
    .patch([3, 20], { write: 2, id: 1, values: { name: 'C' } }, changed(record(1, 'C'), 2))
    .get([4, 5], 1, yes({ data: record(1, 'C') }, { tag: tag(2) }))
    .list([6, 7], [record(1, 'C'), second], 2),
  'of two reads at the same time, the one that ends first sees more': two()
    .patch([3, 20], { write: 2, id: 1, values: { name: 'C' } }, changed(record(1, 'C'), 2))
    .list([4, 19], [first, second], 1)
    .list([5, 18], [record(1, 'C'), second], 2),
  'a write whose response was lost is made long after its client gave up': two()
    .patch([3, 4], { write: 2, id: 1, values: { name: 'C' } }, lost)
    .list([5, 6], [first, second], 1)
    .get([7, 8], 1, yes({ data: first }, { tag: tag(1) }))
    .patch([9, 10], { write: 3, id: 2, values: { name: 'D' } }, changed(record(2, 'D'), 3))
    .list([11, 12], [record(1, 'C'), record(2, 'D')], 3),
  'a write whose response was lost is never made': two()
    .remove([3, 4], { write: 2, id: 1 }, lost)
    .list([5, 6], [first, second], 1),
  'the feed says in which order two records were removed at the same time': two()
    .remove([3, 10], { write: 2, id: 1 })
    .remove([4, 9], { write: 3, id: 2 })
    .changes([11, 12], 'after 1', {
      data: [removedChange(2), removedChange(1)],
      cursor: 'c',
      revision: 3,
    }),
  'two pages of the feed say in which order two records were removed at the same time': two()
    .remove([3, 10], { write: 2, id: 1 })
    .remove([4, 9], { write: 3, id: 2 })
    .changes([11, 12], 'after 1', { data: [removedChange(2)], cursor: 'c1', more: true, revision: 3 }, { limit: 1 })
    .changes([13, 14], 'c1', { data: [removedChange(1)], cursor: 'c2', revision: 3 }),
  'a list says in which order two records were removed at the same time': two()
    .remove([3, 10], { write: 2, id: 1 })
    .remove([4, 11], { write: 3, id: 2 })
    .list([5, 6], [first], 2)
    .list([12, 13], [], 3),
  'a feed with a filter says in which order two records were removed, one of which an import was to remove again': two()
    .remove([3, 10], { write: 2, id: 1 })
    .remove([4, 9], { write: 3, id: 2 })
    .add([11, 12], 4, [A], 4)
    .import(
      [13, 14],
      { write: 5, rows: [1, 3].map((id) => ({ id, removed: true })) },
      imported({ removed: 1, unchanged: 1 }, 5),
    )
    .changes(
      [15, 16],
      'after 1',
      { data: [2, 1, 3].map(removedChange), cursor: 'c', revision: 5 },
      { filter: 'name=A', limit: 10 },
    ),
  'a record is removed and added again, and its removal is nowhere to be seen': two()
    .remove([3, 4], { write: 2, id: 1 })
    .import([5, 6], { write: 3, rows: [{ id: 1, name: 'C', branch_user: '2' }] }, imported({ created: 1 }, 3))
    .changes([7, 8], 'after 1', { data: [record(1, 'C', '2')], cursor: 'c', revision: 3 }),
  'a retry is in progress, and then a repetition of the first attempt': two()
    .patch([3, 4], { write: 2, key: 'k', id: 1, values: { name: 'C' } }, lost)
    .patch([5, 6], { write: 2, key: 'k', id: 1, values: { name: 'C' } }, no(409, 'idempotency_key_in_progress'))
    .patch(
      [7, 8],
      { write: 2, key: 'k', id: 1, values: { name: 'C' } },
      changed(record(1, 'C'), 2, { isReplayed: true }),
    ),
  'the record of a repeated change has been removed since': two()
    .patch([3, 4], { write: 2, key: 'k', id: 1, values: { name: 'C' } }, changed(record(1, 'C'), 2))
    .remove([5, 6], { write: 3, id: 1 })
    .patch([7, 8], { write: 2, key: 'k', id: 1, values: { name: 'C' } }, no(404, 'record_not_found'))
    .list([9, 10], [second], 3),
  'a change is refused because of another one at the same time': two()
    .patch([3, 10], { write: 2, id: 1, values: { name: 'C' }, ifMatch: tag(1) }, changed(record(1, 'C'), 2))
    .patch([4, 9], { write: 3, id: 1, values: { name: 'D' }, ifMatch: tag(1) }, no(412, 'record_changed', 2)),
  'an import changes nothing, and has the revision of another one': two()
    .import([3, 4], { write: 2, rows: [{ id: 7, removed: true }] }, imported({ unchanged: 1 }, 1))
    .list([5, 6], [first, second], 1),
  'a copy begins while records change': two()
    .changes([3, 4], undefined, { data: [first], cursor: 'c1', more: true, revision: 1 }, { limit: 1 })
    .remove([5, 6], { write: 2, id: 2 })
    .patch([7, 8], { write: 3, id: 1, values: { name: 'C' } }, changed(record(1, 'C'), 3))
    .changes([9, 10], 'c1', { data: [], cursor: 'c2', more: true, revision: 3 })
    .changes([11, 12], 'c2', { data: [removedChange(2), record(1, 'C')], cursor: 'c3', revision: 3 }),
};

test.each(Object.entries(right))('%s', (_, sketch) => {
  expect(check(sketch.calls).violations).toEqual([]);
});

const HASH = createHash('sha256')
  .update([first, second].map((company) => `${JSON.stringify(company)}\n`).join(''))
  .digest('hex');
const digest = (sha256: string) =>
  yes({ data: { total: 2, revision: 1, cursor: 'd', sha256 } }, { tag: '"a-1-1-digest"' });
const lines = (...body: readonly unknown[]) => yes(body, { revision: 1 });
const end = { end: { rows: 2, revision: 1 } };
const patched = { write: 2, id: 1, values: { name: 'C' } };

const wrong: readonly (readonly [string, string, Sketch])[] = [
  [
    'an acknowledged write is not in a list',
    'acknowledged writes are seen',
    two().remove([3, 4], { write: 2, id: 1 }).list([5, 6], [first, second], 1),
  ],
  ['an acknowledged write is never seen', 'acknowledged writes are seen', two().remove([3, 4], { write: 2, id: 1 })],
  [
    'a list is older than one that was read before',
    'reads respect time',
    two()
      .patch([3, 4], patched, changed(record(1, 'C'), 2))
      .list([5, 6], [record(1, 'C'), second], 2)
      .list([7, 8], [first, second], 1),
  ],
  [
    'a list has a change that nobody had asked for yet',
    'writes respect time',
    two()
      .list([3, 4], [record(1, 'C'), second], 2)
      .patch([5, 6], patched, changed(record(1, 'C'), 2)),
  ],
  [
    'a record is older than an acknowledged change',
    'record',
    two()
      .patch([3, 4], patched, changed(record(1, 'C'), 2))
      .get([5, 6], 1, yes({ data: first }, { tag: tag(1) })),
  ],
  [
    'a record is there after it was removed',
    'record',
    two()
      .remove([3, 4], { write: 2, id: 1 })
      .get([5, 6], 1, yes({ data: first }, { tag: tag(1) }))
      .list([7, 8], [second], 2),
  ],
  ['a record is not there that nobody has removed', 'record', two().get([3, 4], 1, no(404, 'record_not_found'))],
  ['a revision is left out', 'no holes', two().patch([3, 4], patched, changed(record(1, 'C'), 3))],
  [
    'two writes have one revision',
    'one write per revision',
    two()
      .patch([3, 4], patched, changed(record(1, 'C'), 2))
      .patch([3, 4], { ...patched, write: 3, id: 2, values: { name: 'D' } }, changed(record(2, 'D'), 2)),
  ],
  [
    'a write has a revision that was there before it was asked for',
    'writes respect time',
    two()
      .patch([3, 30], { write: 3, id: 2, values: { name: 'D' } }, changed(record(2, 'D'), 3))
      .list([4, 5], [record(1, 'C'), record(2, 'D')], 3)
      .patch([6, 7], patched, changed(record(1, 'C'), 2)),
  ],
  [
    'a later write has an earlier revision',
    'writes respect time',
    two()
      .patch([3, 4], patched, changed(record(1, 'C'), 3))
      .patch([5, 6], { write: 3, id: 2, values: { name: 'D' } }, changed(record(2, 'D'), 2)),
  ],
  [
    'a change has undone another one',
    'writes',
    two()
      .patch([3, 4], { write: 2, id: 1, values: { name: 'C', branch_user: '7' } }, changed(record(1, 'C', '7'), 2))
      .patch([5, 6], { write: 3, id: 1, values: { name: 'D' } }, changed(record(1, 'D', '1'), 3)),
  ],
  [
    'If-Match was ignored',
    'writes',
    two()
      .patch([3, 4], patched, changed(record(1, 'C'), 2))
      .patch([5, 6], { write: 3, id: 1, values: { name: 'D' }, ifMatch: tag(1) }, changed(record(1, 'D'), 3)),
  ],
  [
    'a change was refused without a reason',
    'conditions',
    two().patch([3, 4], { ...patched, ifMatch: tag(1) }, no(412, 'record_changed', 1)),
  ],
  [
    'an import counts wrong',
    'writes',
    new Sketch().import([1, 2], { write: 1, rows: [A, B] }, imported({ created: 1, updated: 1 }, 1)),
  ],
  [
    'a total is that of another revision',
    'list',
    two()
      .remove([3, 4], { write: 2, id: 1 })
      .call(
        [5, 6],
        { kind: 'list', resource: 'company', sort: [], page: 1, limit: 10 },
        yes(
          {
            data: [second],
            meta: { count: 1, total: 2 },
            pagination: { previousPage: null, currentPage: 1, nextPage: null, totalPages: 1 },
          },
          { tag: tag(2) },
        ),
      ),
  ],
  ['a page is in another order', 'list', two().list([3, 4], [second, first], 1)],
  ['a record is as no write has made it', 'list', two().list([3, 4], [first, record(2, 'B', '2')], 1)],
  [
    'the dates of a record differ between two readers',
    'list',
    two()
      .list([3, 4], [first, second], 1)
      .list([5, 6], [first, { ...second, write_date: '2026-03-02T12:00:00.000Z' }], 1, { limit: 20 }),
  ],
  [
    'two readers get different bytes with the same tag',
    'readers agree',
    two()
      .get([3, 4], 1, yes({ data: first }, { tag: tag(1), bytes: '1' }))
      .get([5, 6], 1, yes({ data: first }, { tag: tag(1), bytes: '2' })),
  ],
  [
    'a revision has two tags',
    'one tag per revision',
    two()
      .get([3, 4], 1, yes({ data: first }, { tag: tag(1) }))
      .get([5, 6], 2, yes({ data: second }, { tag: '"a-2-1"' })),
  ],
  [
    'the feed leaves out a change',
    'changes',
    two()
      .patch([3, 4], patched, changed(record(1, 'C'), 2))
      .changes([5, 6], 'after 1', { data: [], cursor: 'c', revision: 2 }),
  ],
  [
    'the feed leaves out a removal',
    'changes',
    two().remove([3, 4], { write: 2, id: 1 }).changes([5, 6], 'after 1', { data: [], cursor: 'c', revision: 2 }),
  ],
  [
    'the feed skips a row of the same revision',
    'changes',
    new Sketch()
      .add([1, 2], 1, [A, B, { ...A, name: 'C' }], 1)
      .changes([3, 4], undefined, { data: [first, second], cursor: 'c1', more: true, revision: 1 })
      .changes([5, 6], 'c1', { data: [], cursor: 'c2', revision: 1 }),
  ],
  [
    'a page of the feed repeats one before',
    'changes',
    two()
      .changes([3, 4], undefined, { data: [first], cursor: 'c1', more: true, revision: 1 }, { limit: 1 })
      .changes([5, 6], 'c1', { data: [first, second], cursor: 'c2', revision: 1 }),
  ],
  [
    'the feed says that there is no more',
    'changes',
    two().changes([3, 4], undefined, { data: [first], cursor: 'c1', revision: 1 }, { limit: 1 }),
  ],
  [
    'a stream of changes is not complete',
    'changes',
    two().call(
      [3, 4],
      { kind: 'changes', resource: 'company', form: 'lines' },
      lines(first, { end: { rows: 1, revision: 1, cursor: 'c', more: false } }),
    ),
  ],
  [
    'a lost write is seen, and then not any more',
    'list',
    two()
      .patch([3, 4], patched, lost)
      .get([5, 6], 1, yes({ data: record(1, 'C') }, { tag: tag(2) }))
      .list([7, 8], [first, second], 2),
  ],
  [
    'a write was refused and made',
    'refused writes are not seen',
    two()
      .patch([3, 4], patched, no(412, 'record_changed', 1))
      .list([5, 6], [record(1, 'C'), second], 2),
  ],
  [
    'a retry was made once more',
    'idempotency',
    new Sketch().add([1, 2], 1, [A], 1).import([3, 4], { write: 1, rows: [A] }, imported({ created: 1 }, 2)),
  ],
  [
    'a lost write and its retry were both made',
    'no holes',
    new Sketch()
      .import([1, 2], { write: 1, key: 'k', rows: [A] }, lost)
      .import([3, 4], { write: 1, key: 'k', rows: [A] }, imported({ created: 1 }, 2)),
  ],
  [
    'a repetition has another response',
    'idempotency',
    new Sketch()
      .add([1, 2], 1, [A], 1)
      .import([3, 4], { write: 1, rows: [A] }, imported({ created: 2 }, 1, { isReplayed: true })),
  ],
  [
    'a change to the same values makes a version',
    'conditions',
    two().call(
      [3, 4],
      { kind: 'touch', resource: 'company', id: 1, values: { name: 'A' }, ifMatch: tag(1) },
      changed(first, 2),
    ),
  ],
  [
    'a 304 has another tag',
    'conditions',
    two().call(
      [3, 4],
      { kind: 'get', resource: 'company', id: 1, ifNoneMatch: tag(0) },
      yes(undefined, { status: 304, tag: tag(1) }),
    ),
  ],
  [
    'an export lacks a record',
    'export',
    two().call([3, 4], { kind: 'export', resource: 'company' }, lines(first, { end: { rows: 1, revision: 1 } })),
  ],
  [
    'a digest is not that of the records',
    'digest',
    two()
      .call([3, 4], { kind: 'export', resource: 'company' }, lines(first, second, end))
      .call([5, 6], { kind: 'digest', resource: 'company' }, digest('0')),
  ],
  [
    'a copy from the feed differs from the digest',
    'copy',
    two()
      .changes([3, 4], undefined, { data: [first], cursor: 'c1', revision: 1 })
      .call([5, 6], { kind: 'digest', resource: 'company' }, digest(HASH)),
  ],
  [
    'an aggregate counts wrong',
    'aggregate',
    two().call(
      [3, 4],
      { kind: 'aggregate', resource: 'company', facet: 'branch_user' },
      yes(
        { data: { facets: { branch_user: { groups: [{ value: '1', measures: { count: 1 } }] } } }, meta: { total: 2 } },
        { tag: '"a-1-1-aggregate"' },
      ),
    ),
  ],
  [
    'a cursor expires',
    'responses',
    two().call(
      [3, 4],
      { kind: 'changes', resource: 'company', form: 'page', since: 'after 1', limit: 2 },
      no(410, 'cursor_expired'),
    ),
  ],
  [
    'the service has a bug',
    'responses',
    two().get([3, 4], 1, { is: 'unknown', reason: '500 internal_error', status: 500 }),
  ],
];

test.each(wrong)('not if %s', (_, rule, sketch) => {
  expect(rulesBroken(sketch)).toContain(rule);
});

const stale = two()
  .get([3, 4], 2, yes({ data: second }, { tag: tag(1) }))
  .patch([5, 6], patched, changed(record(1, 'C'), 2))
  .get([7, 8], 1, yes({ data: first }, { tag: tag(1) }))
  .list([9, 10], [record(1, 'C'), second], 2);

test('what is wrong is told in words, with the calls that contradict each other', () => {
  expect(explain(check(stale.calls).violations, 'history.ndjson').split('\n')).toEqual([
    expect.stringMatching(
      /^record: What a response said was true at no moment .* company 1 was as revision 2 wrote it, /,
    ),
    expect.stringMatching(/^ {2}#4 client 4, moments 7 to 8: get company, id 1 → 200, tag "a-1-1", /),
    expect.stringMatching(/^ {2}#3 client 3, moments 5 to 6: patch company, write 2, id 1, .* → 200, tag "a-1-2", /),
    '',
    'Check it again: npx node test/faults/histories/recheck.ts history.ndjson',
  ]);
});

test('a history is shrunk to the writes and the reads that a violation needs', () => {
  expect(shrunk(stale.calls, 'record').map(({ ask: { kind } }) => kind)).toEqual(['import', 'patch', 'get']);
});
