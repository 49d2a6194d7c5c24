/** Importing files in the console: by drop and with the keyboard, wrong files, errors, large files, and what others import meanwhile. */

import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { request as httpRequest } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { product } from '../../src/catalog/product.ts';
import type { Scope } from '../../src/catalog/scopes.ts';
import { SMALL_BODY } from '../../src/handlers/import.ts';
import { aboveStore } from '../support/above-store.ts';
import { startConsole, type TestConsole, tabTo } from '../support/console.ts';
import { sqlite } from '../support/engines.ts';
import { addAccount, load, products, type RecordValues } from '../support/fixture.ts';
import { bearer } from '../support/service.ts';
import { chooseFile, endVisit, rows } from './views.ts';

const PRODUCTS = '/api/v1/inventory/product';

/** Those that a service would accept: names are not blank. */
const records: readonly RecordValues[] = products.filter(({ name }) => name !== '');

const count = async (page: Page, title: string) =>
  page
    .locator('.import-count', { has: page.getByText(title, { exact: true }) })
    .locator('dd')
    .textContent();
const expectCounts = async (page: Page, counts: Readonly<Record<string, string>>) => {
  for (const [title, expected] of Object.entries(counts)) await expect.poll(() => count(page, title)).toBe(expected);
};
const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name });

describe.each(aboveStore)('on $name', (engine) => {
  let app: TestConsole;
  let accounts = 0;
  const folder = mkdtempSync(join(tmpdir(), 'stockbook-imports-'));
  beforeAll(async () => {
    app = await startConsole(engine, { settings: { 'max-import-size': '200' } });
  });
  afterAll(async () => {
    await app?.close();
    rmSync(folder, { recursive: true });
  });

  /** What does not depend on the engine. */
  const testOnce = test.runIf(engine === sqlite);

  /** An account of its own with the products of the fixture, and a window with a key for them. */
  async function openProducts(path: string, scopes: readonly Scope[] = ['read', 'edit'], options = {}) {
    const { service } = app;
    accounts += 1;
    const account = await addAccount(service.store, `importers-${accounts}`);
    await load(service.store, account, product, records);
    const key = await service.issue(account, { scopes });
    const headers = bearer(await service.issue(account, { scopes: ['read', 'edit'] }));
    const visit = await app.open(path, { key, ...options });
    return {
      ...visit,
      visit,
      headers,
      /** As other clients see it; undefined if it does not exist. */
      async read(id: number): Promise<RecordValues | undefined> {
        return Object(await service.send({ path: `${PRODUCTS}/${id}`, headers })).json.data;
      },
    };
  }

  function fileNamed(name: string, content: string | Uint8Array): string {
    const path = join(folder, name);
    writeFileSync(path, content);
    return path;
  }

  /** Limits uploads to a number of bytes per second; -1 is no limit. */
  async function throttled(page: Page): Promise<(uploadThroughput: number) => Promise<unknown>> {
    const session = await page.context().newCDPSession(page);
    await session.send('Network.enable');
    const others = { offline: false, latency: 0, downloadThroughput: -1 };
    return (uploadThroughput) => session.send('Network.emulateNetworkConditions', { ...others, uploadThroughput });
  }

  /** Drops files and folders as a person does: the browser reads them from the disk. */
  async function drop(page: Page, ...files: readonly string[]): Promise<void> {
    const session = await page.context().newCDPSession(page);
    const data = { items: [], files: [...files], dragOperationsMask: 1 };
    const drag = (type: 'dragEnter' | 'dragOver' | 'drop') =>
      session.send('Input.dispatchDragEvent', { type, x: 300, y: 400, data });
    // What accepts files is loaded after the records.
    const isAccepted = async () => {
      await drag('dragEnter');
      await drag('dragOver');
      return page.getByText('Drop the file to import products').isVisible();
    };
    await expect.poll(isAccepted).toBe(true);
    await drag('drop');
    await session.detach();
  }

  test('a file that is dropped on a list is loaded after a look at what would happen', async () => {
    const { page, visit, read } = await openProducts('/products?filter=active=true');
    await rows(page);
    const path = fileNamed('prices.csv', 'id,name,list_price\n1,Oak Chair,1000\n2,Desk,77.5\n,Stool,12\n');
    await page.getByRole('link', { name: 'Import…' }).waitFor();
    await drop(page, path);
    await page.getByRole('heading', { name: 'prices.csv' }).waitFor();
    expect(new URL(page.url()).pathname).toBe('/products/import');
    await expect.poll(() => page.title()).toBe('Import products - Stockbook');
    await expectCounts(page, { Created: '1', Removed: '0', Rejected: '0' });
    expect((await read(2))?.['list_price']).not.toBe(77.5);
    await button(page, 'Load 3 rows').click();
    await page.getByText('prices.csv was loaded').waitFor();
    await expectCounts(page, { Created: '1', Removed: '0', Rejected: '0' });
    expect((await read(2))?.['list_price']).toBe(77.5);
    await page.getByRole('link', { name: 'Show the products' }).click();
    await page.getByRole('row', { name: /Stool/ }).waitFor();
    await page.getByRole('link', { name: 'Imports' }).click();
    await page.getByRole('row', { name: /product done 1 created/ }).waitFor();
    await endVisit(visit);
  });

  test('with the keyboard alone: a file is chosen, its errors are skipped, and the rest is loaded', async () => {
    const { page, visit, read } = await openProducts('/products');
    const { keyboard } = page;
    await rows(page);
    await tabTo(page, /^Import…/);
    await keyboard.press('Enter');
    await button(page, 'Choose a file').waitFor();
    await tabTo(page, /Choose a file/);
    const choosing = page.waitForEvent('filechooser');
    await keyboard.press('Enter');
    await (await choosing).setFiles(fileNamed('errors.csv', 'id,name,list_price\n1,A,much\n2,B,more\n3,C,5\n'));
    await page.getByText(/must be a number/).waitFor();
    await page.getByText('line 2').waitFor();
    await page.getByText('line 3').waitFor();
    expect(await button(page, /^Load/).isDisabled()).toBe(true);
    await tabTo(page, /Skip these rows/);
    await keyboard.press('Enter');
    await button(page, 'Load 1 row').waitFor();
    expect(new URL(page.url()).searchParams.get('on_error')).toBe('skip');
    await expectCounts(page, { Rejected: '2' });
    await tabTo(page, /Load 1 row/);
    await keyboard.press('Enter');
    await page.getByText('errors.csv was loaded').waitFor();
    expect((await read(3))?.['name']).toBe('C');
    expect((await read(1))?.['name']).toBe('Oak Chair');
    await tabTo(page, /Import another file/);
    await keyboard.press('Enter');
    await button(page, 'Choose a file').waitFor();
    await endVisit(visit, /422/);
  });

  test('columns get fields, a question is answered, and the answer can be changed', async () => {
    const { page, visit, read } = await openProducts('/products/import');
    await button(page, 'Choose a file').waitFor();
    await chooseFile('preise.csv', 'Nr;Bezeichnung;Preis;Notiz\n1;Stuhl;1.299;neu\n2;Tisch;2.450;\n')(page);
    await page.getByText('4 columns are not fields').waitFor();
    const fieldFor = (column: string) => page.getByLabel(`Field for ${column}`, { exact: true });
    await fieldFor('Nr').selectOption('id');
    await fieldFor('Bezeichnung').selectOption('name');
    await fieldFor('Preis').selectOption('list_price');
    await page.getByText('1 column is not a field').waitFor();
    await button(page, 'Ignore it').click();
    await page.getByText(/^Is '1\.299' in Preis|^Is '1\.299' in list_price/).waitFor();
    await page.locator('label', { hasText: 'decimal point' }).click();
    await page.getByRole('cell', { name: '1.299', exact: true }).waitFor();
    await page.locator('label', { hasText: 'decimal comma' }).click();
    await page.getByRole('cell', { name: '1,299.00', exact: true }).waitFor();
    const { searchParams } = new URL(page.url());
    expect([searchParams.get('decimal'), searchParams.getAll('map')]).toEqual([
      ',',
      ['Nr:id', 'Bezeichnung:name', 'Preis:list_price'],
    ]);
    await page.getByRole('definition').filter({ hasText: 'semicolon' }).waitFor();
    await button(page, 'Load 2 rows').click();
    await page.getByText('preise.csv was loaded').waitFor();
    expect((await read(1))?.['list_price']).toBe(1299);
    expect((await read(2))?.['name']).toBe('Tisch');
    await endVisit(visit, /422/);
  });

  test('rows that would be added twice are a question, and both answers can be given', async () => {
    const { page, visit } = await openProducts('/products/import');
    await button(page, 'Choose a file').waitFor();
    await chooseFile('new.csv', 'default_code,name\nDOUBLE-1,Stool\n')(page);
    await button(page, 'Load 1 row').click();
    await page.getByText('new.csv was loaded').waitFor();
    await page.goto(new URL('/products/import', page.url()).href);
    await button(page, 'Choose a file').waitFor();
    await chooseFile('again.csv', 'default_code,name\nDOUBLE-1,Chair\n')(page);
    await page.getByText('1 of the 1 new rows has the default_code of a product that exists').waitFor();
    await page.locator('label', { hasText: 'changes the products with the same default_code' }).click();
    await expectCounts(page, { Created: '0', Updated: '1' });
    expect(new URL(page.url()).searchParams.get('key')).toBe('default_code');
    await page.locator('label', { hasText: 'adds it once more' }).click();
    await expectCounts(page, { Created: '1', Updated: '0' });
    expect([...new URL(page.url()).searchParams]).toEqual([['add', 'true']]);
    await endVisit(visit, /422/);
  });

  test('rows that are rejected are downloaded as a file', async () => {
    const { page, visit } = await openProducts('/products/import');
    await button(page, 'Choose a file').waitFor();
    await chooseFile('list.csv', 'id,name,list_price\n1,A,much\n2,B,5\n3,C,more\n')(page);
    await button(page, 'Download the rejected rows').waitFor();
    await page.evaluate('delete window.showSaveFilePicker');
    const downloading = page.waitForEvent('download');
    await button(page, 'Download the rejected rows').click();
    const download = await downloading;
    expect(download.suggestedFilename()).toBe('list-rejected.csv');
    const csv = await readFile(await download.path(), 'utf8');
    expect(csv).toContain('1,A,much');
    expect(csv).toContain('3,C,more');
    expect(csv).not.toContain('2,B,5');
    await endVisit(visit, /422/);
  });

  test('removing more than a tenth has to be confirmed, for the settings that were asked about', async () => {
    const { page, visit, read } = await openProducts('/products/import');
    await button(page, 'Choose a file').waitFor();
    await chooseFile('some.csv', 'id,name\n1,Oak Chair\n2,Desk\n')(page);
    await expectCounts(page, { Removed: '0' });
    await page.locator('label', { hasText: 'Remove records that are not in the file' }).click();
    await page.getByText(/would remove \d+ of \d+ products, more than a tenth/).waitFor();
    const loads = button(page, /^Load/);
    expect(await loads.isDisabled()).toBe(true);
    expect(await page.getByRole('checkbox', { name: 'Skip rows with errors' }).isDisabled()).toBe(true);
    await page.locator('label', { hasText: 'Yes, remove them' }).click();
    await expect.poll(() => loads.isDisabled()).toBe(false);
    // Other settings are another question.
    await page.getByLabel('Match rows to records by').selectOption('name');
    await expect.poll(() => loads.isDisabled()).toBe(true);
    await page.getByLabel('Match rows to records by').selectOption('');
    await expect.poll(() => page.getByRole('checkbox', { name: 'Yes, remove them' }).isChecked()).toBe(true);
    await expect.poll(() => loads.isDisabled()).toBe(false);
    await loads.click();
    await page.getByText('some.csv was loaded').waitFor();
    expect([(await read(2)) !== undefined, await read(3)]).toEqual([true, undefined]);
    await endVisit(visit, /4\d\d/);
  });

  testOnce('what cannot be imported is refused with a reason, and changes nothing', async () => {
    const { page, visit } = await openProducts('/products');
    await rows(page);
    const csv = fileNamed('a.csv', 'id\n1\n');
    mkdirSync(join(folder, 'exports'), { recursive: true });
    await drop(page, fileNamed('chair.png', Buffer.from([0x89, 0x50, 0x4e, 0x47])));
    await page.getByText('“chair.png” is a picture').waitFor();
    await drop(page, join(folder, 'exports'));
    await page.getByText('“exports” is a folder').waitFor();
    await drop(page, csv, fileNamed('b.csv', 'id\n2\n'));
    await page.getByText('These are 2 files').waitFor();
    await drop(page, fileNamed('empty.csv', ''));
    await page.getByText('“empty.csv” is empty').waitFor();
    await drop(page, csv);
    await page.getByRole('heading', { name: 'a.csv' }).waitFor();
    await endVisit(visit);
  });

  testOnce('without the scope, nothing of it is shown', async () => {
    const { page, visit } = await openProducts('/products', ['read', 'write', 'company:edit']);
    await rows(page);
    expect(await page.getByRole('link', { name: 'Import…' }).count()).toBe(0);
    await page.getByRole('link', { name: 'Companies' }).click();
    await page.getByRole('link', { name: 'Import…' }).first().click();
    await button(page, 'Choose a file').waitFor();
    await page.goto(`${app.origin}/products/import`);
    await page.getByRole('heading', { name: 'This key may not import products' }).waitFor();
    await endVisit(visit);
    const reader = await openProducts('/products', ['read']);
    await rows(reader.page);
    expect(await reader.page.getByRole('link', { name: 'Imports' }).count()).toBe(0);
    await endVisit(reader.visit);
  });

  testOnce('a file that has changed since it was chosen is not sent', async () => {
    const { page, visit } = await openProducts('/products');
    await rows(page);
    const path = fileNamed('changing.csv', 'id,name\n1,Chair\n');
    await drop(page, path);
    await button(page, 'Load 1 row').waitFor();
    writeFileSync(path, 'id,name\n1,Chair\n2,Desk\n');
    // Browsers compare times to the second.
    const later = Date.now() / 1_000 + 60;
    utimesSync(path, later, later);
    await button(page, 'Load 1 row').click();
    await page.getByText('The file has changed since it was chosen').waitFor();
    await endVisit(visit, /ERR_UPLOAD_FILE_CHANGED/);
  });

  testOnce('100 MB do not stop the page, and what is not asked any more is aborted', async () => {
    const { page, visit } = await openProducts('/products/import?map=filler:');
    const filler = 'x'.repeat(1_000_000);
    const lines = ['id,name,filler', ...Array.from({ length: 100 }, (_, n) => `${n + 1_000},Chair ${n},${filler}`)];
    const path = fileNamed('large.csv', lines.join('\n'));
    await button(page, 'Choose a file').waitFor();
    await page.evaluate(`
      window.longest = 0;
      new PerformanceObserver((list) => {
        for (const { duration } of list.getEntries()) window.longest = Math.max(window.longest, duration);
      }).observe({ type: 'longtask' });
    `);
    const aborted: string[] = [];
    page.on('requestfailed', (request) => aborted.push(`${request.method()} ${request.failure()?.errorText}`));
    const throttle = await throttled(page);
    await throttle(5_000_000);
    await page.locator('input[type=file]').setInputFiles(path);
    await page.getByText('Sending…').first().waitFor();
    const key = page.getByLabel('Match rows to records by');
    for (const field of ['name', 'default_code', '']) await key.selectOption(field);
    await throttle(-1);
    await button(page, 'Load 100 rows').waitFor();
    expect(aborted.length).toBeGreaterThan(0);
    expect(new Set(aborted)).toEqual(new Set(['POST net::ERR_ABORTED']));
    // Generous: the machine may be busy.
    expect(await page.evaluate<number>('window.longest')).toBeLessThan(1_000);
    await endVisit(visit, /4\d\d/);
  });

  testOnce('leaving during an upload warns, other views do not end it, and it can be cancelled', async () => {
    const { page, visit, read, headers } = await openProducts('/products/import?map=filler:');
    const path = fileNamed('slow.csv', `id,name,filler\n${`1,Renamed,${'x'.repeat(900_000)}\n`}`);
    await button(page, 'Choose a file').waitFor();
    await page.locator('input[type=file]').setInputFiles(path);
    await button(page, 'Load 1 row').waitFor();
    const throttle = await throttled(page);
    await throttle(10_000);
    await button(page, 'Load 1 row').click();
    await page.getByRole('progressbar').waitFor();
    const asked = page.waitForEvent('dialog');
    await page.close({ runBeforeUnload: true });
    const question = await asked;
    expect(question.type()).toBe('beforeunload');
    await question.dismiss();
    await page.getByRole('link', { name: 'Products' }).first().click();
    await page.getByRole('link', { name: /^Imports \d+%/ }).waitFor();
    await page.getByRole('link', { name: 'Import…' }).click();
    await button(page, 'Cancel').click();
    await page.getByText('The import was cancelled').waitFor();
    await throttle(-1);
    // The list shows it as failed.
    const listed = async () => Object(await app.service.send({ path: '/api/v1/imports', headers })).json.data[0];
    await expect.poll(listed).toMatchObject({
      state: 'failed',
      problem: { detail: 'The request ended before all of it had arrived.' },
    });
    expect((await read(1))?.['name']).not.toBe('Renamed');
    await button(page, 'Back to the file').click();
    await button(page, 'Load 1 row').click();
    await page.getByText('slow.csv was loaded').waitFor();
    expect((await read(1))?.['name']).toBe('Renamed');
    await endVisit(visit);
  });

  test('sources are listed with how current they are, and what fails', async () => {
    const { page, visit, headers } = await openProducts('/imports');
    await page.getByText('Nothing was imported in the last 30 days').waitFor();
    expect(await page.getByRole('region', { name: 'Sources' }).count()).toBe(0);
    const json = { ...headers, 'content-type': 'application/json' };
    const { send } = app.service;
    await send({
      method: 'POST',
      path: `${PRODUCTS}/import?source=odoo%2Fproduct&position=1`,
      headers: json,
      body: '[]',
    });
    await page.reload();
    await page.getByRole('row', { name: /^odoo\/product product – – now$/ }).waitFor();
    const report = (error: string | null) =>
      send({ method: 'PUT', path: '/api/v1/sources/odoo%2Fproduct', headers: json, body: JSON.stringify({ error }) });
    await report(null);
    await page.reload();
    await page.getByRole('row', { name: 'odoo/product product working now now' }).waitFor();
    // An open page notices as well.
    await report('Odoo cannot be reached.');
    await page.getByRole('row', { name: /failing \(since now\): Odoo cannot be reached\. now now/ }).waitFor();
    await endVisit(visit);
  });

  test('imports of others are listed while they run, and can be cancelled', async () => {
    const { page, visit, headers } = await openProducts('/imports');
    await page.getByText('Nothing was imported in the last 30 days').waitFor();
    // Its body is too large to be read before it is listed, and does not end.
    const sending = httpRequest(`${app.origin}${PRODUCTS}/import`, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/x-ndjson' },
    });
    sending.on('error', () => undefined);
    sending.write(`${JSON.stringify({ id: 1, name: 'Renamed' })}${'\n'.repeat(SMALL_BODY)}`);
    const responding = once(sending, 'response');
    const listed = async () => Object(await app.service.send({ path: '/api/v1/imports', headers })).json.data.length;
    await expect.poll(listed).toBe(1);
    await page.reload();
    await page.getByRole('row', { name: /product running/ }).waitFor();
    await page.getByRole('table').getByRole('link').click();
    await expect.poll(() => new URL(page.url()).searchParams.get('import')).not.toBe(null);
    await page.getByRole('progressbar').waitFor();
    await button(page, 'Cancel').click();
    await page.getByRole('complementary').getByText('cancelled', { exact: true }).waitFor();
    sending.end(`${JSON.stringify({ id: 2, name: 'Renamed' })}\n`);
    const [response] = await responding;
    expect(response.statusCode).toBe(409);
    response.resume();
    await page.keyboard.press('Escape');
    await expect.poll(() => page.url()).toBe(`${app.origin}/imports`);
    await page.goto(`${app.origin}/imports?import=none`);
    await page.getByText('There is no such import').waitFor();
    await endVisit(visit, /404/);
  });
});
