/** The query builder, as people use it: chips, text, and what is wrong with a filter. */

import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { consoleEngines, startConsole, type TestConsole, tabTo } from '../support/console.ts';

describe.each(consoleEngines)('on $name', (engine) => {
  let tested: TestConsole;
  beforeAll(async () => {
    tested = await startConsole(engine);
  });
  afterAll(() => tested.close());

  test('conditions are added, changed and removed with the keyboard alone', async () => {
    const { page, errors, close } = await tested.open('/products');
    const { keyboard } = page;
    await page.getByRole('button', { name: 'Add condition' }).waitFor();
    await tabTo(page, /Add condition/);
    await keyboard.press('Enter');
    await expectFocus(page.getByRole('textbox', { name: 'Field' }));
    await keyboard.type('price');
    await page.getByRole('option', { name: 'list_price' }).waitFor();
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
    await page.getByRole('option', { name: 'active' }).waitFor();
    await keyboard.press('Enter');
    await expectFocus(page.getByRole('radio', { name: 'yes' }));
    await keyboard.press('ArrowRight');
    await keyboard.press('Enter');
    await expectFilter(page, 'list_price>=1000&name*"A&B"&active=false');

    // The conditions are one stop of the Tab key, and the arrows move between them.
    await expectFocus(page.getByRole('button', { name: 'Add condition' }));
    for (let step = 0; step < 4; step += 1) await keyboard.press('ArrowLeft');
    await expectFocus(page.getByRole('button', { name: 'name contains A&B', exact: true }));
    await keyboard.press('Delete');
    await expectFilter(page, 'list_price>=1000&active=false');
    await expectFocus(page.getByRole('button', { name: 'active equals no', exact: true }));
    await keyboard.press('Enter');
    await page.getByRole('radio', { name: 'yes' }).waitFor();
    await keyboard.press('ArrowLeft');
    await keyboard.press('Enter');
    await expectFilter(page, 'list_price>=1000&active=true');

    await page.goBack();
    await expectFilter(page, 'list_price>=1000&active=false');
    expect(errors).toEqual([]);
    await close();
  });

  test('each type has its own editor, and groups hold alternatives', async () => {
    const { page, errors, close } = await tested.open('/products');
    await add(page, 'is_rsd_product');
    await page.getByRole('radio', { name: 'not set' }).check({ force: true });
    await page.getByRole('button', { name: 'Add', exact: true }).click();
    await expectFilter(page, 'is_rsd_product=null');

    await add(page, 'write_date');
    await page.getByLabel('Day').fill('2026-01-02');
    await page.getByLabel('Time, UTC').fill('09:30');
    await page.getByRole('button', { name: 'Add', exact: true }).click();
    await expectFilter(page, 'is_rsd_product=null&write_date>=2026-01-02T09:30Z');
    await page.getByRole('button', { name: 'Remove write_date', exact: false }).click();

    // Values are suggested with their counts.
    await add(page, 'categ_id');
    await choose(page, 'in list');
    await page.getByRole('textbox', { name: 'Add a value' }).fill('77');
    await page.keyboard.press('Enter');
    await page.getByRole('option', { name: /^4 / }).click();
    await page.getByRole('button', { name: 'or not set' }).click();
    await page.getByRole('button', { name: 'Add', exact: true }).click();
    await expectFilter(page, 'is_rsd_product=null&categ_id[77,4,null]');

    await page.getByRole('button', { name: /^categ_id is one of/ }).click();
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
    expect(await page.getByRole('textbox', { name: 'Filter as text' }).inputValue()).toBe(filterOf(page));
    expect(errors).toEqual([]);
    await close();
  });

  test('text is completed, checked at its position, and fixed with one click', async () => {
    const { page, errors, close } = await tested.open('/products');
    const text = page.getByRole('textbox', { name: 'Filter as text' });
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
    await page.getByRole('button', { name: 'active equals yes', exact: true }).waitFor();

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
    expect(await page.getByRole('button', { name: 'active equals yes', exact: true }).isDisabled()).toBe(true);
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
    await page.getByRole('button', { name: 'Remove active equals yes' }).click();
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
    const { page, close } = await tested.open(`/products?filter=${encodeURIComponent('categ_id=1&prize>5')}`);
    await page.getByText("product has no field 'prize'. The fields are").waitFor();
    await page.getByRole('button', { name: /^Remove prize/ }).click();
    await expectFilter(page, 'categ_id=1');
    await page.getByRole('button', { name: 'categ_id equals 1', exact: true }).waitFor();
    await close();
  });

  test('without rows, it is said why, and a condition can be dropped', async () => {
    const { page, errors, close } = await tested.open(
      `/products?filter=${encodeURIComponent('categ_id=1&default_code=DSK-1')}`,
    );
    await page.getByText('categ_id=1 and default_code=DSK-1 exclude each other').waitFor();
    await page.getByRole('button', { name: 'Drop default_code=DSK-1' }).click();
    await expectFilter(page, 'categ_id=1');
    await page.getByText('Crème Brûlée').first().waitFor();
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
  await page.getByRole('button', { name: 'Add condition' }).click();
  await page.getByRole('textbox', { name: 'Field' }).fill(field);
  await page.getByRole('option', { name: new RegExp(`^${field} `) }).click();
  await page.getByRole('button', { name: `${field}: choose another field` }).waitFor();
}

async function choose(page: Page, operator: string): Promise<void> {
  await page.getByRole('button', { name: /Operator/ }).click();
  await page.getByRole('option', { name: operator }).first().click();
}
