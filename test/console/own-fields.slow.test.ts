/** Fields that operators have added, in the console. */

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { OwnField } from '../../src/catalog/own-field.ts';
import { product } from '../../src/catalog/product.ts';
import { startConsole, type TestConsole } from '../support/console.ts';
import { oneEngine } from '../support/engines.ts';
import { addAccount, load } from '../support/fixture.ts';
import { endVisit } from './views.ts';

const OWN: readonly OwnField[] = [
  { name: 'x_weight', label: 'Weight', type: 'number', meaning: 'weight in kilograms', initial: null },
  {
    name: 'x_stage',
    label: 'Stage',
    type: 'text',
    meaning: 'where it is in its life',
    initial: 'new',
    choices: ['new', 'sale'],
  },
];

describe.each(oneEngine)('on $name', (engine) => {
  let app: TestConsole;
  let key: string;
  beforeAll(async () => {
    app = await startConsole(engine);
    const { store, issue } = app.service;
    for (const field of OWN) await store.fields.add(await store.fields.catalog(), product, field);
    const account = await addAccount(store, 'own');
    const resource = (await store.fields.catalog()).of(product);
    await load(store, account, resource, [
      { id: 1, name: 'Chair', x_weight: 7.5, x_stage: 'sale' },
      { id: 2, name: 'Table', x_weight: 30 },
    ]);
    key = await issue(account, { scopes: ['read', 'edit'] });
  });
  afterAll(() => app?.close());

  test('they can be shown, filtered, grouped and edited like others', async () => {
    const visit = await app.open('/products?fields=name,x_weight,x_stage&filter=x_weight>1&sort=-x_weight&panel=none', {
      key,
    });
    const { page } = visit;
    const cells = (name: string) =>
      page.getByRole('row').filter({ hasText: name }).getByRole('gridcell').allInnerTexts();
    await page.getByRole('row').filter({ hasText: 'Chair' }).waitFor();
    expect(await cells('Table')).toEqual(['Table', '30', 'new']);
    expect(await cells('Chair')).toEqual(['Chair', '7.5', 'sale']);
    await page.getByRole('columnheader', { name: 'Weight' }).waitFor();
    await page.goto(new URL('/products?group=x_stage&panel=none', page.url()).href);
    await page.getByRole('row').filter({ hasText: 'sale' }).waitFor();
    await page.goto(new URL('/products?record=1&panel=none', page.url()).href);
    await page.getByRole('button', { name: /^Edit Stage: / }).click();
    const box = page.getByRole('combobox', { name: 'Stage', exact: true });
    await box.fill('new');
    await box.press('Enter');
    await page.getByRole('button', { name: /^Edit Stage: new/ }).waitFor();
    await endVisit(visit);
  });
});
