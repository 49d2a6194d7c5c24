/** A request for changes. */

import { expect, test } from 'vitest';
import { product } from '../../src/catalog/product.ts';
import { planChanges } from '../../src/plan/changes.ts';

const changes = (values: Readonly<Record<string, string>>) => planChanges(product, { values, continuations: [] });

test('all fields of ten changes, unless it says otherwise', () => {
  expect(changes({})).toMatchObject({ resource: product, fields: product.fields, limit: 10, where: undefined });
  expect(changes({ fields: 'name,id', limit: '7', filter: 'id>1', q: 'oak' })).toMatchObject({
    fields: [{ name: 'name' }, { name: 'id' }],
    limit: 7,
    where: { kind: 'and' },
    search: { words: [{ text: 'oak' }] },
  });
});

test('a copy needs the ids', () => {
  expect(changes({ fields: 'name,active' })).toEqual({
    code: 'invalid_value',
    detail: 'Changes need the field id, which identifies the record.',
    context: { parameter: 'fields', suggestion: 'Add id.', fixed: { fields: 'id,name,active' } },
  });
});

test.each([
  [{ fields: 'x', filter: 'x', limit: '0' }, 'fields'],
  [{ filter: 'x', limit: '0' }, 'filter'],
  [{ limit: '0' }, 'limit'],
])('the first wrong parameter of %j is reported', (values, parameter) => {
  expect(changes(values)).toMatchObject({ context: { parameter } });
});
