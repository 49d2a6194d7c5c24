/** A list request, as a page and as an export. */

import { describe, expect, test } from 'vitest';
import { product } from '../../src/catalog/product.ts';
import { planExport, planList } from '../../src/plan/list.ts';
import { Problem } from '../../src/problem/problem.ts';
import { parsedFilter } from '../support/parsed-filter.ts';

type Values = Readonly<Record<string, string>>;
const list = (values: Values) => planList(product, { values, continuations: [] });
const exported = (values: Values) => planExport(product, { values, continuations: [] }, { kind: 'ndjson' });

test('without parameters, the first ten records with all fields, by id', () => {
  const order = [{ kind: 'field', field: { name: 'id' }, descending: false }];
  const plan = list({});
  expect(plan).toMatchObject({ resource: product, page: 1, limit: 10, order });
  expect(plan).toMatchObject({ fields: product.fields, where: undefined });
  expect(plan).not.toHaveProperty('explained');
});

test('with all of them', () => {
  const plan = list({
    fields: 'name',
    filter: 'id>1',
    q: 'oak',
    sort: '-name',
    page: '2',
    limit: '5',
    explain: 'true',
  });
  expect(plan).toMatchObject({
    ...{ page: 2, limit: 5, fields: [{ name: 'name' }], filter: parsedFilter('id>1') },
    search: { words: [{ text: 'oak' }] },
    order: [{ descending: true, field: { name: 'name' } }, { field: { name: 'id' } }],
    explained: [{ text: 'id>1' }, { text: 'oak' }],
  });
});

test('an export has everything that matches, or one page', () => {
  expect(exported({ filter: 'id>1' })).toMatchObject({
    page: undefined,
    format: { kind: 'ndjson' },
    where: { kind: 'ordered' },
  });
  expect(exported({ page: '2' })).toMatchObject({ page: { page: 2, limit: 10 } });
  expect(exported({ limit: '5' })).toMatchObject({ page: { page: 1, limit: 5 } });
});

describe('the first wrong parameter is reported', () => {
  test.each<[Values, string]>([
    [{ fields: 'x', q: 'x'.repeat(501), sort: 'x', page: '0' }, 'fields'],
    [{ q: 'x'.repeat(501), filter: 'x', sort: 'x', page: '0' }, 'q'],
    [{ filter: 'x', sort: 'x', page: '0' }, 'filter'],
    [{ q: 'oak', filter: 'x' }, 'filter'],
    [{ sort: 'x', page: '0' }, 'sort'],
    [{ page: '0', limit: '0' }, 'page'],
    [{ limit: '0' }, 'limit'],
  ])('%j', (values, parameter) => {
    const problem = { context: { parameter } };
    expect(list({ ...values, explain: 'x' })).toMatchObject(problem);
    expect(exported(values)).toMatchObject(problem);
  });

  test('explain comes last', () => {
    expect(list({ explain: 'x' })).toMatchObject({ context: { parameter: 'explain' } });
    expect(exported({ explain: 'x' })).not.toBeInstanceOf(Problem);
  });
});
