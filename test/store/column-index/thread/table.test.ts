/** Whatever is stored and changed, a table finds what the oracle finds. */

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { builtInCatalog } from '../../../../src/catalog/catalog.ts';
import { product } from '../../../../src/catalog/product.ts';
import type { Field, Resource } from '../../../../src/catalog/resource.ts';
import { printFilter } from '../../../../src/filter/print.ts';
import { planFilter } from '../../../../src/plan/filter.ts';
import type { OrderKey, Predicate } from '../../../../src/plan/plan.ts';
import { planSort } from '../../../../src/plan/sort.ts';
import type { IndexedRow } from '../../../../src/store/column-index/thread/indexed-row.ts';
import { NumberMemory } from '../../../../src/store/column-index/thread/number-memory.ts';
import { DEFAULT_LIMITS } from '../../../../src/store/column-index/thread/row-group.ts';
import { Table } from '../../../../src/store/column-index/thread/table.ts';
import { filterOf, recordOf, recordsOf } from '../../../support/arbitraries.ts';
import { planned, type RecordValues } from '../../../support/fixture.ts';
import { matches, sorted } from '../../../support/oracle.ts';
import { rounds } from '../../../support/rounds.ts';

const memory = new NumberMemory();

/** All steps at once. */
function done<Result>(steps: Generator<void, Result>): Result {
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
  }
}

function rowOf([, ...fields]: readonly Field[], record: RecordValues): IndexedRow {
  const values = fields.map(({ name }) => record[name] ?? null);
  return [Number(record['id']), ...values.map((value) => (typeof value === 'boolean' ? Number(value) : value))];
}

function sortOf(resource: Resource) {
  const word = fc
    .constantFrom(...resource.fields.map(({ name }) => name))
    .chain((name) => fc.constantFrom(name, `-${name}`));
  return fc.uniqueArray(word, { maxLength: 3, selector: (item) => item.replace('-', '') });
}

function orderOf(resource: Resource, sort: readonly string[]): readonly OrderKey[] {
  return planned(planSort(resource, sort.length === 0 ? 'id' : sort.join(','), undefined));
}

function changeOf(resource: Resource) {
  return fc.oneof(
    recordOf(resource).map((record) => ({ id: Number(record['id']), record })),
    fc.integer({ min: 1, max: 60 }).map((id) => ({ id, record: undefined })),
  );
}

describe.each(builtInCatalog.resources)('$plural', (resource) => {
  const scenes = recordsOf(resource).chain((records) =>
    fc.record({
      records: fc.constant(records),
      changes: fc.array(fc.array(changeOf(resource), { maxLength: 12 }), { maxLength: 4 }),
      questions: fc.array(
        fc.record({
          filter: fc.option(filterOf(resource, records), { nil: undefined, freq: 10 }),
          sort: sortOf(resource),
          limit: fc.integer({ min: 1, max: 9 }),
        }),
        { minLength: 1, maxLength: 10 },
      ),
      limits: fc.constantFrom({ rows: 4, codes: 2 }, { rows: 7, codes: 5 }, { rows: 33, codes: 1 }, DEFAULT_LIMITS),
    }),
  );

  test('every page and total is that of the oracle, before and after changes', () => {
    fc.assert(
      fc.property(scenes, ({ records, changes, questions, limits }) => {
        const table = new Table(resource.fields, memory, limits);
        const held = new Map(records.map((record) => [Number(record['id']), record]));
        const check = () => {
          for (const { filter, sort, limit } of questions) {
            const where = filter && planned(planFilter(resource, printFilter(filter), [])).where;
            const found = [...held.values()].filter(
              (record) => filter === undefined || matches(filter, record, resource),
            );
            const ids = sorted(found, sort, resource).map((record) => Number(record['id']));
            const selected = done(table.select(where));
            expect({ filter, total: selected.total }).toEqual({ filter, total: ids.length });
            for (let offset = 0; offset <= ids.length; offset += limit)
              expect(done(selected.page(orderOf(resource, sort), offset, limit))).toEqual(
                ids.slice(offset, offset + limit),
              );
          }
        };
        table.append(records.map((record) => rowOf(resource.fields, record)).toSorted(([a], [b]) => a - b));
        check();
        for (const batch of changes) {
          done(table.apply(batch.map(({ id, record }) => (record ? rowOf(resource.fields, record) : [id]))));
          for (const { id, record } of batch) {
            if (record === undefined) held.delete(id);
            else held.set(id, record);
          }
          expect(table.rows).toBe(held.size);
          check();
        }
        table.release();
      }),
      { numRuns: rounds(50, 150) },
    );
  });
});

const price = (operator: '>' | '>=' | '<' | '<=', value: number): Predicate => ({
  kind: 'ordered',
  field: product.fields[3] ?? expect.fail('there is no price'),
  operator,
  value,
});

describe('a table of many groups', () => {
  const rows = 49_157;
  const table = new Table(product.fields, memory);
  table.append(
    Array.from({ length: rows }, (_, n) =>
      rowOf(product.fields, { id: 2 * n + 2, name: `Product ${n}`, list_price: n % 1_000 }),
    ),
  );

  test('finds any page by counting', () => {
    const found = done(table.select(price('>=', 500)));
    expect(found.total).toBe(24_500);
    const order = orderOf(product, []);
    const nth = (n: number) => 2 * (Math.floor(n / 500) * 1_000 + 500 + (n % 500)) + 2;
    for (const offset of [0, 1, 499, 500, 8_191, 16_384, 24_490])
      expect(done(found.page(order, offset, 3))).toEqual([nth(offset), nth(offset + 1), nth(offset + 2)]);
    expect(done(found.page(order, 24_499, 3))).toEqual([nth(24_499)]);
    expect(done(found.page(order, 24_500, 3))).toEqual([]);
    expect(done(found.page(orderOf(product, ['-id']), 24_498, 3))).toEqual([nth(1), nth(0)]);
  });

  test('finds the first and the last pages of a sorted list', () => {
    const found = done(table.select(undefined));
    const order = orderOf(product, ['-list_price']);
    // 157 prices, from 156 down, have a record more than the others.
    expect(done(found.page(order, 0, 2))).toEqual([2_000, 4_000]);
    expect(done(found.page(order, rows - 2, 5))).toEqual([2 * 48_000 + 2, 2 * 49_000 + 2]);
    expect(done(found.page(order, rows - 2_000, 1))).toHaveLength(1);
    expect(done(found.page(order, rows, 5))).toEqual([]);
    // The database finds those that are far from both ends.
    expect(done(found.page(order, 20_000, 5))).toBeUndefined();
    expect(done(found.page(order, rows - 2_001, 5))).toBeUndefined();
  });

  test('compares at the boundary', () => {
    const total = (operator: '>' | '>=' | '<' | '<=', value: number) =>
      done(table.select(price(operator, value))).total;
    const { rows: all } = { rows };
    for (const value of [0, 1, 999, 499.5, -1, 1_000, Number.MIN_VALUE, -Number.MIN_VALUE, Number.MAX_VALUE]) {
      expect(total('>', value) + total('<=', value)).toBe(all);
      expect(total('<', value) + total('>=', value)).toBe(all);
    }
    expect([total('>', 998), total('>=', 999), total('<', 0), total('<=', 0)]).toEqual([49, 49, 0, 50]);
    expect([Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY].map((value) => total('>', value))).toEqual([0, all]);
    expect([Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY].map((value) => total('<', value))).toEqual([all, 0]);
  });

  test('has at most 64 bytes for the numbers, booleans and times of a record', () => {
    const numbers = product.fields.filter(({ type }) => type !== 'text');
    const full = new Table(numbers, memory);
    full.append(Array.from({ length: 10 * DEFAULT_LIMITS.rows }, (_, n) => rowOf(numbers, { id: n + 1 })));
    expect(full.bytes / (10 * DEFAULT_LIMITS.rows)).toBeLessThanOrEqual(64);
    full.release();
  });
});

describe('the candidates of a search', () => {
  const rows = 20_000;
  const words = ['steel hinge', 'brass screw', 'steel screw m3x20', 'brass hinge m4x19'];
  const table = new Table(product.fields, memory);
  table.append(Array.from({ length: rows }, (_, n) => rowOf(product.fields, { id: n + 1, name: words[n % 4] ?? '' })));

  test.each([
    // No record contains it, but half of them have each of its trigrams.
    ['name*"steel hinge m4"', rows / 4],
    ['name*"hinge screw"', 0],
    ['name*hinge', rows / 2],
    ['name*zebra', 0],
    ['name*zebra|name*m3x20', rows / 4],
    ['name*hinge&name*m4x19&list_price>=0', rows / 4],
    ['name!*zebra', rows],
    ['list_price>=0', rows],
  ])('for %s are about %i', (filter, expected) => {
    const { where } = planned(planFilter(product, filter, []));
    if (where === undefined) throw new Error('there is no filter');
    expect(done(table.candidates(where))).toBeCloseTo(expected, -2);
  });
});
