/** The body of a saved view. */

import { expect, test } from 'vitest';
import { isViewId, MAX_VIEW_NAME, MAX_VIEW_QUERY, planView } from '../../src/plan/view.ts';

const VIEW = { name: 'Low stock', resource: 'product', query: 'filter=name*low&sort=-id' };
const EXAMPLE =
  'Send an object such as {"name":"Low stock","resource":"product","query":"filter=qty_available<5&sort=qty_available"}.';

test.each<[given: object, view?: object]>([
  [{}],
  [{ name: '  Low stock\n' }, { name: 'Low stock' }],
  [{ query: '?filter=id>1?' }, { query: 'filter=id>1?' }],
  [{ query: '' }],
  [{ query: 'filter=name*what?' }],
  [{ isFirstPage: true }],
  // What a response has.
  [{ id: 'other', savedAt: '2026-01-31', etag: '"1"' }, {}],
  ...['é', '1', '★', '…', '\u0301'].map((name): [object] => [{ name }]),
  [{ name: '😀'.repeat(MAX_VIEW_NAME) }, { name: '😀'.repeat(100) }],
  [{ query: 'q'.repeat(MAX_VIEW_QUERY) }, { query: 'q'.repeat(8_000) }],
])('%j', (given, view = given) => {
  expect(planView('low', { ...VIEW, ...given })).toEqual({ id: 'low', isFirstPage: false, ...VIEW, ...view });
});

test('an id has up to 64 letters, digits, hyphens and underscores', () => {
  for (const id of ['a', 'A-b_9', 'a'.repeat(64)])
    expect([isViewId(id), planView(id, VIEW)]).toMatchObject([true, { id }]);
  for (const id of ['', 'a b', 'é', 'a.b', '.a', 'a\n', 'a'.repeat(65)]) {
    expect(isViewId(id)).toBe(false);
    expect(planView(id, null)).toMatchObject({
      code: 'invalid_view_id',
      detail: expect.stringMatching(/ cannot be the id of a view\.$/),
      context: { suggestion: 'Use 1 to 64 letters, digits, hyphens and underscores.' },
    });
  }
});

test.each([null, [], 'a', 7])('%j is no object', (body) => {
  expect(planView('low', body)).toEqual({
    code: 'invalid_body',
    detail: 'The body is not a JSON object.',
    context: { suggestion: EXAMPLE },
  });
});

const TEXT = [
  ['is missing', undefined],
  ['must be a string', 7],
  ['must be a string', null],
  ['must not contain NUL characters', 'a\0'],
  ['must be well-formed Unicode, without lone surrogates', '\ud800'],
] as const;

test.each<readonly [member: string, requirement: string, value: unknown]>([
  ...TEXT.map((row) => ['name', ...row] as const),
  ['name', 'must not be blank', ' \t'],
  ['name', 'must not be blank', '\u200b\u00a0'],
  ['name', 'must have at most 100 characters', '😀'.repeat(101)],
  ['resource', 'is missing', undefined],
  ['resource', 'must be a string', ['product']],
  ...TEXT.map((row) => ['query', ...row] as const),
  ['query', 'must have at most 8000 characters', 'q'.repeat(8_001)],
  ['isFirstPage', 'must be true or false', 'true'],
])('%s %s: %j', (member, requirement, value) => {
  expect(planView('low', { ...VIEW, [member]: value })).toEqual({
    code: 'invalid_body',
    detail: `${member} ${requirement}.`,
    context: { parameter: member, suggestion: EXAMPLE },
  });
});

test.each([
  ['products', "There is no resource 'products'.", 'Did you mean product?'],
  ['warehouse', "There is no resource 'warehouse'.", 'The resources are product, partner, company.'],
])('no resource: %s', (resource, detail, suggestion) => {
  expect(planView('low', { ...VIEW, resource })).toEqual({
    code: 'invalid_body',
    detail,
    context: { parameter: 'resource', suggestion },
  });
});

test.each([
  ['isfirstPage', 'isfirstPage', 'Did you mean isFirstPage?'],
  ['colour', 'colour', 'Send only name, resource, query, isFirstPage.'],
  ['x'.repeat(70), `${'x'.repeat(60)}…`, 'Send only name, resource, query, isFirstPage.'],
])('no member: %s', (member, parameter, suggestion) => {
  expect(planView('low', { [member]: true, ...VIEW })).toEqual({
    code: 'invalid_body',
    detail: `A view has no member '${parameter}'.`,
    context: { parameter, suggestion },
  });
});
