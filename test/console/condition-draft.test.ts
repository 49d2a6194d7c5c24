/** Conditions as the query builder edits them, and in words. */

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { localDigits, localNumber, readLocalNumber } from '../../console/src/format/local-number.ts';
import {
  type ConditionDraft,
  complementOf,
  draftOf,
  exact,
  newDraft,
  operatorsOf,
  typed,
  withField,
  withOperator,
} from '../../console/src/query/condition-draft.ts';
import { spoken } from '../../console/src/query/condition-words.ts';
import { conditionsOf, isCondition, replaceAt } from '../../console/src/query/filter-tree.ts';
import { meaningOf } from '../../console/src/query/meaning-of-draft.ts';
import { reasonForNoRows } from '../../console/src/query/reason-for-no-rows.ts';
import { splitValues } from '../../console/src/query/split-values.ts';
import { checkFilter } from '../../console/src/view/check-filter.ts';
import { builtInCatalog } from '../../src/catalog/catalog.ts';
import { product } from '../../src/catalog/product.ts';
import type { Condition, Filter } from '../../src/filter/ast.ts';
import { printFilter } from '../../src/filter/print.ts';
import { filterOf } from '../support/arbitraries.ts';
import { fieldOf } from '../support/fixture.ts';
import { parsedFilter } from '../support/parsed-filter.ts';

function condition(text: string): Condition {
  const filter = parsedFilter(text);
  if (!isCondition(filter)) throw new Error(`${text} is not a condition`);
  return filter;
}

const field = (name: string) => fieldOf(product, name);

/** What is applied. */
function applied(draft: ConditionDraft): Filter {
  const meaning = meaningOf(draft);
  if (meaning.kind === 'question') throw new Error(`${meaning.question.text} can be read in two ways`);
  return meaning.filter;
}

describe('a condition', () => {
  test('that is edited without a change stays as it was written', () => {
    fc.assert(
      fc.property(filterOf(product, []), (filter) => {
        for (const part of conditionsOf(parsedFilter(printFilter(filter)))) {
          const draft = draftOf(product, part);
          expect(draft && printFilter(applied(draft))).toBe(printFilter(part));
        }
      }),
      { numRuns: 300 },
    );
  });

  test('that is edited leaves the rest of its filter as it was', () => {
    const filter = parsedFilter('active=true&(categ_id=1|name*"a & b")&list_price>=1.50');
    const draft = draftOf(product, condition('categ_id=1'));
    if (draft === undefined) throw new Error('categ_id is a field');
    const edited = replaceAt(filter, [1, 0], applied({ ...draft, values: [typed('7')] }));
    expect(edited && printFilter(edited)).toBe('active=true&(categ_id=7|name*"a & b")&list_price>=1.50');
  });

  test('can be begun for every field, with an operator that it has', () => {
    for (const resource of builtInCatalog.resources) {
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
    ['list_price', '>=', '1.500', 'list_price>=1.500'],
    ['list_price', '>=', 'much', 'list_price>=much'],
    ['list_price', '>=', '1,5', 'list_price>="1,5"'],
    ['categ_id', '=', '1,000', 'categ_id=1000'],
    ['write_date', '>=', '31.1.2026', 'write_date>=2026-01-31'],
    ['active', '=', 'yes', 'active=true'],
    ['name', '=', ' 1,000 ', 'name=" 1,000 "'],
    ['default_code', '=', 'null', 'default_code="null"'],
    ['default_code', '=', null, 'default_code=null'],
  ] as const)('on %s %s %s is %s', (name, operator, value, expected) => {
    const values = [value === null ? null : typed(value)];
    expect(printFilter(applied({ field: field(name), operator, values }))).toBe(expected);
  });

  test('keeps its values with another operator or field', () => {
    const draft = { field: field('categ_id'), operator: '=', values: [typed('5')] } as const;
    const list = withOperator(draft, '[');
    expect(printFilter(applied(list))).toBe('categ_id[5]');
    expect(withOperator({ ...list, values: [null, exact('5'), exact('6')] }, '>').values).toEqual([exact('5')]);
    expect(withOperator({ ...draft, values: [typed('')] }, '[').values).toEqual([]);
    expect(printFilter(applied(withField(draft, field('product_tmpl_id'))))).toBe('product_tmpl_id=5');
    expect(withField({ ...draft, values: [null] }, field('id')).values).toEqual([typed('')]);
    expect(withField(draft, field('name'))).toEqual(newDraft(field('name')));
  });

  test('with a value that can be read in two ways is a question', () => {
    const asked = (values: ConditionDraft['values']) => {
      const meaning = meaningOf({ field: field('list_price'), operator: '[', values });
      if (meaning.kind === 'filter') return printFilter(meaning.filter);
      const { text, others, answers } = meaning.question;
      return { text, others, answers: answers.map(({ label, draft }) => [label, printFilter(applied(draft))]) };
    };
    // In a list, a comma may separate values or group digits.
    expect(asked([exact('7'), typed('1,500'), typed('2,250'), typed('')])).toEqual({
      text: '1,500',
      others: 1,
      answers: [
        ['1500', 'list_price[7,1500,2250]'],
        ['1; 500', 'list_price[7,1,500,2,250]'],
      ],
    });
    expect(asked([typed('1,5')])).toBe('list_price[1,5]');
    expect(asked([typed('1,500.50')])).toBe('list_price[1500.50]');
  });

  test('has a complement only if it is exact', () => {
    expect(complementOf({ field: field('name'), operator: '*' })).toBe('!*');
    expect(complementOf({ field: field('list_price'), operator: '>' })).toBe('<=');
    expect(complementOf({ field: field('categ_id'), operator: '>' })).toBeUndefined();
  });

  test.each([
    ['active=true', 'Active is yes'],
    ['default_code=null', 'Product code is not set'],
    ['default_code!=null', 'Product code is set'],
    ['categ_id![1,null]', 'Category ID is none of 1, not set'],
    ['name*" "', 'Name contains " "'],
    ['list_price>=1234567.50', 'Sales price is at least 1,234,567.50'],
    ['id=1234', 'ID is 1234'],
    ['write_date>=2026-06-23', 'Changed on or after Jun 23, 2026'],
    ['write_date<2026-06-23T09:30Z', 'Changed before Jun 23, 2026, 9:30 AM UTC'],
    ['write_date>2026-06-23', 'Changed after Jun 23, 2026, 12:00 AM UTC'],
    ['write_date=2026-06-23T09:30:00.120Z', 'Changed on Jun 23, 2026, 9:30:00.120 AM UTC'],
    ['write_date>=soon', 'Changed on or after soon'],
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

describe('several values in one text', () => {
  test.each([
    ['list_price', '10, 20,30', ['10', '20', '30']],
    ['list_price', '1,234.5\r\n2,000\n', ['1,234.5', '2,000']],
    ['list_price', '1.5 2.25;3', ['1.5', '2.25', '3']],
    ['categ_id', '12,345 7\t8', ['12', '345', '7', '8']],
    ['name', 'Oak, solid\nPine', ['Oak, solid', 'Pine']],
    ['write_date', '2026-01-31 09:30, 2026-02-01', ['2026-01-31 09:30', '2026-02-01']],
    ['name', ' ', ['']],
  ])('of %s: %j', (name, text, expected) => {
    expect(splitValues(field(name), text)).toEqual(expected);
  });
});

describe('numbers of a locale', () => {
  test.each([
    ['en', '1,234.5', ['1234.5']],
    ['en', '-1,234,567.80', ['-1234567.80']],
    ['en', '1,500', ['1500']],
    ['en', '1.500', ['1.500']],
    ['en', '1,5', []],
    ['en', '1.500,50', []],
    ['en', '1,23,456', []],
    ['en', '+5', ['5']],
    ['en', '.5', ['0.5']],
    ['en', '1e5', ['1e5']],
    ['en', '', []],
    ['en', 'abc', []],
    ['de', '1.500', ['1500']],
    ['de', '1.500,50', ['1500.50']],
    ['de', '1,5', ['1.5']],
    // As the API writes it, since no group has one or four digits.
    ['de', '1500.5', ['1500.5']],
    ['de', '12.50', ['12.50']],
    ['de', '0.500', ['0.500']],
    ['de', '1,234,567', ['1234567']],
    ['de', '1,500', ['1.500', '1500']],
    ['de', '1,234', ['1.234', '1234']],
    ['de', '0,500', ['0.500']],
    ['de', '−2', ['-2']],
    ['de', '5,', []],
    ['fr', '1 234,5', ['1234.5']],
    ['fr', '1\u202f234,5', ['1234.5']],
    ['fr', '1.500', ['1500', '1.500']],
    ['de-AT', '1.500', ['1500', '1.500']],
    ['de-CH', "1'234.5", ['1234.5']],
    ['de-CH', '1’234.5', ['1234.5']],
    ['en-IN', '12,34,567.8', ['1234567.8']],
    ['sv', '−1 234,5', ['-1234.5']],
    ['ar-EG', '١٬٢٣٤٫٥', ['1234.5']],
    // As the table shows amounts.
    ['en', '€1,250.00', ['1250.00']],
    ['en', '-US$5', ['-5']],
    ['de', '1.299,90\u00a0€', ['1299.90']],
    ['de-CH', 'CHF 5', ['5']],
    ['en', '5 EUR', ['5']],
    ['en', 'CHR-00012', []],
    ['en', '€', []],
  ])('in %s, %s is %j', (locale, text, expected) => {
    expect(readLocalNumber(text, locale)).toEqual(expected);
  });

  test.each(['en', 'de', 'fr', 'de-CH', 'en-IN', 'sv', 'ar-EG', 'fa', 'es', 'pl'])(
    'in %s, what is shown is read',
    (locale) => {
      fc.assert(
        fc.property(
          fc.bigInt({ min: -(10n ** 20n), max: 10n ** 20n }),
          fc.stringMatching(/^\d{0,8}$/),
          (whole, decimals) => {
            const number = decimals === '' ? String(whole) : `${whole}.${decimals}`;
            expect(readLocalNumber(localNumber(number, locale), locale)[0]).toBe(number);
            expect(readLocalNumber(localDigits(number, locale), locale)).toContain(number);
          },
        ),
      );
    },
  );

  test.each([
    ['de', '1500.50', '1.500,50'],
    ['en', '007.10', '7.10'],
    ['de', '-1234567890123456789012.5', '-1.234.567.890.123.456.789.012,5'],
    ['de', '1e5', '1e5'],
    ['de', 'much', 'much'],
  ])('in %s, %s is written %s', (locale, number, expected) => {
    expect(localNumber(number, locale)).toBe(expected);
  });
});

describe('the reason for no rows', () => {
  const count = (filter: string, alone: number, others: number) => ({ filter, words: filter, alone, others });

  test.each([
    [[count('a=1', 0, 10)], 'No product matches “a=1”.'],
    [[count('a=1', 0, 10), count('b=1', 5, 0), count('c=1', 0, 0)], 'No product matches “a=1” or “c=1”.'],
    [
      [count('a=1', 1_000, 7), count('b=1', 7, 1_000)],
      '“a=1” and “b=1” exclude each other: 1,000 products match the first, 7 the second, and none match both.',
    ],
    [
      [count('a=1', 9, 2), count('b=1', 8, 0), count('c=1', 7, 0)],
      'Each of them matches some products. Without “a=1”, there are rows.',
    ],
    [
      [count('a=1', 9, 2), count('b=1', 8, 1), count('c=1', 7, 0)],
      'Each of them matches some products, but none match all of them. There are rows without “a=1” or “b=1”.',
    ],
    [
      [count('a=1', 9, 0), count('b=1', 8, 0), count('c=1', 7, 0)],
      'Each of them matches some products, but several of them exclude each other.',
    ],
  ])('%#: %s', (conditions, expected) => {
    expect(reasonForNoRows(product, conditions)).toBe(expected);
  });
});
