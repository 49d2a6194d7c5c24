/** The examples, as somebody runs them who has installed the package. */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, test } from 'vitest';
import { product } from '../../src/catalog/product.ts';
import { Stockbook } from '../../src/client/index.ts';
import { aboveStore } from '../support/above-store.ts';
import { startBrowser } from '../support/browser.ts';
import { bundle } from '../support/bundle.ts';
import { addAccount, load, NOW, type RecordValues } from '../support/fixture.ts';
import { type Executed, execute, installClient } from '../support/package.ts';
import { sharedFolder, sharedService } from '../support/shared.ts';

const EXAMPLES = fileURLToPath(new URL('../../examples/', import.meta.url));

const folder = sharedFolder();
const pathOf = (name: string) => join(folder.path, name);
beforeAll(async () => {
  await installClient(folder.path);
  cpSync(EXAMPLES, folder.path, { recursive: true });
  writeFileSync(pathOf('package.json'), '{ "type": "module" }');
});

describe.each(aboveStore)('on $name', (engine) => {
  let url: string;
  const service = sharedService(engine);
  beforeAll(async () => {
    url = `http://127.0.0.1:${service.port}`;
  });

  test('the spreadsheet has the products to order', async () => {
    const file = pathOf(`${engine.name}.csv`);
    const { code, stderr } = await execute(folder.path, 'spreadsheet.ts', [url, file, '3'], service.key);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const text = readFileSync(file, 'utf8');
    expect(text.split('\r\n')[0]).toBe('\ufeff"Product code","Name","Quantity on hand","Sales price"');
    expect(text).toContain('"DSK-1","Steel Desk",0,420');
    expect(text).not.toContain('Oak Chair');
  });

  test('the warehouse has an equal copy, however often it is killed', async () => {
    const { products } = new Stockbook({ url, key: service.key });
    const rows = (count: number, price: number): RecordValues[] =>
      Array.from({ length: count }, (_, n) => ({ id: n + 1, name: `Product ${n + 1}`, list_price: price }));
    const replace = (records: readonly RecordValues[]) =>
      load(service.store, service.acme, product, records, { replace: true });
    await replace(rows(3_000, 1));
    const file = pathOf(`${engine.name}.db`);
    const env = { ...process.env, KEY: service.key };
    for (let kills = 1; kills <= 3; kills += 1) {
      const child = spawn(process.execPath, ['warehouse-sync.ts', url, file, '--follow'], { cwd: folder.path, env });
      // It prints a line for every page that it has applied.
      await once(child.stdout, 'data');
      await replace(rows(3_000 - 10 * kills, kills));
      child.kill('SIGKILL');
      await once(child, 'exit');
    }
    const { code, stdout, stderr } = await execute(folder.path, 'warehouse-sync.ts', [url, file], service.key);
    expect({ code, stderr, stdout }).toEqual({ code: 0, stderr: '', stdout: expect.stringContaining('proven equal') });
    const database = new DatabaseSync(file);
    const records = database.prepare('SELECT record FROM product ORDER BY id').all();
    database.close();
    const expected: unknown[] = [];
    for await (const record of products.stream()) expected.push(record);
    expect(records.map(({ record }) => JSON.parse(String(record)))).toEqual(expected);
    expect(expected).toHaveLength(2_970);
    await replace([{ id: 1, name: 'Chair', list_price: 5, categ_id: 1, write_date: NOW }]);
  });

  test('the branch has the products of the head office, however often the copy is killed', async () => {
    const office = await addAccount(service.store, `office-${engine.name}`);
    const branch = await addAccount(service.store, `branch-${engine.name}`);
    const [officeKey, branchKey] = [
      await service.issue(office),
      await service.issue(branch, { scopes: ['read', 'edit'] }),
    ];
    const env = { ...process.env, FROM_KEY: officeKey, TO_KEY: branchKey };
    const replace = (count: number, price: number) =>
      load(
        service.store,
        office,
        product,
        Array.from({ length: count }, (_, n) => ({ id: n + 1, name: `Product ${n + 1}`, list_price: price })),
        { replace: true },
      );
    await load(service.store, branch, product, [{ id: 9_999, name: 'Only in the branch' }]);
    await replace(3_000, 1);
    for (let kills = 1; kills <= 2; kills += 1) {
      const args = ['copy-products.ts', url, url, '--follow'];
      const child = spawn(process.execPath, args, { cwd: folder.path, env, stdio: ['ignore', 'pipe', 'inherit'] });
      await once(child.stdout, 'data');
      await replace(3_000 - 10 * kills, 1 + kills);
      child.kill('SIGKILL');
      await once(child, 'exit');
    }
    // The server may still be applying what the killed copy sent last, which moves the position under the next one.
    await expect.poll(() => spawnCopy(env)).toMatchObject({ code: 0 });
    await replace(2_970, 4);
    const outcomes = await Promise.all([spawnCopy(env), spawnCopy(env)]);
    expect(outcomes.map(({ stdout }) => stdout).join()).toContain('2970 products, equal');
    // The one that was late has changed nothing.
    for (const { code, stderr } of outcomes)
      expect({ code, stderr }).toBeOneOf([
        { code: 0, stderr: expect.any(String) },
        { code: expect.any(Number), stderr: expect.stringContaining('position_changed') },
      ]);
    const { products } = new Stockbook({ url, key: branchKey });
    expect(await products.get(9_999)).toBeUndefined();
    expect((await products.get(1))?.list_price).toBe(4);
    // So long ago that the feed does not go back.
    await replace(2_000, 9);
    await service.store.records.prune('9999-01-01T00:00:00.000Z');
    expect(await spawnCopy(env)).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/All products.*2000 products, equal/s),
    });
  });

  const spawnCopy = (env: NodeJS.ProcessEnv): Promise<Executed> =>
    execute(folder.path, 'copy-products.ts', [url, url], '', env);

  test('the shop finds products by text and category, page by page', async () => {
    const shop = pathOf(`dist-${engine.name}`);
    mkdirSync(shop);
    writeFileSync(join(shop, 'shop.js'), await bundle(join(EXAMPLES, 'web-shop', 'shop.ts')));
    cpSync(pathOf('web-shop/index.html'), join(shop, 'index.html'));
    const names = ['Oak Chair', 'Steel Chair', 'Desk <b>&amp;</b> "Chair"'];
    const rows = Array.from({ length: 45 }, (_, n) => ({
      id: n + 1,
      name: `${names[n % 3]} ${String(n).padStart(2, '0')}`,
      list_price: n,
      categ_id: n % 3,
    }));
    await load(service.store, service.acme, product, rows, { replace: true });
    const server = spawn(process.execPath, ['web-shop/server.ts', url, '0', shop], {
      cwd: folder.path,
      env: { ...process.env, KEY: service.key },
    });
    const browser = await startBrowser();
    try {
      const [text] = await once(server.stdout.setEncoding('utf8'), 'data');
      const address = /http:\S+/.exec(text)?.[0] ?? '';
      const page = await browser.open(address);
      await page.goto(address);
      const status = () => page.textContent('#status');
      const items = () => page.locator('#products li').allTextContents();
      await expect.poll(status).toBe('45 products');
      expect(await items()).toHaveLength(20);
      await page.click('#more button');
      await expect.poll(async () => (await items()).length).toBe(40);
      await page.fill('input', 'desk <b>&');
      await expect.poll(status).toBe('15 products');
      expect((await items())[0]).toBe('Desk <b>&amp;</b> "Chair" 02: 2.00');
      expect(await page.locator('option').allTextContents()).toEqual(['All categories (15)', 'Category 2 (15)']);
      await page.fill('input', '');
      await expect.poll(status).toBe('45 products');
      await page.selectOption('select', '1');
      await expect.poll(status).toBe('15 products');
      expect((await items())[0]).toBe('Steel Chair 01: 1.00');
      await page.fill('input', 'nothing of that kind');
      await expect.poll(status).toBe('Nothing found.');
      // What the shop does not need stays closed.
      expect((await fetch(`${address}/api/v1/resources/partner?limit=1`)).status).toBe(404);
    } finally {
      await browser.close();
      server.kill();
      await once(server, 'exit');
    }
  });
});
