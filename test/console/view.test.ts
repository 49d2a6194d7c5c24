/** What a URL says about the view, and what the view says in the URL and in the title. */

import { describe, expect, test } from 'vitest';
import { pageOf } from '../../console/src/view/page.ts';
import { readLink } from '../../console/src/view/read-link.ts';
import { hrefOf, orderOf } from '../../console/src/view/view.ts';
import { pageTitle } from '../../console/src/view/view-title.ts';

const read = (search: string) => readLink('/products', search).view;

test('a field sorts once, as where it is first', () => {
  expect(read('sort=name,-list_price,-name,name').sort).toEqual([
    { field: 'name', isDescending: false },
    { field: 'list_price', isDescending: true },
  ]);
});

test.each([
  ['1', 1],
  ['10', 10],
  ['1000', 1_000],
  ['1001', 100],
  ['0', 100],
  ['x', 100],
])('limit=%s shows %i rows', (text, limit) => {
  const view = read(`limit=${text}`);
  expect(view.limit).toBe(limit);
  expect(hrefOf(view)).toBe(limit === 100 ? '/products' : `/products?limit=${limit}`);
});

test('the title names the records and the filter, or the import', () => {
  const title = (path: string, search = '') => pageTitle(pageOf(path), readLink(path, search).view);
  expect(title('/products', 'sort=name')).toBe('Products - Stockbook');
  expect(title('/partners', 'filter=name*a%26active=true')).toBe(
    'Partners, Name contains a and Active is yes - Stockbook',
  );
  const nested = 'filter=active=true%26(list_price>5|qty_available<1)';
  expect(title('/products', nested)).toBe(
    'Products, Active is yes and (Sales price is more than 5 or Quantity on hand is less than 1) - Stockbook',
  );
  expect(title('/products', 'filter=(list_price')).toBe('Products, (list_price - Stockbook');
  expect(title('/partners/import', 'key=ref')).toBe('Import partners - Stockbook');
  expect(title('/products', 'q=oak+chair&filter=active=true')).toBe('Products, oak chair, Active is yes - Stockbook');
  expect(title('/imports')).toBe('Imports - Stockbook');
  expect(title('/views/low-stock')).toBe('View - Stockbook');
  expect(pageTitle('records', read('filter=active=true&view=low'), 'Low stock')).toBe('Low stock - Stockbook');
  expect(title('/products/17')).toBe('No page - Stockbook');
});

test.each([
  ['q=%20oak%20chair%20', '/products?q=oak+chair', 'relevance'],
  ['q=oak&sort=relevance', '/products?q=oak', 'relevance'],
  ['q=oak&sort=-name', '/products?q=oak&sort=-name', ['-name']],
  ['q=%20', '/products', undefined],
])('%s is a search, and its order is that of relevance unless another one is asked for', (search, href, order) => {
  const { view, problems } = readLink('/products', search);
  expect([hrefOf(view), orderOf(view), problems]).toEqual([href, order, []]);
});

test.each([
  ['/', 'records'],
  ['/products', 'records'],
  ['/products/import', 'import'],
  ['/imports', 'imports'],
  ['/views/low-stock', 'view'],
  ['/products/', 'records'],
  ['/imports/', 'imports'],
  ['/products//', 'unknown'],
  ['/views', 'unknown'],
  ['/nonsense', 'unknown'],
  ['/nonsense/import', 'unknown'],
])('%s leads to %s', (path, page) => {
  expect(pageOf(path)).toBe(page);
});

describe('what is wrong with a link', () => {
  test.each([
    ['fields=id,%20name&sort=-name&page=007&limit=25&record=3&panel=none&live=true&widths=name:300&view=low-stock', []],
    ['filter=prise>1&fields=&sort=&page=', []],
    ['fields=id,list_prise', ["fields: product has no field 'list_prise'. Did you mean list_price?"]],
    ['sort=-namme', ["sort: product has no field 'namme'. Did you mean name?"]],
    [
      'sort=name desc',
      [
        "sort: 'name desc' is not a field name; the direction is given by a sign. Write -name: - before the name for descending order, nothing for ascending.",
      ],
    ],
    ['group=list_price:10&order=value', []],
    ['group=list_prise:10', ["group: product has no field 'list_prise'. Did you mean list_price?"]],
    [
      'group=create_date:hour&order=name',
      [
        "group: create_date cannot be grouped by 'hour'. The periods are day, week, month, year: create_date:month.",
        "order='name' is wrong. It is count, value, or a measure of groups.",
      ],
    ],
    ['sort=name,-name', ['sort names name twice. The first one counts.']],
    [
      'sort=relevance',
      ['sort: Without q there is nothing to be relevant to. Add q with words to search for, or remove sort.'],
    ],
    [
      'q=a b c d e f g h i j k l m n o p q',
      ['q has 17 different words, and at most 16 are searched for. Search for fewer words.'],
    ],
    ['page=two', ["page='two' is wrong. It is the number of a page, from 1 on."]],
    ['page=0', ["page='0' is wrong. It is the number of a page, from 1 on."]],
    ['limit=1001', ["limit='1001' is wrong. It is a number of rows, from 1 to 1000."]],
    ['record=x', ["record='x' is wrong. It is the id of a record."]],
    ['panel=chart', ["panel='chart' is wrong. It is summary, code, response or none."]],
    ['view=a.b', ["view='a.b' is wrong. It is the id of a saved view."]],
    ['live=yes', ["live='yes' is wrong. It is true or false."]],
    ['widths=name', ["widths: 'name' is not a field and a number of pixels, such as name:240."]],
    ['filtr=active=true', ["There is no parameter 'filtr'. Did you mean filter?"]],
    ['zzzzzz=1', ["There is no parameter 'zzzzzz'."]],
    ['page=2&page=3', ['page is there more than once. The first one counts.']],
  ])('is said about %s', (search, problems) => {
    expect(readLink('/products', search).problems).toEqual(problems);
  });

  test.each([
    ['fields=id,list_prise,zzzzzz&page=2', '/products?fields=id&page=2', '/products?fields=id,list_price&page=2'],
    ['sort=-namme', '/products', '/products?sort=-name'],
    ['filtr=active=true', '/products', '/products?filter=active=true'],
    ['page=two', '/products', undefined],
    ['group=list_prise:10', '/products', '/products?group=list_price:10'],
    ['group=categ_id&order=value', '/products?group=categ_id&order=value', undefined],
    ['group=name:5', '/products', undefined],
  ])('%s shows %s, and %s was meant', (search, shown, probably) => {
    const { view, meant } = readLink('/products', search);
    expect(hrefOf(view)).toBe(shown);
    expect(meant && hrefOf(meant)).toBe(probably);
  });
});
