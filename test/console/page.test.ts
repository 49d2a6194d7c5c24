/** The page as a whole: what holds on every view of it. */

import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { issueSignInCode } from '../../src/access/sign-in.ts';
import { product } from '../../src/catalog/product.ts';
import { violations } from '../support/axe.ts';
import { startConsole, type TestConsole, tabTo, type Visit } from '../support/console.ts';
import { engines, sqlite } from '../support/engines.ts';
import { load } from '../support/fixture.ts';

interface View {
  readonly name: string;
  readonly path: string;
  /** Whose records these are: acme's, unless it says otherwise. Null if nobody is signed in. */
  readonly account?: 'globex' | null;
  /** Opens what is not in the URL. */
  readonly open?: (page: Page) => Promise<unknown>;
  /** What the browser logs about requests that are meant to fail. */
  readonly logs?: RegExp;
  /** Shows that the view is complete. */
  readonly ready: (page: Page) => Promise<void>;
}

const rows = (page: Page) => page.getByRole('grid').getByRole('row').nth(1).waitFor();
const press = (name: string | RegExp) => (page: Page) => page.getByRole('button', { name }).first().click();
const sort = (page: Page) => page.getByRole('columnheader', { name: 'name' }).getByRole('button').first().click();
const shown = (page: Page, button: string) => page.getByRole('button', { name: button }).waitFor();
const dialog = (page: Page) => page.getByRole('dialog').waitFor();

const VIEWS: readonly View[] = [
  { name: 'sign-in', path: '/', account: null, ready: (page) => page.getByLabel('API key').waitFor() },
  { name: 'products', path: '/products', ready: rows },
  { name: 'a filter', path: '/partners?filter=name*a%26(is_company=true|city=Oslo)', ready: rows },
  {
    name: 'an invalid filter',
    path: '/products?filter=list_prize>1',
    ready: (page) => page.getByText('list_price').first().waitFor(),
  },
  {
    name: 'an invalid group',
    path: '/products?filter=active=true%26(categ_id=1|prize>5)',
    ready: (page) => page.getByText("product has no field 'prize'. The fields are").waitFor(),
  },
  {
    name: 'a filter with many conditions',
    path: `/companies?filter=${encodeURIComponent(Array.from({ length: 60 }, (_, n) => `id!=${n + 5_000}`).join('&'))}`,
    ready: rows,
  },
  {
    name: 'no matches',
    path: '/products?filter=name*zzzz%26active=true',
    ready: (page) => page.getByText('No products match').waitFor(),
  },
  {
    name: 'an account without records',
    path: '/companies',
    account: 'globex',
    ready: (page) => page.getByText('There are no companies yet').waitFor(),
  },
  {
    name: 'a page beyond the last',
    path: '/products?page=99',
    ready: (page) => page.getByText('There is no page 99').waitFor(),
  },
  {
    name: 'an error',
    path: '/companies',
    open: async (page) => {
      await page.route('**/resources/company?*', (route) =>
        route.continue({ url: `${route.request().url()}&limit=9999` }),
      );
      await sort(page);
    },
    logs: /400/,
    ready: (page) => page.getByRole('alert').getByRole('button', { name: 'Try again' }).waitFor(),
  },
  {
    name: 'records of before, while others cannot be loaded',
    path: '/companies',
    open: async (page) => {
      await page.route('**/resources/company?*', (route) => route.abort());
      await sort(page);
    },
    logs: /ERR_FAILED/,
    ready: (page) => page.getByText('The service does not respond.').waitFor(),
  },
  {
    name: 'records of before, while offline',
    path: '/companies',
    open: async (page) => {
      await page.context().setOffline(true);
      await sort(page);
    },
    logs: /ERR_INTERNET_DISCONNECTED/,
    ready: (page) => page.getByText('You are offline.').waitFor(),
  },
  {
    name: 'a range in the summary',
    path: '/products?filter=list_price>=20%26active=true',
    ready: (page) => shown(page, 'Zoom in'),
  },
  { name: 'code', path: '/products?panel=code', ready: (page) => shown(page, 'Copy curl') },
  { name: 'the response', path: '/products?panel=response', ready: (page) => shown(page, 'Copy the body') },
  { name: 'a record', path: '/partners?record=1', ready: (page) => page.getByText('e-mail address').waitFor() },
  { name: 'the account', path: '/companies', open: press(/^Account/), ready: dialog },
  {
    name: 'the menu of a column',
    path: '/companies',
    open: async (page) => {
      await page.getByRole('columnheader', { name: 'name' }).hover();
      await page.getByRole('button', { name: 'Column name' }).click();
    },
    ready: (page) => page.getByRole('menuitem', { name: 'Hide' }).waitFor(),
  },
  { name: 'columns', path: '/companies', open: press(/^Columns/), ready: dialog },
  { name: 'an export', path: '/companies', open: press(/^Export/), ready: dialog },
  { name: 'a new partner', path: '/partners', open: press(/^New partner/), ready: dialog },
  { name: 'a new condition', path: '/companies', open: press(/^Add/), ready: dialog },
  {
    name: 'the value of a condition',
    path: '/products?filter=categ_id=1',
    open: press(/^categ_id equals/),
    ready: (page) => page.getByRole('textbox', { name: 'Value' }).waitFor(),
  },
  {
    name: 'a day',
    path: '/products?filter=write_date>=2026-01-31',
    open: press(/^write_date greater/),
    ready: (page) => page.getByLabel('Day').waitFor(),
  },
  {
    name: 'a value that can be read in two ways',
    path: '/products?filter=list_price[420]',
    open: async (page) => {
      await press(/^list_price is one of/)(page);
      await page.getByRole('textbox', { name: 'Add a value' }).fill('1,500');
    },
    ready: (page) => page.getByText('can be read in two ways').waitFor(),
  },
  {
    name: 'a link with mistakes',
    path: '/products?fields=id,name,list_prise&page=two',
    ready: (page) => page.getByRole('alert', { name: 'About this link' }).waitFor(),
  },
  {
    name: 'a record that the filter hides',
    path: '/products?filter=active=true&record=3',
    ready: (page) => page.getByText('The filter hides this product').waitFor(),
  },
  {
    name: 'the completion of a filter',
    path: '/products',
    open: (page) => page.getByRole('textbox', { name: 'Filter as text' }).fill('act'),
    ready: (page) => page.getByRole('option', { name: 'active' }).waitFor(),
  },
  { name: 'filter help', path: '/companies', open: press('Filter syntax'), ready: dialog },
];

/** Windows of desktops, laptops, a small one, a tablet and a phone. Below 960 pixels the page itself scrolls. */
const SIZES = [
  { width: 1440, height: 900 },
  { width: 1280, height: 720 },
  { width: 1024, height: 600 },
  { width: 820, height: 1180 },
  { width: 390, height: 844 },
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

/** Nothing was blocked, nothing failed, and nothing was requested of anybody else. */
async function end({ errors, foreign, close }: Visit): Promise<void> {
  await close();
  expect(errors).toEqual([]);
  expect(foreign).toEqual([]);
}

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
  let console: TestConsole;
  beforeAll(async () => {
    console = await startConsole(sqlite);
  });
  afterAll(() => console.close());

  test.each(VIEWS)(
    '$name: accessible in light and dark, in windows of all sizes, and within its policy',
    async (view) => {
      const { path, account, open, ready, logs } = view;
      const { service } = console;
      const key = account === 'globex' ? await service.issue(service.globex) : account;
      const visit = await console.open(path, key === undefined ? {} : { key });
      const { page } = visit;
      if (open !== undefined) {
        await rows(page);
        await open(page);
      }
      await ready(page);
      expect(await violations(page)).toEqual([]);
      await expectNoOverflow(page);
      await end({ ...visit, errors: visit.errors.filter((error) => !logs?.test(error)) });
    },
  );

  test('one thing at a time has a focus ring, in groups as well', async () => {
    const { page, close } = await console.open(
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
    for (const button of [/^active equals/, /^Columns/, /^Export/]) {
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

describe.each(engines)('on $name', (engine) => {
  let console: TestConsole;
  beforeAll(async () => {
    console = await startConsole(engine);
    const { service } = console;
    await load(
      service.store,
      service.acme,
      product,
      HOSTILE.map((name, index) => ({ id: 9_000 + index, name, default_code: 'hostile' })),
    );
  });
  afterAll(() => console.close());

  test('is usable on a phone: nothing is wider than the screen, and nothing is missing', async () => {
    const visit = await console.open('/products?filter=active=true', {
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
    await end(visit);
  });

  test('signs in with a key, which is neither in the URL nor in what outlives the tab', async () => {
    const visit = await console.open('/products?filter=active=true', { key: null });
    const { page } = visit;
    await page.getByLabel('API key').fill('sbk_wrong');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByText('not a complete key').waitFor();
    await page.getByLabel('API key').fill(console.service.key);
    await page.keyboard.press('Enter');
    await rows(page);
    expect(page.url()).toBe(`${console.origin}/products?filter=active=true`);
    expect(await page.evaluate('JSON.stringify([{ ...localStorage }, document.cookie])')).not.toContain('sbk_');
    await page.reload();
    await rows(page);
    await page.getByRole('button', { name: /^Account/ }).click();
    await page.getByText('read, write').waitFor();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByLabel('API key').waitFor();
    expect(await page.evaluate('JSON.stringify({ ...sessionStorage })')).not.toContain('sbk_');
    await visit.close();
    expect(visit.foreign).toEqual([]);
  });

  test('a service that does not respond does not sign anybody out', async () => {
    const visit = await console.open('/partners');
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
    const visit = await console.open('/', { key: null });
    const { page } = visit;
    // As after an update of the service, which has other files.
    await page.route('**/console/assets/later-*.js', (route) => route.fulfill({ status: 404 }));
    await page.getByLabel('API key').fill(console.service.key);
    await page.keyboard.press('Enter');
    await rows(page);
    await page.getByRole('tab', { name: 'Code' }).click();
    await page.getByRole('heading', { name: 'could not be shown' }).waitFor();
    await rows(page);
    await page.unroute('**/console/assets/later-*.js');
    await page.getByRole('button', { name: 'Reload' }).click();
    await page.getByRole('button', { name: 'Columns' }).click();
    await page.getByRole('dialog', { name: 'Columns' }).waitFor();
    await visit.close();
  });

  test('a link with a code signs in, once', async () => {
    const code = await issueSignInCode(console.service.store.keys, console.service.acme.id, Date.now());
    const first = await console.open(`/partners#code=${code}`, { key: null });
    await rows(first.page);
    expect(first.page.url()).toBe(`${console.origin}/partners`);
    const second = await console.open(`/partners#code=${code}`, { key: null });
    await second.page.getByLabel('API key').waitFor();
    await second.page
      .getByText(/used|expired/)
      .first()
      .waitFor();
    await second.close();
    // Whoever is signed in is asked first: anybody can send a link.
    const { page } = first;
    const other = await issueSignInCode(console.service.store.keys, console.service.globex.id, Date.now());
    const account = async () => page.getByRole('button', { name: /^Account/ }).getAttribute('aria-label');
    await page.goto(`${console.origin}/partners#code=${other}`);
    await page.getByRole('button', { name: 'Stay signed in' }).click();
    await rows(page);
    expect(await account()).toContain('acme');
    await page.goto(`${console.origin}/partners#code=${other}`);
    await page.getByRole('button', { name: 'Use the link' }).click();
    await rows(page);
    expect(await account()).toContain('globex');
    await end(first);
  });

  test('a shared URL shows the same view, and back and forward work', async () => {
    const path = '/products?filter=list_price>1&fields=name,list_price&sort=-list_price&limit=25&record=1&panel=code';
    const visit = await console.open(path);
    const { page } = visit;
    await page.getByRole('heading', { level: 2 }).first().waitFor();
    await rows(page);
    const headers = () => page.getByRole('columnheader').allTextContents();
    expect((await headers()).filter((text) => text.trim() !== '')).toEqual(['name', 'list_price']);
    expect(await page.title()).toBe('Products, list_price>1 - Stockbook');
    const first = await page.getByRole('grid').getByRole('row').nth(1).textContent();
    await page.getByRole('link', { name: 'Companies' }).click();
    await expect.poll(() => page.url()).toContain('/companies');
    await page.goBack();
    await expect.poll(() => page.getByRole('grid').getByRole('row').nth(1).textContent()).toBe(first);
    await page.goForward();
    await expect.poll(() => page.url()).toContain('/companies');
    await end(visit);
  });

  test('shows whatever a name contains as text', async () => {
    const visit = await console.open('/companies');
    const { page } = visit;
    // Before the first of these names is loaded.
    const alerts: string[] = [];
    page.on('dialog', async (shown) => {
      alerts.push(shown.message());
      await shown.dismiss();
    });
    await page.goto(`${console.origin}/products?filter=default_code=hostile&fields=name,default_code&panel=response`);
    for (const [index, name] of HOSTILE.entries()) {
      await page.getByRole('gridcell', { name, exact: true }).first().waitFor();
      await page.goto(`${console.origin}/products?filter=default_code=hostile&record=${9_000 + index}`);
      await page.getByRole('heading', { name, exact: true }).waitFor();
      await page.goBack();
    }
    expect(alerts).toEqual([]);
    expect(await page.locator('img[src="x"]').count()).toBe(0);
    await end(visit);
  });

  test('with the keyboard alone: sign in, filter, read a record', async () => {
    const visit = await console.open('/', { key: null });
    const { page } = visit;
    const { keyboard } = page;
    await page.getByLabel('API key').waitFor();
    await keyboard.type(console.service.key);
    await keyboard.press('Enter');
    await rows(page);
    await tabTo(page, /Partners/);
    await keyboard.press('Enter');
    await expect.poll(() => page.url()).toContain('/partners');
    await rows(page);
    await tabTo(page, /Filter as text/);
    await keyboard.type('is_company=true');
    await keyboard.press('Enter');
    await expect.poll(() => new URL(page.url()).searchParams.get('filter')).toBe('is_company=true');
    await rows(page);
    await tabTo(page, /Azure Interior/);
    await keyboard.press('Enter');
    await page.getByText('e-mail address').waitFor();
    await keyboard.press('Escape');
    await expect.poll(() => page.url()).not.toContain('record=');
    await end(visit);
  });
});
