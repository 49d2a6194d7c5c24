/** What differs in browsers: their streams, their signals, and how their connections end. */

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { partner } from '../../src/catalog/partner.ts';
import { aboveStore } from '../support/above-store.ts';
import { startBrowser, type TestBrowser } from '../support/browser.ts';
import { bundle } from '../support/bundle.ts';
import { addAccount, load } from '../support/fixture.ts';
import { startTruncatingProxy } from '../support/proxy.ts';
import { startService } from '../support/service.ts';
import { sharedFolder, sharedService } from '../support/shared.ts';

const ROWS = 3_000;

let browser: TestBrowser;
const folder = sharedFolder();
beforeAll(async () => {
  browser = await startBrowser();
});
afterAll(() => browser.close());

/** What a program prints that runs in a page of this origin: an empty one, or the one `at` a URL. */
async function printed(origin: string, key: string, program: string, at?: string): Promise<readonly string[]> {
  const path = join(folder.path, 'program.ts');
  const client =
    "import { Stockbook } from '@stockbook/client';\nconst stockbook = new Stockbook({ url: location.origin, key: KEY });\n";
  writeFileSync(path, client + program);
  const page = await browser.open(origin);
  try {
    if (at !== undefined) await page.goto(at);
    return await page.run(await bundle(path, { KEY: JSON.stringify(key) }));
  } finally {
    await page.close();
  }
}

describe.each(aboveStore)('on $name', (engine) => {
  let origin: string;
  let key: string;
  const service = sharedService(engine);
  beforeAll(async () => {
    origin = `http://127.0.0.1:${service.port}`;
    key = await service.issue(service.globex);
    const rows = Array.from({ length: ROWS }, (_, n) => ({ id: n + 1, name: `Partner ${n + 1} 😀` }));
    await load(service.store, service.globex, partner, rows);
  });

  test('streams have all records', async () => {
    const program = `
      let rows = 0;
      for await (const { name } of stockbook.partners.stream({ fields: ['name'] })) if (name.endsWith('😀')) rows += 1;
      const parts = [];
      for await (const part of stockbook.partners.csv({ fields: ['id'] })) parts.push(part);
      const lines = (await new Blob(parts).text()).trimEnd().split('\\r\\n');
      console.log(rows, lines.length - 1);
    `;
    expect(await printed(origin, key, program)).toEqual([`${ROWS} ${ROWS}`]);
  });

  test('rows are imported, however many, and whatever they are', async () => {
    const account = await addAccount(service.store, 'importing');
    const editKey = await service.issue(account, { scopes: ['read', 'edit'] });
    const program = `
      const { products, imports } = stockbook;
      const rows = Array.from({ length: 8_000 }, (_, n) => ({ id: n + 1, name: 'Product ' + n + ' 😀'.repeat(9) }));
      const each = async function* () { yield* rows; };
      let last;
      const onProgress = (progress) => { last = progress; };
      console.log((await products.import(each(), { onProgress })).created, last.rows);
      console.log((await products.import(each(), { gzip: true })).unchanged);
      const lines = rows.map((row) => JSON.stringify(row) + '\\n');
      const file = new File(lines, 'rows.ndjson');
      console.log((await products.import(file, { onProgress })).unchanged, last.bytes === file.size, last.totalBytes === file.size);
      console.log((await products.import(file.stream(), { format: 'ndjson' })).unchanged);
      console.log((await products.import(file.slice(0, new Blob(lines.slice(0, 5)).size), { format: 'ndjson' })).unchanged);
      const read = await products.getTagged(1);
      const { data, etag } = await products.update(1, { list_price: 5 }, { ifMatch: read.etag });
      await products.update(1, { list_price: 6 }, { ifMatch: read.etag }).catch((error) => console.log(error.code, error.etag === etag));
      await products.remove(1, { ifMatch: etag });
      console.log(data.list_price, (await products.list({ limit: 1 })).meta.total, (await imports.list()).length);
    `;
    expect(await printed(origin, editKey, program)).toEqual([
      '8000 8000',
      '8000',
      '8000 true true',
      '8000',
      '5',
      'record_changed true',
      '5 7999 5',
    ]);
  });

  test('a page of another origin can use the service, if that is allowed', async () => {
    const open = await startService(engine, { settings: { 'cors-origins': '*' } });
    const program = `
      const other = new Stockbook({ url: 'http://127.0.0.1:${open.port}', key: KEY });
      const id = await other.partners.create({ name: 'Azure Interior' });
      const names = Array.from({ length: 900 }, (_, n) => 'name-' + n);
      const { meta, etag } = await other.partners.list({ filter: other.partners.where('name', '[]', [...names, 'Azure Interior']) });
      const parts = [];
      for await (const part of other.partners.csv({ fields: ['id'], filter: 'id=' + id })) parts.push(part);
      console.log(meta.total, etag !== undefined, parts.length > 0);
      const read = await other.partners.getTagged(id);
      await other.partners.update(id, { city: 'Berlin' }, { ifMatch: read.etag });
      await other.partners.remove(id);
      console.log((await other.partners.import([{ id, name: 'Azure Interior' }], { gzip: true, wait: false }).then((started) => started.done())).created);
      try {
        await other.products.list({ filter: 'nane=1' });
      } catch (error) {
        console.log(error.code, error.requestId !== undefined);
      }
    `;
    const key = await open.issue(open.globex, { scopes: ['read', 'write', 'edit'] });
    // Another port is another origin. Chromium lets pages use this machine only if they come from it.
    const lines = await printed(origin, key, program, `http://127.0.0.1:${service.adminPort}/health/live`);
    expect(lines).toEqual(['1 true true', '1', 'unknown_field true']);
    await open.close();
  });

  test('a stream that is truncated is an error', async () => {
    const proxy = await startTruncatingProxy(service.port, 10);
    const program = `
      let rows = 0;
      try {
        for await (const record of stockbook.partners.stream()) rows += 1;
      } catch (error) {
        console.log(rows, error.code);
      }
    `;
    expect(await printed(proxy.url, key, program)).toEqual(['10 incomplete_stream']);
    await proxy.close();
  });

  test('leaving a stream, and aborting a feed that waits, ends them', async () => {
    const program = `
      for await (const record of stockbook.partners.stream()) break;
      const controller = new AbortController();
      try {
        for await (const { more } of stockbook.partners.changes({ signal: controller.signal }))
          if (!more) setTimeout(() => controller.abort(new Error('enough')));
      } catch (error) {
        console.log(error.message);
      }
    `;
    expect(await printed(origin, key, program)).toEqual(['enough']);
  });

  test('a service that is gone is an error', async () => {
    const program = `
      const gone = new (stockbook.constructor)({ url: 'http://127.0.0.1:1', retries: 1 });
      await gone.partners.list().catch((error) => console.log(error.code, error.isTemporary));
    `;
    expect(await printed(origin, key, program)).toEqual(['connection_failed true']);
  });
});
