/** Records in groups, as people use them: with a click, with the keyboard, and with the back button. */

import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { product } from '../../src/catalog/product.ts';
import { startConsole, type TestConsole, type Visit } from '../support/console.ts';
import { oneEngine } from '../support/engines.ts';
import type { RecordValues } from '../support/fixture.ts';
import { accountWith } from '../support/service.ts';
import { endVisit } from './views.ts';

/** 120 categories, of which the first has most products. */
const records: readonly RecordValues[] = Array.from({ length: 600 }, (_, index) => ({
  id: index + 1,
  name: `Product ${index}`,
  list_price: 0.1,
  qty_available: index % 2 === 0 ? 3 : 0,
  categ_id: index < 481 ? 1 : index - 479,
  create_date: new Date(Date.UTC(2025, index % 3, 15)).toISOString(),
}));

const search = (page: Page) => new URL(page.url()).searchParams;

describe.each(oneEngine)('on $name', (engine) => {
  let app: TestConsole;
  let key: string;
  let visit: Visit;
  beforeAll(async () => {
    app = await startConsole(engine);
    const { authorization } = await accountWith(app.service, product, records);
    key = authorization.replace('Bearer ', '');
  });
  afterEach(() => endVisit(visit, /400/));
  afterAll(() => app.close());
  const open = async (path: string) => {
    visit = await app.open(path, { key, timezoneId: 'UTC' });
    return visit.page;
  };

  test('a field is chosen, a group opens its records, and Back returns', async () => {
    const page = await open('/products?filter=id<=490&panel=none');
    await page.getByRole('button', { name: 'Group', exact: true }).click();
    await page.getByLabel('Group by').selectOption('categ_id');
    await page.keyboard.press('Escape');
    const name = /^products by /;
    const table = page.getByRole('table', { name });
    await table.getByRole('link', { name: '1', exact: true }).waitFor();
    expect(search(page).get('group')).toBe('categ_id');
    const cells = async (row: number) =>
      (await table.getByRole('row').nth(row).locator('th, td').allInnerTexts()).map((text) => text.trim());
    expect(await cells(1)).toEqual(['1', '481', '0.10', '723', '72.30']);
    expect(await cells(11)).toEqual(['Total', '490', '0.10', '735', '73.50']);
    await table.getByRole('columnheader', { name: 'Stock value' }).getByRole('button').click();
    await expect.poll(() => search(page).get('order')).toBe('sum(list_price*qty_available)');
    await expect.poll(() => cells(1)).toEqual(['1', '481', '0.10', '723', '72.30']);
    // By value, and back.
    await table.getByRole('columnheader').first().getByRole('button').click();
    await expect.poll(() => search(page).get('order')).toBe('value');

    await table.getByRole('link', { name: '2', exact: true }).press('Enter');
    await page.getByRole('row', { name: /^482 Product 481/ }).waitFor();
    expect(search(page).get('filter')).toBe('id<=490&categ_id=2');
    expect(search(page).get('group')).toBeNull();
    await page.getByRole('main').getByText('1 of 600 products').waitFor();
    await page.goBack();
    await table.getByRole('link', { name: '1', exact: true }).waitFor();

    // A click anywhere in the row is a click on the group.
    await table.getByRole('row').nth(1).getByRole('cell').nth(2).click();
    await page.getByRole('main').getByText('481 of 600 products').waitFor();
  });

  test('arrow keys go from group to group', async () => {
    const page = await open('/products?group=create_date:month&panel=none');
    const links = page.getByRole('rowheader').getByRole('link');
    await links.first().focus();
    expect(await links.allInnerTexts()).toEqual(['Jan 2025', 'Feb 2025', 'Mar 2025']);
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowUp');
    await page.keyboard.press('Enter');
    await page.getByRole('main').getByText('200 of 600 products').waitFor();
    expect(search(page).get('filter')).toBe(
      'create_date>=2025-02-01T00:00:00.000Z&create_date<2025-03-01T00:00:00.000Z',
    );
  });

  test('the groups that are not listed are counted, and more can be listed', async () => {
    const page = await open('/products?group=categ_id&panel=none');
    await page.getByText('20 other groups').waitFor();
    await page.getByRole('button', { name: 'Show more' }).click();
    await page.getByText('20 other groups').waitFor({ state: 'detached' });
    await expect.poll(() => page.getByRole('rowheader').getByRole('link').count()).toBe(120);
  });

  test('nothing matches, the filter is invalid, and the grouping ends', async () => {
    const page = await open('/products?group=categ_id&filter=id>9999&panel=none');
    await page.getByText('No products match').waitFor();
    await page.goto(`${app.origin}/products?group=categ_id&filter=prise>1&panel=none`);
    await page.getByText('The filter has an error').waitFor();
    await page.goto(`${app.origin}/products?group=categ_id&panel=none`);
    await page.getByRole('button', { name: /^Grouped by/ }).click();
    await page.getByLabel('Group by').selectOption('');
    await page.getByRole('row', { name: /^1 Product 0/ }).waitFor();
    expect(search(page).get('group')).toBeNull();
  });

  test('an error can be tried again', async () => {
    const page = await open('/products?panel=none');
    await page.getByRole('row', { name: /^1 Product 0/ }).waitFor();
    await page.route('**/aggregate?*', (route) => route.continue({ url: `${route.request().url()}&limit=9999` }));
    await page.getByRole('button', { name: 'Group', exact: true }).click();
    await page.getByLabel('Group by').selectOption('active');
    await page.keyboard.press('Escape');
    const again = page.getByRole('alert').getByRole('button', { name: 'Try again' });
    await again.waitFor();
    await page.unrouteAll();
    await again.click();
    await page.getByRole('rowheader').getByRole('link', { name: 'yes' }).waitFor();
  });
});
