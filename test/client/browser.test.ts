/** What differs in browsers: their streams, their signals, and how their connections end. */

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { partner } from '../../src/catalog/partner.ts';
import { startBrowser, type TestBrowser } from '../support/browser.ts';
import { bundle } from '../support/bundle.ts';
import { engines } from '../support/engines.ts';
import { load } from '../support/fixture.ts';
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

describe.each(engines)('on $name', (engine) => {
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

  test('a page of another origin can use the service, if that is allowed', async () => {
    const open = await startService(engine, { corsOrigins: '*' });
    const program = `
      const other = new Stockbook({ url: 'http://127.0.0.1:${open.port}', key: KEY });
      const id = await other.partners.create({ name: 'Azure Interior' });
      const names = Array.from({ length: 900 }, (_, n) => 'name-' + n);
      const { meta, etag } = await other.partners.list({ filter: other.partners.where('name', '[]', [...names, 'Azure Interior']) });
      const parts = [];
      for await (const part of other.partners.csv({ fields: ['id'], filter: 'id=' + id })) parts.push(part);
      console.log(meta.total, etag !== undefined, parts.length > 0);
      try {
        await other.products.list({ filter: 'nane=1' });
      } catch (error) {
        console.log(error.code, error.requestId !== undefined);
      }
    `;
    const key = await open.issue(open.globex);
    // Another port is another origin. Chromium lets pages use this machine only if they come from it.
    const lines = await printed(origin, key, program, `http://127.0.0.1:${service.adminPort}/health/live`);
    expect(lines).toEqual(['1 true true', 'unknown_field true']);
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
