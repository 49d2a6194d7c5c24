/** What is shown when there are no records: why, and what to do about it. And whether everybody can use it. */

import axe from 'axe-core';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startConsole, type TestConsole } from '../support/console.ts';
import { engines, sqlite } from '../support/engines.ts';
import { NOW } from '../support/fixture.ts';
import { keyId, type TestService } from '../support/service.ts';

async function violations(page: Page): Promise<readonly string[]> {
  // Colors are wrong while they change.
  await page.evaluate('Promise.all(document.getAnimations().map((animation) => animation.finished))');
  await page.evaluate(axe.source);
  // The buttons with which screen readers close a popover are outside of its dialog.
  const found: axe.AxeResults = await page.evaluate('axe.run({ rules: { region: { enabled: false } } })');
  return found.violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`);
}

describe.each(engines)('on $name', (engine) => {
  let console: TestConsole;
  let service: TestService;
  beforeAll(async () => {
    console = await startConsole(engine);
    service = console.service;
  });
  afterAll(() => console?.close());

  test('an account without records, and a list that cannot be loaded while offline', async () => {
    const key = await service.issue(service.globex);
    const { page, close } = await console.open('/companies', { key });
    await page.getByRole('heading', { name: 'There are no companies yet' }).waitFor();
    await page.getByText('stockbook import globex company companies.csv').waitFor();
    await page.context().setOffline(true);
    await page.getByRole('link', { name: 'Partners' }).click();
    await page.getByText('You are offline.').waitFor();
    await page.context().setOffline(false);
    await page.getByRole('row', { name: /^900 Globex Partner/ }).waitFor();
    await close();
  });

  test('while other records are loaded, nothing is said about them yet', async () => {
    const { page, close } = await console.open('/products?filter=name*zzzz&panel=none');
    await page.getByRole('heading', { name: 'No products match the filter' }).waitFor();
    let release = () => {};
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    const asked = page.waitForRequest((request) => request.url().includes('/resources/product?'));
    await page.route('**/resources/product?*', async (route) => {
      await released;
      await route.continue();
    });
    await page.getByRole('button', { name: 'Clear the filter' }).last().click();
    await asked;
    await expect.poll(() => page.url()).not.toContain('filter=');
    expect(await page.getByText('There are no products yet').count()).toBe(0);
    release();
    await page.getByRole('row', { name: /^1 Oak Chair/ }).waitFor();
    await close();
  });

  test('a key that is revoked ends the session, and says why', async () => {
    const key = await service.issue(service.acme);
    const { page, close } = await console.open('/products?panel=none', { key });
    await page.getByRole('row', { name: /^1 Oak Chair/ }).waitFor();
    await service.store.keys.revoke(keyId(key), NOW);
    await page.getByRole('button', { name: 'list_price' }).first().click();
    await page.getByRole('button', { name: 'Sign in' }).waitFor();
    await page.getByText(/revoked/).waitFor();
    expect(await page.evaluate("sessionStorage.getItem('stockbook-key')")).toBe(null);
    await close();
  });

  test('too many requests: it says so, waits as long as it is asked to, and goes on', async () => {
    let now = 0;
    // One to sign in, and one for the list.
    const limited = await startConsole(engine, { rateLimit: 2, now: () => now });
    const path = '/companies?panel=none';
    const { page, close } = await limited.open(path);
    await page.getByRole('row', { name: /^1 Northwind/ }).waitFor();
    await page.getByRole('button', { name: 'name', exact: true }).click();
    await page.getByText('Too many requests.').waitFor();
    await page.getByText(/^Trying again (in 1 s\.|…)$/).waitFor();
    now = 10_000;
    await expect.poll(() => page.getByText('Too many requests.').count()).toBe(0);
    expect(await page.getByRole('columnheader', { name: 'name' }).getAttribute('aria-sort')).toBe('ascending');
    await close();
    await limited.close();
  });
});

// What the page looks like does not depend on the engine.
describe('accessibility', () => {
  let console: TestConsole;
  beforeAll(async () => {
    console = await startConsole(sqlite);
  });
  afterAll(() => console?.close());

  test.each(['light', 'dark'] as const)('no barriers in the %s theme', async (colorScheme) => {
    const { page, close } = await console.open('/partners?sort=-name&panel=none', { colorScheme });
    await page.getByRole('row', { name: /^1 Azure Interior/ }).waitFor();
    expect(await violations(page)).toEqual([]);
    for (const name of ['New partner', 'Columns', 'Export']) {
      await page.getByRole('button', { name }).click();
      await page.getByRole('dialog', { name }).getByRole('button').last().waitFor();
      expect(await violations(page)).toEqual([]);
      await page.keyboard.press('Escape');
    }
    await page.getByRole('row', { name: /^1 Azure Interior/ }).click();
    await page.getByRole('heading', { name: 'Azure Interior' }).waitFor();
    expect(await violations(page)).toEqual([]);
    await close();
  });
});
