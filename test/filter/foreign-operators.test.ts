/** Conditions as other languages write them, and what the error suggests instead. */

import { expect, test } from 'vitest';
import { parseFilter } from '../../src/filter/parse.ts';
import { parsedFilter } from '../support/parsed-filter.ts';

test.each([
  ['name like oak', 'name*oak'],
  ['name LIKE oak', 'name*oak'],
  ['name ilike oak', 'name*oak'],
  ['name contains oak', 'name*oak'],
  ['name contain oak', 'name*oak'],
  ['name starts with oak', 'name*oak'],
  ['name start  with oak', 'name*oak'],
  ['name begins with oak', 'name*oak'],
  ['name begin  with oak', 'name*oak'],
  ['name ends with oak', 'name*oak'],
  ['name end  with oak', 'name*oak'],
  ['name~oak', 'name*oak'],
  ['name ~ oak', 'name*oak'],
  ['name like=oak', 'name*oak'],
  ['name like a=b', 'name*a=b'],
  ['name not like oak', 'name!*oak'],
  ['name not  ilike oak', 'name!*oak'],
  ['name not contains oak', 'name!*oak'],
  ['name does not contain oak', 'name!*oak'],
  ['name does  not  contain oak', 'name!*oak'],
  ['id eq 5', 'id=5'],
  ['id is 5', 'id=5'],
  ['id equal 5', 'id=5'],
  ['id equals 5', 'id=5'],
  ['id: 5', 'id=5'],
  ['id :5', 'id=5'],
  ['id is = 5', 'id=5'],
  ['id ne 5', 'id!=5'],
  ['id neq 5', 'id!=5'],
  ['id is not 5', 'id!=5'],
  ['id is  not 5', 'id!=5'],
  ['id not equal 5', 'id!=5'],
  ['id not  equals 5', 'id!=5'],
  ['id ≠ 5', 'id!=5'],
  ['größe≠5', 'größe!=5'],
  ['id ge 5', 'id>=5'],
  ['id gte 5', 'id>=5'],
  ['id≥5', 'id>=5'],
  ['id le 5', 'id<=5'],
  ['id lte 5', 'id<=5'],
  ['id≤5', 'id<=5'],
  ['id gt 5', 'id>5'],
  ['id greater than 5', 'id>5'],
  ['id greater  than 5', 'id>5'],
  ['id more than 5', 'id>5'],
  ['id more  than 5', 'id>5'],
  ['id above 5', 'id>5'],
  ['write_date after 2026-01-31', 'write_date>2026-01-31'],
  ['id lt 5', 'id<5'],
  ['id less than 5', 'id<5'],
  ['id less  than 5', 'id<5'],
  ['id below 5', 'id<5'],
  ['write_date before 2026-01-31', 'write_date<2026-01-31'],
  ['code is null', 'code=null'],
  ['code IS  NULL', 'code=null'],
  ['code is none', 'code=null'],
  ['code is nil', 'code=null'],
  ['code is empty', 'code=null'],
  ['code is not null', 'code!=null'],
  ['code is  not null', 'code!=null'],
  ['code is not  none', 'code!=null'],
  ['code is nullable', 'code=nullable'],
  ['id in (1)', 'id[1]'],
  ['id in (1, 2)', 'id[1,2]'],
  ['id IN(1,2)', 'id[1,2]'],
  ['id in [1,2]', 'id[1,2]'],
  ['id in ( 1 ,, 2 )', 'id[1,2]'],
  ["code in ('a','b c','d,')", "code[a,b c,'d,']"],
  ["code in (a'b', 'c'd)", "code[a'b','c'd]"],
  ["code in ('a&b','null')", 'code["a&b","null"]'],
  ['id not in (1,2)', 'id![1,2]'],
  ['id not  in (1,2)', 'id![1,2]'],
  ['id between 1 and 5', 'id>=1&id<=5'],
  ['id BETWEEN  1  AND  5', 'id>=1&id<=5'],
  ["code between 'a b' and 'c&d'", 'code>=a b&code<="c&d"'],
  ['code between "a b" and "c"', 'code>="a b"&code<="c"'],
  ['id not between 1 and 5', '(id<1|id>5)'],
  ['id not  between 1 and 5', '(id<1|id>5)'],
])('%s is written %s', (written, here) => {
  expect(parseFilter(written)).toMatchObject({ suggestion: `Write ${here}`, fixed: here });
  parsedFilter(here);
});

test.each([
  ['active:true,price:5', 'active=true&price=5'],
  ['active: true, price: 5', 'active=true&price=5'],
  ['active:true ; price>5', 'active=true&price>5'],
  ['active:true;code*x', 'active=true&code*x'],
  ['active:true,code!=x', 'active=true&code!=x'],
  ['active:true,price<5', 'active=true&price<5'],
  ['active:true,id[1]', 'active=true&id[1]'],
  ['active: true and price: 5', 'active=true&price=5'],
  ['active: true AND price: 5', 'active=true&price=5'],
  ['active:true or a.b : 5', 'active=true|a.b=5'],
  ['active:true  OR  price>5', 'active=true|price>5'],
  ['name:oak, steel', 'name=oak, steel'],
  ['name:salt and pepper', 'name=salt and pepper'],
])('conditions with colons, %s, are written %s', (written, here) => {
  expect(parseFilter(written)).toMatchObject({ suggestion: `Write ${here}`, fixed: here });
});

test('only a colon is followed by more conditions', () => {
  expect(parseFilter('name is oak, price: 5')).toMatchObject({ fixed: 'name=oak, price: 5' });
});

test('a long value is not searched for more conditions', () => {
  const value = (length: number) => `${'x'.repeat(length - ',id:1'.length)},id:1`;
  expect(parseFilter(`name:${value(200)}`)).toMatchObject({ fixed: `name=${'x'.repeat(195)}&id=1` });
  expect(parseFilter(`name:${value(201)}`)).toMatchObject({ fixed: `name=${value(201)}` });
});

test.each([
  ['id=1&name like oak&active=true', 'id=1&name*oak&active=true'],
  ['name like oak |id=1', 'name*oak|id=1'],
  ['(name like oak)&id=1', '(name*oak)&id=1'],
  ['(id in (1,2))|id=3', '(id[1,2])|id=3'],
  ['code is null&id=1', 'code=null&id=1'],
  ['id between 1 and 5&active=true', 'id>=1&id<=5&active=true'],
  ['id:1&name:oak', 'id=1&name:oak'],
])('what is around it stays: %s becomes %s', (written, fixed) => {
  expect(parseFilter(written)).toMatchObject({ fixed });
});

test.each([
  ['name like', 'name*value'],
  ['name does not contain ', 'name!*value'],
  ['id is', 'id=value'],
  ['id≥&active=true', 'id>=value'],
  ['id in', 'id[1,2,3]'],
  ['id in ()', 'id[1,2,3]'],
  ['id in ( )', 'id[1,2,3]'],
  ['id in nothing', 'id[1,2,3]'],
  ['id not in', 'id![1,2,3]'],
  ['id NOT  IN 1', 'id![1,2,3]'],
  ['id between', 'id>=1&id<=9'],
  ['id between 1', 'id>=1&id<=9'],
  ['id not  between 1', 'id>=1&id<=9'],
])('without a value, %s shows the form, %s', (written, form) => {
  expect(parseFilter(written)).toMatchObject({ suggestion: `Write ${form}`, fixed: undefined });
});

test.each([
  'name likeable',
  'name unlike oak',
  'id equality 5',
  'id isle 5',
  'id gtin 5',
  'id lts 5',
  'id inside 3',
  'id within 3',
  'id betweens 1',
  'id not 5',
  'id ! 5',
  'id $eq 5',
  'id x~5',
  'id x:5',
  'id x ≥5',
  'id x ≤5',
  'id x ≠5',
  'id x gt 5',
  'id x gte 5',
  'id x lt 5',
  'id x ne 5',
  'name x not like oak',
  'id x between 1 and 5',
  'id x in (1,2)',
  'id x is null',
])('%s is none of them', (written) => {
  expect(parseFilter(written)).toMatchObject({
    suggestion: expect.stringMatching(/^The operators are = != /),
    fixed: undefined,
  });
});
