/** Conditions that are valid syntax, but were meant otherwise: what the error suggests for a value that does not fit its field. */

import { describe, expect, test } from 'vitest';
import { product } from '../../src/catalog/product.ts';
import { planFilter } from '../../src/plan/filter.ts';

const contextOf = (filter: string) => Object(planFilter(product, filter, [])).context;

describe('meant otherwise', () => {
  test.each([
    // Operators
    ['id==5', 'id=5'],
    ['id== 5', 'id=5'],
    ['id===5', 'id=5'],
    ['id!==5', 'id!=5'],
    ['id!===5', 'id!=5'],
    ['id=>5', 'id>=5'],
    ['id=<5', 'id<=5'],
    ['id> =5', 'id>=5'],
    ['id< =5', 'id<=5'],
    ['id>==5', 'id>=5'],
    ['id<==5', 'id<=5'],
    ['id<>5', 'id!=5'],
    ['id>>5', 'id>5'],
    ['id<<5', 'id<5'],
    ['write_date==2026-01-31T00:00Z', 'write_date=2026-01-31T00:00Z'],
    ['active=="true"', 'active=true'],
    // As in a query string of other APIs
    ['id=eq.5', 'id=5'],
    ['id=is.5', 'id=5'],
    ['id=neq.5', 'id!=5'],
    ['id=ne.5', 'id!=5'],
    ['id=gt.5', 'id>5'],
    ['id=gte.5', 'id>=5'],
    ['id=ge.5', 'id>=5'],
    ['id=lt.5', 'id<5'],
    ['id=lte.5', 'id<=5'],
    ['id=le.5', 'id<=5'],
    ['id=GT.5', 'id>5'],
    ['id=not.eq.5', 'id!=5'],
    ['id=NOT.EQ.5', 'id!=5'],
    ['list_price=gt.1.5', 'list_price>1.5'],
    // Quotes
    ["id='5'", 'id=5'],
    ["id>'5'", 'id>5'],
    ["id=='5'", 'id=5'],
    ["active='TRUE'", 'active=TRUE'],
    // null
    ['categ_id=NULL', 'categ_id=null'],
    ['categ_id=None', 'categ_id=null'],
    ['categ_id=nil', 'categ_id=null'],
    ['categ_id!=NULL', 'categ_id!=null'],
    ['categ_id==null', 'categ_id=null'],
    ["categ_id='null'", 'categ_id=null'],
    ['categ_id=eq.null', 'categ_id=null'],
    // What is left of what was around it
    ['id=5)', 'id=5'],
    ['id=5 ))', 'id=5'],
    ['id<5,', 'id<5'],
    ['id<5 ;,', 'id<5'],
    // Currencies
    ['list_price<$5', 'list_price<5'],
    ['list_price<€ 5.50', 'list_price<5.50'],
    ['list_price<£-5', 'list_price<-5'],
    ['list_price<1,000 €', 'list_price<1000'],
    ['list_price<-5$', 'list_price<-5'],
    ['list_price<5EUR', 'list_price<5'],
    ['list_price<5 usd', 'list_price<5'],
    ['list_price<5 GBP', 'list_price<5'],
    ['list_price<£5', 'list_price<5'],
    // Values that are nearly right
    ['list_price=1,5', 'list_price=1.5'],
    ['list_price==1,5', 'list_price=1.5'],
    ['id==1,000', 'id=1000'],
    ['list_price==1,5,7', 'list_price[1,5,7]'],
    ['active==yes', 'active=true'],
    ['create_date==1.2.2026', 'create_date=2026-02-01'],
    // Periods
    ['create_date=2026', 'create_date>=2026-01-01&create_date<2027-01-01'],
    ['create_date=2026-02', 'create_date>=2026-02-01&create_date<2026-03-01'],
    ['create_date==2026-02', 'create_date>=2026-02-01&create_date<2026-03-01'],
    ['create_date!=2026-02', '(create_date<2026-02-01|create_date>=2026-03-01)'],
    ['create_date>2026', 'create_date>2026-01-01'],
    // Ranges
    ['id=between(1,5)', 'id>=1&id<=5'],
    ['id=between(1;5)', 'id>=1&id<=5'],
    ['id=between( 1 , 5 )', 'id>=1&id<=5'],
    ['id=between 1 and 5', 'id>=1&id<=5'],
    ['id=BETWEEN  10  AND  50', 'id>=10&id<=50'],
    ['id=between.[1,5]', 'id>=1&id<=5'],
    ['id=between.1,5', 'id>=1&id<=5'],
    ['id=not between 1 and 5', '(id<1|id>5)'],
    ['id=not.between(1,5)', '(id<1|id>5)'],
    ['id=not. between(1,5)', '(id<1|id>5)'],
    ['id!=between(1,5)', '(id<1|id>5)'],
    ['id!=not between 1 and 5', 'id>=1&id<=5'],
    ['categ_id!=between(1,5)', '(categ_id<1|categ_id>5|categ_id=null)'],
    ['list_price=between(1.5,2.5)', 'list_price>=1.5&list_price<=2.5'],
    ["id=between('1','5')", 'id>=1&id<=5'],
    ['id=1..5', 'id>=1&id<=5'],
    ['id=10 .. 50', 'id>=10&id<=50'],
    ['id=1…5', 'id>=1&id<=5'],
    ['id=1–5', 'id>=1&id<=5'],
    ['id=1 to 5', 'id>=1&id<=5'],
    ['id=1  TO  5', 'id>=1&id<=5'],
    ['id!=1..5', '(id<1|id>5)'],
    ['create_date=2026-01-01..2026-02-01', 'create_date>=2026-01-01&create_date<=2026-02-01'],
    // Lists
    ['id=[1,2]', 'id[1,2]'],
    ['id=(1,2)', 'id[1,2]'],
    ['id=(10)', 'id[10]'],
    ['id=in.(1,2)', 'id[1,2]'],
    ['id=in (1,2)', 'id[1,2]'],
    ['id=in. (1,2)', 'id[1,2]'],
    ['id=IN(1,2)', 'id[1,2]'],
    ['id=not in (1,2)', 'id![1,2]'],
    ['id=not.in.(1,2)', 'id![1,2]'],
    ['id=not. in.(1,2)', 'id![1,2]'],
    ['id!=(1,2)', 'id![1,2]'],
    ['id!=not in (1,2)', 'id[1,2]'],
    ['id=1,2', 'id[1,2]'],
    ['id=1;2', 'id[1,2]'],
    ['id=1, 2,,3,', 'id[1,2,3]'],
    ['categ_id=1,null', 'categ_id[1,null]'],
    ['active=yes,no', 'active[true,false]'],
    // Conditions that are joined by words
    ['id=5 and active=true', 'id=5&active=true'],
    ['id=5 AND active=true or id<9', 'id=5&active=true|id<9'],
    ['id=5  und  active=true oder name*oak', 'id=5&active=true|name*oak'],
    ['id=5;active=true', 'id=5&active=true'],
    ['id=5 , active!=true', 'id=5&active!=true'],
    ['id=5 and (active=true|name!*oak)', 'id=5&(active=true|name!*oak)'],
    ['id=5 and categ_id ![1]', 'id=5&categ_id ![1]'],
  ])('%s is %s', (filter, fixed) => {
    expect(contextOf(filter)).toMatchObject({ fixed: { filter: fixed } });
  });
});

test.each([
  ['id==5', 'Did you mean id=5?'],
  ['id=between(1,5)', 'Did you mean id>=1&id<=5?'],
  ['id=5 and active=true', 'Join conditions with & (and) or | (or).'],
  ['id=5 and 7', 'Join conditions with & (and) or | (or).'],
  ['id=5 and colour=red', 'Join conditions with & (and) or | (or).'],
  ['id=5 oder 7', 'Join conditions with & (and) or | (or).'],
])('%s: %s', (filter, suggestion) => {
  expect(contextOf(filter)).toMatchObject({ suggestion });
});

test.each([
  'id=x',
  'id==x',
  'id><5',
  'id<~5',
  'id>5x',
  'id=NULL',
  'categ_id>NULL',
  'categ_id=nullable',
  'categ_id=not null',
  'id=eq.x',
  'id=equals.5',
  'id>gt.5',
  'id=like.5',
  'id=not.gt.5',
  "id='x'",
  "id=''",
  "id='5",
  'id=)',
  'id=(5',
  'id=f(5)',
  'id=,',
  'id=, ,',
  'id=1 x,',
  'list_price<$',
  'list_price<5 CHF',
  'list_price<5 EURO',
  'list_price<US$5',
  'list_price<€5x',
  'list_price<x5€',
  'create_date=2026-13',
  'id=2026-02',
  'id=between(1)',
  'id=between(1,2,3)',
  'id=between(1,x)',
  'id=between(x,5)',
  'id=in between(1,5)',
  'id=between(1,5)x',
  'id>between(1,5)',
  'id=1..x',
  'id=1..',
  'id=1.5.7',
  'id=(1,x)',
  'id=x(1,2)',
  'id=(1,2)x',
  'id>(1,2)',
  'id>1,2',
  'id=within(1,2)',
  'active=1..2',
  'id=5 android 6',
  'id=5;colour=red',
  `id==${'1'.repeat(200)}`,
])('%s: nothing is suggested but an example', (filter) => {
  const { suggestion, fixed } = contextOf(filter);
  expect({ suggestion, fixed }).toEqual({ suggestion: expect.stringMatching(/^For example: /), fixed: undefined });
});

test('a value of up to 200 characters is analyzed', () => {
  expect(contextOf(`list_price==${'1'.repeat(199)}`)).toMatchObject({
    fixed: { filter: `list_price=${'1'.repeat(199)}` },
  });
  expect(contextOf(`list_price==${'1'.repeat(200)}`)).not.toHaveProperty('fixed');
});
