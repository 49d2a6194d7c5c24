/** `sort`: fields and directions, and directions as other languages write them. */

import { describe, expect, test } from 'vitest';
import { product } from '../../src/catalog/product.ts';
import { planSearch } from '../../src/plan/search.ts';
import { hasDescendingIds, isOrderedById, planSort } from '../../src/plan/sort.ts';
import { planned } from '../support/fixture.ts';

const search = planned(planSearch(product, 'oak'));

/** As a request writes it. */
function written(sort: string): string {
  return planned(planSort(product, sort, search))
    .map((key) => (key.kind === 'field' ? `${key.descending ? '-' : ''}${key.field.name}` : key.kind))
    .join(',');
}

test.each([
  ['name', 'name,id'],
  ['-name', '-name,id'],
  [' active , -name ', 'active,-name,id'],
  ['id', 'id'],
  ['-id', '-id'],
  ['-id,name', '-id,name'],
  ['relevance', 'conditions,id'],
])('%s orders by %s', (sort, order) => {
  expect(written(sort)).toBe(order);
});

test('whether ids are in order, and descend', () => {
  const order = (sort: string) => ({ order: planned(planSort(product, sort, search)) });
  expect(['id', '-id,name', 'name', 'name,id', 'relevance'].map((sort) => isOrderedById(order(sort)))).toEqual([
    ...[true, true, false, false, false],
  ]);
  expect(['id', '-id', 'relevance'].map((sort) => hasDescendingIds(order(sort)))).toEqual([false, true, false]);
  expect(isOrderedById({ order: [] })).toBe(false);
  expect(hasDescendingIds({ order: [] })).toBe(false);
});

describe('an unknown field', () => {
  test.each([
    ['nam', "product has no field 'nam'.", 'Did you mean name?', 'name'],
    ['id,-nam', "product has no field 'nam'.", 'Did you mean name?', 'id,-name'],
    ['-nam,list_pric', "product has no field 'nam'.", 'Did you mean name?', '-name,list_pric'],
    ['list-price', "product has no field 'list-price'.", 'Did you mean list_price?', 'list_price'],
    ['--name', "product has no field '-name'.", 'Did you mean name?', '-name'],
  ])('%s: %s', (sort, detail, suggestion, fixed) => {
    expect(planSort(product, sort, undefined)).toEqual({
      code: 'unknown_field',
      detail,
      context: { parameter: 'sort', suggestion, fixed: { sort: fixed } },
    });
  });

  test.each([
    'name,',
    '-',
    '+',
    'colour',
    'asc',
    '-relevances',
    'xdesc(name)',
    'desc(name)x',
    'colours description',
    'colour,deschs',
    'colour,xxdesc',
  ])('%s', (sort) => {
    const { code, context } = Object(planSort(product, sort, undefined));
    expect({ code, fixed: context.fixed }).toEqual({ code: 'unknown_field', fixed: undefined });
  });
});

test.each([
  ['name,name', 'name', 'name'],
  ['name,active,-name,active', 'name', 'name,active'],
  ['-name,name', 'name', '-name'],
  ['id,-id', 'id', 'id'],
])('%s names %s twice', (sort, name, fixed) => {
  expect(planSort(product, sort, undefined)).toEqual({
    code: 'invalid_sort',
    detail: `sort names ${name} twice.`,
    context: { parameter: 'sort', suggestion: 'Name each field once.', fixed: { sort: fixed } },
  });
});

describe('relevance', () => {
  test('stands alone', () => {
    for (const sort of ['-relevance', 'relevance,name', 'name,relevance', 'relevance desc'])
      expect(planSort(product, sort, search)).toEqual({
        code: 'invalid_sort',
        detail: 'relevance cannot be combined with other fields, or reversed.',
        context: { parameter: 'sort', suggestion: 'Use sort=relevance, or name fields only.' },
      });
  });

  test('needs words to search for', () => {
    expect(planSort(product, 'relevance', undefined)).toEqual({
      code: 'invalid_sort',
      detail: 'Without q there is nothing to be relevant to.',
      context: { parameter: 'sort', suggestion: 'Add q with words to search for, or remove sort.' },
    });
  });
});

test.each([
  ['name desc', 'name desc', '-name'],
  ['name asc', 'name asc', 'name'],
  ['name  DESC', 'name  DESC', '-name'],
  ['name descending', 'name descending', '-name'],
  ['name ascending', 'name ascending', 'name'],
  ['name.desc', 'name.desc', '-name'],
  ['name:desc', 'name:desc', '-name'],
  ['name : asc', 'name : asc', 'name'],
  ['name+desc', 'name+desc', '-name'],
  ['-name desc', '-name desc', '-name'],
  ['+name desc', '+name desc', '-name'],
  ['desc(name)', 'desc(name)', '-name'],
  ['ASC( name )', 'ASC( name )', 'name'],
  ['name,desc', 'desc', '-name'],
  ['-name,desc', 'desc', '-name'],
  ['-name,asc', 'asc', 'name'],
  ['name,descending', 'descending', '-name'],
  ['-name,ascending', 'ascending', 'name'],
  ['- name desc', '- name desc', '-name'],
  ['+name', '+name', 'name'],
  ['id,+name', '+name', 'id,name'],
  ['active,name desc,list_price asc', 'name desc', 'active,-name,list_price'],
  ['list_price.desc,name,desc', 'list_price.desc', '-list_price,-name'],
  ['nam desc,pric', 'nam desc', '-nam,pric'],
])('%s: %s is not a field name; write %s', (sort, word, fixed) => {
  expect(planSort(product, sort, undefined)).toEqual({
    code: 'invalid_sort',
    detail: `'${word}' is not a field name; the direction is given by a sign.`,
    context: {
      parameter: 'sort',
      suggestion: `Write ${fixed}: - before the name for descending order, nothing for ascending.`,
      fixed: { sort: fixed },
    },
  });
});

test('a field may be called like a direction, or end like relevance', () => {
  const [first] = product.fields;
  if (first === undefined) throw new Error('a resource has fields');
  const own = ['desc', 'x_relevance', 'relevance_x'].map((name) => ({ ...first, name }));
  const resource = { ...product, fields: [...product.fields, ...own] };
  const sorted = (sort: string) => planned(planSort(resource, sort, undefined)).map((key) => Object(key).field?.name);
  expect(sorted('name,-desc')).toEqual(['name', 'desc', 'id']);
  expect(sorted('name,desc')).toEqual(['name', 'desc', 'id']);
  expect(sorted('-x_relevance,relevance_x')).toEqual(['x_relevance', 'relevance_x', 'id']);
});
