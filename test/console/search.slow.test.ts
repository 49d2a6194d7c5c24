/** The search box, as people use it, and the shortcuts, confirmations and ways out around it. */

import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startConsole, type TestConsole } from '../support/console.ts';
import { oneEngine } from '../support/engines.ts';

describe.each(oneEngine)('on $name', (engine) => {
  let app: TestConsole;
  beforeAll(async () => {
    app = await startConsole(engine);
  });
  afterAll(() => app.close());

  test('words find records in any case and order, and are marked in rows and in the record', async () => {
    const { page, errors, close } = await app.open('/products');
    await row(page, '1 Oak Chair').waitFor();
    const begun = await page.evaluate<number>('history.length');
    await page.keyboard.press('/');
    await page.keyboard.type('CHAIR oak');
    await expect.poll(() => query(page)).toBe('CHAIR oak');
    await page.getByText('1 of 12 products').waitFor();
    expect(await page.locator('tbody mark').allTextContents()).toEqual(['Oak', 'Chair']);
    // The charts are those of what was found.
    await page.getByRole('heading', { name: '1 product', exact: true }).waitFor();
    // One step, however many keys were pressed.
    expect(await page.evaluate('history.length')).toBe(begun + 1);
    await expect.poll(() => page.title()).toBe('Products, CHAIR oak - Stockbook');
    await row(page, '1 Oak Chair').click();
    const record = page.getByRole('complementary', { name: 'Oak Chair' });
    await expect.poll(() => record.locator('mark').allTextContents()).toEqual(['Oak', 'Chair']);
    await page.keyboard.press('Escape');

    // A code is found without its separators, before whatever else contains it.
    await box(page).fill('chr1');
    await page.getByText('2 of 12 products').waitFor();
    expect(await page.locator('tbody mark').allTextContents()).toEqual(['CHR-1', 'chr-1']);
    await page.goBack();
    await expect.poll(() => box(page).inputValue()).toBe('CHAIR oak');

    await page.getByRole('tab', { name: 'Code' }).click();
    await page.getByText('sort=relevance').waitFor();
    await page.getByRole('button', { name: 'Clear the search' }).click();
    await page.getByText('12 products').first().waitFor();
    expect(await page.locator('mark').count()).toBe(0);
    expect(errors).toEqual([]);
    await close();
  });

  test('if nothing matches, it says which word is to blame, and which words there are', async () => {
    const { page, errors, close } = await app.open('/products');
    await row(page, '1 Oak Chair').waitFor();
    await box(page).fill('oak chiar');
    await page.getByRole('heading', { name: 'No products match “oak chiar”' }).waitFor();
    await page.getByText('No product matches “chiar”.').waitFor();
    await page.getByText('Words are searched for in name and product code.').waitFor();
    await page.getByRole('link', { name: 'chair' }).press('Enter');
    await row(page, '1 Oak Chair').waitFor();
    expect(query(page)).toBe('oak chair');
    // What had the focus is gone, and the next Tab goes on in the records.
    await expect.poll(() => page.evaluate('document.activeElement.id')).toBe('records');
    expect(await box(page).inputValue()).toBe('oak chair');

    // Two words are corrected at once.
    await box(page).fill('okk chiar');
    await page.getByRole('link', { name: 'oak chair' }).click();
    await row(page, '1 Oak Chair').waitFor();

    // Words that exist, but not together, and a condition.
    await page.goto(`${app.origin}/products?q=oak+desk&filter=active=true&panel=none`);
    await page.getByRole('heading', { name: 'No products match “oak desk” and the filter' }).waitFor();
    await page.getByRole('button', { name: 'Drop desk' }).click();
    await row(page, '1 Oak Chair').waitFor();
    expect([query(page), filter(page)]).toEqual(['oak', 'active=true']);
    expect(errors).toEqual([]);
    await close();
  });

  test('a condition that was meant is taken with the keyboard, or with a click', async () => {
    const { page, errors, close } = await app.open('/products?panel=none');
    await row(page, '1 Oak Chair').waitFor();
    const search = box(page);
    await search.click();
    await page.keyboard.type('oak 200');
    const offered = page.getByRole('option', { name: 'Sales price is at least 200' });
    await offered.waitFor();
    expect(await search.getAttribute('aria-expanded')).toBe('true');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowDown');
    expect(await offered.getAttribute('aria-selected')).toBe('true');
    expect(await search.getAttribute('aria-activedescendant')).toBe(await offered.getAttribute('id'));
    await page.keyboard.press('Enter');
    await expect.poll(() => [query(page), filter(page)]).toEqual(['oak', 'list_price>=200']);
    expect(await search.inputValue()).toBe('oak');
    await row(page, '3 oak table').waitFor();

    await search.fill('active=false');
    await page.getByRole('option', { name: 'Active is no' }).click();
    await expect.poll(() => [query(page), filter(page)]).toEqual([null, 'list_price>=200&active=false']);

    const options = page.getByRole('listbox').getByRole('option');
    // Without a mark, Enter searches; Escape closes the list, and then clears the search.
    await search.fill('CHR-1');
    await options.first().waitFor();
    await page.keyboard.press('Enter');
    await expect.poll(() => query(page)).toBe('CHR-1');
    expect(await options.count()).toBe(0);
    await page.keyboard.press('ArrowDown');
    await options.first().waitFor();
    await page.keyboard.press('Escape');
    expect(await options.count()).toBe(0);
    expect(await search.inputValue()).toBe('CHR-1');
    await page.keyboard.press('Escape');
    await expect.poll(() => query(page)).toBe(null);
    expect(errors).toEqual([]);
    await close();
  });

  test('shortcuts work where nobody is typing, are listed, and can be turned off', async () => {
    const { page, errors, close } = await app.open('/products?panel=none');
    await row(page, '1 Oak Chair').waitFor();
    await page.keyboard.press('/');
    await page.keyboard.type('?e/');
    expect(await box(page).inputValue()).toBe('?e/');
    await box(page).fill('');
    await row(page, '1 Oak Chair').waitFor();
    await page.getByRole('grid').getByRole('row').nth(1).focus();
    await page.keyboard.press('e');
    await page.getByRole('dialog').getByRole('button', { name: 'Export' }).waitFor();
    await page.keyboard.press('Escape');
    await page.keyboard.press('f');
    await page.getByRole('textbox', { name: 'Field' }).waitFor();
    await page.keyboard.press('Escape');
    await page.keyboard.press('p');
    await page.getByRole('tab', { name: 'Summary' }).waitFor();
    await page.keyboard.press('?');
    const list = page.getByRole('dialog', { name: 'Keyboard shortcuts' });
    await list.getByText('goes to the search').waitFor();
    await list.getByText('Use these shortcuts').click();
    await page.keyboard.press('Escape');
    await page.keyboard.press('p');
    await page.keyboard.press('/');
    expect(await page.getByRole('tab', { name: 'Summary' }).count()).toBe(1);
    expect(await page.evaluate("document.activeElement?.getAttribute('role')")).not.toBe('combobox');
    expect(errors).toEqual([]);
    await close();
  });

  test('the text of the filter is there for those who open it, and opens for an error', async () => {
    const { page, close } = await app.open('/products?filter=active=true&panel=none');
    await row(page, '1 Oak Chair').waitFor();
    const text = page.getByRole('textbox', { name: 'Filter as text' });
    expect(await text.count()).toBe(0);
    await page.getByRole('button', { name: 'Filter as text' }).click();
    await expect.poll(() => page.evaluate('document.activeElement?.tagName')).toBe('TEXTAREA');
    expect(await text.inputValue()).toBe('active=true');
    // The browser remembers it.
    await page.reload();
    await text.waitFor();
    await page.getByRole('button', { name: 'Filter as text' }).click();
    await expect.poll(() => text.count()).toBe(0);
    await page.goto(`${app.origin}/products?filter=list_prize>1&panel=none`);
    await page.getByText("product has no field 'list_prize'. Did you mean list_price?").waitFor();
    expect(await text.inputValue()).toBe('list_prize>1');
    // Words in the wrong place.
    await text.fill('oak chair');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Search for “oak chair”' }).click();
    await row(page, '1 Oak Chair').waitFor();
    expect([query(page), filter(page)]).toEqual(['oak chair', null]);
    await close();
  });

  test('an outage can be ended at once with Try now', async () => {
    const { page, close } = await app.open('/products?panel=none');
    await row(page, '1 Oak Chair').waitFor();
    await page.route('**/inventory/product?*', (route) =>
      route.fulfill({
        status: 503,
        headers: { 'retry-after': '600', 'content-type': 'application/problem+json' },
        body: '{"title":"Not available","status":503,"code":"unavailable","detail":"Later."}',
      }),
    );
    await page.getByRole('button', { name: 'Name', exact: true }).click();
    await page.getByText(/Trying again in \d+ s/).waitFor();
    await page.unrouteAll();
    await page.getByRole('button', { name: 'Try now' }).click();
    await row(page, '5 100% Wool').waitFor();
    await expect.poll(() => page.getByRole('button', { name: 'Try now' }).count()).toBe(0);
    await close();
  });

  test('a wrong path and an unknown resource lead back', async () => {
    for (const path of ['/nonsense?filter=a', '/product', '/productz/import']) {
      const { page, close } = await app.open(path);
      await page.getByRole('heading', { name: 'There is no page here' }).waitFor();
      await expect.poll(() => page.title()).toBe('No page - Stockbook');
      expect(await page.getByRole('navigation').locator('[aria-current]').count()).toBe(0);
      await page.getByRole('main').getByRole('link', { name: 'Products' }).click();
      await row(page, '1 Oak Chair').waitFor();
      await close();
    }
  });
});

const box = (page: Page) => page.getByRole('combobox', { name: /^Search / });
const row = (page: Page, name: string) => page.getByRole('row', { name: new RegExp(`(?:^|\\s)${name}`) }).first();
const parameter = (page: Page, name: string) => new URL(page.url()).searchParams.get(name);
const query = (page: Page) => parameter(page, 'q');
const filter = (page: Page) => parameter(page, 'filter');
