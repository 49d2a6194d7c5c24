/** The table of records and its toolbar, as people use them. */

import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { product } from '../../src/catalog/product.ts';
import { startConsole, type TestConsole, type Visit } from '../support/console.ts';
import { oneEngine } from '../support/engines.ts';
import { addAccount, load, tabled } from '../support/fixture.ts';

const COUNT = 1_234;

/** Longer than any column. */
const LONG = `First  line\nsecond ${'long '.repeat(150)}`;

describe.each(oneEngine)('on $name', (engine) => {
  let app: TestConsole;
  let origin: string;
  let opened: Visit;
  let page: Page;

  beforeAll(async () => {
    app = await startConsole(engine);
    origin = app.origin;
    const { store, issue } = app.service;
    const account = await addAccount(store, 'many');
    const key = await issue(account);
    const products = Array.from({ length: COUNT }, (_, n) => ({
      id: n + 1,
      name: n === 2 ? LONG : `Product ${n + 1}`,
      default_code: n % 2 === 0 ? null : `P-${n + 1}`,
      list_price: 10_000 - n,
      active: n % 3 > 0,
      write_date: '2026-02-01T09:30:00.000Z',
    }));
    await load(store, account, product, products);
    opened = await app.open('/products?limit=1000', { key, timezoneId: 'UTC' });
    page = opened.page;
  });
  afterAll(() => app?.close());

  const open = (path: string) => page.goto(origin + path);
  const focusedRow = () => page.locator('[role=grid] tr:focus').getAttribute('aria-rowindex');
  const search = () => new URL(page.url()).searchParams;
  const row = (id: number) => page.getByRole('row', { name: new RegExp(`^${id} Product ${id} `) });
  const header = (name: string) => page.getByRole('grid').getByRole('columnheader', { name: new RegExp(`^${name}`) });

  test('the page is a table that keys move through, and only rows that can be seen are in the document', async () => {
    const grid = page.getByRole('grid', { name: 'products' });
    await row(1).waitFor();
    expect(await grid.getAttribute('aria-rowcount')).toBe(String(COUNT + 1));
    expect(await grid.getByRole('row').count()).toBeLessThan(80);
    await page.getByRole('main').getByText('1,234 products').waitFor();
    const first = await grid.getByRole('row').nth(1).getByRole('gridcell').allInnerTexts();
    expect(first.slice(0, 5)).toEqual(['1', 'Product 1', '–\nnot set', '10,000.00', '0']);
    expect(first.at(-1)).toBe('Feb 1, 2026');

    await grid.getByRole('row').nth(1).focus();
    for (const [pressed, expected] of [
      ['ArrowDown', 3],
      ['End', 1_001],
      ['ArrowUp', 1_000],
      ['Home', 2],
    ] as const) {
      await page.keyboard.press(pressed);
      await expect.poll(focusedRow).toBe(String(expected));
    }
    await page.keyboard.press('PageDown');
    await expect.poll(async () => Number(await focusedRow())).toBeGreaterThan(12);
    // The row that has the focus stays when it is out of sight.
    await page.getByRole('grid').evaluate((table) => table.parentElement?.scrollTo({ top: 20_000 }));
    await row(680).waitFor();
    expect(Number(await focusedRow())).toBeGreaterThan(12);
    await page.keyboard.press('Home');
    await expect.poll(focusedRow).toBe('2');
  });

  test('the header sorts, resizes, moves and hides columns with keys', async () => {
    await page.keyboard.press('ArrowUp');
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('ArrowRight');
    for (const [direction, sort] of [
      ['ascending', 'list_price'],
      ['descending', '-list_price'],
      [null, null],
    ] as const) {
      await page.keyboard.press('Enter');
      await expect.poll(() => header('Sales price').getAttribute('aria-sort')).toBe(direction);
      expect(search().get('sort')).toBe(sort);
    }
    await page.keyboard.press('Enter');
    await page.keyboard.press('ArrowLeft');
    await page.keyboard.press('Shift+Enter');
    await expect.poll(() => search().get('sort')).toBe('list_price,default_code');
    await page.getByRole('columnheader', { name: 'Product code 2 , sort key 2, ascending' }).waitFor();
    await page.getByRole('row').nth(1).getByRole('gridcell', { name: '1234', exact: true }).waitFor();

    await page.keyboard.press('Shift+ArrowRight');
    await page.keyboard.press('Shift+ArrowRight');
    await expect.poll(() => search().get('widths')).toMatch(/^default_code:\d+$/);
    await page.keyboard.press('Alt+Shift+ArrowLeft');
    await expect.poll(() => search().get('fields')).toMatch(/^id,default_code,name,/);
    await page.keyboard.press('Alt+ArrowDown');
    await page.getByRole('menuitem', { name: 'Hide' }).press('Enter');
    await expect.poll(() => search().get('fields')).toMatch(/^id,name,list_price,/);
    await expect.poll(() => header('Product code').count()).toBe(0);
  });

  test('the header does the same with a mouse', async () => {
    await open('/products');
    await header('Sales price').getByRole('button').first().click();
    await expect.poll(() => search().get('sort')).toBe('list_price');
    await header('Name')
      .getByRole('button')
      .first()
      .click({ modifiers: ['Shift'] });
    await expect.poll(() => search().get('sort')).toBe('list_price,name');
    await page.goBack();
    await expect.poll(() => search().get('sort')).toBe('list_price');

    const box = await header('Name').boundingBox();
    if (box === null) throw new Error('there is no header');
    await page.mouse.move(box.x + box.width, box.y + 10);
    await page.mouse.down();
    await page.mouse.move(box.x + box.width + 100, box.y + 10, { steps: 5 });
    await page.mouse.up();
    await expect.poll(() => search().get('widths')).toBe(`name:${box.width + 100}`);
    await expect.poll(async () => (await header('Name').boundingBox())?.width).toBe(box.width + 100);

    await header('Active').dragTo(header('Name'), { targetPosition: { x: 5, y: 10 } });
    await expect.poll(() => search().get('fields')).toMatch(/^id,active,name,/);
  });

  test('no number is cut, however long it is and however narrow its column was made', async () => {
    const { store, issue } = app.service;
    const account = await addAccount(store, 'wide');
    await load(
      store,
      account,
      product,
      tabled(
        'id name list_price qty_available categ_id',
        [1_234_567, 'a', 338.5, 1 / 3, -5],
        [9_007_199_254_740_991, 'b', 123_456_789_012.25, 3, 123_456_789],
      ),
    );
    const { page: wide, close } = await app.open('/products?sort=id', { key: await issue(account) });
    /** How many pixels of a cell's text cannot be seen. */
    const cut = (cell: Locator) =>
      cell.evaluate((element) => {
        const range = element.ownerDocument.createRange();
        range.selectNodeContents(element);
        const { width } = range.getBoundingClientRect();
        return Math.max(0, width + 16 - element.getBoundingClientRect().width);
      });
    const cells = ['1234567', '9007199254740991', '338.50', '123,456,789,012.25', '0.333333', '123456789'];
    for (const path of ['', '&widths=id:56,list_price:60,qty_available:60,categ_id:56']) {
      await wide.goto(`${origin}/products?sort=id${path}`);
      for (const text of cells) {
        const cell = wide.getByRole('gridcell', { name: text, exact: true });
        await cell.waitFor();
        await expect.poll(() => cut(cell)).toBe(0);
      }
    }
    expect(await wide.getByRole('gridcell', { name: '0.333333' }).getAttribute('title')).toBe('0.3333333333333333');
    // A price has as many decimals beside others as alone.
    await wide.goto(`${origin}/products?filter=list_price<1000`);
    await wide.getByRole('gridcell', { name: '338.50', exact: true }).waitFor();
    await wide.goto(`${origin}/products?filter=list_price<1000&record=1234567`);
    await wide.getByRole('definition').getByText('338.50').waitFor();
    await wide.getByRole('definition').getByText('0.3333333333333333').waitFor();
    await close();
  });

  test('columns fill the table, and the name stays when it scrolls sideways', async () => {
    const { page: narrow, close } = await app.open('/products?panel=none', {
      viewport: { width: 1_280, height: 800 },
    });
    const scroller = narrow.locator('.record-grid');
    const spare = () => scroller.evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth);
    const place = async (name: string) =>
      (await narrow.getByRole('columnheader', { name }).boundingBox()) ?? { x: 0, width: 0 };
    await narrow.getByRole('gridcell', { name: 'Oak Chair' }).first().waitFor();
    expect(await spare()).toBe(0);
    const { x, width } = await place('Changed');
    expect(x + width).toBeGreaterThan(1_280 - 10);

    await narrow.setViewportSize({ width: 390, height: 800 });
    // The table is too wide at once; its columns are fitted a little later.
    await expect.poll(async () => (await place('Name')).width).toBeLessThan(195);
    expect(await spare()).toBeGreaterThan(0);
    const before = await place('Name');
    await scroller.evaluate((element) => element.scrollTo({ left: 10_000 }));
    await expect.poll(async () => (await place('Name')).x).toBeLessThan(before.x);
    const after = await place('Name');
    expect(after.x).toBeGreaterThanOrEqual(0);
    // Above what scrolls below it, in the header and in the rows.
    for (const cell of [narrow.getByRole('columnheader', { name: 'Name' }), narrow.getByRole('gridcell').nth(1)]) {
      const isOnTop = await cell.evaluate((element) => {
        const { left, top, width, height } = element.getBoundingClientRect();
        return element.contains(element.ownerDocument.elementFromPoint(left + width - 20, top + height / 2));
      });
      expect(isOnTop).toBe(true);
    }
    await close();
  });

  test('rows have three heights, which the browser remembers', async () => {
    await open('/products?panel=none');
    const height = async () => (await row(1).boundingBox())?.height;
    const heights: (number | undefined)[] = [];
    for (const name of ['compact', 'normal', 'roomy']) {
      await page.getByRole('button', { name: 'Columns' }).click();
      await page.getByRole('radio', { name }).click();
      await page.keyboard.press('Escape');
      await row(1).waitFor();
      heights.push(await height());
    }
    expect(heights).toEqual([24, 30, 40]);
    await page.reload();
    await row(1).waitFor();
    expect(await height()).toBe(40);
    // The rows are where they seem to be.
    await row(1).focus();
    await page.keyboard.press('End');
    await expect.poll(focusedRow).toBe('101');
    await expect.poll(() => row(100).isVisible()).toBe(true);
    await page.evaluate("localStorage.removeItem('stockbook-density')");
  });

  test('rows are selected with the mouse and with keys, and copied to a spreadsheet', async () => {
    const { store, issue } = app.service;
    const account = await addAccount(store, 'copied');
    const products = [
      ['Chair', 12.5, true],
      ['=1+1', 7, false],
      ['Table', 1_234.5, true],
      ['Lamp', 3, true],
    ] as const;
    await load(store, account, product, tabled('name list_price active', ...products));
    const {
      page: copied,
      close,
      errors,
    } = await app.open('/products?fields=name,list_price,active&sort=id', {
      key: await issue(account),
      permissions: ['clipboard-read', 'clipboard-write'],
    });
    const { keyboard } = copied;
    const rowOf = (name: string) => copied.getByRole('row').filter({ hasText: name });
    const selected = () => copied.locator('tr[aria-selected=true]').allTextContents();
    const bar = copied.getByRole('group', { name: 'Selected rows' });
    const clipboard = (type: string) =>
      copied.evaluate<string>(
        `navigator.clipboard.read().then(([item]) => item.getType('${type}')).then((blob) => blob.text())`,
      );
    await rowOf('Chair').focus();
    await keyboard.press('Space');
    await keyboard.press('Shift+ArrowDown');
    await bar.getByText('2 products selected').waitFor();
    expect((await selected()).length).toBe(2);
    await keyboard.press('Control+C');
    await bar.getByText('2 products copied').waitFor();
    expect(await clipboard('text/plain')).toBe("Name\tSales price\tActive\r\nChair\t12.5\tTRUE\r\n'=1+1\t7\tFALSE");
    expect(await clipboard('text/html')).toMatch(/<td[^>]*>Chair<\/td><td>12.5<\/td><td>TRUE<\/td>/);

    // The box of a row does not open it; with Shift, all rows in between are selected.
    await keyboard.press('Escape');
    await expect.poll(() => bar.count()).toBe(0);
    await rowOf('Chair').locator('.record-row-select').click();
    await rowOf('Table')
      .locator('.record-row-select')
      .click({ modifiers: ['Shift'] });
    await bar.getByText('3 products selected').waitFor();
    await rowOf('1+1').click({ modifiers: ['Control'] });
    await bar.getByText('2 products selected').waitFor();
    await bar.getByRole('button', { name: 'Copy' }).click();
    await bar.getByText('2 products copied').waitFor();
    expect(await clipboard('text/plain')).toBe('Name\tSales price\tActive\r\nChair\t12.5\tTRUE\r\nTable\t1234.5\tTRUE');
    expect(new URL(copied.url()).searchParams.get('record')).toBe(null);

    // All rows of the page, and none again.
    await rowOf('Lamp').focus();
    await keyboard.press('Control+A');
    await bar.getByText('4 products selected').waitFor();
    await bar.getByRole('button', { name: 'Clear selection' }).click();
    await expect.poll(selected).toEqual([]);
    expect(errors).toEqual([]);
    await close();
  });

  test('any page can be reached, and one beyond the last has a way back', async () => {
    await open('/products?limit=25');
    await page.getByRole('button', { name: 'Next page' }).click();
    await page.getByRole('gridcell', { name: 'Product 26', exact: true }).waitFor();
    await page.getByRole('button', { name: 'Last page' }).click();
    await page.getByRole('gridcell', { name: 'Product 1226', exact: true }).waitFor();
    expect(await page.getByRole('button', { name: 'Next page' }).isDisabled()).toBe(true);
    await page.getByRole('textbox', { name: 'Page' }).fill('12');
    await page.keyboard.press('Enter');
    await page.getByRole('gridcell', { name: 'Product 276', exact: true }).waitFor();
    await page.getByRole('combobox', { name: 'Rows per page' }).selectOption('500');
    await expect.poll(() => page.url()).toBe(`${origin}/products?limit=500`);

    await open('/products?page=99&filter=list_price>9000');
    await page.getByText('1,000 matches on 10 pages.').waitFor();
    await page.getByRole('link', { name: 'Go to page 10' }).click();
    await page.getByRole('gridcell', { name: 'Product 901', exact: true }).waitFor();
    await page.getByRole('main').getByText('1,000 of 1,234 products').waitFor();
  });

  test('columns are chosen, ordered and reset', async () => {
    await open('/products?panel=none');
    await page.getByRole('button', { name: 'Columns' }).click();
    const list = page.getByRole('grid', { name: 'Columns' });
    await list.getByRole('row', { name: 'Created' }).click();
    await expect.poll(() => search().get('fields')).toMatch(/,create_date$/);
    await list.getByRole('row', { name: 'Name' }).click();
    await expect.poll(() => search().get('fields')).toMatch(/^id,default_code,/);
    await list.getByRole('button', { name: 'Move Created' }).press('Enter');
    // It begins where the last one was chosen.
    await page.getByRole('button', { name: 'Insert between Name and Product code' }).waitFor({ state: 'attached' });
    await page.keyboard.press('ArrowUp');
    await page.keyboard.press('Enter');
    await expect.poll(() => search().get('fields')).toMatch(/^id,create_date,default_code,/);
    await page.getByRole('button', { name: 'Reset columns' }).click();
    await expect.poll(() => page.url()).toBe(`${origin}/products?panel=none`);
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Side panel' }).click();
    await page.getByRole('complementary', { name: 'About these records' }).waitFor();
    // What is shown already is no step for the back button.
    await page.getByRole('tab', { name: 'Summary' }).click();
    await page.goBack();
    await expect.poll(() => search().get('panel')).toBe('none');
  });

  test('a record opens beside the table', async () => {
    await open('/products');
    await row(2).focus();
    await page.keyboard.press('Enter');
    const heading = page.getByRole('heading', { name: 'Product 2', exact: true });
    await heading.waitFor();
    await expect.poll(() => heading.evaluate((element) => element.matches(':focus'))).toBe(true);
    expect(search().get('record')).toBe('2');
    await page.getByRole('button', { name: 'Next record' }).click();
    const panel = page.getByRole('complementary', { name: 'First line' });
    await panel.waitFor();
    // Line breaks and spaces as they are.
    expect(await panel.getByText('First line').nth(1).innerText()).toBe(LONG);
    await page.keyboard.press('Escape');
    await expect.poll(focusedRow).toBe('4');
    expect(search().get('record')).toBe(null);
    await page.goBack();
    await expect.poll(() => search().get('record')).toBe('3');
    await page.goBack();
    await expect.poll(() => search().get('record')).toBe(null);

    // From page to page, up to either end of the list.
    const isDisabled = (name: string) => page.getByRole('button', { name }).isDisabled();
    await open('/products?limit=25&page=2&record=26');
    await page.getByRole('button', { name: 'Previous record' }).click();
    await page.getByRole('heading', { name: 'Product 25', exact: true }).waitFor();
    expect([search().get('page'), search().get('record')]).toEqual([null, '25']);
    await expect.poll(() => row(25).getAttribute('aria-current')).toBe('true');
    await expect.poll(() => row(25).isVisible()).toBe(true);
    await page.getByRole('button', { name: 'Next record' }).press('Enter');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Product 27', exact: true }).waitFor();
    expect([search().get('page'), search().get('record')]).toEqual(['2', '27']);
    await page.goto(`${origin}/products?limit=25&record=1`);
    await row(1).waitFor();
    expect([await isDisabled('Previous record'), await isDisabled('Next record')]).toEqual([true, false]);
    await page.goto(`${origin}/products?limit=25&page=50&record=${COUNT}`);
    await row(COUNT).waitFor();
    expect([await isDisabled('Previous record'), await isDisabled('Next record')]).toEqual([false, true]);

    await open('/products?record=99999&page=3');
    await page.getByRole('heading', { name: 'There is no product 99999' }).waitFor();
    await page.getByRole('button', { name: 'Close', exact: true }).click();
    await expect.poll(focusedRow).toBe('202');
    expect(opened.errors.filter((error) => !error.includes('404'))).toEqual([]);
  });
});
