/** stockbook field */

import { join } from 'node:path';
import { expect, test } from 'vitest';
import { commands } from '../support/commands.ts';
import { engines, sqlite } from '../support/engines.ts';
import { sharedFolder } from '../support/shared.ts';

const folder = sharedFolder();

const REFUSALS = [
  [['change', 'product', 'x_stage', '--choices', 'new'], 'The choice sale is missing'],
  [['change', 'product', 'name', '--label', 'X'], 'The field name of products is built in.'],
  [['change', 'product', 'x_wight', '--label', 'X'], 'Did you mean x_weight?'],
  [['add', 'product', 'x_weight', 'number'], 'There is a field x_weight already.'],
  [['add', 'product', 'Weight', 'number'], '"Weight" cannot be the name of a field'],
  [['add', 'product', 'count', 'number'], '"count" is reserved: it is a measure of aggregates. x_count is not.'],
  [['add', 'product', 'page', 'number'], '"page" is reserved: it is a parameter of requests.'],
  [['add', 'product', 'a_fold', 'number'], '"a_fold" is reserved'],
  [
    ['add', 'product', 'constructor', 'text'],
    '"constructor" is reserved: it is what all objects have in JavaScript. x_constructor is not.',
  ],
  [['add', 'product', 'sales_price', 'number'], '"sales_price" is too similar to the field list_price'],
  [['add', 'product', 'x_gone', 'boolean', '--label', 'Removed'], '"Removed" cannot be a label'],
  [['add', 'product', 'x_made', 'text', '--label', 'Created (UTC)'], 'is too similar to the field create_date'],
  [['add', 'product', 'x'.repeat(36), 'text'], 'has at most 35 characters'],
  [['add', 'product', 'x_a', 'nmber'], 'There is no type nmber. Did you mean number?'],
  [['add', 'product', 'x_a', 'choice'], 'A choice needs --choices'],
  [['add', 'product', 'x_a', 'integer', '--default', '1.5'], '--default'],
  [['add', 'product', 'x_a', 'number', '--searched'], 'Only text is searched.'],
  [['add', 'product', 'x_a', 'number', '--unique'], 'Only text and integers can be unique.'],
  [['add', 'product', 'x_a', 'text', '--unique', '--default', 'a'], 'A field with a default cannot be unique'],
  [['change', 'product', 'x_stage', '--unique'], 'A choice cannot be unique'],
  [['remove', 'product', 'x_weight'], 'Add --yes to do it.'],
] as const;

test.each(engines)('fields can be added, listed, changed and removed on $name', async (engine) => {
  const database = await engine.makeMigrated();
  try {
    const stockbook = (...args: readonly string[]) =>
      commands.run([...args, '--database', database.url], { folder: folder.path }).then(({ code, stdout, stderr }) => ({
        code,
        text: `${stdout}${stderr}`,
      }));
    await stockbook('account', 'add', 'acme');
    expect(await stockbook('field', 'add', 'product', 'x_weight', 'number', '--label', 'Weight', '--indexed')).toEqual({
      code: 0,
      text: expect.stringContaining('Added the field x_weight to products.'),
    });
    expect(await stockbook('field', 'add', 'product', 'x_stage', 'choice', '--choices', 'new, sale')).toMatchObject({
      code: 0,
    });
    expect((await stockbook('field', 'list', 'product', '--own')).text).toMatch(
      /^RESOURCE .*\nproduct +x_weight +number or null +Weight +yes +yes +weight\nproduct +x_stage +choice or null +Stage +yes +stage: new, sale\n$/,
    );
    expect(
      (await stockbook('field', 'change', 'product', 'x_stage', '--choices', 'new,sale,gone', '--label', 'Phase')).code,
    ).toBe(0);
    expect(
      JSON.parse((await stockbook('field', 'list', 'product', '--own', '--json')).text.split('\n')[1] ?? ''),
    ).toMatchObject({
      name: 'x_stage',
      label: 'Phase',
      choices: ['new', 'sale', 'gone'],
    });
    // What is refused does not depend on the engine.
    const refusals = engine === sqlite ? REFUSALS : [];
    for (const [args, text] of refusals) {
      const refused = await stockbook('field', ...args);
      expect(refused.text).toContain(text);
      expect(refused.code).not.toBe(0);
    }
    expect((await stockbook('field', 'remove', 'product', 'x_weight', '--yes')).text).toBe(
      'Removed the field x_weight from products.\n',
    );
    expect((await stockbook('check')).code).toBe(0);
    expect((await stockbook('types')).text).toContain('readonly x_stage: "new" | "sale" | "gone" | null;');
    expect((await stockbook('openapi', '--own')).text).toContain('"x_stage"');
    if (engine !== sqlite) return;
    const copy = join(folder.path, 'copy.db');
    expect((await stockbook('backup', copy)).code).toBe(0);
    const restored = { folder: folder.path, env: { STOCKBOOK_DATABASE: 'restored.db' } };
    expect((await commands.run(['restore', copy], restored)).code).toBe(0);
    expect((await commands.run(['field', 'list', '--own'], restored)).stdout).toContain('x_stage');
  } finally {
    await database.drop();
  }
});
