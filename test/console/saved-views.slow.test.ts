/** Saved views, the first page of a resource, and what is remembered on the way, as people use them. */

import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { product } from '../../src/catalog/product.ts';
import type { Scope } from '../../src/catalog/scopes.ts';
import { Stockbook } from '../../src/client/index.ts';
import type { Account } from '../../src/store/store.ts';
import { violations } from '../support/axe.ts';
import { startConsole, type TestConsole, tabTo, type Visit, type VisitOptions } from '../support/console.ts';
import { oneEngine } from '../support/engines.ts';
import { addAccount, load } from '../support/fixture.ts';

const records = Array.from({ length: 40 }, (_, index) => ({
  id: index + 1,
  name: `Product ${index + 1}`,
  list_price: index + 1,
  qty_available: index % 10,
}));

/** Matches no text. */
const NOTHING = /^(?!)/;

const LOW = { name: 'Low stock', resource: 'product', query: 'filter=qty_available<3&sort=-list_price' };

describe.each(oneEngine)('on $name', (engine) => {
  let app: TestConsole;
  let account: Account;
  let stockbook: Stockbook;
  let visits: Visit[] = [];
  let accounts = 0;
  /** Browsers log every response with an error. */
  let refused = NOTHING;
  beforeAll(async () => {
    app = await startConsole(engine);
  });
  afterAll(() => app?.close());
  beforeEach(async () => {
    accounts += 1;
    account = await addAccount(app.service.store, `views-${accounts}`);
    await load(app.service.store, account, product, records);
    stockbook = new Stockbook({ url: app.origin, key: await issue(['read', 'write']) });
  });
  afterEach(async () => {
    const logged = visits.flatMap(({ errors }) => errors);
    for (const { close } of visits) await close();
    visits = [];
    expect(logged.filter((error) => !refused.test(error))).toEqual([]);
    refused = NOTHING;
  });

  const issue = (scopes: readonly Scope[]) => app.service.issue(account, { scopes });
  const open = async (path: string, scopes: readonly Scope[] = ['read', 'write'], options: VisitOptions = {}) => {
    const key = await issue(scopes);
    const visit = await app.open(path, { key, permissions: ['clipboard-read', 'clipboard-write'], ...options });
    visits.push(visit);
    return visit.page;
  };
  const views = (page: Page) => page.getByRole('button', { name: /^View:/ });
  const isCalled = (page: Page, name: string) => views(page).filter({ hasText: name }).waitFor();
  const choose = async (page: Page, item: string | RegExp) => {
    await views(page).click();
    await page.getByRole('menu', { name: 'Views' }).getByText(item, { exact: true }).click();
  };
  const total = (page: Page, text: string) => page.locator('.total', { hasText: text }).waitFor();
  const search = (page: Page) => decodeURIComponent(new URL(page.url()).search);
  const nav = (page: Page, name: string) => page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name });
  const saveAs = async (page: Page, name: string) => {
    await choose(page, 'Save as new view…');
    await page.getByRole('textbox', { name: 'Name of the view' }).fill(name);
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
  };

  test('a view is saved, changed, saved again, renamed and deleted', async () => {
    const page = await open('/products?filter=qty_available<3&sort=-list_price&page=1&record=11');
    await total(page, '12 of 40');
    await isCalled(page, 'All products');
    await saveAs(page, 'Low stock');
    await isCalled(page, 'Low stock');
    const [saved] = await stockbook.views.list();
    expect(saved).toMatchObject({ ...LOW, isFirstPage: false });
    expect(search(page)).toBe(`?filter=qty_available<3&sort=-list_price&record=11&view=${saved?.id}`);
    await expect.poll(() => page.title()).toBe('Low stock - Stockbook');
    expect(await views(page).getByText('Edited').count()).toBe(0);

    // What was changed is marked, and can be taken back or saved.
    await page.getByRole('columnheader', { name: /^Name|^name/ }).click();
    await views(page).getByText('Edited').waitFor();
    await choose(page, 'Discard changes');
    await views(page).getByText('Edited').waitFor({ state: 'detached' });
    expect(search(page)).toBe(`?filter=qty_available<3&sort=-list_price&view=${saved?.id}`);
    await page.getByRole('columnheader', { name: /^Name|^name/ }).click();
    await choose(page, 'Save changes');
    await views(page).getByText('Edited').waitFor({ state: 'detached' });
    expect((await stockbook.views.list())[0]?.query).toBe('filter=qty_available<3&sort=name');

    await choose(page, 'Rename…');
    await page.getByRole('textbox', { name: 'Name of the view' }).fill('  ');
    await page.keyboard.press('Enter');
    await page.getByText('Give the view a name.').waitFor();
    await page.getByRole('textbox', { name: 'Name of the view' }).fill('Nearly <b>gone</b>');
    await page.keyboard.press('Enter');
    await isCalled(page, 'Nearly <b>gone</b>');

    await choose(page, 'Delete…');
    await page.getByRole('dialog', { name: 'Delete the view “Nearly <b>gone</b>”?' }).waitFor();
    await page.getByRole('button', { name: 'Cancel' }).click();
    expect(await stockbook.views.list()).toHaveLength(1);
    await choose(page, 'Delete…');
    await page.getByRole('button', { name: 'Delete', exact: true }).click();
    await isCalled(page, 'All products');
    expect(await stockbook.views.list()).toEqual([]);
    // What is shown stays.
    expect(search(page)).toBe('?filter=qty_available<3&sort=name');
  });

  test('by keyboard alone, and the focus returns to the button', async () => {
    const page = await open('/products?filter=qty_available<3');
    await total(page, '12 of 40');
    await tabTo(page, /View:/);
    await page.keyboard.press('Enter');
    await page.getByRole('menu', { name: 'Views' }).waitFor();
    await page.keyboard.press('End');
    await page.keyboard.press('Enter');
    await page.getByRole('dialog', { name: 'Save as new view' }).waitFor();
    await page.keyboard.type('Low stock');
    await page.keyboard.press('Enter');
    await isCalled(page, 'Low stock');
    await expect.poll(() => page.evaluate('document.activeElement.textContent')).toBe('View: Low stock');
    await page.keyboard.press('ArrowDown');
    await page.getByRole('menuitemradio', { name: 'Low stock', checked: true }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('menu', { name: 'Views' }).waitFor({ state: 'detached' });
    await expect.poll(() => page.evaluate('document.activeElement.textContent')).toBe('View: Low stock');
    await page.keyboard.press('Enter');
    await page.keyboard.type('All');
    await page.keyboard.press('Enter');
    await isCalled(page, 'All products');
    await page.goBack();
    await isCalled(page, 'Low stock');
    await total(page, '12 of 40');
  });

  test('a name that is taken is said beside it, and what was typed stays', async () => {
    refused = /status of 409/;
    await stockbook.views.save('low', LOW);
    const page = await open('/products');
    await total(page, '40 products');
    await choose(page, 'Save as new view…');
    await page.getByRole('textbox', { name: 'Name of the view' }).fill('Low stock');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('There is already a view called “Low stock”. Choose another name.').waitFor();
    expect(await page.getByRole('textbox', { name: 'Name of the view' }).inputValue()).toBe('Low stock');
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
  });

  test('the link leads to the view as it is then, and says if it was deleted', async () => {
    await stockbook.views.save('low', LOW);
    const page = await open('/products');
    await choose(page, 'Low stock');
    await total(page, '12 of 40');
    await choose(page, 'Copy link');
    await page.getByText('Link copied').waitFor();
    const link = await page.evaluate<string>('navigator.clipboard.readText()');
    expect(link).toBe(`${app.origin}/views/low`);
    await stockbook.views.save('low', { ...LOW, query: 'filter=qty_available<2' });

    const other = await open('/views/low', ['read']);
    await total(other, '8 of 40');
    await isCalled(other, 'Low stock');
    expect(new URL(other.url()).pathname).toBe('/products');

    await stockbook.views.remove('low');
    await page.goto(link);
    await page.getByRole('heading', { name: 'This view does not exist' }).waitFor();
    expect(await violations(page)).toEqual([]);
    await page.getByRole('link', { name: 'All products' }).click();
    await total(page, '40 products');
    // A bookmark of what the view has shown.
    await page.goto(`${app.origin}/products?filter=qty_available<3&view=low`);
    await page.getByText('The saved view was deleted. Its filter, columns and order are still shown.').waitFor();
    await total(page, '12 of 40');
    await page.getByRole('button', { name: 'Continue anyway' }).click();
    await page.getByRole('alert').waitFor({ state: 'detached' });
    expect(search(page)).toBe('?filter=qty_available<3');
  });

  test('a view that somebody else has changed is not overwritten by mistake', async () => {
    refused = /status of 412/;
    await stockbook.views.save('low', LOW);
    const page = await open('/products');
    await choose(page, 'Low stock');
    await total(page, '12 of 40');
    await page.getByRole('columnheader', { name: /^Name|^name/ }).click();
    await views(page).getByText('Edited').waitFor();
    await stockbook.views.save('low', { ...LOW, query: 'filter=qty_available<2' });
    await choose(page, 'Save changes');
    const dialog = page.getByRole('dialog', { name: 'Somebody else has changed “Low stock”' });
    await dialog.waitFor();
    expect(await violations(page)).toEqual([]);
    await dialog.getByRole('button', { name: 'Show theirs' }).click();
    await total(page, '8 of 40');
    await page.getByRole('columnheader', { name: /^Name|^name/ }).click();
    await views(page).getByText('Edited').waitFor();
    await stockbook.views.save('low', LOW);
    // Even if the list of views was read again before.
    await page.clock.setSystemTime(Date.now() + 60_000);
    const read = page.waitForResponse(/\/api\/v1\/views$/);
    await views(page).click();
    await read;
    await page.getByRole('menu', { name: 'Views' }).getByText('Save changes').click();
    await dialog.getByRole('button', { name: 'Save mine' }).click();
    await views(page).getByText('Edited').waitFor({ state: 'detached' });
    expect((await stockbook.views.list())[0]?.query).toBe('filter=qty_available<2&sort=name');
  });

  test('what somebody else has changed besides is kept', async () => {
    refused = /status of 412/;
    await stockbook.views.save('low', LOW);
    const page = await open('/products');
    await choose(page, 'Low stock');
    await total(page, '12 of 40');
    await stockbook.views.save('low', { ...LOW, name: 'Running low', query: 'filter=qty_available<2' });
    await choose(page, 'Use as first page');
    await page.getByRole('dialog').getByRole('button', { name: 'Save mine' }).click();
    await views(page).getByText('Running low').waitFor();
    expect(await stockbook.views.list()).toMatchObject([
      { name: 'Running low', query: 'filter=qty_available<2', isFirstPage: true },
    ]);
  });

  test('a view can be the first page of its resource', async () => {
    await stockbook.views.save('low', LOW);
    const page = await open('/');
    await total(page, '40 products');
    await choose(page, 'Low stock');
    await choose(page, 'Use as first page');
    await page.getByRole('menu').waitFor({ state: 'detached' });
    expect(await stockbook.views.list()).toMatchObject([{ isFirstPage: true }]);

    for (const path of ['/', '/products']) {
      const other = await open(path, ['read']);
      await isCalled(other, 'Low stock');
      await total(other, '12 of 40');
      await choose(other, 'All products');
      await total(other, '40 products');
      await other.reload();
      await total(other, '40 products');
      await nav(other, 'Partners').click();
      await total(other, '0 partners');
      await nav(other, 'Products').click();
      await total(other, '40 products');
      await nav(other, 'Products').click();
      await isCalled(other, 'Low stock');
    }
    // A link that asks for something shows that.
    await total(await open('/products?sort=name', ['read']), '40 products');
    await page.goto(`${app.origin}/products?view=low`);
    await choose(page, 'Stop using as first page');
    await page.getByRole('menu').waitFor({ state: 'detached' });
    await total(await open('/', ['read']), '40 products');
  });

  test('going from products to partners and back keeps filter, columns and sort', async () => {
    const page = await open('/products?filter=qty_available<3&fields=id,name&sort=-name&record=11&live=true');
    await total(page, '12 of 40');
    await nav(page, 'Partners').click();
    await total(page, '0 partners');
    expect(search(page)).toBe('');
    await nav(page, 'Products').click();
    await total(page, '12 of 40');
    expect(search(page)).toBe('?filter=qty_available<3&fields=id,name&sort=-name');
    // Each step is one of the back button.
    await page.goBack();
    await total(page, '0 partners');
    await page.goBack();
    await total(page, '12 of 40');
    expect(search(page)).toContain('record=11');
    // It is still known after a reload, and the link of the page that is shown leads to its beginning.
    await nav(page, 'Companies').click();
    await page.reload();
    await nav(page, 'Products').click();
    await total(page, '12 of 40');
    await nav(page, 'Products').click();
    await total(page, '40 products');
    // Other tabs do not know it.
    const other = await open('/companies');
    await nav(other, 'Products').click();
    await total(other, '40 products');
  });

  test('without the scope write, views are opened, and nothing is offered that would fail', async () => {
    const page = await open('/products', ['read']);
    await views(page).click();
    const menu = page.getByRole('menu', { name: 'Views' });
    await menu.waitFor();
    expect(await menu.getByRole('menuitem').count()).toBe(0);
    await page.getByText('Your key can open views, but not save them.').waitFor();
    expect(await violations(page)).toEqual([]);
    await page.keyboard.press('Escape');
    await stockbook.views.save('low', LOW);
    await page.reload();
    await choose(page, 'Low stock');
    await total(page, '12 of 40');
    await views(page).click();
    expect(await menu.getByRole('menuitem').allTextContents()).toEqual(['Copy link']);
  });

  test('views are accessible, and fit on a phone', async () => {
    for (const [id, name] of [
      ['low', 'Low stock'],
      ['long', 'A rather long name of a view, '.repeat(3).trim()],
    ] as const)
      await stockbook.views.save(id, { ...LOW, name, isFirstPage: id === 'low' });
    await stockbook.views.save('other', { ...LOW, resource: 'partner', name: 'Of partners', query: '' });
    const page = await open('/products', ['read', 'write'], { viewport: { width: 390, height: 800 } });
    await isCalled(page, 'Low stock');
    await choose(page, /^A rather long/);
    await views(page).click();
    const menu = page.getByRole('menu', { name: 'Views' });
    expect(await menu.getByText('Of partners').count()).toBe(0);
    expect(await violations(page)).toEqual([]);
    const { x, width } = Object(await menu.boundingBox());
    expect(x).toBeGreaterThanOrEqual(0);
    expect(x + width).toBeLessThanOrEqual(390);
    await menu.getByText('Save as new view…').click();
    await page.getByRole('dialog').waitFor();
    expect(await violations(page)).toEqual([]);
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390);
  });
});
