/** The query builder, as people use it: chips, text, and what is wrong with a filter. */

import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findField } from '../../src/catalog/catalog.ts';
import { product } from '../../src/catalog/product.ts';
import { filterText, startConsole, type TestConsole, tabTo } from '../support/console.ts';
import { oneEngine } from '../support/engines.ts';
import { accountWith } from '../support/service.ts';

describe.each(oneEngine)('on $name', (engine) => {
  let app: TestConsole;
  beforeAll(async () => {
    app = await startConsole(engine);
  });
  afterAll(() => app.close());

  test('conditions are added, changed and removed with the keyboard alone', async () => {
    const { page, errors, close } = await app.open('/products');
    const { keyboard } = page;
    await page.getByRole('button', { name: 'Add condition' }).waitFor();
    await tabTo(page, /Add condition/);
    await keyboard.press('Enter');
    await expectFocus(page.getByRole('textbox', { name: 'Field' }));
    await keyboard.type('price');
    await page.getByRole('option', { name: 'Sales price' }).waitFor();
    await keyboard.press('Enter');
    await expectFocus(page.getByRole('textbox', { name: 'Value' }));
    await keyboard.type('>=1,000');
    await keyboard.press('Enter');
    await expectFilter(page, 'list_price>=1000');

    // A whole condition can be typed as well.
    await expectFocus(page.getByRole('button', { name: 'Add condition' }));
    await keyboard.press('Enter');
    await expectFocus(page.getByRole('textbox', { name: 'Field' }));
    await keyboard.type('name*"A&B"');
    await keyboard.press('Enter');
    await expectFilter(page, 'list_price>=1000&name*"A&B"');

    // Enter in a value that is a choice: the field is true.
    await expectFocus(page.getByRole('button', { name: 'Add condition' }));
    await keyboard.press('Enter');
    await expectFocus(page.getByRole('textbox', { name: 'Field' }));
    await keyboard.type('active');
    await page.getByRole('option', { name: 'Active' }).waitFor();
    await keyboard.press('Enter');
    await expectFocus(page.getByRole('radio', { name: 'yes' }));
    await keyboard.press('ArrowRight');
    await keyboard.press('Enter');
    await expectFilter(page, 'list_price>=1000&name*"A&B"&active=false');

    // The conditions are one stop of the Tab key, and the arrows move between them.
    await expectFocus(page.getByRole('button', { name: 'Add condition' }));
    for (let step = 0; step < 4; step += 1) await keyboard.press('ArrowLeft');
    await expectFocus(page.getByRole('button', { name: 'Name contains A&B', exact: true }));
    await keyboard.press('Delete');
    await expectFilter(page, 'list_price>=1000&active=false');
    await expectFocus(page.getByRole('button', { name: 'Active is no', exact: true }));
    await keyboard.press('Enter');
    await expectFocus(page.getByRole('radio', { name: 'no', exact: true }));
    await keyboard.press('ArrowLeft');
    await keyboard.press('Enter');
    await expectFilter(page, 'list_price>=1000&active=true');

    await page.goBack();
    await expectFilter(page, 'list_price>=1000&active=false');
    expect(errors).toEqual([]);
    await close();
  });

  test('each type has its own editor, and groups hold alternatives', async () => {
    const { page, errors, close } = await app.open('/products');
    await add(page, 'is_rsd_product');
    await page.getByRole('radio', { name: 'not set' }).check({ force: true });
    await page.getByRole('button', { name: 'Add', exact: true }).click();
    await expectFilter(page, 'is_rsd_product=null');

    await add(page, 'write_date');
    await page.getByLabel('Day', { exact: true }).fill('2026-01-02');
    await page.getByLabel('Time, UTC').fill('09:30');
    await page.getByRole('button', { name: 'Add', exact: true }).click();
    await expectFilter(page, 'is_rsd_product=null&write_date>=2026-01-02T09:30Z');
    await page.getByRole('button', { name: 'Remove Changed', exact: false }).click();

    // Values are suggested with their counts.
    await add(page, 'categ_id');
    await choose(page, 'is one of');
    await page.getByRole('textbox', { name: 'Add a value' }).fill('77');
    await page.keyboard.press('Enter');
    await page.getByRole('option', { name: /^4 / }).click();
    await page.getByRole('button', { name: 'or not set' }).click();
    await page.getByRole('button', { name: 'Add', exact: true }).click();
    await expectFilter(page, 'is_rsd_product=null&categ_id[77,4,null]');

    await page.getByRole('button', { name: /^Category ID is one of/ }).click();
    await page.getByRole('button', { name: 'Condition actions' }).click();
    await page.getByRole('menuitem', { name: 'Add an alternative' }).click();
    await page.getByRole('textbox', { name: 'Field' }).fill('qty_available<0');
    await page.keyboard.press('Enter');
    await expectFilter(page, 'is_rsd_product=null&(categ_id[77,4,null]|qty_available<0)');

    const group = page.getByRole('group', { name: 'Any of 2 conditions' });
    await group.getByRole('radio', { name: 'all' }).click();
    await expectFilter(page, 'is_rsd_product=null&(categ_id[77,4,null]&qty_available<0)');
    await page.getByRole('button', { name: 'Group actions' }).click();
    await page.getByRole('menuitem', { name: 'Ungroup' }).click();
    await expectFilter(page, 'is_rsd_product=null&categ_id[77,4,null]&qty_available<0');
    await page.getByRole('radio', { name: 'any' }).click();
    await expectFilter(page, 'is_rsd_product=null|categ_id[77,4,null]|qty_available<0');
    expect(await (await filterText(page)).inputValue()).toBe(filterOf(page));
    expect(errors).toEqual([]);
    await close();
  });

  test('text is completed, checked at its position, and fixed with one click', async () => {
    const { page, errors, close } = await app.open('/products');
    const text = await filterText(page);
    await text.click();
    await page.keyboard.type('acti');
    await page.getByRole('option', { name: 'active' }).waitFor();
    await page.keyboard.press('Tab');
    await expect.poll(() => text.inputValue()).toBe('active');
    await page.keyboard.type('=');
    await page.getByRole('option', { name: 'true' }).waitFor();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await expectFilter(page, 'active=true');
    await page.getByRole('button', { name: 'Active is yes', exact: true }).waitFor();

    await page.keyboard.type(' & list_prize>100');
    await page.getByText("product has no field 'list_prize'. Did you mean list_price?").waitFor();
    expect(await page.locator('[data-wrong]').allTextContents()).toEqual(['list_prize']);
    // What is invalid is not applied.
    expect(filterOf(page)).toBe('active=true');
    await page.getByRole('button', { name: 'Fix' }).click();
    await expectFilter(page, 'active=true & list_price>100');

    // Chips cannot show what has no syntax.
    await text.press('End');
    await page.keyboard.type(' & & x');
    await page.keyboard.press('Enter');
    await page.getByText('showing the last valid filter').waitFor();
    expect(await page.getByRole('button', { name: 'Active is yes', exact: true }).isDisabled()).toBe(true);
    await page.getByRole('button', { name: 'Clear the filter' }).click();
    await expectFilter(page, null);
    await page.goBack();
    await expectFilter(page, 'active=true & list_price>100');
    await expect.poll(() => text.inputValue()).toBe('active=true & list_price>100');

    // Whatever happened since the last typing has a step of its own.
    await page.goBack();
    await expectFilter(page, 'active=true');
    await text.fill('active=true & categ_id=1');
    await expectFilter(page, 'active=true & categ_id=1');
    await page.getByRole('button', { name: 'Remove Active is yes' }).click();
    await expectFilter(page, 'categ_id=1');
    await text.fill('categ_id=4');
    await expectFilter(page, 'categ_id=4');
    await page.getByRole('grid').getByRole('row').nth(1).click();
    await expect.poll(() => new URL(page.url()).searchParams.has('record')).toBe(true);
    await text.fill('categ_id=4 & active=true');
    await expectFilter(page, 'categ_id=4 & active=true');
    for (const before of ['categ_id=4', 'categ_id=4', 'categ_id=1', 'active=true & categ_id=1', 'active=true']) {
      await page.goBack();
      await expectFilter(page, before);
    }

    await page.getByRole('button', { name: 'Filter syntax' }).click();
    await page.getByRole('link', { name: 'The filter language' }).waitFor();
    expect(errors).toEqual([]);
    await close();
  });

  test('a shared filter that is invalid is shown as far as it can be read', async () => {
    const { page, close } = await app.open(`/products?filter=${encodeURIComponent('categ_id=1&prize>5')}`);
    await page.getByText("product has no field 'prize'. The fields are").waitFor();
    await page.getByRole('button', { name: /^Remove prize/ }).click();
    await expectFilter(page, 'categ_id=1');
    await page.getByRole('button', { name: 'Category ID is 1', exact: true }).waitFor();
    await close();
  });

  test('without rows, it is said why, and a condition can be dropped', async () => {
    const { page, errors, close } = await app.open(
      `/products?filter=${encodeURIComponent('categ_id=1&default_code=DSK-1')}`,
    );
    await page.getByText('“Category ID is 1” and “Product code is DSK-1” exclude each other').waitFor();
    await page.getByRole('button', { name: 'Drop Product code is DSK-1' }).click();
    await expectFilter(page, 'categ_id=1');
    await page.getByText('Crème Brûlée').first().waitFor();
    expect(errors).toEqual([]);
    await close();
  });

  test('numbers are typed as the browser shows them, and what reads two ways is asked', async () => {
    const { page, errors, close } = await app.open('/products?panel=none', {
      locale: 'de-DE',
      permissions: ['clipboard-read', 'clipboard-write'],
    });
    const { keyboard } = page;
    const value = page.getByRole('textbox', { name: 'Value' });
    await add(page, 'list_price');
    await value.fill('1.500');
    await keyboard.press('Enter');
    await expectFilter(page, 'list_price>=1500');
    const chip = page.getByRole('toolbar').getByRole('button', { name: /^Sales price/ });
    for (const [typed, filter, shown] of [
      ['1.500,50', 'list_price>=1500.50', '1.500,50'],
      // As the API writes it.
      ['1500.5', 'list_price>=1500.5', '1.500,5'],
      ['<0,5', 'list_price<0.5', '0,5'],
    ] as const) {
      await chip.click();
      await value.fill(typed);
      await keyboard.press('Enter');
      await expectFilter(page, filter);
      await page.getByRole('button', { name: new RegExp(`^Sales price .*${shown}$`) }).waitFor();
    }
    // It is edited as it is shown, and stays as it was written.
    await chip.click();
    await expect.poll(() => value.inputValue()).toBe('0,5');
    await value.fill('>=1,500');
    await page.getByText('“1,500” can be read in two ways:').waitFor();
    await keyboard.press('Enter');
    await expectFocus(page.getByRole('button', { name: '1,5', exact: true }));
    expect(filterOf(page)).toBe('list_price<0.5');
    await page.getByRole('button', { name: '1500', exact: true }).click();
    await expectFilter(page, 'list_price>=1500');

    // In a list, a comma is part of a number.
    await chip.click();
    await choose(page, 'is one of');
    await page.getByRole('textbox', { name: 'Add a value' }).pressSequentially('1,5');
    await keyboard.press('Enter');
    await page.getByRole('row', { name: '1.500' }).waitFor();
    await page.getByRole('row', { name: '1,5' }).waitFor();
    await page.getByRole('textbox', { name: 'Add a value' }).pressSequentially('2,25');
    await page.getByRole('button', { name: 'Apply', exact: true }).click();
    await expectFilter(page, 'list_price[1500,1.5,2.25]');
    await page.getByRole('button', { name: 'Sales price is one of 1.500; 1,5; 2,25', exact: true }).waitFor();
    // A column of a spreadsheet. What is unclear in it is asked once.
    await page.getByRole('button', { name: /^Sales price is one of/ }).click();
    await page.evaluate("navigator.clipboard.writeText('3,75\\r\\n4,500\\r\\n5,250')");
    await page.getByRole('textbox', { name: 'Add a value' }).press('Control+V');
    await page.getByText('“4,500” and 1 other value can be read in two ways:').waitFor();
    await page.getByRole('button', { name: '4,5', exact: true }).click();
    await keyboard.press('Enter');
    await expectFilter(page, 'list_price[1500,1.5,2.25,3.75,4.500,5.250]');
    // The text is that of the API.
    expect(await (await filterText(page)).inputValue()).toBe(filterOf(page));
    expect(errors).toEqual([]);
    await close();

    const english = await app.open('/products?panel=none');
    await add(english.page, 'list_price');
    await english.page.getByRole('textbox', { name: 'Value' }).fill('1.500');
    await english.page.keyboard.press('Enter');
    await expectFilter(english.page, 'list_price>=1.500');
    await english.close();
  });

  test('a day is one of the reader, and the filter has its bounds in UTC', async () => {
    const times = ['06-23T06:59:59.999', '06-23T07:00:00.000', '06-24T06:59:59.999', '06-24T07:00:00.000'];
    const { authorization } = await accountWith(
      app.service,
      product,
      times.map((time, index) => ({ id: index + 1, name: `Product ${index + 1}`, write_date: `2026-${time}Z` })),
    );
    const { page, errors, close } = await app.open('/products?fields=id,write_date', {
      key: authorization.replace('Bearer ', ''),
      timezoneId: 'America/Los_Angeles',
    });
    // So is one of a chart.
    const chart = page.getByRole('figure', { name: 'Changed' });
    const bars = chart.getByRole('table').getByRole('row');
    await expect
      .poll(() => bars.allTextContents())
      .toEqual(['Rangeproducts', 'Jun 22, 20261', 'Jun 23, 20262', 'Jun 24, 20261']);
    await chart.getByText('America/Los_Angeles').waitFor();
    await chart.locator('svg').first().click();
    await expectFilter(page, 'write_date>=2026-06-23T07:00Z&write_date<2026-06-24T07:00Z');
    await chart.getByRole('button', { name: 'Clear Changed' }).click();
    await expectFilter(page, null);

    await add(page, 'write_date');
    await choose(page, 'on');
    await page.getByLabel('Day', { exact: true }).fill('2026-06-23');
    await page
      .getByText(
        'on or after Jun 23, 2026, 12:00 AM PDT and before Jun 24, 2026, 12:00 AM PDT, in America/Los_Angeles.',
      )
      .waitFor();
    await page.getByRole('button', { name: 'Add', exact: true }).click();
    await expectFilter(page, 'write_date>=2026-06-23T07:00Z&write_date<2026-06-24T07:00Z');
    await page.getByText('2 of 4 products').waitFor();
    const rows = page.getByRole('grid').getByRole('row');
    expect(await rows.allTextContents()).toEqual([expect.anything(), '2Jun 23, 2026', '3Jun 23, 2026']);
    // Both conditions are one chip, and the same day in the editor.
    await page.getByRole('button', { name: 'Changed on Jun 23, 2026', exact: true }).click();
    await expect.poll(() => page.getByLabel('Day', { exact: true }).inputValue()).toBe('2026-06-23');
    expect(await page.getByLabel('Time').inputValue()).toBe('');
    await choose(page, 'between');
    await page.getByLabel('Last day').fill('2026-06-24');
    await page.getByRole('button', { name: 'Apply', exact: true }).click();
    await expectFilter(page, 'write_date>=2026-06-23T07:00Z&write_date<2026-06-25T07:00Z');
    await page.getByRole('button', { name: 'Changed between Jun 23, 2026 and Jun 24, 2026', exact: true }).click();
    await choose(page, 'on or before');
    await page.getByRole('button', { name: 'Apply', exact: true }).click();
    await expectFilter(page, 'write_date<2026-06-24T07:00Z');

    // On this day clocks are turned back, and show this time twice.
    await page.getByRole('button', { name: 'Changed before Jun 24, 2026', exact: true }).click();
    await page.getByLabel('Day', { exact: true }).fill('2026-11-01');
    await page.getByLabel('Time').fill('01:30');
    await page.getByText('can be read in two ways').waitFor();
    await page.getByRole('button', { name: 'Nov 1, 2026, 1:30 AM PST' }).click();
    await expectFilter(page, 'write_date<2026-11-01T09:30Z');
    await page.getByRole('button', { name: 'Changed before Nov 1, 2026, 1:30 AM PST', exact: true }).waitFor();

    // Wherever else there are times, the zone is shown as well.
    const header = page.getByRole('columnheader', { name: 'Changed' }).getByRole('button').first();
    expect(await header.getAttribute('title')).toContain('shown in America/Los_Angeles');
    await rows.filter({ hasText: 'Jun 22, 2026' }).click();
    await page.getByText('Jun 22, 2026, 11:59 PM PDT').waitFor();
    expect(errors).toEqual([]);
    await close();
  });

  test('today, the last 7 days and this month are one chip each, which says so', async () => {
    const { page, errors, close } = await app.open('/products', { timezoneId: 'Pacific/Auckland' });
    const { keyboard } = page;
    for (const name of ['today', 'in the last 7 days', 'this month']) {
      await add(page, 'create_date');
      await choose(page, name);
      await page.getByText('in Pacific/Auckland').waitFor();
      await page.getByRole('button', { name: 'Add', exact: true }).click();
      await page.getByRole('button', { name: `Created ${name}`, exact: true }).waitFor();
    }
    expect(filterOf(page)).toMatch(/^(?:create_date>=[\dT:-]+Z?&create_date<[\dT:-]+Z?&?){3}$/);
    // Each is removed as a whole, also with a key, and has no operator to negate.
    await page.getByRole('button', { name: 'Remove Created in the last 7 days' }).click();
    await page.getByRole('button', { name: 'Created this month', exact: true }).click();
    await page.getByRole('button', { name: 'Condition actions' }).click();
    expect(await page.getByRole('menuitem').allTextContents()).toEqual(['Add an alternative (or)…', 'Remove']);
    await page.getByRole('menuitem', { name: 'Add an alternative' }).click();
    await page.getByRole('textbox', { name: 'Field' }).fill('id=1');
    await keyboard.press('Enter');
    const group = page.getByRole('group', { name: 'Any of 2 conditions' });
    await group.getByRole('button', { name: 'Created this month', exact: true }).press('Delete');
    await expect.poll(() => filterOf(page)).toMatch(/^create_date>=[^&]+&create_date<[^&]+&id=1$/);
    expect(errors).toEqual([]);
    await close();
  });

  test('what was typed is applied with a click elsewhere, or stays with the reason', async () => {
    const { page, errors, close } = await app.open('/products?panel=none');
    const elsewhere = () => page.mouse.click(640, 700);
    const closed = () => expect.poll(() => page.getByRole('dialog').count()).toBe(0);
    const value = page.getByRole('textbox', { name: 'Value' });
    await add(page, 'list_price');
    await value.fill('20');
    await elsewhere();
    await expectFilter(page, 'list_price>=20');
    await closed();

    await page
      .getByRole('toolbar')
      .getByRole('button', { name: /^Sales price/ })
      .click();
    await value.fill('30');
    await elsewhere();
    await expectFilter(page, 'list_price>=30');

    // A list with a value that is still being typed.
    await add(page, 'categ_id');
    await choose(page, 'is one of');
    await page.getByRole('textbox', { name: 'Add a value' }).fill('1');
    await elsewhere();
    await expectFilter(page, 'list_price>=30&categ_id[1]');

    // A whole condition.
    await page.getByRole('button', { name: 'Add condition' }).click();
    await page.getByRole('textbox', { name: 'Field' }).fill('active=true');
    await elsewhere();
    await expectFilter(page, 'list_price>=30&categ_id[1]&active=true');
    await closed();

    // Text that is typed counts at once: no pause is needed.
    await (await filterText(page)).fill('list_price>=30&categ_id[1]&active=true&id>0');
    await page.getByRole('button', { name: 'Remove Active is yes' }).click();
    await expectFilter(page, 'list_price>=30&categ_id[1]&id>0');
    await page.goBack();
    await expectFilter(page, 'list_price>=30&categ_id[1]&active=true&id>0');
    await page.goBack();
    await expectFilter(page, 'list_price>=30&categ_id[1]&active=true');

    // What is not a condition yet is neither applied nor lost.
    await add(page, 'list_price');
    await value.fill('cheap');
    await elsewhere();
    await page.getByText('Sales price must be a number').waitFor();
    expect(await value.inputValue()).toBe('cheap');
    await page.getByRole('button', { name: 'Discard' }).click();
    await closed();
    await page.getByRole('button', { name: 'Add condition' }).click();
    await page.getByRole('textbox', { name: 'Field' }).fill('prize>1');
    await elsewhere();
    await page.getByRole('button', { name: 'Discard' }).click();
    await closed();

    // Nothing was typed, or it was cancelled.
    await add(page, 'list_price');
    await elsewhere();
    await closed();
    await add(page, 'qty_available');
    await value.fill('5');
    await page.keyboard.press('Escape');
    await closed();
    await page
      .getByRole('toolbar')
      .getByRole('button', { name: /^Sales price/ })
      .click();
    await value.waitFor();
    await elsewhere();
    await closed();
    expect(filterOf(page)).toBe('list_price>=30&categ_id[1]&active=true');
    expect(errors).toEqual([]);
    await close();
  });
});

function filterOf(page: Page): string | null {
  return new URL(page.url()).searchParams.get('filter');
}

async function expectFilter(page: Page, filter: string | null): Promise<void> {
  await expect.poll(() => filterOf(page)).toBe(filter);
}

async function expectFocus(locator: Locator): Promise<void> {
  await expect.poll(() => locator.and(locator.page().locator(':focus')).count()).toBe(1);
}

/** Begins a condition on a field. */
async function add(page: Page, field: string): Promise<void> {
  const label = findField(product, field)?.label ?? '';
  await page.getByRole('button', { name: 'Add condition' }).click();
  await page.getByRole('textbox', { name: 'Field' }).fill(label);
  await page.getByRole('option', { name: new RegExp(`^${label}`) }).click();
  await page.getByRole('button', { name: `${label}: choose another field` }).waitFor();
}

async function choose(page: Page, operator: string): Promise<void> {
  await page.getByRole('button', { name: /Operator/ }).click();
  await page.getByRole('option', { name: operator, exact: true }).click();
}
