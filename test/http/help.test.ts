/** Common mistakes and the suggestions they get. A suggested request works if it is pasted. */

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { engines } from '../support/engines.ts';
import { PARTNERS, PRODUCTS } from '../support/rows.ts';
import { startService, type TestService } from '../support/service.ts';

describe.each(engines)('on $name', (engine) => {
  let service: TestService;
  beforeAll(async () => {
    service = await startService(engine);
  });
  afterAll(() => service.close());

  const filter = (text: string) => `?filter=${encodeURIComponent(text)}`;

  test.each([
    [filter('id==5'), filter('id=5')],
    [filter('id===5'), filter('id=5')],
    [filter('id!==5'), filter('id!=5')],
    [filter('id<>4'), filter('id!=4')],
    [filter('list_price > = 5'), filter('list_price>=5')],
    [filter('list_price => 5'), filter('list_price>=5')],
    [filter('list_price=<5'), filter('list_price<=5')],
    [filter('id=[1,2,3]'), filter('id[1,2,3]')],
    [filter('id!=(1,2)'), filter('id![1,2]')],
    [filter('id=1,2'), filter('id[1,2]')],
    [filter('categ_id=NULL'), filter('categ_id=null')],
    [filter('is_rsd_product!=None'), filter('is_rsd_product!=null')],
    [filter("active='true'"), filter('active=true')],
    [filter('active=yes'), filter('active=true')],
    [filter('active=true and list_price>5'), filter('active=true&list_price>5')],
    [filter('id=1 OR id=2'), filter('id=1|id=2')],
    [filter('list_price<9,99'), filter('list_price<9.99')],
    [filter('list_price<1,000'), filter('list_price<1000')],
    [filter('write_date>2026-2-1'), filter('write_date>2026-02-01')],
    [filter('write_date>1.2.2026'), filter('write_date>2026-02-01')],
    [filter('write_date>2026-02-01 08:00'), filter('write_date>2026-02-01T08:00')],
    [filter('name=null'), filter('name="null"')],
    [filter('id=1&&active=true'), filter('id=1&active=true')],
    [filter('(id=1|id=2'), filter('(id=1|id=2)')],
    [filter('lst_price>5'), filter('list_price>5')],
    [filter(encodeURIComponent('list_price<100&name*chair')), filter('list_price<100&name*chair')],
    ['?name=chair', filter('name=chair')],
    ['?list_price>5&filter=name*chair&limit=3', `${filter('list_price>5&name*chair')}&limit=3`],
    ['?sort=name%20desc', '?sort=-name'],
    ['?sort=list_price:DESC,name%20asc', '?sort=-list_price,name%20asc'],
    ['?fields=id,nam&limit=2', '?fields=id,name&limit=2'],
    ['?sort=-nam', '?sort=-name'],
    ['?limit=5000&page=2', '?limit=1000&page=2'],
    ['?page=0', '?page=1'],
  ])('%s → Try %s', async (wrong, right) => {
    const { status, json } = await service.send({ path: PRODUCTS + wrong });
    expect(status).toBe(400);
    const [, tried = ''] = / Try (\/\S+)$/.exec(Object(json).suggestion) ?? [];
    expect(decodeURIComponent(tried)).toBe(decodeURIComponent(PRODUCTS + right));
    const again = await service.send({ path: tried });
    // Only the first of several mistakes is fixed.
    expect(again.status).toBe(wrong.includes('asc') ? 400 : 200);
  });

  test.each([
    [filter('name like chair'), 'name*text'],
    [filter('name not like chair'), 'name!*text'],
    [filter('id in (1,2)'), 'id[1,2,3]'],
    [filter('id not in (1,2)'), 'id![1,2,3]'],
    [filter('categ_id is null'), 'categ_id=null'],
    [filter('categ_id is not null'), 'categ_id!=null'],
    [filter('id between 1 and 9'), 'id>=1&id<=9'],
    [filter('id eq 5'), 'id=value'],
    [filter('list_price ≥ 5'), 'list_price>=value'],
    [filter('name~chair'), 'name*text'],
    [filter('id=1|2|3'), 'id[1,2,3]'],
    [filter('default_code=A & B'), 'name="A & B"'],
    [filter('colour=red'), 'The fields are id, name'],
    ['?offset=10', 'Did you mean page?'],
    ['?per_page=10', 'Did you mean limit?'],
    ['?orderBy=name', 'Did you mean sort?'],
    ['?select=id', 'Did you mean fields?'],
    ['?q=chair', 'Did you mean filter?'],
    ['?api_key=abc', 'The parameters are fields, filter, sort, page, limit, explain, format.'],
    ['?filter=&offset=1', 'Did you mean page?'],
    ['/1?expand=all', 'The only parameter is fields.'],
  ])('%s → %s', async (wrong, suggestion) => {
    const { status, json } = await service.send({ path: PRODUCTS + wrong });
    expect({ status, suggestion: Object(json).suggestion }).toEqual({
      status: 400,
      suggestion: expect.stringContaining(suggestion),
    });
  });

  test.each([
    ['/api/v1/product', PRODUCTS],
    ['/api/v1/inventory/products/5', PRODUCTS],
    ['/api/v1/inventory/partner', PARTNERS],
    ['/api/v1/inventry/product', PRODUCTS],
    ['/api/v1/warehouse', 'The lists are at'],
  ])('%s → %s', async (path, suggestion) => {
    const { status, json } = await service.send({ path });
    expect({ status, suggestion: Object(json).suggestion }).toEqual({
      status: 404,
      suggestion: expect.stringContaining(suggestion),
    });
  });
});
