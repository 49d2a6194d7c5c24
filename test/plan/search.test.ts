/** `q`: the words, which fields they are looked for in, and the order of the best matches. */

import { expect, test } from 'vitest';
import { company } from '../../src/catalog/company.ts';
import { partner } from '../../src/catalog/partner.ts';
import { product } from '../../src/catalog/product.ts';
import type { Resource } from '../../src/catalog/resource.ts';
import type { OrderKey, Predicate } from '../../src/plan/plan.ts';
import { planSearch } from '../../src/plan/search.ts';
import { planned } from '../support/fixture.ts';

function written(predicate: Predicate): string {
  switch (predicate.kind) {
    case 'and':
    case 'or':
      return `(${predicate.operands.map(written).join(` ${predicate.kind} `)})`;
    case 'text':
      return `${predicate.negated ? 'not ' : ''}${predicate.field.name} ${predicate.form} ${predicate.test} ${predicate.text}`;
    default:
      throw new Error(`a search has no ${predicate.kind}`);
  }
}

function searched(resource: Resource, text: string) {
  const search = planned(planSearch(resource, text));
  if (search === undefined) throw new Error('there is nothing to search for');
  return search;
}

const orderOf = (order: OrderKey) => (order.kind === 'conditions' ? order.conditions.map(written) : []);

test.each([
  [product, 'Oak', ['name folded * oak or default_code folded * oak']],
  [product, 'CHR-0001', ['name folded * chr-0001 or default_code compact * chr0001']],
  [
    product,
    'chair ٣',
    ['name folded * chair or default_code folded * chair', 'name folded * ٣ or default_code compact * ٣'],
  ],
  [company, 'a b a  B', ['name folded * a or company_code folded * a', 'name folded * b or company_code folded * b']],
  [partner, 'x', ['name folded * x or ref folded * x or email folded * x']],
])('%j searched for %s', (resource, text, conditions) => {
  const { words } = searched(resource, text);
  expect(words.map(({ where }) => written(where))).toEqual(conditions.map((each) => `(${each})`));
  expect(words.map(({ kind }) => kind)).toEqual(words.map(() => 'word'));
});

test('words are folded, in the order of the request, each once', () => {
  expect(searched(product, ' Oak\tΟΔΟΣ\u00a0oak ').words.map(({ text }) => text)).toEqual(['oak', 'οδοσ']);
});

test.each([undefined, '', '   ', '\t\n'])('%j is nothing to search for', (text) => {
  expect(planSearch(product, text)).toBeUndefined();
});

test('first codes that are it, codes that begin with it, names that begin with it, and names with all of the words', () => {
  expect(orderOf(searched(product, 'CHR-1 Oak').relevance)).toEqual([
    'default_code compact equals chr1oak',
    'default_code compact begins chr1oak',
    'name folded begins chr-1 oak',
    '(name folded * chr-1 and name folded * oak)',
  ]);
  expect(orderOf(searched(partner, 'oak').relevance)).toEqual([
    'ref compact equals oak',
    'ref compact begins oak',
    'name folded begins oak',
    'name folded * oak',
  ]);
});

test('the name is the first field that is no code', () => {
  const resource = { ...product, fields: product.fields.toReversed() };
  expect(orderOf(searched(resource, 'oak').relevance).slice(-1)).toEqual(['name folded * oak']);
});

test('a search for separators is for no code', () => {
  expect(orderOf(searched(product, '- /').relevance)).toEqual([
    'name folded begins - /',
    '(name folded * - and name folded * /)',
  ]);
});

const words = (count: number) => Array.from({ length: count }, (_, n) => `w${n}`).join(' ');

test('16 different words of together 500 characters', () => {
  expect(searched(product, `${words(16)} ${words(16)}`).words).toHaveLength(16);
  expect(searched(product, '😀'.repeat(500)).words).toHaveLength(1);
  const limited = (detail: string) => ({
    code: 'invalid_search',
    detail,
    context: { parameter: 'q', suggestion: 'Search for fewer words.' },
  });
  expect(planSearch(product, words(17))).toEqual(limited('q has 17 different words, and at most 16 are searched for.'));
  expect(planSearch(product, '😀'.repeat(501))).toEqual(
    limited('q has 501 characters, and at most 500 are searched for.'),
  );
  expect(planSearch(product, `${'x'.repeat(250)} ${'y'.repeat(250)}`)).toEqual(
    limited('q has 501 characters, and at most 500 are searched for.'),
  );
});
