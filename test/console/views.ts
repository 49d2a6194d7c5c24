/** Every view of the console: how it is opened, and what shows that it is complete. */

import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import type { Scope } from '../../src/catalog/scopes.ts';
import { filterText, type TestConsole, type Visit } from '../support/console.ts';

export interface View {
  readonly name: string;
  readonly path: string;
  /** Whose records these are: acme's, unless it says otherwise. Null if nobody is signed in. */
  readonly account?: 'globex' | null;
  /** What the key permits, if it is not that of other keys. */
  readonly scopes?: readonly Scope[];
  /** Shows that the page is there, before something is opened: rows, unless it says otherwise. */
  readonly begun?: (page: Page) => Promise<void>;
  /** Opens what is not in the URL. */
  readonly open?: (page: Page) => Promise<unknown>;
  /** What the browser logs about requests that are meant to fail. */
  readonly logs?: RegExp;
  /** Shows that the view is complete. */
  readonly ready: (page: Page) => Promise<void>;
}

/** Waits until the table has a row. */
export const rows = (page: Page) => page.getByRole('grid').getByRole('row').nth(1).waitFor();
/** Waits until there is a group. */
const groups = (page: Page) => page.getByRole('table').getByRole('rowheader').getByRole('link').first().waitFor();
const press = (name: string | RegExp) => (page: Page) => page.getByRole('button', { name }).first().click();
const sort = (page: Page) => page.getByRole('columnheader', { name: 'Name' }).getByRole('button').first().click();
const shown = (page: Page, button: string) => page.getByRole('button', { name: button }).waitFor();
const dialog = (page: Page) => page.getByRole('dialog').waitFor();
const canChoose = (page: Page) => shown(page, 'Choose a file');
/** Chooses a file with this content, as people do in the dialog of the browser. */
export const chooseFile =
  (name: string, content: string, mimeType = '') =>
  (page: Page) =>
    page.locator('input[type=file]').setInputFiles({ name, mimeType, buffer: Buffer.from(content) });

export const VIEWS: readonly View[] = [
  { name: 'sign-in', path: '/', account: null, ready: (page) => page.getByLabel('API key').waitFor() },
  {
    name: 'a sign-in link',
    path: '/#code=sbk_x',
    account: null,
    ready: (page) => page.getByText('You have opened a link').waitFor(),
  },
  {
    name: 'a sign-in link for somebody who is signed in',
    path: '/#code=sbk_x',
    ready: (page) => page.getByRole('button', { name: 'Stay signed in' }).waitFor(),
  },
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
  {
    name: 'a record',
    path: '/partners?record=1',
    ready: (page) => page.getByRole('button', { name: /^Show \d+ empty/ }).waitFor(),
  },
  {
    name: 'a record that can be edited',
    path: '/partners?record=1',
    scopes: ['read', 'edit'],
    open: press(/^Show \d+ empty fields/),
    ready: (page) => shown(page, 'Edit E-mail: not set'),
  },
  {
    name: 'a field that is edited',
    path: '/partners?record=2',
    scopes: ['read', 'edit'],
    open: async (page) => {
      await press('Edit E-mail')(page);
      await press('Edit Is a company: no')(page);
    },
    ready: (page) => page.getByRole('radiogroup', { name: 'Is a company' }).waitFor(),
  },
  {
    name: 'a value that cannot be saved',
    path: '/products?record=2',
    scopes: ['read', 'edit'],
    open: async (page) => {
      await press('Edit Sales price: 420.00')(page);
      await page.getByRole('textbox', { name: 'Sales price' }).fill('much');
      await page.keyboard.press('Enter');
    },
    ready: (page) => page.getByText('Sales price must be a number in decimal notation.').waitFor(),
  },
  {
    name: 'a record that somebody else has changed meanwhile',
    path: '/products?record=12',
    scopes: ['read', 'edit'],
    open: async (page) => {
      await page.route('**/inventory/product/12', (route) =>
        route.request().method() === 'PATCH'
          ? route.continue({ headers: { ...route.request().headers(), 'if-match': '"other"' } })
          : route.continue(),
      );
      await press('Edit Sales price: 65.00')(page);
      await page.getByRole('textbox', { name: 'Sales price' }).fill('66');
      await page.keyboard.press('Enter');
    },
    logs: /412/,
    ready: (page) => shown(page, 'Overwrite with mine'),
  },
  {
    name: 'a record that was removed',
    path: '/products?record=13',
    scopes: ['read', 'edit'],
    open: (page) => page.getByRole('button', { name: 'Remove product 13' }).press('Enter'),
    ready: (page) => shown(page, 'Undo'),
  },
  { name: 'the account', path: '/companies', open: press(/^Account/), ready: dialog },
  {
    name: 'the menu of a column',
    path: '/companies',
    open: async (page) => {
      await page.getByRole('columnheader', { name: 'Name' }).hover();
      await page.getByRole('button', { name: 'Column Name' }).click();
    },
    ready: (page) => page.getByRole('menuitem', { name: 'Hide' }).waitFor(),
  },
  { name: 'columns', path: '/companies', open: press(/^Columns/), ready: dialog },
  {
    name: 'saved views',
    path: '/companies',
    open: press(/^View:/),
    ready: (page) => page.getByRole('menuitem', { name: 'Save as new view…' }).waitFor(),
  },
  {
    name: 'a new view',
    path: '/companies',
    open: async (page) => {
      await press(/^View:/)(page);
      await page.getByRole('menuitem', { name: 'Save as new view…' }).click();
    },
    ready: dialog,
  },
  {
    name: 'a saved view that was deleted',
    path: '/views/deleted',
    begun: (page) => page.getByText('This view does not exist').waitFor(),
    ready: (page) => page.getByRole('link', { name: 'All products' }).waitFor(),
  },
  {
    name: 'what is left of a saved view',
    path: '/products?sort=name&view=deleted',
    ready: (page) => page.getByText('The saved view was deleted.').waitFor(),
  },
  { name: 'groups', path: '/products?group=categ_id', ready: groups },
  {
    name: 'groups of a period',
    path: '/products?group=create_date:month&filter=active=true&order=count',
    ready: groups,
  },
  {
    name: 'groups without amounts',
    path: '/companies?group=name',
    ready: groups,
  },
  {
    name: 'what records can be grouped by',
    path: '/products?group=list_price:10',
    open: async (page) => {
      await groups(page);
      await press(/^Grouped by/)(page);
    },
    begun: groups,
    ready: dialog,
  },
  { name: 'an export', path: '/companies', open: press(/^Export/), ready: dialog },
  { name: 'a new partner', path: '/partners', open: press(/^New partner/), ready: dialog },
  { name: 'a new condition', path: '/companies', open: press(/^Add/), ready: dialog },
  {
    name: 'the value of a condition',
    path: '/products?filter=categ_id=1',
    open: press(/^Category ID is/),
    ready: (page) => page.getByRole('textbox', { name: 'Value' }).waitFor(),
  },
  {
    name: 'a day',
    path: '/products?filter=write_date>=2026-01-31',
    open: press(/^Changed on or after/),
    ready: (page) => page.getByLabel('Day', { exact: true }).waitFor(),
  },
  {
    name: 'a range of days',
    path: '/products?filter=write_date>=2026-01-31%26write_date<2026-03-01',
    open: press('Changed between Jan 31, 2026 and Feb 28, 2026'),
    ready: (page) => page.getByLabel('Last day').waitFor(),
  },
  {
    name: 'rows that are selected',
    path: '/partners?fields=name,email,is_company',
    open: async (page) => {
      await page.getByRole('row').nth(1).press('Space');
      await page.getByRole('row').nth(1).press('Shift+ArrowDown');
    },
    ready: (page) => page.getByText('2 partners selected').waitFor(),
  },
  {
    name: 'a value that can be read in two ways',
    path: '/products?filter=list_price[420]',
    open: async (page) => {
      await press(/^Sales price is one of/)(page);
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
  { name: 'a search', path: '/products?q=oak', ready: (page) => page.locator('mark').first().waitFor() },
  {
    name: 'a search that finds nothing',
    path: '/products?q=oak+chiar&filter=active=true',
    ready: (page) => page.getByRole('link', { name: 'chair' }).waitFor(),
  },
  {
    name: 'conditions that a search could mean',
    path: '/products',
    open: (page) => page.getByRole('combobox', { name: 'Search products' }).fill('oak 100'),
    ready: (page) => page.getByRole('option', { name: 'Sales price is at least 100' }).waitFor(),
  },
  {
    name: 'a search that is too long',
    path: '/products',
    open: (page) => page.getByRole('combobox', { name: 'Search products' }).fill('a b c d e f g h i j k l m n o p q'),
    ready: (page) => page.getByText('q has 17 different words').waitFor(),
  },
  { name: 'the shortcuts', path: '/products', open: (page) => page.keyboard.press('?'), ready: dialog },
  {
    name: 'a wrong path',
    path: '/product/17',
    logs: /404/,
    ready: (page) => page.getByRole('heading', { name: 'There is no page here' }).waitFor(),
  },
  {
    name: 'a confirmation',
    path: '/products?record=1',
    open: press('Copy link'),
    ready: (page) => page.getByRole('status').getByText('Copied').waitFor(),
  },
  {
    name: 'the completion of a filter',
    path: '/products',
    open: async (page) => (await filterText(page)).fill('act'),
    ready: (page) => page.getByRole('option', { name: 'active' }).waitFor(),
  },
  {
    name: 'an import',
    path: '/products/import?key=default_code',
    scopes: ['read', 'edit'],
    ready: canChoose,
  },
  {
    name: 'an import that the key does not permit',
    path: '/products/import',
    ready: (page) => page.getByRole('heading', { name: 'This key may not import products' }).waitFor(),
  },
  {
    name: 'a file that cannot be imported',
    path: '/partners/import?confirm=true',
    scopes: ['read', 'partner:edit'],
    begun: canChoose,
    open: chooseFile('logo.png', 'x', 'image/png'),
    ready: (page) => page.getByText('“logo.png” is a picture').waitFor(),
  },
  {
    name: 'what an import would do',
    path: '/products/import',
    scopes: ['read', 'edit'],
    begun: canChoose,
    open: chooseFile('products.csv', 'id,name,list_price\n1,Oak Chair,1000\n,New Chair,5\n'),
    ready: (page) => shown(page, 'Load 2 rows'),
  },
  {
    name: 'columns that are not fields',
    path: '/products/import',
    scopes: ['read', 'edit'],
    begun: canChoose,
    open: chooseFile('preise.csv', 'id;Bezeichnung;Preis\n1;Stuhl;1.299,00\n'),
    logs: /422/,
    ready: (page) => shown(page, 'Ignore all of them'),
  },
  {
    name: 'a question about a file',
    path: '/products/import',
    scopes: ['read', 'edit'],
    begun: canChoose,
    open: chooseFile('prices.csv', 'id;name;list_price\n1;Chair;1.299\n'),
    logs: /422/,
    ready: (page) => page.getByRole('radio', { name: '1299' }).waitFor(),
  },
  {
    name: 'how a file is read',
    path: '/products/import',
    scopes: ['read', 'edit'],
    begun: canChoose,
    open: async (page) => {
      await chooseFile('products.csv', 'id,name\n1,Oak Chair\n')(page);
      await press('Read it differently')(page);
    },
    ready: (page) => page.getByLabel('Decimal sign').waitFor(),
  },
  {
    name: 'an import that would remove much',
    path: '/products/import?replace=true',
    scopes: ['read', 'edit'],
    begun: canChoose,
    open: chooseFile('products.csv', 'id,name\n1,Oak Chair\n'),
    ready: (page) => page.getByRole('checkbox', { name: 'Yes, remove them' }).waitFor(),
  },
  {
    name: 'a file with errors',
    path: '/products/import',
    scopes: ['read', 'edit'],
    begun: canChoose,
    open: chooseFile('products.csv', 'id,name,list_price\n1,Oak Chair,much\n2,Desk,more\n,,5\n'),
    logs: /422/,
    ready: (page) => shown(page, 'Download the rejected rows'),
  },
  {
    name: 'an import with a wrong setting',
    path: '/products/import?key=list_price',
    scopes: ['read', 'edit'],
    begun: canChoose,
    open: chooseFile('products.csv', 'id,name\n1,Oak Chair\n'),
    logs: /400/,
    ready: (page) => page.getByRole('alert').getByRole('button', { name: 'Reset all settings' }).waitFor(),
  },
  {
    name: 'an account without imports',
    path: '/imports',
    account: 'globex',
    scopes: ['read', 'edit'],
    ready: (page) => page.getByText('Nothing was imported in the last 30 days').waitFor(),
  },
  {
    name: 'an import in the list',
    path: '/imports',
    scopes: ['read', 'edit'],
    begun: (page) => page.getByRole('heading', { name: 'Imports' }).waitFor(),
    open: async (page) => {
      // It changes nothing, since other views have the same records.
      await page.evaluate(`fetch('/api/v1/inventory/product/import', {
        method: 'POST',
        headers: { 'stockbook-console': 'http', 'content-type': 'application/json' },
        body: '[{"id":1}]',
      })`);
      await page.reload();
      await page.getByRole('table').getByRole('link').first().click();
    },
    ready: (page) => page.getByRole('complementary').getByText('Unchanged').waitFor(),
  },
  {
    name: 'filter help',
    path: '/companies',
    open: async (page) => {
      await filterText(page);
      await press('Filter syntax')(page);
    },
    ready: dialog,
  },
];

/** Resolves once the view is complete. */
export async function openView({ service, open }: TestConsole, view: View): Promise<Visit> {
  const { account, scopes } = view;
  const issued = account === 'globex' ? service.globex : scopes && service.acme;
  const key =
    issued === undefined
      ? account === null
        ? null
        : undefined
      : await service.issue(issued, { ...(scopes && { scopes }) });
  const visit = await open(view.path, key === undefined ? {} : { key });
  if (view.open !== undefined) {
    await (view.begun ?? rows)(visit.page);
    await view.open(visit.page);
  }
  await view.ready(visit.page);
  return visit;
}

/** Nothing was blocked, nothing failed except what was meant to, and nothing was requested of anybody else. */
export async function endVisit({ errors, foreign, close }: Visit, expected?: RegExp): Promise<void> {
  await close();
  expect(errors.filter((error) => !expected?.test(error))).toEqual([]);
  expect(foreign).toEqual([]);
}
