/** `stockbook mirror odoo`, by what it does to an account, for both protocols of Odoo. */

import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { generate } from 'selfsigned';
import { describe, expect, onTestFinished, test } from 'vitest';
import { OtherMirror } from '../../src/connectors/mirror/account.ts';
import { trustAuthorities } from '../../src/connectors/mirror/certificates.ts';
import { MappingError } from '../../src/connectors/odoo/mapping.ts';
import { mirrorForever, OdooMirror } from '../../src/connectors/odoo/mirror-odoo.ts';
import { TooManyRemoved } from '../../src/connectors/odoo/model-mirror.ts';
import { OdooError } from '../../src/connectors/odoo/odoo-error.ts';
import { ForeignPosition } from '../../src/connectors/odoo/position.ts';
import { sqlite } from '../support/engines.ts';
import { load } from '../support/fixture.ts';
import { SHELF } from '../support/odoo-database.ts';
import { differences, openMirrorBed } from '../support/odoo-mirror.ts';
import { type Fault, startProxy } from '../support/proxy.ts';
import { bearer, startService, type TestService } from '../support/service.ts';
import { sharedService } from '../support/shared.ts';
import { TestClock } from '../support/test-clock.ts';

const PRODUCTS = 'inventory/product';

/** So many seconds from now. */
const odooTime = (seconds: number) =>
  new Date(Date.now() + seconds * 1_000).toISOString().replace('T', ' ').slice(0, 'YYYY-MM-DD HH:MM:SS'.length);

const service = sharedService(sqlite);

/** A clock on which pauses take no time, and a service that has it too. */
async function startPassing(): Promise<{ readonly service: TestService; readonly clock: TestClock }> {
  const clock = new TestClock({ wall: Date.now(), isPassing: true });
  const started = await startService(sqlite, { clock });
  onTestFinished(() => started.close());
  return { service: started, clock };
}

describe.each([19, 18])('Odoo %i', (version) => {
  test('everything is copied, with what is empty and what is archived', async () => {
    const { odoo, options, records } = await openMirrorBed(service, version);
    const chair = odoo.create('product.product', { name: 'Chair', categ_id: 7, list_price: 12.5, product_tmpl_id: 3 });
    odoo.create('product.product', { name: 'Old', active: false });
    odoo.move(chair, 4);
    odoo.create('res.partner', { name: false, complete_name: 'Acme, Invoice', country_code: 'DE' });
    odoo.create('res.company', { name: 'Acme', company_registry: 'HRB 1', user_ids: [5, 2] });
    await (await OdooMirror.open(options)).round();
    expect(await records(PRODUCTS)).toMatchObject([
      {
        id: chair,
        name: 'Chair',
        default_code: null,
        list_price: 12.5,
        qty_available: 4,
        categ_id: 7,
        active: true,
        create_date: '2026-01-01T00:00:00.000Z',
      },
      { name: 'Old', active: false, categ_id: null, qty_available: 0 },
    ]);
    expect(await records('resources/partner')).toMatchObject([
      { name: 'Acme, Invoice', country_code: 'DE', email: null },
    ]);
    expect(await records('resources/company')).toMatchObject([
      { name: 'Acme', company_code: 'HRB 1', branch_user: '2' },
    ]);
    expect(await differences(options)).toEqual([]);
  });

  test('changes, moves, late commits and removals follow', async () => {
    const { odoo, options, records } = await openMirrorBed(service, version);
    const [chair, table] = ['Chair', 'Table'].map((name) => odoo.create('product.product', { name }));
    if (chair === undefined || table === undefined) throw new Error('there are no products');
    const mirror = await OdooMirror.open({ ...options, confirmRemovals: true });
    await mirror.round();
    odoo.wait(300);
    odoo.write('product.product', chair, { name: 'Oak chair' });
    await mirror.round();
    odoo.write('product.product', table, { name: 'Oak table' }, 100);
    odoo.move(chair, 3, 100);
    await mirror.round();
    expect(await records(PRODUCTS)).toMatchObject([
      { name: 'Oak chair', qty_available: 3 },
      { name: 'Oak table', qty_available: 0 },
    ]);
    // A return: the quant is empty, and then it is gone.
    odoo.move(chair, -3);
    odoo.removeEmptyQuants();
    odoo.unlink('product.product', table);
    await mirror.round();
    expect(await records(PRODUCTS)).toMatchObject([{ id: chair, qty_available: 0 }]);
    expect(await differences(options)).toEqual([]);
  });
});

test('what did not change is not sent', async () => {
  const { odoo, options, source } = await openMirrorBed(service, 19);
  odoo.create('product.product', { name: 'Chair' });
  odoo.create('res.company', { name: 'Acme', user_ids: [1] });
  const mirror = await OdooMirror.open(options);
  await mirror.round();
  const saved = async () => [await source('odoo/product'), await source('odoo/company')].map((each) => each?.savedAt);
  const before = await saved();
  for (let n = 0; n < 3; n += 1) await mirror.round();
  expect(await saved()).toEqual(before);
});

test('a user without rights on moves gets the sums of the quants', async () => {
  const { odoo, options, records } = await openMirrorBed(service, 19);
  odoo.isPlainUser = true;
  const chair = odoo.create('product.product', { name: 'Chair' });
  odoo.move(chair, 5);
  const mirror = await OdooMirror.open(options);
  await mirror.round();
  odoo.move(chair, -5);
  odoo.removeEmptyQuants();
  await mirror.round();
  expect(await records(PRODUCTS)).toMatchObject([{ qty_available: 0 }]);
  odoo.move(chair, 2);
  await mirror.round();
  expect(await records(PRODUCTS)).toMatchObject([{ qty_available: 2 }]);
});

test('quantities of a user without rights on moves are rounded as those that Odoo computes', async () => {
  const { odoo, options, records } = await openMirrorBed(service, 19);
  odoo.isPlainUser = true;
  const rope = odoo.create('product.product', { name: 'Rope' });
  odoo.create('stock.quant', { product_id: rope, quantity: 0.1, location_id: SHELF });
  odoo.create('stock.quant', { product_id: rope, quantity: 0.2, location_id: SHELF });
  await (await OdooMirror.open(options)).round();
  expect(await records(PRODUCTS)).toMatchObject([{ qty_available: 0.3 }]);
});

describe.each([19, 18])('kits in Odoo %i', (version) => {
  test('follow their components and their bills of material', async () => {
    const { odoo, options, records } = await openMirrorBed(service, version);
    odoo.hasManufacturing = true;
    const product = (name: string, template: number) =>
      odoo.create('product.product', { name, product_tmpl_id: template });
    const leg = product('Leg', 1);
    const table = product('Table', 2);
    const [oak, elm] = [product('Set, oak', 3), product('Set, elm', 3)];
    const chair = product('Chair', 4);
    odoo.move(leg, 8);
    const bill = odoo.createKit({ product: table }, new Map([[leg, 4]]));
    // A kit of kits, for all variants of a template.
    odoo.createKit({ template: 3 }, new Map([[table, 1]]));
    // The others are not read again because of what was written last.
    odoo.wait(1_000);
    product('Lamp', 5);
    const mirror = await OdooMirror.open({ ...options, removalInterval: 100_000 });
    const quantities = async () => {
      await mirror.round();
      const all = await records(PRODUCTS);
      return [leg, table, oak, elm, chair].map((id) => all.find((record) => record['id'] === id)?.['qty_available']);
    };
    expect(await quantities()).toEqual([8, 2, 2, 2, 0]);
    odoo.wait(1_000);
    odoo.move(leg, 12);
    expect(await quantities()).toEqual([20, 5, 5, 5, 0]);
    odoo.wait(1_000);
    const [line] = odoo.ids('mrp.bom.line');
    odoo.write('mrp.bom.line', line ?? 0, { product_qty: 2 });
    expect(await quantities()).toEqual([20, 10, 10, 10, 0]);
    // A new bill, and components that are not in stock because they have become a kit.
    odoo.wait(1_000);
    const seat = odoo.createKit({ product: chair }, new Map([[leg, 5]]));
    expect(await quantities()).toEqual([20, 10, 10, 10, 4]);
    odoo.wait(1_000);
    odoo.write('mrp.bom', seat, { active: false });
    expect(await quantities()).toEqual([20, 10, 10, 10, 0]);
    odoo.wait(1_000);
    odoo.write('mrp.bom', seat, { active: true });
    expect(await quantities()).toEqual([20, 10, 10, 10, 4]);
    odoo.move(leg, -10);
    expect(await quantities()).toEqual([10, 5, 5, 5, 2]);
    expect(await differences(options)).toEqual([]);
    // A bill that is removed leaves no trace, so it is found with the removals.
    const often = await OdooMirror.open(options);
    await often.round();
    odoo.unlink('mrp.bom', bill);
    await often.round();
    expect((await records(PRODUCTS)).map((record) => record['qty_available'])).toEqual([10, 0, 0, 0, 2, 0]);
  });

  test('have no quantity for a user who may not read bills, which is said', async () => {
    const { odoo, options, warnings } = await openMirrorBed(service, version);
    odoo.hasManufacturing = true;
    odoo.isPlainUser = true;
    await OdooMirror.open(options);
    expect(warnings).toEqual([expect.stringMatching(/^product: .* the quantity of kits stays 0\..*Inventory \/ User/)]);
  });
});

test('without stock, products are mirrored without quantities', async () => {
  const { odoo, options, records } = await openMirrorBed(service, 19);
  odoo.hasStock = false;
  odoo.create('product.product', { name: 'Chair' });
  await (await OdooMirror.open(options)).round();
  expect(await records(PRODUCTS)).toMatchObject([{ name: 'Chair', qty_available: 0 }]);
});

test('a first copy that is interrupted goes on where it was', async () => {
  const { odoo, options, records } = await openMirrorBed(service, 19);
  for (let n = 0; n < 2_500; n += 1) odoo.create('product.product', { name: `P${n}` });
  const controller = new AbortController();
  const mirror = await OdooMirror.open({ ...options, resources: ['product'], signal: controller.signal });
  odoo.requests = 0;
  // Newest writes of three models, the number of records, and two pages.
  odoo.onRequest = () => odoo.requests === 6 && controller.abort();
  await expect(mirror.round()).rejects.toThrow();
  odoo.onRequest = undefined;
  expect(await records(PRODUCTS)).toHaveLength(1_000);
  const again = await OdooMirror.open({ ...options, resources: ['product'] });
  odoo.requests = 0;
  await again.round();
  // The number of records, two pages, all ids twice, and a look for changes.
  expect(odoo.requests).toBeLessThanOrEqual(10);
  expect(await differences(options)).toEqual([]);
});

test('what moves no time is found by comparing everything', async () => {
  const passing = await startPassing();
  const { odoo, options, records } = await openMirrorBed(passing.service, 19, passing);
  const chair = odoo.create('product.product', { name: 'Chair', categ_id: 7 });
  odoo.wait(300);
  odoo.create('product.product', { name: 'Table' });
  const mirror = await OdooMirror.open(options);
  await mirror.round();
  odoo.writeSilently('product.product', chair, { categ_id: false });
  await mirror.round();
  expect(await differences(options)).toEqual([
    {
      resource: 'product',
      id: chair,
      kind: 'different',
      fields: [{ name: 'categ_id', odoo: null, account: 7 }],
      refusal: undefined,
    },
  ]);
  await mirror.compare();
  expect(await records(PRODUCTS)).toMatchObject([{ categ_id: null }, { name: 'Table' }]);
});

test('everything is compared as often as somebody wants, and fields that need it are warned of', async () => {
  const clock = new TestClock({ wall: Date.now() });
  const { odoo, options, records, warnings } = await openMirrorBed(service, 19, { clock });
  const chair = odoo.create('product.product', { name: 'Chair', lst_price: 10, standard_price: 5 });
  odoo.wait(1_000);
  odoo.create('product.product', { name: 'Table' });
  const pair = (field: string, from: string) => ({ resource: 'product', field, odoo: from });
  const added = [pair('list_price', 'lst_price'), pair('default_code', 'standard_price')];
  const mirror = await OdooMirror.open({ ...options, added, comparisonInterval: 3_600 });
  expect(warnings).toEqual([
    expect.stringMatching(
      /^product: list_price follows lst_price only when everything is compared, .*because it depends on product_template_attribute_value_ids\.price_extra/,
    ),
  ]);
  await mirror.round();
  odoo.writeSilently('product.product', chair, { lst_price: 12 });
  clock.elapse(3_600_000);
  await mirror.round();
  expect(await records(PRODUCTS)).toMatchObject([{ list_price: 10 }, { name: 'Table' }]);
  clock.elapse(1);
  await mirror.round();
  expect(await records(PRODUCTS)).toMatchObject([{ list_price: 12 }, { name: 'Table' }]);
});

test('an account with records of its own is left alone until somebody confirms it', async () => {
  const { odoo, options, account, records } = await openMirrorBed(service, 19);
  const resource = (await service.store.fields.catalog()).find('product');
  if (resource === undefined) throw new Error('there are no products');
  await load(service.store, account, resource, [{ id: 9_000, name: 'Mine' }]);
  odoo.create('product.product', { name: 'Chair' });
  odoo.create('res.partner', { name: 'Acme' });
  // What comes first is not written either.
  const mirror = await OdooMirror.open({ ...options, resources: ['partner', 'product'] });
  await expect(mirror.round()).rejects.toThrow('has 1 record of product that no mirror has written');
  await expect(mirror.compare()).rejects.toThrow('has 1 record of product that no mirror has written');
  expect(await records('resources/partner')).toEqual([]);
  expect(await records(PRODUCTS)).toMatchObject([{ name: 'Mine' }]);
  await (await OdooMirror.open({ ...options, confirmRemovals: true })).round();
  expect(await records(PRODUCTS)).toMatchObject([{ name: 'Chair' }]);
});

test('what somebody changes or removes in the account is undone by comparing everything', async () => {
  const { odoo, options, account, records } = await openMirrorBed(service, 19);
  const [chair, table] = ['Chair', 'Table'].map((name) => odoo.create('product.product', { name }));
  const mirror = await OdooMirror.open(options);
  await mirror.round();
  const resource = (await service.store.fields.catalog()).find('product');
  if (resource === undefined || chair === undefined || table === undefined) throw new Error('there are no products');
  await load(service.store, account, resource, [{ id: chair, name: 'Mine' }]);
  const key = bearer(await service.issue(account, { scopes: ['edit'] }));
  await service.send({ method: 'DELETE', path: `/api/v1/${PRODUCTS}/${table}`, headers: key });
  await mirror.compare();
  expect(await records(PRODUCTS)).toMatchObject([{ name: 'Chair' }, { name: 'Table' }]);
});

test('with another setup, everything is compared', async () => {
  const passing = await startPassing();
  const { odoo, options, records, warnings } = await openMirrorBed(passing.service, 19, passing);
  odoo.create('product.product', { name: 'Chair', weight: 2.5 });
  odoo.wait(10_000);
  odoo.create('product.product', { name: 'Table', weight: 9 });
  await (await OdooMirror.open(options)).round();
  const added = [{ resource: 'product', field: 'list_price', odoo: 'weight' }];
  await (await OdooMirror.open({ ...options, added })).round();
  expect(await records(PRODUCTS)).toMatchObject([{ list_price: 2.5 }, { list_price: 9 }]);
  expect(warnings).toEqual([]);
  await differences(options);
  expect(warnings).toEqual([expect.stringContaining('product: the mirror has other fields')]);
});

test('a comparison that was interrupted long ago does not count', async () => {
  const { odoo, options, records } = await openMirrorBed(service, 19);
  const ids = Array.from({ length: 5 }, (_, n) => odoo.create('product.product', { name: `P${n}` }));
  const controller = new AbortController();
  const some = { ...options, resources: ['product'], pageSize: 2 };
  const mirror = await OdooMirror.open({ ...some, signal: controller.signal });
  odoo.requests = 0;
  odoo.onRequest = () => odoo.requests === 6 && controller.abort();
  await expect(mirror.compare()).rejects.toThrow();
  odoo.onRequest = undefined;
  odoo.wait(86_400);
  odoo.write('product.product', ids[0] ?? 0, { name: 'Changed' });
  await (await OdooMirror.open(some)).compare();
  expect((await records(PRODUCTS))[0]).toMatchObject({ name: 'Changed' });
  expect(await differences(some)).toEqual([]);
});

test('an import whose response was lost is recognised', async () => {
  const { odoo, options, records } = await openMirrorBed(service, 19);
  const chair = odoo.create('product.product', { name: 'Chair' });
  const faults: Fault[] = [];
  const proxy = await startProxy(service.port, faults);
  onTestFinished(() => proxy.close());
  const account = { ...options.account, url: proxy.url, retries: 0 };
  const mirror = await OdooMirror.open({ ...options, resources: ['product'], account });
  await mirror.round();
  odoo.write('product.product', chair, { name: 'Oak chair' });
  faults.push(...Array<Fault>(100).fill('response lost'));
  proxy.disconnect();
  await expect(mirror.round()).rejects.toThrow(`Stockbook cannot be reached at ${proxy.url}.`);
  faults.length = 0;
  proxy.disconnect();
  odoo.write('product.product', chair, { name: 'Elm chair' });
  await mirror.round();
  expect(await records(PRODUCTS)).toMatchObject([{ name: 'Elm chair' }]);
});

test('a record without a time does not confuse the mirror', async () => {
  const { odoo, options, records } = await openMirrorBed(service, 19);
  const chair = odoo.create('product.product', { name: 'Chair' });
  odoo.writeSilently('product.product', odoo.create('product.product', { name: 'By SQL' }), { write_date: false });
  const mirror = await OdooMirror.open(options);
  await mirror.round();
  odoo.write('product.product', chair, { name: 'Oak chair' });
  await mirror.round();
  expect(await records(PRODUCTS)).toMatchObject([{ name: 'Oak chair' }, { name: 'By SQL' }]);
});

test('a record with a time in the future hides nothing', async () => {
  const { odoo, options, records } = await openMirrorBed(service, 19);
  const chair = odoo.create('product.product', { name: 'Chair' });
  const future = odoo.create('product.product', { name: 'Wrong clock' });
  odoo.writeSilently('product.product', future, { write_date: '2099-01-01 00:00:00' });
  const mirror = await OdooMirror.open(options);
  await mirror.round();
  for (const [name, seconds] of [
    ['Oak chair', 200],
    ['Elm chair', 400],
  ] as const) {
    odoo.writeSilently('product.product', future, { write_date: odooTime(seconds) });
    odoo.wait(300);
    odoo.write('product.product', chair, { name });
    await mirror.round();
    expect(await records(PRODUCTS)).toMatchObject([{ name }, { name: 'Wrong clock' }]);
  }
});

test('a round is reported, and so is what the mirror fails with', async () => {
  const clock = new TestClock({ wall: Date.now(), isPassing: true });
  const { odoo, options, source } = await openMirrorBed(service, 19, { clock });
  odoo.create('product.product', { name: 'Chair' });
  const running = new AbortController();
  const mirroring = mirrorForever({ ...options, signal: running.signal });
  await expect.poll(async () => (await source('odoo/product'))?.checkedAt).toEqual(expect.any(String));
  const first = await source('odoo/product');
  await expect.poll(async () => (await source('odoo/product'))?.checkedAt).not.toBe(first?.checkedAt);
  expect(await source('odoo/product')).toMatchObject({ position: first?.position, failure: null });
  odoo.isDown = true;
  await expect
    .poll(async () => (await source('odoo/company'))?.failure?.error)
    .toMatch(/^Odoo (is not available|cannot be reached)/);
  expect((await source('odoo/product'))?.checkedAt).toEqual(expect.any(String));
  odoo.isDown = false;
  await expect.poll(async () => (await source('odoo/company'))?.failure).toBe(null);
  running.abort();
  await mirroring;
  // An error that does not pass stays.
  await expect(mirrorForever({ ...options, odoo: { ...options.odoo, key: 'x' } })).rejects.toThrow(
    'does not accept the key',
  );
  expect((await source('odoo/product'))?.failure?.error).toContain('does not accept the key');
});

test('what is written while a mirror runs is no difference, if the mirror follows', async () => {
  const clock = new TestClock({ wall: Date.now(), isPassing: true });
  const clockOfService = new TestClock({ wall: Date.now() });
  const started = await startService(sqlite, { clock: clockOfService });
  onTestFinished(() => started.close());
  const { odoo, options } = await openMirrorBed(started, 19, { clock });
  const chair = odoo.create('product.product', { name: 'Chair' });
  const running = new AbortController();
  const mirror = await OdooMirror.open(options);
  await mirror.round();
  const verifying = differences(options);
  odoo.write('product.product', chair, { name: 'Oak chair' });
  const mirroring = mirrorForever({ ...options, interval: 0.1, signal: running.signal });
  expect(await verifying).toEqual([]);
  // What is written all the time is not judged, and what is in the account alone is.
  let price = 0;
  odoo.onRequest = () => {
    price += 1;
    odoo.write('product.product', chair, { list_price: price });
  };
  expect(await differences(options)).toEqual([]);
  odoo.onRequest = undefined;
  running.abort();
  await mirroring;
  odoo.write('product.product', chair, { name: 'Elm chair' });
  // Nobody has reported a round for a while.
  clockOfService.set(Date.now() + 10_000);
  expect(await differences(options)).toMatchObject([
    {
      id: chair,
      kind: 'different',
      fields: expect.arrayContaining([{ name: 'name', odoo: 'Elm chair', account: 'Oak chair' }]),
    },
  ]);
});

test('if more than a tenth disappears, the mirror stops until somebody confirms it', async () => {
  const { odoo, options, records, source } = await openMirrorBed(service, 19);
  const ids = Array.from({ length: 100 }, (_, n) => odoo.create('product.product', { name: `P${n}` }));
  await (await OdooMirror.open(options)).round();
  for (const id of ids.slice(0, 10)) odoo.unlink('product.product', id);
  await (await OdooMirror.open(options)).round();
  expect(await records(PRODUCTS)).toHaveLength(90);
  for (const id of ids.slice(10, 20)) odoo.unlink('product.product', id);
  const mirror = await OdooMirror.open(options);
  await expect(mirror.round()).rejects.toThrow(TooManyRemoved);
  await expect(mirror.round()).rejects.toThrow(
    /10 of the 90 records of product in the account are not in Odoo\..*--once --confirm-removals/,
  );
  await expect(mirrorForever(options)).rejects.toThrow(TooManyRemoved);
  expect(await records(PRODUCTS)).toHaveLength(90);
  expect((await source('odoo/product'))?.failure?.error).toContain('10 of the 90 records');
  await (await OdooMirror.open({ ...options, confirmRemovals: true })).compare();
  expect(await records(PRODUCTS)).toHaveLength(80);
  expect((await source('odoo/product'))?.failure).toBe(null);
});

test('of few records, all but the last ones can be removed at a time', async () => {
  const { odoo, options, records } = await openMirrorBed(service, 19);
  const ids = Array.from({ length: 12 }, (_, n) => odoo.create('res.company', { name: `C${n}`, user_ids: [1] }));
  const unlink = (count: number) => {
    for (const id of ids.splice(0, count)) odoo.unlink('res.company', id);
  };
  const mirror = await OdooMirror.open(options);
  await mirror.round();
  const left = async () => (await records('resources/company')).length;
  unlink(9);
  await mirror.round();
  expect(await left()).toBe(3);
  unlink(1);
  await mirror.round();
  expect(await left()).toBe(2);
  unlink(2);
  await expect(mirror.round()).rejects.toThrow('2 of the 2 records of company in the account are not in Odoo.');
  expect(await left()).toBe(2);
  await (await OdooMirror.open({ ...options, confirmRemovals: true })).compare();
  // A single one may be the only one that there was.
  const last = odoo.create('res.company', { name: 'Last', user_ids: [1] });
  const again = await OdooMirror.open(options);
  await again.round();
  odoo.unlink('res.company', last);
  await again.round();
  expect(await left()).toBe(0);
});

test('a second mirror notices the first', async () => {
  const { odoo, options } = await openMirrorBed(service, 19);
  const chair = odoo.create('product.product', { name: 'Chair' });
  const first = await OdooMirror.open(options);
  await first.round();
  const second = await OdooMirror.open(options);
  odoo.write('product.product', chair, { name: 'Oak chair' });
  await first.round();
  odoo.write('product.product', chair, { name: 'Elm chair' });
  await expect(second.round()).rejects.toThrow(OtherMirror);
  await first.round();
});

test('a mirror of another Odoo is refused', async () => {
  const { odoo, options } = await openMirrorBed(service, 19);
  odoo.create('product.product', { name: 'Chair' });
  await (await OdooMirror.open(options)).round();
  const other = await openMirrorBed(service, 19);
  const moved = { ...options, odoo: other.options.odoo };
  await expect(OdooMirror.open(moved)).rejects.toThrow(ForeignPosition);
  await expect(OdooMirror.open(moved)).rejects.toThrow(/Every Odoo needs an account of its own\..*--once --odoo-moved/);
  other.odoo.create('product.product', { name: 'Chair' });
  for (const company of [odoo, other.odoo]) company.create('res.company', { name: 'Acme' });
  await (await OdooMirror.open({ ...moved, mayHaveMoved: true })).round();
  // Once is enough.
  await (await OdooMirror.open(moved)).round();
});

test('failures that pass are waited for', async () => {
  const clock = new TestClock({ isPassing: true });
  const { odoo, options, records } = await openMirrorBed(service, 19, { clock });
  odoo.create('product.product', { name: 'Chair' });
  const mirror = await OdooMirror.open(options);
  odoo.fail('closed', 'restarting', 'busy');
  const began = clock.monotonic();
  await mirror.round();
  expect(clock.monotonic() - began).toBe(500 + 1_000 + 2_000);
  expect(await records(PRODUCTS)).toHaveLength(1);
  odoo.fail('database away');
  await expect(mirror.round()).rejects.toMatchObject({ kind: 'wrong database' });
});

test('a mirror that starts while the database is away waits for it, if it has read it before', async () => {
  const clock = new TestClock({ wall: Date.now(), isPassing: true });
  const { odoo, options, records, source } = await openMirrorBed(service, 19, { clock });
  const chair = odoo.create('product.product', { name: 'Chair' });
  odoo.hasDatabase = false;
  await expect(mirrorForever(options)).rejects.toMatchObject({ kind: 'wrong database' });
  odoo.hasDatabase = true;
  await (await OdooMirror.open(options)).round();
  odoo.write('product.product', chair, { name: 'Oak chair' });
  odoo.hasDatabase = false;
  const running = new AbortController();
  const mirroring = mirrorForever({ ...options, signal: running.signal });
  await expect
    .poll(async () => (await source('odoo/product'))?.failure?.error)
    .toMatch(/^Odoo has no database for this request/);
  // A proxy may have a page of its own.
  odoo.isInMaintenance = true;
  await expect.poll(async () => (await source('odoo/product'))?.failure?.error).toMatch(/^There is no Odoo at/);
  odoo.isInMaintenance = false;
  // A database that the account has nothing of may not exist.
  const other = { ...options, odoo: { ...options.odoo, database: 'other' } };
  await expect(mirrorForever(other)).rejects.toMatchObject({ kind: 'wrong database' });
  odoo.hasDatabase = true;
  await expect.poll(() => records(PRODUCTS)).toMatchObject([{ name: 'Oak chair' }]);
  running.abort();
  await mirroring;
});

test('fields of your own are mirrored too', async () => {
  const { odoo, options, records } = await openMirrorBed(service, 19);
  const { fields } = service.store;
  const resource = (await fields.catalog()).find('product');
  if (resource === undefined) throw new Error('there are no products');
  const text = { name: 'x_brand', label: 'Brand', type: 'text', meaning: 'who makes it', initial: null } as const;
  await fields.add(await fields.catalog(), resource, text);
  odoo.create('product.product', { name: 'Chair', x_brand: 'Oakley', weight: 2.5 });
  const pair = (field: string, from: string) => ({ resource: 'product', field, odoo: from });
  const added = [pair('x_brand', 'x_brand'), pair('list_price', 'weight')];
  await (await OdooMirror.open({ ...options, added })).round();
  expect(await records(PRODUCTS)).toMatchObject([{ x_brand: 'Oakley', list_price: 2.5 }]);
  for (const [wrong, message] of [
    [pair('x_color', 'x_brand'), 'x_color is not a field of product in Stockbook.'],
    [pair('x_brand', 'brand'), 'product.product has no field brand in Odoo.'],
    [pair('x_brand', 'seller_ids'), 'seller_ids is of the type one2many, which cannot be mirrored.'],
    [pair('active', 'x_brand'), 'active holds a boolean, but x_brand is a text.'],
    [pair('id', 'categ_id'), 'The id of a product is always that of Odoo.'],
  ] as const) {
    const refused = OdooMirror.open({ ...options, added: [wrong] });
    await expect(refused).rejects.toThrow(message);
    await expect(refused).rejects.toBeInstanceOf(MappingError);
  }
  await expect(OdooMirror.open({ ...options, added: [...added, pair('x_brand', 'name')] })).rejects.toThrow(
    'Two pairs name x_brand of product.',
  );
});

test('a record that the account cannot hold is skipped and reported, once', async () => {
  const { odoo, options, records, warnings } = await openMirrorBed(service, 19);
  odoo.create('product.product', { name: 'Chair' });
  const long = odoo.create('product.product', { name: 'x'.repeat(5_000) });
  const mirror = await OdooMirror.open(options);
  await mirror.round();
  await mirror.round();
  expect(await records(PRODUCTS)).toHaveLength(1);
  expect(warnings).toEqual([expect.stringMatching(new RegExp(`^odoo/product: product ${long} was skipped, .* name `))]);
});

test('verify tells records that the account cannot hold from differences', async () => {
  const { odoo, options } = await openMirrorBed(service, 19);
  // More than an import lists errors of.
  const long = Array.from({ length: 45 }, (_, n) => odoo.create('product.product', { name: 'x'.repeat(5_000 + n) }));
  const chair = odoo.create('product.product', { name: 'Chair' });
  await (await OdooMirror.open(options)).compare();
  odoo.write('product.product', chair, { name: 'Oak chair' });
  const table = odoo.create('product.product', { name: 'Table' });
  expect(await differences(options)).toMatchObject([
    ...long.map((id) => ({ id, kind: 'missing', refusal: expect.stringMatching(/^name /) })),
    { id: chair, kind: 'different', refusal: undefined },
    { id: table, kind: 'missing', refusal: undefined },
  ]);
});

test('records that the account cannot hold are sent once, also if there are more than are listed', async () => {
  const { odoo, options, warnings } = await openMirrorBed(service, 19);
  for (let n = 0; n < 22; n += 1) odoo.create('product.product', { name: 'x'.repeat(5_000 + n) });
  const chair = odoo.create('product.product', { name: 'Chair' });
  const mirror = await OdooMirror.open(options);
  expect(await mirror.compare()).toBe(22);
  expect(warnings.filter((text) => text.startsWith('odoo/product: '))).toHaveLength(21);
  expect(warnings.at(-1)).toBe('odoo/product: 2 more were skipped');
  odoo.write('product.product', chair, { name: 'Oak chair' });
  expect(await mirror.compare()).toBe(22);
  expect(warnings).toHaveLength(21);
});

describe('errors say what to do', () => {
  test.each([
    ['a wrong key', { key: 'x' }, /does not accept the key.*make a new one/],
    ['a wrong database', { database: 'other' }, /Check --odoo-db/],
    ['no Odoo', { url: 'http://127.0.0.1:1/' }, /Odoo cannot be reached at http:\/\/127\.0\.0\.1:1/],
  ])('%s', async (_, wrong, message) => {
    const { options } = await openMirrorBed(service, 19);
    const refused = OdooMirror.open({ ...options, odoo: { ...options.odoo, ...wrong } });
    await expect(refused).rejects.toThrow(message);
    await expect(refused).rejects.toBeInstanceOf(OdooError);
  });

  test.each([19, 18])('a language or a company that cannot be chosen in Odoo %i', async (version) => {
    const { odoo, options } = await openMirrorBed(service, version);
    const [acme, globex] = ['Acme', 'Globex'].map((name) => odoo.create('res.company', { name }));
    if (acme === undefined || globex === undefined) throw new Error('there are no companies');
    odoo.allowedCompanies = [acme];
    for (const [choice, message] of [
      [{ language: 'de_DE' }, /de_DE \(--lang\) is not installed in Odoo\. Installed are en_US, fr_FR\./],
      [{ language: 'xx' }, /xx \(--lang\) is not installed/],
      [
        { companies: [acme, globex] },
        new RegExp(`work for the company ${globex} .*The companies of the user are ${acme} \\(Acme\\)\\.`),
      ],
      [{ companies: [9_999] }, /work for the company 9999 \(--company\)/],
    ] as const)
      await expect(OdooMirror.open({ ...options, ...choice })).rejects.toThrow(message);
    await (await OdooMirror.open({ ...options, language: 'fr_FR', companies: [acme] })).round();
  });

  test('a certificate of your own', async () => {
    const certificate = await generate([{ name: 'commonName', value: 'localhost' }], {
      extensions: [{ name: 'subjectAltName', altNames: [{ type: 7, ip: '127.0.0.1' }] }],
    });
    const tls = { key: certificate.private, cert: certificate.cert };
    const { odoo, options } = await openMirrorBed(service, 19, { tls });
    odoo.create('product.product', { name: 'Chair' });
    const refused = OdooMirror.open(options);
    await expect(refused).rejects.toThrow(
      /not signed by an authority that is trusted here \(self-signed certificate\)/,
    );
    await expect(refused).rejects.toThrow(/--odoo-ca-file\.$/);
    const before = getCACertificates('default');
    onTestFinished(() => setDefaultCACertificates(before));
    const account = { ...options.account, url: options.odoo.url, retries: 0 };
    const other = await openMirrorBed(service, 19);
    await expect(OdooMirror.open({ ...other.options, account })).rejects.toThrow('NODE_EXTRA_CA_CERTS');
    expect(trustAuthorities('no certificate')).toBe(false);
    expect(trustAuthorities(certificate.cert)).toBe(true);
    await (await OdooMirror.open(options)).round();
  });

  test('Odoo 18 without a login, or with a wrong key', async () => {
    const { options } = await openMirrorBed(service, 18);
    await expect(OdooMirror.open({ ...options, odoo: { ...options.odoo, login: undefined } })).rejects.toThrow(
      '--odoo-user',
    );
    await expect(OdooMirror.open({ ...options, odoo: { ...options.odoo, key: 'x' } })).rejects.toThrow(
      `does not accept the key for the user "${options.odoo.login}"`,
    );
  });

  test.each([
    ['a wrong key of the account', { key: 'x' }, /^Stockbook at http:\S+ does not accept the key\./],
    ['no Stockbook', { url: 'http://127.0.0.1:1', retries: 0 }, /^Stockbook cannot be reached at http:\S+:1\./],
  ])('%s', async (_, wrong, message) => {
    const { options } = await openMirrorBed(service, 19);
    await expect(OdooMirror.open({ ...options, account: { ...options.account, ...wrong } })).rejects.toThrow(message);
  });

  test('a version that is too old', async () => {
    const { options } = await openMirrorBed(service, 16);
    await expect(OdooMirror.open(options)).rejects.toThrow('The oldest that can be mirrored is 17.');
  });
});

describe('whatever the clock of the mirror says', () => {
  const HOUR = 3_600_000;

  test('removals are noticed after it was set back', async () => {
    const clock = new TestClock({ wall: Date.now() });
    const { odoo, options, records } = await openMirrorBed(service, 19, { clock });
    const [chair] = ['Chair', 'Table'].map((name) => odoo.create('product.product', { name }));
    const mirror = await OdooMirror.open({ ...options, removalInterval: 300 });
    await mirror.round();
    odoo.unlink('product.product', Number(chair));
    clock.set(clock.wall() - 24 * HOUR);
    await clock.advance(301_000);
    await mirror.round();
    expect(await records(PRODUCTS)).toMatchObject([{ name: 'Table' }]);
  });

  test('everything is compared after it was set back', async () => {
    const clock = new TestClock({ wall: Date.now() });
    const { odoo, options, records } = await openMirrorBed(service, 19, { clock });
    const chair = odoo.create('product.product', { name: 'Chair', categ_id: 7 });
    const mirror = await OdooMirror.open({ ...options, comparisonInterval: 3_600 });
    await mirror.round();
    // The chair is not read again because of its time.
    odoo.wait(1_000);
    odoo.create('product.product', { name: 'Table' });
    await mirror.round();
    odoo.writeSilently('product.product', chair, { categ_id: false });
    clock.set(clock.wall() - 24 * HOUR);
    await clock.advance(HOUR + 1);
    await mirror.round();
    expect(await records(PRODUCTS)).toMatchObject([{ categ_id: null }, {}]);
  });
});

test('what is committed late while the mirror reads slowly is not missed', async () => {
  const clock = new TestClock({ wall: Date.now() });
  const { odoo, options, records } = await openMirrorBed(service, 19, { clock });
  const [chair, table] = ['Chair', 'Table'].map((name) => odoo.create('product.product', { name }));
  const mirror = await OdooMirror.open({ ...options, pageSize: 1 });
  await mirror.round();
  odoo.wait(1_000);
  odoo.write('product.product', Number(table), { name: 'Oak table' });
  let pages = 0;
  odoo.onRequest = () => {
    pages += 1;
    // The first page, which had the chair as it was before, has taken long.
    if (pages !== 2) return;
    odoo.write('product.product', Number(chair), { name: 'Oak chair' }, 170);
    clock.elapse(100_000);
    odoo.wait(100);
    odoo.write('product.product', Number(table), { name: 'Elm table' });
  };
  await mirror.round();
  odoo.onRequest = undefined;
  await mirror.round();
  expect(await records(PRODUCTS)).toMatchObject([{ name: 'Oak chair' }, { name: 'Elm table' }]);
});
