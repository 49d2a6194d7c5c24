/** What the compiler accepts and rejects. The assertions are checked by `tsc`; the functions are never called. */

import { expect, expectTypeOf, test } from 'vitest';
import type { ListedField as ServerField } from '../../src/catalog/listed-field.ts';
import {
  type Copy,
  filter,
  type ImportResult,
  type ListedField,
  type Partner,
  type ProblemCode,
  type Product,
  type StartedImport,
  Stockbook,
  type Tagged,
} from '../../src/client/index.ts';
import type { ProblemCode as ServerCode } from '../../src/problem/registry.ts';

const stockbook = new Stockbook({ url: 'http://localhost', key: 'key' });
const { products, partners, companies } = stockbook;

/** Type-checked, but not executed. */
function typed(_check: () => unknown): void {}

test('records have the fields of the catalog', () => {
  expectTypeOf<Product['default_code']>().toEqualTypeOf<string | null>();
  expectTypeOf<Product['list_price']>().toEqualTypeOf<number>();
  expectTypeOf<Product['is_rsd_product']>().toEqualTypeOf<boolean | null>();
  expectTypeOf<Partner['create_date']>().toEqualTypeOf<string>();
  expectTypeOf<ProblemCode>().toEqualTypeOf<ServerCode>();
  expectTypeOf<ListedField>().toEqualTypeOf<ServerField>();
});

test('`fields` narrows the record', () => {
  interface IdAndName {
    readonly id: number;
    readonly name: string;
  }
  typed(async () => {
    const fields = ['id', 'name'] as const;
    expectTypeOf((await products.list({ fields: ['id', 'name'] })).data).toEqualTypeOf<readonly IdAndName[]>();
    expectTypeOf((await products.list({ fields })).data).toEqualTypeOf<readonly IdAndName[]>();
    expectTypeOf((await products.list()).data).items.toEqualTypeOf<Product>();
    expectTypeOf(await products.get(1, { fields: ['id', 'name'] })).toEqualTypeOf<IdAndName | undefined>();
    expectTypeOf(await products.get(1)).toEqualTypeOf<Product | undefined>();
    for await (const record of products.each({ fields })) expectTypeOf(record).toEqualTypeOf<IdAndName>();
    for await (const record of products.stream({ fields })) expectTypeOf(record).toEqualTypeOf<IdAndName>();
    // A change always has an id.
    for await (const { records } of products.changes({ fields: ['name'] }))
      expectTypeOf(records).toEqualTypeOf<readonly IdAndName[]>();
  });
  typed(async () => {
    const { data } = await products.list({ fields: ['id'] });
    // @ts-expect-error it was not requested
    data[0]?.name;
    // @ts-expect-error partners have emails, products do not
    await products.list({ fields: ['email'] });
    // @ts-expect-error the same for sorting
    await products.list({ sort: ['-email'] });
  });
});

test('a list can only be unmodified if the caller has it', () => {
  typed(async () => {
    expectTypeOf(await products.list({ limit: 5 })).not.toBeNullable();
    expectTypeOf(await products.list({ ifNoneMatch: '"1"' }))
      .exclude<undefined>()
      .toHaveProperty('etag');
    // @ts-expect-error it may be undefined
    (await products.list({ ifNoneMatch: '"1"' })).data;
    // @ts-expect-error there is nothing to wait for
    await products.list({ wait: 5 });
  });
});

test('a field accepts its operators and values', () => {
  typed(() => {
    products.where('name', '*', 'chair').and('list_price', '>=', 5).or('active', '=', true);
    products.where('categ_id', '=', null).and('categ_id', '![]', [1, null]);
    products.where('write_date', '>', new Date()).and('write_date', '<=', '2026-01-31');
    products.where('active', '[]', [true]);
  });
  typed(() => {
    // @ts-expect-error numbers do not contain text
    products.where('list_price', '*', '5');
    // @ts-expect-error text has no order
    products.where('name', '>', 'a');
    // @ts-expect-error booleans have no order
    products.where('active', '<', true);
    // @ts-expect-error a price is a number
    products.where('list_price', '=', '5');
    // @ts-expect-error a name is never null
    products.where('name', '=', null);
    // @ts-expect-error null has no order
    products.where('categ_id', '>', null);
    // @ts-expect-error a list takes several values
    products.where('id', '[]', 5);
    // @ts-expect-error only timestamps are dates
    products.where('name', '=', new Date());
    // @ts-expect-error products have no email
    products.where('email', '=', 'a');
    // @ts-expect-error it may be undefined
    products.where('name', '=', ['a'][0]);
    // @ts-expect-error a filter cannot contain undefined
    filter`name=${undefined}`;
  });
});

test('a filter belongs to a resource', () => {
  typed(async () => {
    const filter = products.where('id', '>', 5);
    await products.list({ filter });
    await companies.list({ filter: 'id>5' });
    // @ts-expect-error it is a filter for products
    await companies.list({ filter });
    // @ts-expect-error and so is this one
    companies.where('id', '>', 5).and(filter);
  });
});

test('only partners can be created, from a name', () => {
  typed(async () => {
    expectTypeOf(await partners.create({ name: 'Azure Interior' })).toEqualTypeOf<number>();
    // @ts-expect-error there is nothing else to set
    await partners.create({ name: 'Azure Interior', city: 'Berlin' });
    // @ts-expect-error the name is required
    await partners.create({});
  });
  expectTypeOf(products).not.toHaveProperty('create');
});

test('an update has fields that can be changed', () => {
  typed(async () => {
    const { data, etag } = await products.update(1, { name: 'Chair', categ_id: null }, { ifMatch: '"1"' });
    expectTypeOf(data).toEqualTypeOf<Product>();
    expectTypeOf(etag).toEqualTypeOf<string | undefined>();
    expectTypeOf(await products.getTagged(1, { fields: ['name'] }))
      .exclude<undefined>()
      .toEqualTypeOf<Tagged<{ readonly name: string }>>();
    // @ts-expect-error a name is never null
    await products.update(1, { name: null });
    // @ts-expect-error ids do not change
    await products.update(1, { id: 2 });
    // @ts-expect-error the service sets it
    await products.update(1, { write_date: '2026-01-31' });
    // @ts-expect-error products have no email
    await products.update(1, { email: 'a' });
  });
});

test('an import has rows with fields, or with columns that are mapped', () => {
  typed(async () => {
    expectTypeOf(
      await products.import([
        { id: 1, name: 'Chair' },
        { id: 2, removed: true },
      ]),
    ).toEqualTypeOf<ImportResult>();
    expectTypeOf(await products.import(products.stream(), { wait: false })).toEqualTypeOf<StartedImport>();
    await products.import([{ Price: '5', name: 'Chair' }], { key: 'name', map: { Price: 'list_price', Notes: null } });
    await products.import(new Blob([]), { format: 'csv', source: 'Odoo', position: '7', expect: null });
    const [listed] = await stockbook.imports.list();
    if (listed?.state === 'done') expectTypeOf(listed.result).toEqualTypeOf<ImportResult>();
  });
  typed(async () => {
    // @ts-expect-error products have no email
    await products.import([{ id: 1, email: 'a' }]);
    // @ts-expect-error a price is a number
    await products.import([{ id: 1, list_price: '5' }]);
    // @ts-expect-error the column is not mapped
    await products.import([{ Cost: 5 }], { map: { Price: 'list_price' } });
    // @ts-expect-error a column sets a field
    await products.import([], { map: { Price: 'price' } });
    // @ts-expect-error a source has a position
    await products.import([], { source: 'Odoo' });
    // @ts-expect-error null says that there is none
    await products.import([], { source: 'Odoo', position: '7', expect: undefined });
  });
});

test('aggregates have the measures and facets that were requested', () => {
  typed(async () => {
    const { measures, facets } = await products.aggregate({
      measures: ['count', 'sum(list_price)', 'max(create_date)', 'sum(list_price*qty_available)'],
      facets: ['categ_id', 'list_price:20', 'create_date:month', 'write_date:day@Europe/Berlin'],
    });
    expectTypeOf(measures.count).toEqualTypeOf<number>();
    expectTypeOf(measures['sum(list_price)']).toEqualTypeOf<number | null>();
    expectTypeOf(measures['sum(list_price*qty_available)']).toEqualTypeOf<number | null>();
    expectTypeOf(measures['max(create_date)']).toEqualTypeOf<string | null>();
    expectTypeOf(facets.categ_id.groups).items.toHaveProperty('value').toEqualTypeOf<number | null>();
    const [range] = facets['list_price:20'].groups;
    if (range !== undefined && 'from' in range) expectTypeOf(range.from).toEqualTypeOf<number | null>();
    expectTypeOf((await products.aggregate()).measures).toEqualTypeOf<{ readonly count: number }>();
  });
  typed(async () => {
    // @ts-expect-error names cannot be added
    await products.aggregate({ measures: ['sum(name)'] });
    // @ts-expect-error only numbers can be multiplied
    await products.aggregate({ measures: ['sum(list_price*create_date)'] });
    // @ts-expect-error timestamps have periods, not ranges
    await products.aggregate({ facets: ['create_date:20'] });
    // @ts-expect-error numbers have ranges, not periods
    await products.aggregate({ facets: ['list_price:month'] });
    // @ts-expect-error text has no order
    await products.aggregate({ measures: ['min(name)'] });
  });
});

test('a copy gets the records that it asked for', () => {
  typed(async () => {
    const names: Copy<{ readonly id: number; readonly name: string }> = {
      load: () => undefined,
      put: () => {},
      delete: () => {},
      save: () => {},
      clear: () => {},
    };
    await products.mirror(names, { fields: ['id', 'name'] });
    // @ts-expect-error the copy needs names
    await products.mirror(names, { fields: ['id', 'list_price'] });
  });
});

test('this file is type-checked', () => {
  // @ts-expect-error a number is not text
  const text: string = 1;
  expect(text).toBe(1);
});
