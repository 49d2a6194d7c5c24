/** The pages in a real browser. */

import type { Browser, BrowserContextOptions, Page, Response } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { product } from '../../src/catalog/product.ts';
import { launchBrowser } from '../support/browser.ts';
import { LONGEST_WAIT } from '../support/deadline.ts';
import { sqlite } from '../support/engines.ts';
import { bearer } from '../support/service.ts';
import { sharedService } from '../support/shared.ts';

const PRODUCTS = '/api/v1/inventory/product';

const service = sharedService(sqlite);
let browser: Browser;
let origin: string;
beforeAll(async () => {
  origin = `http://127.0.0.1:${service.port}`;
  browser = await launchBrowser();
});
afterAll(() => browser?.close());

interface Visit {
  readonly page: Page;
  /** The URLs that were requested. */
  readonly requested: readonly string[];
  /** What went wrong, including violations of the Content-Security-Policy. */
  readonly errors: readonly string[];
}

async function visit(path: string, options: BrowserContextOptions = {}): Promise<Visit> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...options });
  const page = await context.newPage();
  page.setDefaultTimeout(LONGEST_WAIT);
  const requested: string[] = [];
  const errors: string[] = [];
  page.on('request', (request) => requested.push(request.url()));
  page.on('requestfailed', (request) => errors.push(`${request.url()} failed`));
  page.on('pageerror', ({ message }) => errors.push(message));
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) errors.push(message.text());
  });
  await page.goto(origin + path);
  return { page, requested, errors };
}

function toOtherHosts(requested: readonly string[]): readonly string[] {
  return requested.filter((url) => !url.startsWith(`${origin}/`) && !url.startsWith('data:'));
}

describe('the reference', () => {
  const testButton = (page: Page) =>
    page.getByRole('button', { name: new RegExp(`^Test Request.*get ${PRODUCTS}\\)`) });

  test('shows operations, and sends a request with a pasted key', async () => {
    const { page, requested, errors } = await visit('/docs');
    await page.getByPlaceholder('Token').first().fill(service.key);
    await testButton(page).click();
    const dialog = page.getByRole('dialog');
    const [response] = await Promise.all([
      page.waitForResponse((candidate) => new URL(candidate.url()).pathname === PRODUCTS),
      dialog.getByRole('button', { name: /^Send/ }).first().click(),
    ]);
    expect(response.status()).toBe(200);
    expect(await response.request().headerValue('authorization')).toBe(`Bearer ${service.key}`);
    await dialog.getByText('200 OK').first().waitFor();
    await dialog.getByText('"data"').first().waitFor();

    expect(toOtherHosts(requested)).toEqual([]);
    expect(errors).toEqual([]);
    // The key is gone when the page is left.
    const stored = await page.evaluate('JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie])');
    expect(stored).not.toContain(service.key);
  });

  test('has the fields of operators for those who are signed in to the console', async () => {
    const { fields } = service.store;
    const field = { name: 'x_shelf', label: 'Shelf', type: 'text', meaning: 'where it is', initial: null } as const;
    await fields.add(await fields.catalog(), product, field);
    try {
      const { page } = await visit('/docs');
      // The first load has its description. Otherwise that would be the response that is waited for, and lost when the page is reloaded.
      await testButton(page).waitFor();
      const described = async () => {
        const isDescription = (candidate: Response) => candidate.url() === `${origin}/openapi.json`;
        const [response] = await Promise.all([page.waitForResponse(isDescription), page.reload()]);
        return response.text();
      };
      expect(await described()).not.toContain('x_shelf');
      const signIn = {
        method: 'POST',
        headers: { ...bearer(service.key), 'stockbook-console': 'http', 'content-type': 'application/json' },
        body: '{"remember":false}',
      };
      expect(await page.evaluate((init) => fetch('/api/v1/session', init).then(({ status }) => status), signIn)).toBe(
        204,
      );
      expect(await described()).toContain('x_shelf');
      await testButton(page).waitFor();
    } finally {
      await fields.remove(await fields.catalog(), product, field.name);
    }
  });

  test('shows what the API says about a wrong key', async () => {
    const { page } = await visit('/docs');
    await page.getByPlaceholder('Token').first().fill('sbk_wrong');
    await testButton(page).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: /^Send/ }).first().click();
    await dialog.getByText('credentials_malformed').first().waitFor();
  });

  test('somebody who opens a list by its address sees why not, and no dialog: the browser has no password to repeat', async () => {
    const credentials = { username: 'x', password: service.key };
    for (const options of [{}, { httpCredentials: credentials }]) {
      const context = await browser.newContext(options);
      const page = await context.newPage();
      const response = await page.goto(`${origin}${PRODUCTS}`);
      expect(response?.status()).toBe(401);
      expect(response?.headers()['www-authenticate']).toBe('Bearer realm="stockbook"');
      expect(await response?.request().headerValue('authorization')).toBeNull();
      const statuses = await page.evaluate(async (path) => {
        const replies = [fetch(path), fetch(path, { credentials: 'include' })];
        return (await Promise.all(replies)).map(({ status }) => status);
      }, PRODUCTS);
      expect(statuses).toEqual([401, 401]);
      await context.close();
    }
  });

  test('could not contact another host if it tried', async () => {
    const { page } = await visit('/docs');
    await page.evaluate(`
      violations = [];
      addEventListener('securitypolicyviolation', ({ effectiveDirective }) => violations.push(effectiveDirective));
      fetch('https://proxy.scalar.com/').catch(() => undefined);
      for (const tag of ['script', 'img', 'iframe']) {
        const element = document.createElement(tag);
        element.src = 'https://cdn.example/';
        document.body.append(element);
      }
    `);
    const blocked = ['connect-src', 'frame-src', 'img-src', 'script-src-elem'];
    await expect.poll(() => page.evaluate('violations')).toEqual(expect.arrayContaining(blocked));
  });
});

test('the list of guides leads to a guide, and its contents to a heading', async () => {
  const { page, requested, errors } = await visit('/docs/guides');
  await page.getByRole('link', { name: 'Filter language' }).click();
  await page.getByRole('link', { name: 'Grammar', exact: true }).click();
  await page.waitForURL('**/docs/guides/filter#grammar');
  expect(await page.locator('#grammar').isVisible()).toBe(true);
  expect(toOtherHosts(requested)).toEqual([]);
  expect(errors).toEqual([]);
});

test('the type of a problem is a readable page', async () => {
  const { page, errors } = await visit('/problems/unknown_field');
  expect(await page.getByRole('heading', { level: 1 }).textContent()).toBe('Unknown field');
  await page.getByRole('link', { name: 'All errors' }).click();
  await page.waitForURL('**/problems');
  expect(errors).toEqual([]);
});

test('no page is wider than a phone, and none violates its policy', async () => {
  const { page, errors } = await visit('/docs/guides', { viewport: { width: 360, height: 700 } });
  const links = await page.locator('main a[href^="/docs/"]').all();
  const paths = await Promise.all(links.map(async (link) => (await link.getAttribute('href')) ?? ''));
  expect(paths.length).toBeGreaterThan(5);
  for (const path of [...paths, '/problems', '/docs']) {
    await page.goto(origin + path);
    expect(await page.evaluate('document.documentElement.scrollWidth'), path).toBeLessThanOrEqual(360);
  }
  expect(errors).toEqual([]);
});

test.each([
  ['light', 'rgb(255, 255, 255)'],
  ['dark', 'rgb(21, 24, 27)'],
] as const)('pages follow the %s color scheme of the system', async (colorScheme, color) => {
  const { page } = await visit('/docs/guides/api', { colorScheme });
  expect(await page.evaluate('getComputedStyle(document.body).backgroundColor')).toBe(color);
});
