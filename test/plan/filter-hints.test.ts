/** What was probably meant by a valid filter that finds nothing, or everything. */

import { expect, test } from 'vitest';
import { partner } from '../../src/catalog/partner.ts';
import { product } from '../../src/catalog/product.ts';
import { planFilter } from '../../src/plan/filter.ts';
import { hintsFor } from '../../src/plan/filter-hints.ts';
import { Problem } from '../../src/problem/problem.ts';

const hintFor = (...given: Parameters<typeof hintsFor>) => hintsFor(...given)[0];

const AND = 'Did you mean & instead of "and"?';
const CASE = '= compares text exactly, upper and lower case included; * ignores case.';

test.each([
  ['name*chair and list_price>100', AND, 'name*chair&list_price>100'],
  ['name*chair AND list_price > 100', 'Did you mean & instead of "AND"?', 'name*chair&list_price > 100'],
  ['name*chair or name*table', 'Did you mean | instead of "or"?', 'name*chair|name*table'],
  ['name*oak chair and active=true and list_price<5', AND, 'name*oak chair&active=true&list_price<5'],
  ['name*chair and list_price>100 or id[1,2]', AND, 'name*chair&list_price>100|id[1,2]'],
  ['name*chair and (list_price>100)', AND, 'name*chair&(list_price>100)'],
  ['(name*chair and list_price>100)|id=5', AND, '(name*chair&list_price>100)|id=5'],
  ['active=true&name*chair and list_price>100&id>5', AND, 'active=true&name*chair&list_price>100&id>5'],
  ['name=chair and default_code!=x and categ_id![1]', AND, 'name=chair&default_code!=x&categ_id![1]'],
  ['name=chair and price>5', AND, 'name=chair&list_price>5'],
  ['name*chair\nand list_price>100', AND, 'name*chair&list_price>100'],
  ['name*black and white and list_price>100', AND, 'name*black and white&list_price>100'],
  ['name=chair', CASE, 'name*chair'],
  ['default_code = abc & active=true', CASE, 'default_code * abc & active=true'],
  ['name=Chair&default_code=X-1', CASE, 'name*Chair&default_code*X-1'],
])('%s finds nothing', (filter, text, meant) => {
  expect(hintFor(product, filter, 0)).toEqual({ text, filter: meant });
  expect(planFilter(product, meant, [])).not.toBeInstanceOf(Problem);
  if (!filter.includes('!')) expect(hintFor(product, filter, 1)).toBeUndefined();
});

test('country_code=de finds nothing', () => {
  expect(hintFor(partner, 'country_code=de', 0)).toEqual({ text: CASE, filter: 'country_code*de' });
});

const LIST = 'A list compares text exactly, upper and lower case included; * finds a part of it.';
const PERIOD = '= compares a time exactly; a whole day is a range.';

test.each([
  ['name[oak,"A & B"]', LIST, 'name*oak|name*"A & B"'],
  ['name[oak,steel] & id>1', LIST, '(name*oak|name*steel) & id>1'],
  ['name[oak, steel ]&id>1', LIST, '(name*oak|name*steel)&id>1'],
  ['name[a,"x]y"]', LIST, 'name*a|name*"x]y"'],
  ['create_date=2026-01-31', PERIOD, 'create_date>=2026-01-31&create_date<2026-02-01'],
  ['id>1|create_date=2026', PERIOD, 'id>1|(create_date>=2026-01-01&create_date<2027-01-01)'],
  ['name=oak&name[a]|create_date=2026-01', CASE, 'name*oak&(name*a)|(create_date>=2026-01-01&create_date<2026-02-01)'],
  ['id=5&name=oak&active=true', CASE, 'id=5&name*oak&active=true'],
])('%s finds nothing, and a wider one might', (filter, text, meant) => {
  expect(hintsFor(product, filter, 0)).toEqual([{ text, filter: meant }]);
  expect(planFilter(product, meant, [])).not.toBeInstanceOf(Problem);
  expect(hintsFor(product, filter, 1)).toEqual([]);
});

test.each([
  'name="chair"',
  'name=""',
  'name=',
  'name[oak,""]',
  'name[oak,]',
  'default_code[oak,null]',
  'name![oak,steel]',
  'id[1,2]',
  'list_price=2026',
  'create_date=2026-01-31T00:00Z',
  'create_date>2026-01-31',
  'create_date="2026-01-31"',
  'name!=chair',
  'name*chair',
  'name*%%%',
  'colour=red',
])('%s is as wide as it was meant', (filter) => {
  expect(hintsFor(product, filter, 0)).toEqual([]);
});

test.each([
  ["name='Oak Chair'", 'name=Oak Chair', 'name*Oak Chair'],
  ['name==Oak', 'name=Oak', 'name*Oak'],
  ['name=eq.Oak', 'name=Oak', 'name*Oak'],
  ['name=is.Oak', 'name=Oak', 'name*Oak'],
  ["name='(a)'", 'name="(a)"', undefined],
  ['name=*oak', 'name*oak', undefined],
  ['name=%oak%', 'name*oak', undefined],
  ['name=%%oak*', 'name*oak', undefined],
  ['name=%dark oak%', 'name*dark oak', undefined],
  ['name=% a %', 'name*a', undefined],
  ['name=%a', 'name*a', undefined],
  ['name=like.oak', 'name*oak', undefined],
  ['name=ilike.*oak*', 'name*oak', undefined],
  ['name=contains.oak', 'name*oak', undefined],
  ['name=~oak', 'name*oak', undefined],
  ['name=~*oak', 'name*oak', undefined],
  ['name*=oak', 'name*oak', undefined],
  ["name*'oak'", 'name*oak', undefined],
  ['name*%oak%', 'name*oak', undefined],
  ['name*oak)', 'name*oak', undefined],
  ['name*oak;', 'name*oak', undefined],
  ["name=='%oak%')", 'name*oak', undefined],
  ['default_code=NULL', 'default_code=null', undefined],
  ["default_code='null'", 'default_code=null', undefined],
  ['name=NULL', undefined, 'name*NULL'],
])('%s: %s was probably meant, or %s', (filter, certain, wider) => {
  const didYouMean = certain && `Did you mean ${certain}?`;
  expect(hintsFor(product, filter, 0)).toEqual([
    ...(certain === undefined ? [] : [{ text: didYouMean, filter: certain }]),
    ...(wider === undefined ? [] : [{ text: [didYouMean, CASE].filter(Boolean).join(' '), filter: wider }]),
  ]);
});

test.each([
  ['name!=%oak%', 'name!*oak'],
  ['name!*%oak%', 'name!*oak'],
  ['name!=~oak', 'name!*oak'],
  ['name!*=oak', 'name!*oak'],
  ["name!='oak'", 'name!=oak'],
  ['name!==oak', 'name!=oak'],
  ['name=oak&default_code!=NULL&name=%x', 'name=oak&default_code!=null&name=%x'],
])('%s excludes too little: %s was probably meant', (filter, meant) => {
  const [, first] = /(\w+!.[^&]*)/.exec(meant) ?? [];
  expect(hintsFor(product, filter, 12)).toEqual([{ text: `Did you mean ${first}?`, filter: meant }]);
});

test.each([
  ['name=not.eq.oak', 'name!=oak'],
  ['name=not.like.%oak%', 'name!*oak'],
])('%s says that it is negated: %s was probably meant', (filter, meant) => {
  expect(hintFor(product, filter, 0)).toEqual({ text: `Did you mean ${meant}?`, filter: meant });
});

test('what is no condition stays text', () => {
  for (const text of ['rock and roll=loud', 'salt and name tags'])
    expect(hintFor(product, `name*${text} and list_price>100`, 0)).toEqual({
      text: AND,
      filter: `name*${text}&list_price>100`,
    });
});

test('one mistake may hide another', () => {
  expect(hintFor(product, "name*oak and default_code=='NULL' and name=%x%", 0)).toEqual({
    text: AND,
    filter: 'name*oak&default_code=null&name*x',
  });
  expect(hintFor(product, 'name*oak;price>5', 0)).toEqual({
    text: 'Did you mean & instead of ";"?',
    filter: 'name*oak&list_price>5',
  });
});

test('at most 2,000 characters are analyzed, and values of at most 200', () => {
  const filter = (length: number) => `name*oak and id>1&name*${'x'.repeat(length - 'name*oak and id>1&name*'.length)}`;
  expect(hintsFor(product, filter(2_000), 0)).toHaveLength(1);
  expect(hintsFor(product, filter(2_001), 0)).toEqual([]);
  const value = (length: number) => `name*${'x'.repeat(length - ' and id>1'.length)} and id>1`;
  expect(hintsFor(product, value(200), 0)).toHaveLength(1);
  expect(hintsFor(product, value(201), 0)).toEqual([]);
});

test.each([
  ['name!*chair and list_price>100', AND, 'name!*chair&list_price>100'],
  ['name!=chair or active=true', 'Did you mean | instead of "or"?', 'name!=chair|active=true'],
])('%s finds everything', (filter, text, meant) => {
  for (const total of [0, 12]) expect(hintFor(product, filter, total)).toEqual({ text, filter: meant });
});

test.each([
  undefined,
  '',
  'name%3Dchair',
  'list_price>100',
  'name*"chair and list_price>100"',
  'name*salt and pepper',
  'name*salt and name tags',
  'name*rock and roll=loud',
  'name*chair and list_price',
  'name*chair and list_price>cheap',
  'name=null',
  'default_code=123-456',
  `name*chair and list_price>100${' '.repeat(2_000)}`,
  `name*${'x'.repeat(300)} and list_price>100`,
])('nothing looks wrong: %s', (filter) => {
  expect(hintFor(product, filter, 0)).toBeUndefined();
});

test('a filter that finds something is as it was meant, unless it is negated', () => {
  for (const filter of ['name*chair and list_price>100', 'name=chair', 'name!*chair', 'name!=x&name*a and active=true'])
    expect(hintsFor(product, filter, 3)).toEqual([]);
});
