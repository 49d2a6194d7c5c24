/** What is shown when there are no records: why, and what to do about it. */

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startConsole, type TestConsole } from '../support/console.ts';
import { oneEngine } from '../support/engines.ts';
import { NOW } from '../support/fixture.ts';
import { keyId, type TestService } from '../support/service.ts';
import { TestClock } from '../support/test-clock.ts';

describe.each(oneEngine)('on $name', (engine) => {
  let app: TestConsole;
  let service: TestService;
  beforeAll(async () => {
    app = await startConsole(engine);
    service = app.service;
  });
  afterAll(() => app?.close());

  test('an account without records, and a list that cannot be loaded while offline', async () => {
    const key = await service.issue(service.globex);
    const { page, close } = await app.open('/companies', { key });
    await page.getByRole('heading', { name: 'There are no companies yet' }).waitFor();
    await page.getByText('For administrators').click();
    await page.getByText('stockbook import globex company companies.csv').waitFor();
    await page.context().setOffline(true);
    await page.getByRole('link', { name: 'Partners' }).click();
    await page.getByText('You are offline.').waitFor();
    await page.context().setOffline(false);
    await page.getByRole('row', { name: /^900 Globex Partner/ }).waitFor();
    await close();
  });

  test('a filter that was probably meant otherwise', async () => {
    const filter = encodeURIComponent('name*oak and list_price>1');
    const { page, close } = await app.open(`/products?filter=${filter}&panel=none`);
    await page.getByText('Did you mean & instead of "and"?').waitFor();
    await page.getByRole('button', { name: 'Use name*oak&list_price>1' }).click();
    await page.getByRole('row', { name: /^1 Oak Chair/ }).waitFor();
    await close();
  });

  test('while other records are loaded, nothing is said about them yet', async () => {
    const { page, close } = await app.open('/products?filter=name*zzzz&panel=none');
    await page.getByRole('heading', { name: 'No products match the filter' }).waitFor();
    let release = () => {};
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    const asked = page.waitForRequest((request) => request.url().includes('/inventory/product?'));
    await page.route('**/inventory/product?*', async (route) => {
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
    const { page, close } = await app.open('/products?panel=none', { key });
    await page.getByRole('row', { name: /^1 Oak Chair/ }).waitFor();
    await service.store.keys.revoke(keyId(key), NOW);
    await page.getByRole('button', { name: 'Sales price' }).first().click();
    await page.getByRole('button', { name: 'Sign in' }).waitFor();
    await page.getByText(/This session ended/).waitFor();
    expect(await page.evaluate("localStorage.getItem('stockbook-session')")).toBe(null);
    await close();
  });

  test('a key for some resources: others are not offered, and a link to them says why', async () => {
    const key = await service.issue(service.acme, { scopes: ['company:read', 'partner:write'] });
    const { page, errors, close } = await app.open('/', { key });
    await page.getByRole('row', { name: /^1 Northwind/ }).waitFor();
    expect(new URL(page.url()).pathname).toBe('/companies');
    expect(await page.getByRole('navigation', { name: 'Main' }).getByRole('link').allTextContents()).toEqual([
      'Companies',
      'Partners',
    ]);
    expect(await page.getByRole('button', { name: 'New partner' }).count()).toBe(0);
    await page.goto(`${app.origin}/products?filter=name*a`);
    await page.getByRole('heading', { name: 'This key may not read products' }).waitFor();
    await page.getByText('For administrators').click();
    await page.getByText('stockbook key add acme --name LABEL --scope product:read').waitFor();
    expect(await page.getByRole('button', { name: 'New partner' }).count()).toBe(0);
    await page.getByRole('link', { name: 'Partners' }).click();
    await page.getByRole('heading', { name: 'This key may create partners, but not read them' }).waitFor();
    await page.getByText('What this key cannot see: products and partners.').waitFor();
    expect(errors).toEqual([]);
    await close();
  });

  test('a key that may create partners and nothing else creates one', async () => {
    const key = await service.issue(service.acme, { scopes: ['partner:write'] });
    const { page, errors, close } = await app.open('/', { key });
    await page.getByRole('heading', { name: 'This key may create partners, but not read them' }).waitFor();
    expect(new URL(page.url()).pathname).toBe('/partners');
    await page.getByText('What this key cannot see: products, partners, and companies.').waitFor();
    await page.getByText('For administrators').click();
    await page.getByText('stockbook key add acme --name LABEL --scope partner:read').waitFor();
    await page.getByRole('button', { name: 'New partner' }).click();
    await page.getByLabel('Name').fill('Unseen');
    await page.getByRole('button', { name: 'Create', exact: true }).click();
    const [, id = ''] =
      /^Partner (\d+) was created/.exec((await page.getByText(/^Partner \d+ was created/).textContent()) ?? '') ?? [];
    const { json } = await service.send({ path: `/api/v1/resources/partner/${id}?fields=name` });
    expect(json).toEqual({ data: { name: 'Unseen' } });
    // Nothing that it may not read is requested.
    expect(errors).toEqual([]);
    await close();
  });

  test('what is wrong with a link is said, and the records are shown without it', async () => {
    const { page, errors, close } = await app.open('/products?fields=id,list_prise&sort=-colour&page=two&panel=none');
    const notice = page.getByRole('alert', { name: 'About this link' });
    await notice.getByText("product has no field 'list_prise'. Did you mean list_price?").waitFor();
    await notice.getByText("product has no field 'colour'.").waitFor();
    await notice.getByText("page='two' is wrong.").waitFor();
    await page.getByRole('grid').getByRole('row').nth(1).waitFor();
    await notice.getByRole('button', { name: 'Show what was probably meant' }).click();
    await expect.poll(() => page.url()).toBe(`${app.origin}/products?fields=id,list_price&panel=none`);
    expect(await notice.count()).toBe(0);
    await page.goto(`${app.origin}/products?filtr=active=true&panel=none`);
    await notice.getByRole('button', { name: 'Continue anyway' }).click();
    await expect.poll(() => page.url()).toBe(`${app.origin}/products?panel=none`);
    expect(errors).toEqual([]);
    await close();
  });

  test('a wrong path leads back to the console', async () => {
    const { page, close } = await app.open('/products/17');
    await page.getByRole('heading', { name: 'There is no page here' }).waitFor();
    await page.getByText("Nothing is at '/products/17'. Did you mean product 17?").waitFor();
    await page.getByRole('main').getByRole('link', { name: 'product 17' }).click();
    await expect.poll(() => new URL(page.url()).searchParams.get('record')).toBe('17');
    await page.goBack();
    await page.getByRole('main').getByRole('link', { name: 'Products' }).click();
    await page.getByRole('grid').getByRole('row').nth(1).waitFor();
    await close();
  });

  test('a key that expires soon', async () => {
    const expiresAt = new Date(Date.now() + 9.5 * 24 * 3_600_000).toISOString();
    const { page, close } = await app.open('/companies?panel=none', {
      key: await service.issue(service.acme, { expiresAt }),
    });
    await page.getByText('Key expires in 9 days').waitFor();
    await close();
  });

  test('too many requests: it says so, waits as long as it is asked to, and goes on', async () => {
    const clock = new TestClock({ wall: Date.now() });
    // One to sign in, one to learn who that is, one for the saved views, and one for the list.
    const limited = await startConsole(engine, { settings: { 'rate-limit': '5' }, clock });
    const path = '/companies?panel=none';
    const { page, close } = await limited.open(path);
    await page.getByRole('row', { name: /^1 Northwind/ }).waitFor();
    await page.getByRole('button', { name: 'Name', exact: true }).click();
    await page.getByText('Too many requests.').waitFor();
    await page.getByText(/^Trying again (in 1 s\.|…)$/).waitFor();
    clock.elapse(10_000);
    await expect.poll(() => page.getByText('Too many requests.').count()).toBe(0);
    expect(await page.getByRole('columnheader', { name: 'name' }).getAttribute('aria-sort')).toBe('ascending');
    await close();
    await limited.close();
  });
});
