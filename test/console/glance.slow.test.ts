/** Values that can be read at a glance, in the table and in the record. */

import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { partner } from '../../src/catalog/partner.ts';
import { product } from '../../src/catalog/product.ts';
import { startConsole, type TestConsole } from '../support/console.ts';
import { oneEngine } from '../support/engines.ts';
import { addAccount, load, type RecordValues } from '../support/fixture.ts';
import { endVisit } from './views.ts';

const HOUR = 3_600_000;
const ago = (hours: number) => new Date(Date.now() - hours * HOUR).toISOString();

const PRODUCTS: readonly RecordValues[] = [
  { id: 1, name: 'Chair', list_price: 12, qty_available: -3, active: true, write_date: '2024-02-01T09:30:00.000Z' },
  { id: 2, name: 'Table', list_price: 7, qty_available: 5, active: false, write_date: ago(48) },
];

const PARTNERS: readonly RecordValues[] = [
  {
    ...{ id: 1, name: 'Mei', is_customer: true, active: true, email: 'mei@example.com', phone: '+49 30 1234' },
    ...{ city: 'Berlin', country_code: 'DE', write_date: ago(0) },
  },
];

describe.each(oneEngine)('on $name', (engine) => {
  let app: TestConsole;
  let key: string;
  beforeAll(async () => {
    app = await startConsole(engine);
    const { store, issue } = app.service;
    const account = await addAccount(store, 'glance');
    await load(store, account, product, PRODUCTS);
    await load(store, account, partner, PARTNERS);
    key = await issue(account, { scopes: ['read', 'edit'] });
  });
  afterAll(() => app?.close());

  const cellsOf = (page: Page, name: string) =>
    page.getByRole('row').filter({ hasText: name }).getByRole('gridcell').allInnerTexts();

  test('marks, negative numbers, what is no longer in use, and recent times', async () => {
    const visit = await app.open('/products?fields=name,qty_available,active,write_date&panel=none', {
      key,
      timezoneId: 'UTC',
    });
    const { page } = visit;
    await page.getByRole('row').filter({ hasText: 'Chair' }).waitFor();
    expect(await cellsOf(page, 'Chair')).toEqual(['Chair', '-3', 'yes', 'Feb 1, 2024']);
    expect(await cellsOf(page, 'Table')).toEqual(['Table', '5', 'inactive', '2 days ago']);
    const time = page.getByText('2 days ago');
    expect(await time.getAttribute('title')).toMatch(/^[A-Z][a-z]{2} \d+, \d{4}, \d+:\d\d/);
    // The name that the API has is in the tooltip.
    const header = page.getByRole('columnheader', { name: 'Quantity on hand' }).getByRole('button').first();
    expect(await header.getAttribute('title')).toContain('qty_available');
    const color = (text: string) =>
      page
        .getByText(text, { exact: true })
        .evaluate((element) => element.ownerDocument.defaultView?.getComputedStyle(element).color);
    expect(await color('5')).toMatch(/^(?:rgb|color|oklch)/);
    expect(await color('-3')).not.toBe(await color('5'));

    // Whatever the columns are.
    await page.goto(`${app.origin}/products?fields=name&panel=none`);
    await page.getByRole('row').filter({ hasText: 'Table' }).getByText('inactive').waitFor();
    expect(await page.getByText('inactive').count()).toBe(1);
    await endVisit(visit);
  });

  test('a record has groups and links, and folds what is empty', async () => {
    const visit = await app.open('/partners?record=1', { key });
    const { page } = visit;
    const panel = page.getByRole('complementary', { name: 'Mei' });
    await panel.getByRole('heading', { name: 'Contact' }).waitFor();
    const groups = () => panel.getByRole('heading', { level: 3 }).allInnerTexts();
    expect(await groups()).toEqual(['Roles', 'Contact', 'Address', 'Record']);
    const link = (name: string) => panel.getByRole('link', { name }).getAttribute('href');
    expect([await link('mei@example.com'), await link('+49 30 1234')]).toEqual([
      'mailto:mei@example.com',
      'tel:+49301234',
    ]);
    await panel.getByText('country_code').waitFor();

    const fields = () => panel.getByRole('term').allInnerTexts();
    expect((await fields()).join()).not.toMatch(/Street|Tax number/);
    await panel.getByRole('button', { name: 'Show 4 empty fields' }).click();
    expect((await fields()).join()).toMatch(/Tax number.*Street.*Postal code/s);
    await panel.getByRole('button', { name: 'Hide empty fields' }).click();

    // What is cleared stays in sight, with the focus.
    await panel.getByRole('button', { name: 'Edit Phone' }).press('Enter');
    await panel.getByRole('textbox', { name: 'Phone' }).fill('');
    await page.keyboard.press('Enter');
    const empty = panel.getByRole('button', { name: 'Edit Phone: not set' });
    await empty.waitFor();
    await expect.poll(() => empty.evaluate((element) => element.matches(':focus'))).toBe(true);
    await panel.getByText('now', { exact: true }).waitFor();
    await endVisit(visit);
  });
});
