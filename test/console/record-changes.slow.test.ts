/** What changes the records of an account, or follows their changes: new partners, live views, exports. */

import { readFile } from 'node:fs/promises';
import type { Page, Request } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { partner } from '../../src/catalog/partner.ts';
import { aboveStore } from '../support/above-store.ts';
import { filterText, startConsole, type TestConsole } from '../support/console.ts';
import { addAccount, load, NOW } from '../support/fixture.ts';
import { startTruncatingProxy } from '../support/proxy.ts';
import { bodyOf } from '../support/rows.ts';
import { bearer, keyId, type TestService } from '../support/service.ts';
import { rowsOf } from '../support/workbooks.ts';

const PARTNERS = '/api/v1/resources/partner';
const COUNT = 20_000;

/** With the keyboard, once something in the dialog has the focus: what was pressed before may be gone. */
async function dismissDialog(page: Page): Promise<void> {
  await page.locator('[role="dialog"]:focus-within').waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
}

function isExport(request: Request): boolean {
  return new URL(request.url()).searchParams.has('format');
}

describe.each(aboveStore)('on $name', (engine) => {
  let app: TestConsole;
  let service: TestService;
  let origin: string;
  let page: Page;
  beforeAll(async () => {
    app = await startConsole(engine);
    ({ service, origin } = app);
    ({ page } = await app.open('/partners'));
  });
  afterAll(() => app?.close());

  const total = async () => {
    const body = bodyOf(await service.send({ path: `${PARTNERS}?limit=1&fields=id` }));
    return body.meta.total;
  };
  const write = (name: string) =>
    service.send({
      method: 'POST',
      path: PARTNERS,
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ name }),
    });

  test('a partner is created once, after the name is valid', async () => {
    await page.getByRole('button', { name: 'New partner' }).click();
    const name = page.getByRole('textbox', { name: 'Name' });
    await name.fill('  ');
    await page.keyboard.press('Enter');
    await page.getByText('Name must not be blank.').waitFor();
    await name.fill('Zed <b>& Sons</b>');
    await page.getByRole('button', { name: 'Create', exact: true }).dblclick();
    await page.getByRole('heading', { name: 'Zed <b>& Sons</b>' }).waitFor();
    await page.getByRole('row', { name: /^4 Zed <b>& Sons<\/b>/ }).waitFor();
    expect(await total()).toBe(4);
    expect(new URL(page.url()).searchParams.get('record')).toBe('4');
  });

  test('a create whose response is lost is repeated, and creates one', async () => {
    await page.goto(`${origin}/partners`);
    let lost = 0;
    await page.route(`**${PARTNERS}`, async (route) => {
      if (route.request().method() !== 'POST' || lost > 0) return route.continue();
      lost += 1;
      await route.fetch({ maxRetries: 3 });
      await route.abort();
    });
    await page.getByRole('button', { name: 'New partner' }).click();
    await page.getByRole('textbox', { name: 'Name' }).fill('Only Once');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Only Once' }).waitFor();
    expect([lost, await total()]).toEqual([1, 5]);
  });

  test('a new partner that the table does not show is explained, and its name is not lost', async () => {
    const key = await service.issue(service.globex);
    const { page, errors, close } = await app.open('/partners?filter=name*globex&panel=none', { key });
    const name = page.getByRole('textbox', { name: 'Name' });
    await page.getByRole('button', { name: 'New partner' }).click();
    await name.fill('Another One');
    await page.mouse.click(640, 700);
    await expect.poll(() => page.getByRole('dialog').count()).toBe(0);
    await page.getByRole('button', { name: 'New partner' }).click();
    expect(await name.inputValue()).toBe('Another One');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Another One' }).waitFor();
    await page.getByText('The filter hides this partner: it is not in the table.').waitFor();
    await page.getByRole('complementary').getByRole('button', { name: 'Clear the filter' }).click();
    await page.getByRole('row', { name: /^901 Another One/ }).waitFor();
    await expect.poll(() => page.getByText('The filter hides this partner').count()).toBe(0);
    await page.goto(`${origin}/partners?limit=1&record=901&panel=none`);
    await page.getByText('This partner is on another page of the table.').waitFor();
    await page.getByRole('button', { name: 'Show only this partner' }).click();
    await page.getByRole('row', { name: /^901 Another One/ }).waitFor();
    expect(errors).toEqual([]);
    await close();
  });

  test('a key that may only read is not offered it', async () => {
    const key = await service.issue(service.acme, { scopes: ['read'] });
    const reader = await app.open('/partners', { key });
    await reader.page.getByRole('main').getByText('5 partners').waitFor();
    expect(await reader.page.getByRole('button', { name: 'New partner' }).count()).toBe(0);
    await reader.close();
  });

  test('a live view shows what is written, with one request that waits, while it can be seen', async () => {
    const waiting = new Set<unknown>();
    page.on('request', (request) => {
      if (request.headers()['prefer'] !== undefined) waiting.add(request);
    });
    page.on('requestfinished', (request) => waiting.delete(request));
    page.on('requestfailed', (request) => waiting.delete(request));
    await page.goto(`${origin}/partners?sort=-id&filter=name*a`);
    await page.getByRole('button', { name: 'Live' }).click();
    await expect.poll(() => waiting.size).toBe(1);
    await write('Alive');
    await page.getByRole('row', { name: /^6 Alive/ }).waitFor();
    await page.getByText('1 new row, 4 partners.').waitFor({ state: 'attached' });
    await page.getByRole('main').getByText('4 of 6 partners').waitFor();
    await expect.poll(() => waiting.size).toBe(1);

    // The focus stays with its record, and with it what Enter opens.
    await page.getByRole('row', { name: /^6 Alive/ }).focus();
    await write('Above');
    await page.getByRole('row', { name: /^7 Above/ }).waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Alive' }).waitFor();
    await page.keyboard.press('Escape');
    await expect.poll(() => waiting.size).toBe(1);

    await page.evaluate(`
      Object.defineProperty(document, 'visibilityState', { value: 'hidden', configurable: true });
      document.dispatchEvent(new Event('visibilitychange'));
    `);
    await expect.poll(() => waiting.size).toBe(0);
    await write('A Hidden One');
    await page.evaluate(`
      delete document.visibilityState;
      document.dispatchEvent(new Event('visibilitychange'));
    `);
    await page.getByRole('row', { name: /^8 A Hidden One/ }).waitFor();

    const waits = (request: Request) => request.headers()['prefer'] !== undefined;
    await page.route('**', (route) => (waits(route.request()) ? route.abort() : route.continue()));
    await write('Before the Outage');
    await page.getByText('Connection lost. Reconnecting…').waitFor({ state: 'attached' });
    await write('After the Outage');
    await page.unrouteAll();
    await page.getByRole('row', { name: /^10 After the Outage/ }).waitFor();
    await page.getByRole('link', { name: 'Products' }).click();
    await expect.poll(() => waiting.size).toBe(0);
  });

  test('during an outage, a live view is never shown as connected, whatever else is shown; afterwards it is again', async () => {
    const { page: live, close } = await app.open('/partners?sort=-id&live=true&panel=none');
    const button = live.getByRole('button', { name: 'Live' });
    const state = () => button.getAttribute('data-state');
    const lost = live.getByText('Connection lost. Reconnecting…');
    await expect.poll(state).toBe('connected');
    await live.route('**/api/v1/**', (route) => route.abort());
    // So that the request that waits ends.
    await write('Outage 1');
    await lost.waitFor({ state: 'attached' });
    await live.evaluate(`
      window.states = [];
      const button = document.querySelector('.live-button');
      new MutationObserver(() => window.states.push(button.dataset.state)).observe(button, { attributes: true });
    `);
    await live.getByRole('columnheader', { name: 'Name' }).getByRole('button').first().click();
    await live.getByText('The service does not respond.').waitFor();
    await live.goBack();
    await expect.poll(() => live.getByText('The service does not respond.').count()).toBe(0);
    await live.evaluate(`
      for (const value of ['hidden', 'visible']) {
        Object.defineProperty(document, 'visibilityState', { value, configurable: true });
        document.dispatchEvent(new Event('visibilitychange'));
      }
    `);
    await button.click();
    await button.click();
    await lost.waitFor({ state: 'attached' });
    expect(await live.evaluate('window.states')).not.toContain('connected');
    await live.unrouteAll();
    await expect.poll(state).toBe('connected');
    await live.getByRole('row', { name: /Outage 1/ }).waitFor();
    await write('Outage 2');
    await live.getByRole('row', { name: /Outage 2/ }).waitFor();
    await close();
  });

  test('whoever comes back to the page sees what was written meanwhile', async () => {
    const statuses: number[] = [];
    let minutes = 0;
    // Until it is answered as expected: a page that still reads the response before asks for no other.
    const comeBack = async () => {
      minutes += 1;
      await page.clock.setFixedTime(Date.now() + minutes * 60_000);
      await page.evaluate("document.dispatchEvent(new Event('visibilitychange', { bubbles: true }))");
      return statuses;
    };
    await page.goto(`${origin}/partners?sort=-id&panel=none`);
    await page.getByRole('row', { name: /^10 After the Outage/ }).waitFor();
    page.on('response', (response) => {
      if (response.url().includes(`${PARTNERS}?`)) statuses.push(response.status());
    });
    await expect.poll(comeBack).toContain(304);
    await page.getByRole('row', { name: /^10 After the Outage/ }).waitFor();
    expect(statuses).not.toContain(200);
    await write('Meanwhile');
    await expect.poll(comeBack).toContain(200);
    await page.getByRole('row', { name: /^13 Meanwhile/ }).waitFor();
  });

  test('a view is exported with its columns, filter and order, as a download or to a file', async () => {
    const account = await addAccount(service.store, 'large');
    const names = Array.from({ length: COUNT }, (_, n) => ({
      id: n + 1,
      name: n === 0 ? '=1+1' : `Partner "${n + 1}"\n`,
    }));
    await load(service.store, account, partner, names);
    const key = await service.issue(account);
    const path = '/partners?fields=name,id,write_date&sort=-id&filter=id<19001';
    const { page: large, close } = await app.open(path, { key });
    await large.evaluate('delete window.showSaveFilePicker');
    await large.getByRole('main').getByText('19,000 of 20,000 partners').waitFor();

    const start = async (format: string) => {
      await large.getByRole('button', { name: 'Export', exact: true }).first().click();
      await large.locator('label', { hasText: format }).click();
      await large.getByRole('dialog').getByRole('button', { name: 'Export' }).click();
    };
    const downloading = large.waitForEvent('download');
    await start('CSV for spreadsheets');
    const bytes = await readFile(await (await downloading).path());
    expect(bytes.subarray(0, 3)).toEqual(Buffer.from([0xef, 0xbb, 0xbf]));
    const csv = bytes.subarray(3).toString();
    // What spreadsheets take for a date and a time, to the second.
    const time = NOW.slice(0, 19).replace('T', ' ');
    const [head, tail] = [`"Name","ID","Changed"\r\n"Partner ""19000""\n",19000,${time}\r\n`, `"'=1+1",1,${time}\r\n`];
    expect([csv.slice(0, head.length), csv.slice(-tail.length)]).toEqual([head, tail]);
    await large.getByText(/^Exported 19,000 partners to partners-[\d-]+\.csv\.$/).waitFor();

    await large.getByRole('button', { name: 'Export again' }).click();
    await dismissDialog(large);
    const workbook = large.waitForEvent('download');
    await start('Excel');
    const found = await rowsOf(await readFile(await (await workbook).path()));
    expect(found.length).toBe(19_001);
    expect(found.slice(0, 2).map(({ cells }) => cells.map((cell) => Object.values(cell)[1]))).toEqual([
      ['Name', 'ID', 'Changed (UTC)'],
      ['Partner "19000"\n', 19_000, NOW.replace(/\.?0*Z$|T00:00:00.000Z$/, '')],
    ]);
    expect(found.at(-1)?.cells[0]).toEqual({ kind: 'text', text: '=1+1' });
    await large.getByText(/^Exported 19,000 partners to partners-[\d-]+\.xlsx\.$/).waitFor();

    // The result is that of these partners, and of nothing else.
    await large.keyboard.press('Escape');
    await large.getByRole('link', { name: 'Products' }).click();
    await large.getByRole('button', { name: 'Export', exact: true }).first().click();
    await large.getByText('All 0 products with').waitFor();
    expect(await large.getByRole('dialog').getByText('Exported').count()).toBe(0);
    await large.keyboard.press('Escape');
    await large.goBack();
    await large.getByRole('button', { name: 'Export', exact: true }).first().click();
    await large.getByText(/^Exported 19,000 partners to /).waitFor();
    await large.getByRole('button', { name: 'Export again' }).click();
    await dismissDialog(large);

    await large.evaluate(`
      window.showSaveFilePicker = async ({ suggestedName }) => {
        const folder = await navigator.storage.getDirectory();
        window.chosen = await folder.getFileHandle(suggestedName, { create: true });
        return window.chosen;
      };
    `);
    await start('NDJSON');
    await large.getByText(/^Exported 19,000 partners to partners-[\d-]+\.ndjson\.$/).waitFor();
    const text: string = await large.evaluate('window.chosen.getFile().then((file) => file.text())');
    const { text: sent } = await service.send({
      path: `${PARTNERS}?fields=name,id,write_date&sort=-id&filter=id%3C19001`,
      headers: { ...bearer(key), accept: 'application/x-ndjson' },
    });
    expect(text.split('\n')).toEqual(sent.split('\n'));

    // Until it is cancelled, nothing arrives.
    await large.getByRole('button', { name: 'Export again' }).click();
    await dismissDialog(large);
    await large.route('**', (route) => (isExport(route.request()) ? undefined : route.continue()));
    await start('NDJSON');
    await large.getByRole('progressbar', { name: 'Exporting partners…' }).waitFor();
    await large.getByText('0 of 19,000 records').waitFor();
    await large.keyboard.press('Escape');
    await large.getByRole('link', { name: 'Products' }).click();
    await large.getByRole('button', { name: 'Export', exact: true }).first().click();
    await large.getByText('Another export can start when this one has ended.').waitFor();
    await large.keyboard.press('Escape');
    await large.goBack();
    await large.getByRole('button', { name: 'Export', exact: true }).first().click();
    await large.getByRole('button', { name: 'Cancel' }).click();
    await large.getByRole('dialog').getByRole('button', { name: 'Export' }).waitFor();
    // What was counted for another filter is not the number of records to export.
    await large.keyboard.press('Escape');
    let release = () => {};
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    await large.route('**/resources/partner?*', async (route) => {
      await released;
      await route.continue();
    });
    await (await filterText(large)).fill('id<101');
    await large.keyboard.press('Enter');
    await large.getByRole('button', { name: 'Export', exact: true }).first().click();
    const exporting = large.getByRole('dialog').getByRole('button', { name: 'Export' });
    await expect.poll(() => exporting.isDisabled()).toBe(true);
    release();
    await expect.poll(() => exporting.isDisabled()).toBe(false);
    await close();

    // A proxy that turns a broken connection into the end of the response.
    const proxy = await startTruncatingProxy(service.port, 10);
    const { page: truncated } = await app.open(path, { key });
    await truncated.evaluate('delete window.showSaveFilePicker');
    await truncated.route('**', async (route) => {
      const { pathname, search } = new URL(route.request().url());
      if (!isExport(route.request())) return route.continue();
      return route.fulfill({ response: await route.fetch({ url: proxy.url + pathname + search }) });
    });
    await truncated.getByRole('button', { name: 'Export', exact: true }).click();
    await truncated.locator('label', { hasText: 'NDJSON' }).click();
    await truncated.getByRole('dialog').getByRole('button', { name: 'Export' }).click();
    await truncated.getByText('The stream ended after 10 records.').waitFor();
    await truncated.getByText('The incomplete file was discarded.').waitFor();
    await proxy.close();
    await truncated.unrouteAll();

    await truncated.getByRole('button', { name: 'Try again' }).click();
    await service.store.keys.revoke(keyId(key), NOW);
    await truncated.getByRole('dialog').getByRole('button', { name: 'Export' }).click();
    await truncated.getByLabel('API key').waitFor();
    await truncated.getByText(/^This session ended on /).waitFor();
  });
});
