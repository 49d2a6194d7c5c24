/** Conditions as the query builder edits them, and in words. */

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readLocalNumber } from '../../console/src/format/local-number.ts';
import {
  complementOf,
  conditionOf,
  draftOf,
  newDraft,
  operatorsOf,
  withField,
  withOperator,
} from '../../console/src/query/condition-draft.ts';
import { spoken } from '../../console/src/query/condition-words.ts';
import { conditionsOf, isCondition, replaceAt } from '../../console/src/query/filter-tree.ts';
import { reasonForNoRows } from '../../console/src/query/reason-for-no-rows.ts';
import { checkFilter } from '../../console/src/view/check-filter.ts';
import { catalog, findField } from '../../src/catalog/catalog.ts';
import { product } from '../../src/catalog/product.ts';
import type { Field } from '../../src/catalog/resource.ts';
import type { Condition, Filter } from '../../src/filter/ast.ts';
import { FilterError } from '../../src/filter/filter-error.ts';
import { parseFilter } from '../../src/filter/parse.ts';
import { printFilter } from '../../src/filter/print.ts';
import { filterOf } from '../support/arbitraries.ts';

function parsed(text: string): Filter {
  const filter = parseFilter(text);
  if (filter instanceof FilterError) throw new Error(`${text}: ${filter.detail}`);
  return filter;
}

function condition(text: string): Condition {
  const filter = parsed(text);
  if (!isCondition(filter)) throw new Error(`${text} is not a condition`);
  return filter;
}

function field(name: string): Field {
  const found = findField(product, name);
  if (found === undefined) throw new Error(`there is no field ${name}`);
  return found;
}

describe('a condition', () => {
  test('that is edited without a change stays as it was written', () => {
    fc.assert(
      fc.property(filterOf(product, []), (filter) => {
        for (const part of conditionsOf(parsed(printFilter(filter)))) {
          const draft = draftOf(product, part);
          expect(draft && printFilter(conditionOf(draft))).toBe(printFilter(part));
        }
      }),
      { numRuns: 300 },
    );
  });

  test('that is edited leaves the rest of its filter as it was', () => {
    const filter = parsed('active=true&(categ_id=1|name*"a & b")&list_price>=1.50');
    const draft = draftOf(product, condition('categ_id=1'));
    if (draft === undefined) throw new Error('categ_id is a field');
    const edited = replaceAt(filter, [1, 0], conditionOf({ ...draft, values: ['7'] }));
    expect(edited && printFilter(edited)).toBe('active=true&(categ_id=7|name*"a & b")&list_price>=1.50');
  });

  test('can be begun for every field, with an operator that it has', () => {
    for (const resource of catalog) {
      for (const candidate of resource.fields) {
        const draft = newDraft(candidate);
        expect(operatorsOf(candidate)).toContain(draft.operator);
      }
    }
  });

  test('of an unknown field cannot be edited', () => {
    expect(draftOf(product, condition('prize>1'))).toBeUndefined();
  });

  test.each([
    ['list_price', '>=', '1,234.50', 'list_price>=1234.50'],
    ['list_price', '>=', ' 007.10 ', 'list_price>=007.10'],
    ['list_price', '>=', '1_000', 'list_price>=1000'],
    ['list_price', '>=', 'much', 'list_price>=much'],
    ['write_date', '>=', '31.1.2026', 'write_date>=2026-01-31'],
    ['active', '=', 'yes', 'active=true'],
    ['name', '=', ' 1,000 ', 'name=" 1,000 "'],
    ['default_code', '=', 'null', 'default_code="null"'],
    ['default_code', '=', null, 'default_code=null'],
  ] as const)('on %s %s %s is %s', (name, operator, value, expected) => {
    expect(printFilter(conditionOf({ field: field(name), operator, values: [value] }))).toBe(expected);
  });

  test('keeps its values with another operator or field', () => {
    const draft = { field: field('categ_id'), operator: '=', values: ['5'] } as const;
    const list = withOperator(draft, '[');
    expect(printFilter(conditionOf(list))).toBe('categ_id[5]');
    expect(withOperator({ ...list, values: [null, '5', '6'] }, '>').values).toEqual(['5']);
    expect(withOperator({ ...draft, values: [''] }, '[').values).toEqual([]);
    expect(printFilter(conditionOf(withField(draft, field('product_tmpl_id'))))).toBe('product_tmpl_id=5');
    expect(withField({ ...draft, values: [null] }, field('id')).values).toEqual(['']);
    expect(withField(draft, field('name'))).toEqual(newDraft(field('name')));
  });

  test('has a complement only if it is exact', () => {
    expect(complementOf({ field: field('name'), operator: '*' })).toBe('!*');
    expect(complementOf({ field: field('list_price'), operator: '>' })).toBe('<=');
    expect(complementOf({ field: field('categ_id'), operator: '>' })).toBeUndefined();
  });

  test.each([
    ['active=true', 'active equals yes'],
    ['default_code=null', 'default_code is not set'],
    ['default_code!=null', 'default_code is set'],
    ['categ_id![1,null]', 'categ_id is none of 1, not set'],
    ['name*" "', 'name contains " "'],
    ['list_price>=5', 'list_price greater or equal 5'],
  ])('%s is "%s" in words', (text, expected) => {
    expect(spoken(product, condition(text))).toBe(expected);
  });
});

test('text that is printed from chips means what the text meant', () => {
  fc.assert(
    fc.property(filterOf(product, []), (filter) => {
      const text = printFilter(filter);
      const checked = checkFilter(product, text);
      expect(checked.kind).toBe('valid');
      expect(checked.filter && printFilter(checked.filter)).toBe(text);
    }),
  );
});

describe('numbers of a locale', () => {
  test.each([
    ['en', '1,234.5', '1234.5'],
    ['en', '-1,234,567.80', '-1234567.80'],
    ['en', '1,5', undefined],
    ['de', '1.234,50', '1234.50'],
    ['de', '1,5', '1.5'],
    ['de', '−2', '-2'],
    ['fr', '1 234,5', '1234.5'],
    ['fr', '1\u202f234,5', '1234.5'],
    ['de-CH', "1'234.5", '1234.5'],
    ['en-IN', '12,34,567.8', '1234567.8'],
    ['en', '', undefined],
    ['en', 'abc', undefined],
    ['en', '1e5', undefined],
  ])('in %s, %s is %s', (locale, text, expected) => {
    expect(readLocalNumber(text, locale)).toBe(expected);
  });
});

describe('the reason for no rows', () => {
  const count = (filter: string, alone: number, others: number) => ({ filter, alone, others });

  test.each([
    [[count('a=1', 0, 10)], 'No product matches a=1.'],
    [[count('a=1', 0, 10), count('b=1', 5, 0), count('c=1', 0, 0)], 'No product matches a=1 or c=1.'],
    [
      [count('a=1', 1_000, 7), count('b=1', 7, 1_000)],
      'a=1 and b=1 exclude each other: 1,000 products match the first, 7 the second, and none match both.',
    ],
    [
      [count('a=1', 9, 2), count('b=1', 8, 0), count('c=1', 7, 0)],
      'Each condition matches some products. Without a=1, there are rows.',
    ],
    [
      [count('a=1', 9, 2), count('b=1', 8, 1), count('c=1', 7, 0)],
      'Each condition matches some products, but none match all of them. There are rows without a=1 or b=1.',
    ],
    [
      [count('a=1', 9, 0), count('b=1', 8, 0), count('c=1', 7, 0)],
      'Each condition matches some products, but several of them exclude each other.',
    ],
  ])('%#: %s', (conditions, expected) => {
    expect(reasonForNoRows(product, conditions)).toBe(expected);
  });
});
