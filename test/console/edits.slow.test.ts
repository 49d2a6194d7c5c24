/** Changing and removing records in the console: with the keyboard, beside others who do the same, and when something fails. */

import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findField } from '../../src/catalog/catalog.ts';
import { product } from '../../src/catalog/product.ts';
import type { Scope } from '../../src/catalog/scopes.ts';
import { aboveStore } from '../support/above-store.ts';
import { startConsole, type TestConsole, tabTo } from '../support/console.ts';
import { sqlite } from '../support/engines.ts';
import { addAccount, load, products, type RecordValues } from '../support/fixture.ts';
import { bearer } from '../support/service.ts';
import { endVisit } from './views.ts';

const PRODUCTS = '/api/v1/inventory/product';

/** Those that a service would accept: names are not blank. */
const records: readonly RecordValues[] = products.filter(({ name }) => name !== '');

const FOCUSED = `(({ activeElement: focused }) => focused?.innerText || focused?.tagName || '')(document)`;

const labelOf = (field: string) => findField(product, field)?.label ?? field;
const edit = (page: Page, field: string) => page.getByRole('button', { name: new RegExp(`^Edit ${labelOf(field)}: `) });
const box = (page: Page, field: string) => page.getByRole('textbox', { name: labelOf(field), exact: true });
const heading = (page: Page, name: string) => page.getByRole('heading', { name, exact: true });
const recordIn = (page: Page) => new URL(page.url()).searchParams.get('record');
const focusOn = (locator: Locator) => expect.poll(() => locator.evaluate((one) => one.matches(':focus'))).toBe(true);
const describedBy = async (locator: Locator) =>
  locator
    .page()
    .locator(`[id="${await locator.getAttribute('aria-describedby')}"]`)
    .textContent();

describe.each(aboveStore)('on $name', (engine) => {
  let app: TestConsole;
  let accounts = 0;
  beforeAll(async () => {
    app = await startConsole(engine);
  });
  afterAll(() => app?.close());

  /** What does not depend on the engine. */
  const testOnce = test.runIf(engine === sqlite);

  /** An account of its own with the products of the fixture, and a window with a key for them. */
  async function openProducts(path: string, scopes: readonly Scope[] = ['read', 'edit'], options = {}) {
    const { service } = app;
    accounts += 1;
    const account = await addAccount(service.store, `editors-${accounts}`);
    await load(service.store, account, product, records);
    const key = await service.issue(account, { scopes });
    const headers = bearer(await service.issue(account, { scopes: ['read', 'edit'] }));
    const visit = await app.open(path, { key, ...options });
    return {
      ...visit,
      visit,
      /** As other clients see it; undefined if it does not exist. */
      async read(id: number): Promise<RecordValues | undefined> {
        return Object(await service.send({ path: `${PRODUCTS}/${id}`, headers })).json.data;
      },
      /** What somebody else does meanwhile. */
      async patch(id: number, patch: RecordValues) {
        const body = JSON.stringify(patch);
        const request = { method: 'PATCH', headers: { ...headers, 'content-type': 'application/json' }, body };
        expect((await fetch(`${app.origin}${PRODUCTS}/${id}`, request)).status).toBe(200);
      },
      async remove(id: number) {
        const { status } = await service.send({ method: 'DELETE', path: `${PRODUCTS}/${id}`, headers });
        expect(status).toBe(204);
      },
    };
  }

  test('fields of every type are edited with the keyboard, and everything shows it at once', async () => {
    const { page, visit, read } = await openProducts('/products?filter=active=true&record=1');
    const { keyboard } = page;
    await edit(page, 'name').waitFor();
    await page.getByRole('main').getByText('9 of 11 products').waitFor();
    for (const name of ['id', 'create_date', 'write_date']) expect(await edit(page, name).count()).toBe(0);

    await tabTo(page, /^ ?Edit Name/);
    await keyboard.press('F2');
    await focusOn(box(page, 'name'));
    await keyboard.type('Oak Armchair');
    await keyboard.press('Enter');
    await heading(page, 'Oak Armchair').waitFor();
    await page.getByRole('row', { name: /^1 Oak Armchair/ }).waitFor();
    await focusOn(edit(page, 'name'));

    await edit(page, 'list_price').focus();
    await keyboard.press('Enter');
    await focusOn(box(page, 'list_price'));
    await keyboard.type('1,500.5');
    await keyboard.press('Enter');
    await page.getByRole('button', { name: 'Edit Sales price: 1,500.50' }).waitFor();
    await focusOn(edit(page, 'list_price'));

    await edit(page, 'default_code').press('Enter');
    await box(page, 'default_code').fill('');
    expect(await page.getByRole('checkbox', { name: 'not set' }).isChecked()).toBe(true);
    await keyboard.press('Enter');
    await page.getByRole('button', { name: 'Edit Product code: not set' }).waitFor();
    await focusOn(edit(page, 'default_code'));
    // Text may be empty all the same.
    await keyboard.press('Enter');
    await tabTo(page, /not set/);
    await keyboard.press('Space');
    await keyboard.press('Enter');
    await page.getByRole('button', { name: 'Edit Product code: ""' }).waitFor();

    await page.getByRole('button', { name: /^Show \d+ empty/ }).click();
    await edit(page, 'is_rsd_product').press('Enter');
    await focusOn(page.getByRole('radio', { name: 'not set' }));
    await keyboard.press('ArrowLeft');
    await keyboard.press('Enter');
    await page.getByRole('button', { name: 'Edit RSD product: no' }).waitFor();

    await edit(page, 'active').press('Enter');
    await keyboard.press('ArrowRight');
    await keyboard.press('Enter');
    await page.getByText('The filter hides this product: it is not in the table.').waitFor();
    await page.getByRole('main').getByText('8 of 11 products').waitFor();
    await page.getByRole('row', { name: /^1 Oak Armchair/ }).waitFor({ state: 'detached' });
    await focusOn(edit(page, 'active'));
    expect(await read(1)).toEqual({
      ...records[0],
      ...{ name: 'Oak Armchair', list_price: 1500.5, default_code: '', is_rsd_product: false, active: false },
      write_date: expect.not.stringContaining('2026-01-02'),
    });

    // Charts count it where it is now.
    await keyboard.press('Escape');
    await expect.poll(() => recordIn(page)).toBe(null);
    await page.getByRole('button', { name: 'Active yes 8 products', exact: true }).waitFor();
    await endVisit(visit);
  });

  testOnce('what is not saved changes nothing: Escape, and a value that is as before', async () => {
    const { page, visit } = await openProducts('/products?record=1&panel=none');
    const sent: string[] = [];
    page.on('request', (request) => request.method() !== 'GET' && sent.push(request.method()));
    await edit(page, 'name').click();
    await page.keyboard.type('Nothing');
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Edit Name: Oak Chair' }).waitFor();
    await focusOn(edit(page, 'name'));
    await page.keyboard.press('Enter');
    await page.keyboard.press('Enter');
    await focusOn(edit(page, 'name'));
    await edit(page, 'list_price').click();
    await page.getByRole('button', { name: 'Cancel' }).click();
    await focusOn(edit(page, 'list_price'));
    expect([sent, recordIn(page)]).toEqual([[], '1']);
    // The next one has nothing of it.
    await edit(page, 'name').click();
    await page.getByRole('button', { name: 'Next record' }).click();
    await page.getByRole('button', { name: 'Edit Name: Steel Desk' }).waitFor();
    await endVisit(visit);
  });

  testOnce('text may have lines, and numbers are read as the reader writes them', async () => {
    const { page, visit, read } = await openProducts('/products?record=1&panel=none', ['read', 'edit'], {
      locale: 'de-DE',
    });
    await edit(page, 'name').click();
    await page.keyboard.type('Oak');
    await page.keyboard.press('Shift+Enter');
    await page.keyboard.type('Chair');
    await page.keyboard.press('Enter');
    await expect.poll(async () => (await read(1))?.['name']).toBe('Oak\nChair');
    await edit(page, 'list_price').click();
    expect(await box(page, 'list_price').inputValue()).toBe('120,5');
    await page.keyboard.type('1,500');
    await page.keyboard.press('Enter');
    await page.getByText('“1,500” can be read in two ways:').waitFor();
    await focusOn(page.getByRole('button', { name: '1,5', exact: true }));
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Edit Sales price: 1.500,00' }).waitFor();
    await focusOn(edit(page, 'list_price'));
    expect(await read(1)).toMatchObject({ list_price: 1500 });
    await endVisit(visit);
  });

  test('errors of the page and of the service are shown beside the field, and the input stays', async () => {
    const { page, visit, read } = await openProducts('/products?record=1&panel=none');
    /** What happens to changes on their way. */
    let fate: 'altered' | 'lost' | 'stopped' | undefined;
    await page.route(`**${PRODUCTS}/1`, async (route) => {
      if (route.request().method() !== 'PATCH') return route.continue();
      if (fate === 'altered') return route.continue({ postData: '{"name":7}' });
      if (fate === 'stopped') return route.abort();
      if (fate === undefined) return route.continue();
      fate = undefined;
      await route.fetch({ maxRetries: 3 });
      return route.abort();
    });
    await edit(page, 'name').click();
    await page.keyboard.type(' ');
    await page.keyboard.press('Enter');
    await page.getByRole('alert').getByText('Name must not be blank.').waitFor();
    expect(await describedBy(box(page, 'name'))).toBe('Name must not be blank.');
    expect(await box(page, 'name').getAttribute('aria-invalid')).toBe('true');
    await focusOn(box(page, 'name'));
    // The service has rules that this page may not know.
    fate = 'altered';
    await page.keyboard.type('Chair');
    expect(await page.getByRole('alert').count()).toBe(0);
    await page.keyboard.press('Enter');
    await page.getByRole('alert').getByText('name must be a string.').waitFor();
    expect(await describedBy(box(page, 'name'))).toBe('name must be a string.');
    await focusOn(box(page, 'name'));
    // A response that is lost is not a conflict with oneself.
    fate = 'lost';
    await page.keyboard.press('Enter');
    await heading(page, 'Chair').waitFor();
    await focusOn(edit(page, 'name'));
    expect([fate, (await read(1))?.['name']]).toEqual([undefined, ' Chair']);
    fate = 'stopped';
    await page.keyboard.press('Enter');
    await page.keyboard.type('Table');
    await page.keyboard.press('Enter');
    await page.getByRole('alert').getByText('It is safe to try again.').waitFor();
    expect(await box(page, 'name').inputValue()).toBe('Table');
    fate = undefined;
    await page.keyboard.press('Enter');
    await heading(page, 'Table').waitFor();
    await endVisit(visit, /400|ERR_FAILED/);
  });

  test('if somebody else has changed the record, both values are shown, and one is chosen', async () => {
    const { page, visit, read, patch, remove } = await openProducts('/products?record=1&panel=none');
    const save = async (field: string, text: string, meanwhile: () => Promise<void>) => {
      await edit(page, field).click();
      await page.keyboard.type(text);
      await meanwhile();
      await page.keyboard.press('Enter');
      await page.getByRole('group', { name: /^Somebody else has changed/ }).waitFor();
      await focusOn(page.getByRole('group', { name: /^Somebody else has changed/ }));
    };
    const choices = () => page.getByRole('group').locator('dl').innerText();

    await save('list_price', '200', () => patch(1, { list_price: 150, qty_available: 3 }));
    await page.getByText('Somebody else has changed Sales price of this product meanwhile.').waitFor();
    expect((await choices()).split(/\s+/)).toEqual(['Theirs', '150.00', 'Mine', '200.00']);
    // Neither Enter once more nor anything else chooses by accident.
    await page.keyboard.press('Enter');
    expect(await read(1)).toMatchObject({ list_price: 150 });
    await tabTo(page, /Take theirs/);
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Edit Sales price: 150.00' }).waitFor();
    await page.getByRole('button', { name: 'Edit Quantity on hand: 3' }).waitFor();
    await page.getByRole('row', { name: /^1 Oak Chair CHR-1 150.00 3/ }).waitFor();
    await focusOn(edit(page, 'list_price'));
    expect(await read(1)).toMatchObject({ list_price: 150 });

    await save('list_price', '200', () => patch(1, { list_price: 160 }));
    await tabTo(page, /Overwrite with mine/);
    // It may be changed again, until there is a choice about what there is.
    await patch(1, { list_price: 170 });
    await page.keyboard.press('Enter');
    await expect.poll(async () => (await choices()).split(/\s+/)).toEqual(['Theirs', '170.00', 'Mine', '200.00']);
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Edit Sales price: 200.00' }).waitFor();
    await focusOn(edit(page, 'list_price'));
    expect(await read(1)).toMatchObject({ list_price: 200, qty_available: 3 });

    // Another field: nothing of theirs is lost either way.
    await save('name', 'Armchair', () => patch(1, { qty_available: 4, active: false }));
    await page.getByText('Somebody else has changed Quantity on hand and Active of this product meanwhile.').waitFor();
    await page.keyboard.press('Escape');
    await focusOn(edit(page, 'name'));
    expect(await read(1)).toMatchObject({ name: 'Oak Chair', qty_available: 4 });

    await edit(page, 'name').click();
    await page.keyboard.type('Armchair');
    await remove(1);
    await page.keyboard.press('Enter');
    await heading(page, 'There is no product 1').waitFor();
    await focusOn(heading(page, 'product 1'));
    await page.getByRole('main').getByText('10 products').waitFor();
    await endVisit(visit, /412|404/);
  });

  testOnce('two fields that are edited at once do not conflict, and what a live view brings does', async () => {
    const { page, visit, read, patch } = await openProducts('/products?record=1&panel=none&live=true');
    const held = Promise.withResolvers<void>();
    await page.route(`**${PRODUCTS}/1`, async (route) => {
      if (route.request().method() === 'PATCH') await held.promise;
      await route.continue();
    });
    await edit(page, 'name').click();
    await page.keyboard.type('Armchair');
    await edit(page, 'list_price').click();
    await page.keyboard.type('200');
    await page.keyboard.press('Enter');
    await box(page, 'name').press('Enter');
    await expect.poll(() => page.getByRole('button', { name: 'Saving…' }).count()).toBe(2);
    held.resolve();
    await page.getByRole('button', { name: 'Edit Sales price: 200.00' }).waitFor();
    await heading(page, 'Armchair').waitFor();
    expect(await read(1)).toMatchObject({ name: 'Armchair', list_price: 200 });
    await edit(page, 'name').click();
    await page.keyboard.type('Mine');
    await patch(1, { name: 'Theirs' });
    await heading(page, 'Theirs').waitFor();
    expect(await box(page, 'name').inputValue()).toBe('Mine');
    await page.keyboard.press('Enter');
    await page.getByText('Somebody else has changed name of this product meanwhile.').waitFor();
    await page.getByRole('button', { name: 'Overwrite with mine' }).click();
    await heading(page, 'Mine').waitFor();
    await endVisit(visit);
  });

  testOnce('charts that were being loaded when a record was changed are loaded again', async () => {
    const { page, visit } = await openProducts('/companies');
    const [loaded, held] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    await page.route('**/aggregate?facets=*', async (route) => {
      const response = await route.fetch({ maxRetries: 3 });
      loaded.resolve();
      await held.promise;
      // By then, nobody may wait for it.
      await route.fulfill({ response }).catch(() => undefined);
    });
    await page.goto(`${app.origin}/products?record=1`);
    await edit(page, 'active').waitFor();
    await loaded.promise;
    await edit(page, 'active').press('Enter');
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Edit Active: no' }).waitFor();
    held.resolve();
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Active no 3 products', exact: true }).waitFor();
    await page.unrouteAll({ behavior: 'ignoreErrors' });
    await endVisit(visit);
  });

  test('a record is removed and restored with the keyboard, as it was', async () => {
    const { page, visit, read } = await openProducts('/products?record=3');
    const before = await read(3);
    await page.getByRole('main').getByText('11 products').waitFor();
    await focusOn(heading(page, 'oak table'));
    await tabTo(page, /Remove/);
    await page.keyboard.press('Enter');
    const undo = page.getByRole('button', { name: 'Undo' });
    await focusOn(undo);
    expect(await describedBy(undo)).toBe('Removed: Product 3 “oak table”');
    await page.getByRole('status').getByText('Removed: Product 3 “oak table”').waitFor({ state: 'attached' });
    await page.getByRole('row', { name: /^3 oak table/ }).waitFor({ state: 'detached' });
    await page.getByRole('main').getByText('10 products').waitFor();
    await page.getByRole('button', { name: 'Active no 1 product', exact: true }).waitFor();
    expect([recordIn(page), await read(3)]).toEqual([null, undefined]);
    await page.keyboard.press('Enter');
    await heading(page, 'oak table').waitFor();
    await focusOn(heading(page, 'oak table'));
    await page.getByRole('status').getByText('Product 3 “oak table” was restored.').waitFor({ state: 'attached' });
    await page.getByRole('row', { name: /^3 oak table/ }).waitFor();
    await page.getByRole('main').getByText('11 products').waitFor();
    expect(await read(3)).toEqual(before);
    expect(await undo.count()).toBe(0);
    // It can be changed and removed again.
    await edit(page, 'name').click();
    await page.keyboard.type('Oak Table');
    await page.keyboard.press('Enter');
    await heading(page, 'Oak Table').waitFor();
    await page.getByRole('button', { name: 'Remove product 3' }).press('Enter');
    await focusOn(undo);
    await page.keyboard.press('Escape');
    await expect.poll(() => undo.count()).toBe(0);
    await expect.poll(() => page.locator('[role=grid] tr:focus').count()).toBe(1);
    await endVisit(visit);
  });

  test('several removals are undone one by one, from any view, and when the service responds again', async () => {
    const { page, visit, read } = await openProducts('/products?panel=none', ['read', 'product:edit']);
    const before = await read(1);
    for (const id of [1, 2]) {
      await page.getByRole('row', { name: new RegExp(`^${id} `) }).click();
      await page.getByRole('button', { name: `Remove product ${id}` }).click();
      await page.getByText(`Product ${id} “`).first().waitFor();
    }
    await page.getByRole('link', { name: 'Companies' }).click();
    await heading(page, 'There are no companies yet').waitFor();
    const notice = page.locator('.removal-notice', { hasText: 'Product 1' });
    await notice.hover();
    let isOut = true;
    await page.route('**/import', (route) => (isOut ? route.abort() : route.continue()));
    await notice.getByRole('button', { name: 'Undo' }).press('Enter');
    await notice.getByRole('alert').getByText('It could not be restored.').waitFor();
    isOut = false;
    await page.keyboard.press('Enter');
    await notice.waitFor({ state: 'detached' });
    await expect.poll(() => page.evaluate(FOCUSED)).not.toBe('BODY');
    expect(await read(1)).toEqual(before);
    expect(await read(2)).toBe(undefined);
    expect(new URL(page.url()).pathname).toBe('/companies');
    await endVisit(visit, /ERR_FAILED|404/);
  });

  testOnce('the notice goes by itself, but not while somebody is on it', async () => {
    const { page, visit, read } = await openProducts('/products?record=1&panel=none');
    await edit(page, 'name').waitFor();
    await page.clock.install();
    await page.getByRole('button', { name: 'Remove product 1' }).press('Enter');
    const undo = page.getByRole('button', { name: 'Undo' });
    await focusOn(undo);
    await page.clock.runFor(60_000);
    expect(await undo.count()).toBe(1);
    await page.keyboard.press('Shift+Tab');
    await page.clock.runFor(9_000);
    expect(await undo.count()).toBe(1);
    await page.clock.runFor(2_000);
    await expect.poll(() => undo.count()).toBe(0);
    expect(await read(1)).toBe(undefined);
    await endVisit(visit);
  });

  testOnce('what somebody else has changed or removed is not removed unseen', async () => {
    const { page, visit, patch, remove } = await openProducts('/products?record=1&panel=none');
    const button = page.getByRole('button', { name: 'Remove product 1' });
    await button.waitFor();
    await patch(1, { name: 'Better Chair' });
    await button.press('Enter');
    await page.getByRole('alert').getByText('Somebody else has changed this product meanwhile.').waitFor();
    await heading(page, 'Better Chair').waitFor();
    await focusOn(button);
    await remove(1);
    await page.keyboard.press('Enter');
    await heading(page, 'There is no product 1').waitFor();
    await focusOn(heading(page, 'product 1'));
    expect(await page.getByRole('button', { name: 'Undo' }).count()).toBe(0);
    await endVisit(visit, /412|404/);
  });

  testOnce.each<readonly [readonly Scope[], boolean]>([
    [['read', 'write'], false],
    [['read', 'partner:edit'], false],
    [['read', 'product:edit'], true],
    [['product:read', 'edit'], true],
  ])('with the scopes %j, editing is offered: %s', async (scopes, isOffered) => {
    const { page, visit } = await openProducts('/products?record=1&panel=none', scopes);
    await page.getByRole('term').filter({ hasText: 'Sales price' }).waitFor();
    await page.getByRole('button', { name: 'Copy Name' }).press('F2');
    expect(await edit(page, 'list_price').count()).toBe(isOffered ? 1 : 0);
    expect(await page.getByRole('button', { name: /^Remove/ }).count()).toBe(isOffered ? 1 : 0);
    expect(await box(page, 'name').count()).toBe(isOffered ? 1 : 0);
    await endVisit(visit);
  });
});
