/** The page as a whole: what holds on every view of it. */

import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { issueSignInCode } from '../../src/access/sign-in.ts';
import { product } from '../../src/catalog/product.ts';
import { violations } from '../support/axe.ts';
import { startConsole, type TestConsole, tabTo } from '../support/console.ts';
import { oneEngine, sqlite } from '../support/engines.ts';
import { load } from '../support/fixture.ts';
import { endVisit, openView, rows, VIEWS } from './views.ts';

/** Windows of desktops, laptops, a small one, a tablet and a phone. Below 960 pixels the page itself scrolls. */
const SIZES = [
  { width: 1440, height: 900 },
  { width: 1280, height: 720 },
  { width: 1024, height: 600 },
  { width: 820, height: 1180 },
  // A window of 1280 pixels at 200 %.
  { width: 640, height: 400 },
  { width: 390, height: 844 },
  { width: 320, height: 568 },
] as const;

/** Empty if the page is as large as what it shows: nothing that cannot be seen makes it larger. */
const OVERFLOW = `(() => {
  const { scrollWidth, scrollHeight } = document.documentElement;
  const shown = document.getElementById('root').firstElementChild.getBoundingClientRect();
  const height = innerWidth < 960 ? Math.max(innerHeight, Math.round(shown.height)) : innerHeight;
  const sizes = [[scrollWidth, scrollHeight], [innerWidth, height]].map((size) => size.join(' x '));
  return sizes[0] === sizes[1] ? '' : sizes.join(' instead of ');
})()`;

async function expectNoOverflow(page: Page): Promise<void> {
  for (const size of SIZES) {
    await page.setViewportSize(size);
    await expect.poll(() => page.evaluate(OVERFLOW)).toBe('');
  }
}

const HOSTILE = [
  '<img src=x onerror="alert(1)"><script>alert(2)</script>',
  '{{constructor.constructor("alert(3)")()}}',
  '\u202Egnp.exe',
  'javascript:alert(4)',
];

/** What shows that it has the focus, or that something in it has: the element with the focus, and those around it. */
const RINGS = `(() => {
  const rings = [];
  for (let element = document.activeElement; element !== null; element = element.parentElement) {
    const isMarked = element.matches(':focus-visible, [data-focus-visible], [data-focused]');
    // Inputs that cannot be seen, within a pixel, are in labels that can.
    const isSeen = element.parentElement?.getBoundingClientRect().width > 1;
    if (isMarked && isSeen && getComputedStyle(element).boxShadow !== 'none') rings.push(element.className);
  }
  return rings;
})()`;

describe('every view', () => {
  let app: TestConsole;
  beforeAll(async () => {
    app = await startConsole(sqlite);
  });
  afterAll(() => app.close());

  test.each(VIEWS)(
    '$name: accessible in light and dark, in windows of all sizes, and within its policy',
    async (view) => {
      const visit = await openView(app, view);
      const { page } = visit;
      expect(await violations(page)).toEqual([]);
      await expectNoOverflow(page);
      await endVisit(visit, view.logs);
    },
  );

  test('one thing at a time has a focus ring, in groups as well', async () => {
    const { page, close } = await app.open(
      '/products?filter=active=true%26(list_price>5|name*a)%26is_rsd_product=null&panel=code',
    );
    await rows(page);
    const rings = () => page.evaluate<string[]>(RINGS);
    const seen = new Set<string>();
    const press = async (key: string, times: number) => {
      for (let presses = 0; presses < times; presses += 1) {
        await page.keyboard.press(key);
        const [ring = '', ...others] = await rings();
        expect(others).toEqual([]);
        seen.add(ring);
      }
    };
    await page.getByRole('button', { name: 'Group actions' }).focus();
    await press('ArrowLeft', 6);
    await press('Tab', 30);
    for (const button of [/^Active is/, /^Columns/, /^Export/]) {
      await page.getByRole('button', { name: button }).first().press('Enter');
      await page.getByRole('dialog').waitFor();
      await press('Tab', 5);
      await page.keyboard.press('Escape');
      await page.getByRole('dialog').waitFor({ state: 'detached' });
    }
    for (const part of ['condition-chip-button', 'side-panel-tab', 'choice-option', 'record-row'])
      expect(seen).toContain(part);
    await close();
  });
});

describe.each(oneEngine)('on $name', (engine) => {
  let app: TestConsole;
  beforeAll(async () => {
    app = await startConsole(engine);
    const { service } = app;
    await load(
      service.store,
      service.acme,
      product,
      HOSTILE.map((name, index) => ({ id: 9_000 + index, name, default_code: 'hostile' })),
    );
  });
  afterAll(() => app.close());

  test('is usable on a phone: nothing is wider than the screen, and nothing is missing', async () => {
    const visit = await app.open('/products?filter=active=true', {
      viewport: { width: 360, height: 740 },
      hasTouch: true,
    });
    await rows(visit.page);
    expect(await visit.page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(360);
    const docs = visit.page.getByRole('link', { name: 'Docs' });
    expect(await docs.count()).toBe(0);
    await visit.page.getByRole('button', { name: /^Account/ }).click();
    await docs.click();
    await visit.page.getByRole('heading', { level: 1 }).first().waitFor();
    expect(new URL(visit.page.url()).pathname).toBe('/docs');
    await endVisit(visit);
  });

  test('signs in with a key, which is neither in the URL nor anywhere a script could find it', async () => {
    const visit = await app.open('/products?filter=active=true', { key: null });
    const { page } = visit;
    await page.getByLabel('API key').fill('sbk_wrong');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByText('not a complete key').waitFor();
    await page.getByLabel('API key').fill(app.service.key);
    await page.keyboard.press('Enter');
    await rows(page);
    expect(page.url()).toBe(`${app.origin}/products?filter=active=true`);
    const stored = await page.evaluate('JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie])');
    expect(stored).not.toContain('sbk_');
    await page.reload();
    await rows(page);
    await page.getByRole('button', { name: /^Account/ }).click();
    await page.getByText('see products, partners, and companies').waitFor();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByLabel('API key').waitFor();
    expect(await page.context().cookies()).toEqual([]);
    await visit.close();
    expect(visit.foreign).toEqual([]);
  });

  test('a service that does not respond does not sign anybody out', async () => {
    const visit = await app.open('/partners');
    const { page } = visit;
    await rows(page);
    await page.route('**/api/v1/me', (route) => route.abort());
    await page.reload();
    await page.getByRole('heading', { name: 'The service does not respond' }).waitFor();
    await page.unroute('**/api/v1/me');
    await page.getByRole('button', { name: 'Try again' }).click();
    await rows(page);
    await visit.close();
  });

  test('a part that cannot be loaded says so, and the rest stays', async () => {
    const visit = await app.open('/docs/guides');
    const { page } = visit;
    // As after an update of the service, which has other files.
    await page.route('**/console/assets/later-*.js', (route) => route.fulfill({ status: 404 }));
    await page.goto(`${app.origin}/products`);
    await rows(page);
    await page.getByRole('tab', { name: 'Code' }).click();
    await page.getByRole('heading', { name: 'could not be shown' }).first().waitFor();
    await rows(page);
    await page.unroute('**/console/assets/later-*.js');
    await page.getByRole('button', { name: 'Reload' }).first().click();
    await page.getByRole('button', { name: 'Columns' }).click();
    await page.getByRole('dialog', { name: 'Columns' }).waitFor();
    await visit.close();
  });

  test('a link with a code signs in, once', async () => {
    const code = await issueSignInCode(app.service.store.keys, app.service.acme.id, Date.now());
    const first = await app.open(`/partners#code=${code}`, { key: null });
    await first.page.getByRole('button', { name: 'Sign in' }).click();
    await rows(first.page);
    expect(first.page.url()).toBe(`${app.origin}/partners`);
    const second = await app.open(`/partners#code=${code}`, { key: null });
    await second.page.getByRole('button', { name: 'Sign in' }).click();
    await second.page.getByLabel('API key').waitFor();
    await second.page
      .getByText(/used|expired/)
      .first()
      .waitFor();
    await second.close();
    // Somebody who is signed in is asked first: anybody can send a link.
    const { page } = first;
    const other = await issueSignInCode(app.service.store.keys, app.service.globex.id, Date.now());
    const account = async () => page.getByRole('button', { name: /^Account/ }).getAttribute('aria-label');
    await page.goto(`${app.origin}/partners#code=${other}`);
    await page.getByRole('button', { name: 'Stay signed in' }).click();
    await rows(page);
    expect(await account()).toContain('acme');
    await page.goto(`${app.origin}/partners#code=${other}`);
    await page.getByRole('button', { name: 'Use the link' }).click();
    await rows(page);
    expect(await account()).toContain('globex');
    // A link that does not work leaves everything as it is.
    await page.goto(`${app.origin}/partners#code=${code}`);
    await page.getByRole('button', { name: 'Use the link' }).click();
    await page.getByText(/This sign-in link was used/).waitFor();
    await page.getByRole('button', { name: 'Stay signed in' }).click();
    await rows(page);
    expect(await account()).toContain('globex');
    await endVisit(first, /401/);
  });

  test('a shared URL shows the same view, and back and forward work', async () => {
    const path = '/products?filter=list_price>1&fields=name,list_price&sort=-list_price&limit=25&record=1&panel=code';
    const visit = await app.open(path);
    const { page } = visit;
    await page.getByRole('heading', { level: 2 }).first().waitFor();
    await rows(page);
    const headers = () => page.getByRole('columnheader').allTextContents();
    expect((await headers()).filter((text) => text.trim() !== '')).toEqual(['Name', 'Sales price']);
    await expect.poll(() => page.title()).toBe('Products, Sales price is more than 1 - Stockbook');
    const first = await page.getByRole('grid').getByRole('row').nth(1).textContent();
    await page.getByRole('link', { name: 'Companies' }).click();
    await expect.poll(() => page.url()).toContain('/companies');
    await page.goBack();
    await expect.poll(() => page.getByRole('grid').getByRole('row').nth(1).textContent()).toBe(first);
    await page.goForward();
    await expect.poll(() => page.url()).toContain('/companies');
    await endVisit(visit);
  });

  test('shows whatever a name contains as text', async () => {
    const visit = await app.open('/companies');
    const { page } = visit;
    // Before the first of these names is loaded.
    const alerts: string[] = [];
    page.on('dialog', async (shown) => {
      alerts.push(shown.message());
      await shown.dismiss();
    });
    await page.goto(`${app.origin}/products?filter=default_code=hostile&fields=name,default_code&panel=response`);
    for (const [index, name] of HOSTILE.entries()) {
      await page.getByRole('gridcell', { name, exact: true }).first().waitFor();
      await page.goto(`${app.origin}/products?filter=default_code=hostile&record=${9_000 + index}`);
      await page.getByRole('heading', { name, exact: true }).waitFor();
      await page.goBack();
    }
    expect(alerts).toEqual([]);
    expect(await page.locator('img[src="x"]').count()).toBe(0);
    await endVisit(visit);
  });

  test('with the keyboard alone: sign in, filter, read a record', async () => {
    const visit = await app.open('/', { key: null });
    const { page } = visit;
    const { keyboard } = page;
    await page.getByLabel('API key').waitFor();
    await keyboard.type(app.service.key);
    await keyboard.press('Enter');
    await rows(page);
    await tabTo(page, /Partners/);
    await keyboard.press('Enter');
    await expect.poll(() => page.url()).toContain('/partners');
    await rows(page);
    await tabTo(page, /Search partners/);
    await keyboard.type('is_company=true');
    await keyboard.press('ArrowDown');
    await keyboard.press('Enter');
    await expect.poll(() => new URL(page.url()).searchParams.get('filter')).toBe('is_company=true');
    await rows(page);
    await tabTo(page, /Azure Interior/);
    await keyboard.press('Enter');
    await page.getByRole('term').filter({ hasText: 'Name' }).waitFor();
    await keyboard.press('Escape');
    await expect.poll(() => page.url()).not.toContain('record=');
    await endVisit(visit);
  });
});
