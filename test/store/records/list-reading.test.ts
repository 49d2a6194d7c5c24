/** How lists are read: on which executor, and whether the index in memory is asked first. */

import { describe, expect, test } from 'vitest';
import { product } from '../../../src/catalog/product.ts';
import { planList } from '../../../src/plan/list.ts';
import {
  FAST_ROWS,
  howToRead,
  type KnownList,
  type Reading,
  SLOW_ROWS,
  sliceLength,
} from '../../../src/store/records/list-reading.ts';
import { planned } from '../../support/fixture.ts';

const MANY = 1_000_000;

/** SQLite cannot interrupt a statement, and does not know how many rows an index finds; PostgreSQL does both. */
const sqlite = { hasStatistics: false, sliceRows: 20_000 };
const postgres = { hasStatistics: true, sliceRows: Number.POSITIVE_INFINITY };

type Values = Readonly<Record<string, string>>;

interface Known extends Partial<Pick<KnownList, 'total' | 'isLarge'>> {
  readonly rows?: number;
  /** The offset of an anchor. */
  readonly anchor?: number;
}

const planOf = (values: Values) => planned(planList(product, { values, continuations: [] }));

function decided(values: Values, { rows = MANY, total, anchor, isLarge = false }: Known, engine = sqlite): string {
  const reading = howToRead(
    planOf(values),
    {
      version: { generation: 1, revision: 1, rows },
      total: 'filter' in values ? total : rows,
      anchor: anchor === undefined ? undefined : { offset: anchor, id: 1 },
      isLarge,
    },
    engine,
  );
  if (reading.kind !== 'probe') return printed(reading);
  const candidates = reading.candidates.map((candidate) =>
    candidate.map((condition) => ('field' in condition ? condition.field.name : '')).join(' or '),
  );
  const probe = `${candidates.join(', else ')} up to ${reading.maxRows}`;
  return `${probe}: ${printed(reading.few)}; more: ${printed(reading.many)}`;
}

function printed({ kind, executor, fromIndex, indexed, candidates }: Reading): string {
  const index = fromIndex === undefined ? '' : fromIndex === 'fast' ? 'index, else ' : 'index (slow), else ';
  const found = candidates === undefined ? '' : `what is probed up to ${SLOW_ROWS}, else `;
  return `${index}${found}${executor} ${kind}${indexed === undefined ? '' : ' without an index'}`;
}

const filtered = (filter: string, page = '1') => ({ filter, page });
const sorted = (filter?: string, page = '1') => ({ sort: 'name', page, ...(filter && { filter }) });
const paged = (offset: number) => ({ limit: '1', page: String(offset + 1) });

const FAST = 'fast statement';
const SLICED_READ = 'slow located';
const SLOW_READ = 'slow statement';
const SLICED = `index, else ${SLICED_READ}`;
const SLOW = `index, else ${SLOW_READ}`;
const PROBED = `index, else what is probed up to ${SLOW_ROWS}, else `;

describe('with many records', () => {
  test.each<[name: string, values: Values, known: Known, onSqlite: string, onPostgres?: string]>([
    ['a page in id order is fast', {}, {}, FAST],
    ['a page behind the maximum number of records that may be skipped is fast', paged(FAST_ROWS), {}, FAST],
    ['skipping one more is slow', paged(FAST_ROWS + 1), {}, SLICED, SLOW],
    ['unless it is close to an anchor', paged(900_000), { anchor: 899_500 }, FAST],
    ['which is not too far away', paged(900_000), { anchor: 800_000 }, SLICED, SLOW],
    ['counting is slow', filtered('list_price>5'), {}, SLICED, SLOW],
    [
      'frequent matches after an anchor fill the page soon',
      filtered('list_price>5', '101'),
      { total: MANY / 2, anchor: 1_000 },
      'fast statement without an index',
    ],
    [
      'without an anchor they may start far down, but probably do not',
      filtered('list_price>5'),
      { total: MANY / 2 },
      'slow located',
      'slow statement',
    ],
    ['nearly all records match', filtered('list_price>5'), { total: MANY - 5 }, 'fast statement without an index'],
    ['rare matches are far apart', filtered('list_price>5', '2'), { total: 30, anchor: 10 }, SLICED, SLOW],
    [
      'an indexed value may have few records',
      filtered('categ_id=3'),
      {},
      `categ_id up to 2727: ${FAST}; more: ${PROBED}${SLICED_READ}`,
      FAST,
    ],
    ['with a known total, the index has the page', filtered('categ_id=3'), { total: MANY / 2 }, FAST],
    ['unless the page is far', filtered('categ_id=3', '301'), { total: MANY / 2 }, FAST],
    ['one page farther', filtered('categ_id=3', '302'), { total: MANY / 2 }, SLICED, SLOW],
    [
      'another condition is checked record by record',
      filtered('list_price>5&categ_id=3'),
      { total: 3 },
      `categ_id up to 2500: ${FAST}; more: ${PROBED}${SLICED_READ}`,
      FAST,
    ],
    [
      'a search costs more per record',
      filtered('name*chair&categ_id=3'),
      {},
      `categ_id up to 491: ${FAST}; more: ${PROBED}${SLICED_READ}`,
      FAST,
    ],
    [
      'any of several indexes may do',
      filtered('categ_id=3&id=4'),
      {},
      `categ_id, else id up to 2500: ${FAST}; more: ${PROBED}${SLICED_READ}`,
      FAST,
    ],
    [
      'alternatives need an index each',
      filtered('categ_id=3|default_code=x'),
      {},
      `categ_id or default_code up to 2500: ${FAST}; more: ${PROBED}${SLICED_READ}`,
      FAST,
    ],
    ['an alternative without an index is slow', filtered('categ_id=3|list_price>5'), {}, SLICED, SLOW],
    ['the default value has most records', filtered('list_price=0'), {}, SLICED, SLOW],
    ['a search is slow', filtered('name*chair'), {}, SLICED, SLOW],
    ['sorting all records is slow', sorted(), {}, SLOW],
    ['from the end, the ids are sorted first', sorted(undefined, '60000'), {}, SLICED],
    ['filtering all records before sorting is slow', sorted('list_price>5'), { total: 3 }, SLOW],
    [
      'sorting the records of an indexed value may be fast',
      sorted('categ_id=3'),
      {},
      `categ_id up to 2727: ${FAST}; more: ${PROBED}${SLOW_READ}`,
      SLOW,
    ],
    [
      'and is, if there are few',
      sorted('categ_id=3'),
      { total: 3 },
      `categ_id up to 2727: ${FAST}; more: ${PROBED}${SLOW_READ}`,
      FAST,
    ],
    ['large pages are read in pieces', {}, { isLarge: true }, 'slow located'],
    ['even if the index finds them', filtered('list_price>5'), { isLarge: true }, 'index (slow), else slow located'],
    [
      'or a probe finds few',
      filtered('categ_id=3'),
      { isLarge: true },
      'categ_id up to 2727: slow located; more: index (slow), else slow located',
      'slow located',
    ],
    ['an explanation needs a snapshot', { ...filtered('categ_id=3'), explain: 'true' }, { total: 3 }, SLICED],
    [
      'or the index, which explains large pages as well',
      { ...filtered('categ_id=3'), explain: 'true' },
      { isLarge: true },
      'index (slow), else slow located',
    ],
  ])('%s: %j, %j', (_, values, known, onSqlite, onPostgres = onSqlite) => {
    expect([decided(values, known), decided(values, known, postgres)]).toEqual([onSqlite, onPostgres]);
  });
});

describe('with few records', () => {
  test.each<[name: string, values: Values, rows: number, reading: string]>([
    ['reading all of them is fast', sorted(), FAST_ROWS, FAST],
    ['with a condition, up to some fewer', sorted('list_price>5'), 2_700, FAST],
    ['with a search, up to far fewer', filtered('name*chair'), 500, FAST],
    ['one more is slow', filtered('name*chair'), 501, SLOW],
    ['with many searches, a handful is slow', filtered(Array(200).fill('name*x').join('|')), 3, SLOW],
    ['one slice is one statement', filtered('list_price>5'), 20_000, SLOW],
    ['one record more is another slice', filtered('list_price>5'), 20_001, SLICED],
  ])('%s: %j, %i', (_, values, rows, reading) => {
    expect(decided(values, { rows })).toBe(reading);
  });
});

describe('a slice', () => {
  const lengthOf = (filter: string, sliceRows = 10_000) => sliceLength(planOf({ filter }), sliceRows);
  const repeated = (condition: string, count: number) => Array.from({ length: count }, () => condition).join('&');

  test.each([
    ['comparisons', 'list_price>1&qty_available<5', 10_000],
    ['a text that no index finds', 'name!*abc', 3_334],
    ['20 such texts', repeated('name!*abc', 20), 1_000],
    ['200 such texts', repeated('name!*abc', 200), 1_000],
    ['a text that the search index finds', 'name*abc', 160_000],
    ['50 such texts', repeated('name*abc', 50), 3_825],
  ])('has this many records for %s', (_, filter, length) => {
    expect(lengthOf(filter)).toBe(length);
  });

  test('has all of them if statements can be interrupted', () => {
    expect(lengthOf(repeated('name!*abc', 200), Number.POSITIVE_INFINITY)).toBe(Number.POSITIVE_INFINITY);
  });

  test('never has more than the engine asks for', () => {
    expect(lengthOf(repeated('name!*abc', 200), 3)).toBe(3);
  });
});
