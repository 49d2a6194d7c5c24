/** What is beside the table: the summary, the code and the response, as people use them. */

import type { Locator, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { SOURCES } from '../../console/src/response/response-facts.ts';
import { findField } from '../../src/catalog/catalog.ts';
import { product } from '../../src/catalog/product.ts';
import type { TotalSource } from '../../src/store/store.ts';
import { filterText, startConsole, type TestConsole, type Visit } from '../support/console.ts';
import { oneEngine, sqlite } from '../support/engines.ts';
import type { RecordValues } from '../support/fixture.ts';
import { accountWith } from '../support/service.ts';

const ROWS = 1_200;

/** A dozen categories with a hundred products each, prices from 0 to 119.9, and two years of dates. */
const records: readonly RecordValues[] = Array.from({ length: ROWS }, (_, index) => ({
  id: index + 1,
  name: `Product ${index} <b>"&'</b>`,
  list_price: index / 10,
  qty_available: index % 50,
  active: index % 5 > 0,
  categ_id: (index % 12) + 1,
  is_rsd_product: index % 2 === 0 ? null : true,
  create_date: new Date(Date.UTC(2024, 0, 1 + (index % 700))).toISOString(),
  write_date: new Date(Date.UTC(2025, 0, 1 + (index % 30))).toISOString(),
}));

const filterOf = (page: Page) => new URL(page.url()).searchParams.get('filter') ?? '';
const labelOf = (field: string) => findField(product, field)?.label ?? field;
const chartOf = (page: Page, field: string) => page.getByRole('figure', { name: labelOf(field) });

/** Waits until the summary is about this many products. */
const total = (page: Page, text: string) =>
  page.getByRole('tabpanel').getByRole('heading', { level: 2, name: text, exact: true }).waitFor();

/** Drags over the bars of a chart, from one share of its width to another. */
async function dragOver(page: Page, field: string, from: number, to: number): Promise<void> {
  const plot = chartOf(page, field).locator('svg').last();
  await plot.scrollIntoViewIfNeeded();
  const box = await plot.boundingBox();
  if (box === null) throw new Error(`${field} has no chart`);
  const y = box.y + box.height / 2;
  await page.mouse.move(box.x + box.width * from, y);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width * ((from + to) / 2), y);
  await page.mouse.move(box.x + box.width * to, y);
  await page.mouse.up();
}

/** Drags the thumb of a slider, from one share of its track to another. */
async function dragThumb(slider: Locator, from: number, to: number): Promise<void> {
  await slider.scrollIntoViewIfNeeded();
  const box = await slider.boundingBox();
  if (box === null) throw new Error('there is no slider');
  // The thumb is as wide as the slider is high.
  const x = (share: number) => box.x + box.height / 2 + (box.width - box.height) * share;
  const y = box.y + box.height / 2;
  const { mouse } = slider.page();
  await mouse.move(x(from), y);
  await mouse.down();
  await mouse.move(x((from + to) / 2), y);
  await mouse.move(x(to), y);
  await mouse.up();
}

describe.each(oneEngine)('on $name', (engine) => {
  let app: TestConsole;
  let key: string;
  let visit: Visit;
  let page: Page;
  beforeAll(async () => {
    app = await startConsole(engine);
    key = (await accountWith(app.service, product, records)).authorization.replace('Bearer ', '');
    visit = await app.open('/products', { key, permissions: ['clipboard-read', 'clipboard-write'] });
    ({ page } = visit);
  });
  afterAll(() => app?.close());
  afterEach(() => expect(visit.errors).toEqual([]));

  const open = (path: string) => page.goto(app.origin + path);

  /** What does not depend on the engine. */
  const testOnce = test.runIf(engine === sqlite);

  test('bars add values to the filter, and remove them', async () => {
    await open('/products');
    await total(page, '1,200 products');
    const bar = (name: string) => page.getByRole('button', { name, exact: true });
    await bar('Category ID 3 100 products').click();
    await total(page, '100 products');
    expect(filterOf(page)).toBe('categ_id=3');
    // The others are still there: they can be added.
    await bar('Category ID 5 100 products').click();
    await total(page, '200 products');
    expect(filterOf(page)).toBe('categ_id[3,5]');
    expect(await bar('Category ID 5 100 products').getAttribute('aria-pressed')).toBe('true');
    await bar('Active yes 160 products').click();
    await total(page, '160 products');
    await bar('Active no 40 products').click();
    await total(page, '40 products');
    expect(filterOf(page)).toBe('categ_id[3,5]&active=false');
    await bar('Active no 40 products').click();
    await bar('Category ID 3 100 products').press('Enter');
    await total(page, '100 products');
    expect(filterOf(page)).toBe('categ_id=5');
    await page.goBack();
    await total(page, '200 products');
    // There are more than fit: the rest is counted, and can be shown.
    const rest = chartOf(page, 'categ_id').getByText('4 other values');
    await rest.waitFor();
    await page.getByRole('button', { name: 'Show 4 more' }).click();
    await rest.waitFor({ state: 'detached' });
    // Charts that are still loading show other counts, but they change the filter of now.
    const held = Promise.withResolvers<void>();
    await page.route('**/aggregate?*', (route) => held.promise.then(() => route.continue()));
    await bar('RSD product not set 200 products').click();
    await bar('Active no 40 products').click();
    await expect.poll(() => filterOf(page)).toBe('categ_id[3,5]&is_rsd_product=null&active=false');
    held.resolve();
    await total(page, '40 products');
    await page.unroute('**/aggregate?*');
  });

  test('a range is dragged with the mouse, moved with the keyboard, and zoomed into', async () => {
    await open('/products');
    await total(page, '1,200 products');
    const price = chartOf(page, 'list_price');
    await price.getByRole('table').waitFor();
    await dragOver(page, 'list_price', 0.26, 0.49);
    await expect.poll(() => filterOf(page)).toMatch(/^list_price>=[\d.]+&list_price<[\d.]+$/);
    const [from = 0, to = 0] = [...filterOf(page).matchAll(/[\d.]+/g)].map(Number);
    expect([from, to]).toEqual([30, 60]);
    await total(page, '300 products');
    // The whole range is still there, so the selection can be widened.
    const start = price.getByRole('slider', { name: 'Sales price from' });
    await start.press('ArrowLeft');
    await start.press('ArrowLeft');
    await expect.poll(() => filterOf(page)).toMatch(/^list_price>=20&/);
    await total(page, '400 products');
    // Both steps of the keyboard are one of the back button.
    await page.goBack();
    await total(page, '300 products');
    await price.getByRole('button', { name: 'Zoom in' }).click();
    await expect.poll(() => start.getAttribute('aria-valuetext')).toMatch(/^30 – 31$/);
    await dragOver(page, 'list_price', 0.01, 0.49);
    await total(page, '150 products');
    expect(filterOf(page)).toBe('list_price>=30&list_price<45');
    await price.getByRole('button', { name: 'Clear Sales price' }).click();
    await total(page, '1,200 products');
    expect(filterOf(page)).toBe('');
    // Each drag of a slider is a step.
    await dragThumb(start, 0, 0.25);
    await expect.poll(() => filterOf(page)).toBe('list_price>=30');
    await dragThumb(start, 0.25, 0.5);
    await expect.poll(() => filterOf(page)).toBe('list_price>=60');
    await page.goBack();
    await expect.poll(() => filterOf(page)).toBe('list_price>=30');
    // So is what the keyboard changes after that.
    await start.press('ArrowRight');
    await expect.poll(() => filterOf(page)).toBe('list_price>=35');
    await page.goBack();
    await expect.poll(() => filterOf(page)).toBe('list_price>=30');
    await page.goBack();
    await total(page, '1,200 products');
    // Days, because all of them are in one month; months, because these are two years.
    await chartOf(page, 'write_date').getByRole('rowheader', { name: 'Jan 30, 2025' }).waitFor({ state: 'attached' });
    await chartOf(page, 'create_date').getByRole('rowheader', { name: 'Nov 2025' }).waitFor({ state: 'attached' });
    await dragOver(page, 'create_date', 0.51, 0.99);
    await expect.poll(() => filterOf(page)).toBe('create_date>=2024-12-01');
  });

  testOnce('the range of a chart is that of the filter, to the digit', async () => {
    await open('/products?filter=list_price<=31.25%26list_price>12');
    const price = chartOf(page, 'list_price');
    await price.getByText('is more than 12 and is at most 31.25').waitFor();
    // Also while the pointer is elsewhere on the chart, and after it has left.
    await price.locator('.histogram-plot').hover();
    await price.getByText(/^\d+ – \d+: [\d,]+ products$/).waitFor();
    await page.mouse.move(0, 0);
    await price.getByText('is more than 12 and is at most 31.25').waitFor();
    await open('/products?filter=create_date>=2025-03-09');
    await chartOf(page, 'create_date')
      .getByText(/^on or after Mar 9, 2025/)
      .waitFor();
  });

  testOnce('figures that are loading, that cannot be loaded and that do not exist are different things', async () => {
    const { page, close } = await app.open('/companies', { key });
    const panel = page.getByRole('tabpanel');
    const figures = panel.getByRole('table', { name: 'Amounts' });
    const cells = () => figures.getByRole('cell').allInnerTexts();
    /** Where the headings of the summary are, and the columns of its figures. */
    const places = () =>
      panel
        .locator('h2, h3, .key-figures th')
        .evaluateAll((elements) =>
          elements.map((element) => element.getBoundingClientRect()).map(({ y, right }) => [y, right]),
        );
    const held = Promise.withResolvers<void>();
    await page.route('**/aggregate?*', (route) => held.promise.then(() => route.continue()));
    await page.getByRole('link', { name: 'Products' }).click();
    await page.getByRole('row', { name: /^1 Product 0/ }).waitFor();
    await panel.getByText('Loading…').waitFor({ state: 'attached' });
    expect((await cells()).filter((text) => text.trim() !== '')).toEqual([]);
    const before = await places();
    held.resolve();
    await total(page, '1,200 products');
    await expect.poll(() => panel.getByRole('slider').count()).toBe(8);
    expect(await cells()).toEqual(['', '59.95', '24.5', '0.00', '0', '119.90', '49', '71,940.00', '29,400']);
    // Nothing has moved, neither for the figures nor for the charts.
    expect(await places()).toEqual(before);
    await page.unrouteAll();

    await page.route('**/aggregate?*', (route) => route.abort());
    await (await filterText(page)).fill('list_price>5000');
    await page.keyboard.press('Enter');
    await page.reload();
    await panel.getByText('The service does not respond. Trying again…').waitFor();
    expect((await cells()).filter((text) => text.trim() !== '')).toEqual([]);
    await page.unrouteAll();
    await total(page, '0 products');
    expect(await cells()).toEqual(['', ...Array(6).fill('–\nnone'), '0.00', '0']);
    expect(await panel.getByText('not set').count()).toBe(0);
    await close();
  });

  testOnce('one value is no chart, and a long tail is one bar', async () => {
    const same = { active: true, create_date: '2026-03-01T10:00:00.000Z', write_date: '2026-03-01T23:00:00.000Z' };
    // Nearly all stocks are from 0 to 9; one is a billion, and one below zero.
    const stocks = [...Array.from({ length: 200 }, (_, index) => index % 10), 1e9, -50_000];
    const skewed = stocks.map((stock, index) => ({
      ...{ id: index + 1, name: `Product ${index}`, list_price: 25, qty_available: stock },
      ...same,
      // Years ago, and all others on three days.
      ...(index === 0 && { write_date: '1999-01-01T00:00:00.000Z' }),
      ...(index % 3 === 1 && { write_date: '2026-03-03T10:00:00.000Z' }),
    }));
    const { authorization } = await accountWith(app.service, product, skewed);
    const { page, close } = await app.open('/products', { key: authorization.replace('Bearer ', '') });
    const price = chartOf(page, 'list_price');
    await price.getByText('25.00').waitFor();
    await price.getByText('202 products').waitFor();
    await chartOf(page, 'create_date').getByText('Mar 1, 2026').waitFor();
    for (const field of ['list_price', 'create_date'])
      expect(await chartOf(page, field).getByRole('slider').count()).toBe(0);

    const stock = chartOf(page, 'qty_available');
    const ranges = (chart: Locator) => chart.getByRole('rowheader').allTextContents();
    await stock.getByText('First and last bar: the rest, 2 products').waitFor();
    const bars = await ranges(stock);
    expect(bars.length).toBe(12);
    expect(bars.at(-1)).toMatch(/^[\d.]+ – 1,\d{3},\d{3},\d{3}$/);
    // The last bar has no end.
    const last = stock.getByRole('slider', { name: 'Quantity on hand from' });
    await last.press('End');
    await expect.poll(() => filterOf(page)).toMatch(/^qty_available>=9\.?\d*$/);
    await stock.getByRole('button', { name: 'Clear Quantity on hand' }).click();
    await total(page, '202 products');
    await stock.getByRole('button', { name: 'Show all of Quantity on hand' }).click();
    await expect.poll(async () => (await ranges(stock)).length).toBe(3);
    await stock.getByRole('button', { name: 'Cut off the rest of Quantity on hand' }).click();
    await expect.poll(() => ranges(stock)).toEqual(bars);

    // Days, although there are decades between the first and the last.
    const written = chartOf(page, 'write_date');
    await written.getByText('First bar: the rest, 1 product').waitFor();
    expect((await ranges(written)).slice(1)).toEqual(['Mar 1, 2026', 'Mar 3, 2026']);
    await written.getByText('< Mar 1, 2026').waitFor();
    await close();
  });

  testOnce('a range is dragged with a finger', async () => {
    const { page, close } = await app.open('/products', {
      ...{ key, hasTouch: true, isMobile: true, viewport: { width: 390, height: 844 } },
    });
    const plot = chartOf(page, 'qty_available').locator('svg').first();
    await plot.scrollIntoViewIfNeeded();
    const box = await plot.boundingBox();
    if (box === null) throw new Error('there is no chart');
    const session = await page.context().newCDPSession(page);
    const touch = (type: 'touchStart' | 'touchMove' | 'touchEnd', share: number) =>
      session.send('Input.dispatchTouchEvent', {
        type,
        touchPoints: type === 'touchEnd' ? [] : [{ x: box.x + box.width * share, y: box.y + box.height / 2 }],
      });
    await touch('touchStart', 0.01);
    for (const share of [0.1, 0.2, 0.3, 0.39]) await touch('touchMove', share);
    await touch('touchEnd', 0.39);
    await expect.poll(() => filterOf(page)).toBe('qty_available<20');
    await total(page, '480 products');
    await close();
  });

  testOnce('what the service does not group is explained', async () => {
    const conditions = Array.from({ length: 199 }, (_, index) => `id!=${index + 5_000}`);
    // In a window of its own: browsers log requests that were rejected as errors.
    const { page, close } = await app.open(`/products?filter=${encodeURIComponent(conditions.join('&'))}`, { key });
    await total(page, '1,200 products');
    await chartOf(page, 'list_price').getByText('The filter leaves no room').waitFor();
    await close();
  });

  testOnce('if nothing matches, only the charts that can change that are left', async () => {
    await open('/products?filter=list_price>500%26categ_id=3');
    await total(page, '0 products');
    await page.getByText('Nothing to chart.').waitFor();
    await page.getByRole('button', { name: 'Clear Sales price' }).waitFor();
    await expect.poll(() => page.getByRole('figure').count()).toBe(2);
    await page.getByRole('button', { name: 'Category ID 3 0 products' }).click();
    await expect.poll(() => filterOf(page)).toBe('list_price>500');
    await page.getByRole('button', { name: 'Clear Sales price' }).click();
    await total(page, '1,200 products');
    expect(await page.getByText('Nothing to chart.').count()).toBe(0);
  });

  testOnce('code is copied, in the language that was chosen', async () => {
    await open('/products?filter=name*"<b>"&panel=code&limit=25');
    const code = page.getByRole('region', { name: 'This view in' }).locator('code');
    await page.getByRole('radio', { name: 'Python' }).click();
    await expect.poll(() => code.textContent()).toContain('"filter": "name*\\"<b>\\"",');
    const copied = () => page.evaluate('navigator.clipboard.readText()');
    await page.getByRole('button', { name: 'Copy Python' }).click();
    await page.getByRole('status').getByText('Copied').waitFor({ state: 'attached' });
    expect(await copied()).toBe(await code.textContent());
    expect(await copied()).not.toContain(key);
    await page.getByRole('radio', { name: 'All records' }).click();
    await expect.poll(() => code.textContent()).toContain('application/x-ndjson');
    await page.reload();
    await expect.poll(() => code.textContent()).toContain('application/x-ndjson');
    // Browsers have no clipboard on pages that are not secure.
    await page.evaluate("Object.defineProperty(navigator, 'clipboard', { value: undefined, configurable: true })");
    await page.getByRole('radio', { name: 'curl' }).click();
    await page.getByRole('button', { name: 'Copy curl' }).click();
    await page.getByRole('status').getByText('Copied').waitFor({ state: 'attached' });
    await page.evaluate("document.body.append(Object.assign(document.createElement('textarea'), { id: 'pasted' }))");
    await page.locator('#pasted').press('Control+V');
    expect(await page.locator('#pasted').inputValue()).toBe(await code.textContent());
  });

  test('the response is shown as it was received', async () => {
    await open('/products?filter=list_price>=20&panel=response&limit=1000&fields=name,list_price');
    const panel = page.getByRole('tabpanel');
    const fact = (name: string) =>
      panel
        .getByRole('term')
        .filter({ hasText: new RegExp(`^${name}$`) })
        .locator('+ dd')
        .first()
        .textContent();
    await panel.getByText('200 OK').waitFor();
    expect(await fact('Time')).toMatch(/ms$/);
    const request = panel.getByText('GET /api/v1/');
    const heightOf = async (element: Locator) => (await element.boundingBox())?.height ?? 0;
    expect(await heightOf(request.locator('..'))).toBeGreaterThanOrEqual(await heightOf(request));
    expect(await request.textContent()).toContain('fields=id,name,list_price');
    await panel.getByText('The console also requests id').waitFor();
    expect(await fact('Size')).toMatch(/kB$/);
    await expect.poll(() => fact('Transferred')).toMatch(/kB/);
    expect(await fact('Total')).toBe(SOURCES['counted']);
    await panel.getByRole('button', { name: /headers$/ }).click();
    expect(await fact('x-request-id')).toBe(await fact('Request id'));
    // A thousand records, of which the document has the lines that can be seen.
    const lines = panel.getByRole('region', { name: 'JSON body' }).locator('code');
    await expect.poll(() => lines.count()).toBeGreaterThan(10);
    expect(await lines.count()).toBeLessThan(200);
    await panel.getByRole('button', { name: 'Copy the body' }).click();
    await page.getByRole('status').getByText('Copied').waitFor({ state: 'attached' });
    const body = Object(JSON.parse(String(await page.evaluate('navigator.clipboard.readText()'))));
    expect(body.data).toHaveLength(1_000);
    expect(body.meta).toEqual({ count: 1_000, total: 1_000 });
  });
});

test('every source of a total is explained', () => {
  const sources: Readonly<Record<TotalSource, true>> = { ledger: true, cached: true, index: true, counted: true };
  expect(Object.keys(SOURCES).toSorted()).toEqual(Object.keys(sources).toSorted());
});
