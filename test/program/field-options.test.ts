/** The flags of `stockbook field` that say what people are told about a field. */

import { beforeAll, expect, test } from 'vitest';
import { MAX_MEANING_LENGTH } from '../../src/catalog/own-field.ts';
import { commands } from '../support/commands.ts';
import { sharedFolder } from '../support/shared.ts';

const folder = sharedFolder();
const field = (...args: readonly string[]) => commands.run(['field', ...args], { folder: folder.path });

/** The own fields, as a program reads them. */
async function listed(): Promise<readonly unknown[]> {
  const { stdout } = await field('list', '--own', '--json');
  return stdout
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line));
}

beforeAll(() => commands.run(['account', 'add', 'acme'], { folder: folder.path }));

test('a field is called and means what its flags say, or what follows from its name, until they are changed', async () => {
  const told = ['--label', 'Net weight', '--description', 'net weight in kilograms'];
  expect(await field('add', 'product', 'x_weight', 'number', ...told)).toMatchObject({ code: 0 });
  expect(await field('add', 'product', 'x_shelf_life', 'integer')).toMatchObject({ code: 0 });
  const shelf = { name: 'x_shelf_life', label: 'Shelf life', meaning: 'shelf life' };
  expect(await listed()).toMatchObject([
    { name: 'x_weight', label: 'Net weight', meaning: 'net weight in kilograms' },
    shelf,
  ]);
  expect(await field('change', 'product', 'x_weight', '--description', 'weight without packaging')).toMatchObject({
    code: 0,
  });
  expect(await listed()).toMatchObject([
    { name: 'x_weight', label: 'Net weight', meaning: 'weight without packaging' },
    shelf,
  ]);
});

test.each([
  ['', 'is empty'],
  [' ', 'is empty'],
  ['a\nb', 'contains control characters'],
  ['x'.repeat(MAX_MEANING_LENGTH + 1), 'has more than 200 characters'],
])('a field cannot be described as %.20j: it %s', async (description, flaw) => {
  expect(await field('add', 'product', 'x_other', 'text', '--description', description)).toEqual({
    code: 1,
    stdout: '',
    stderr: `stockbook: The description ${flaw}.\n`,
  });
});

test(`a description may have ${MAX_MEANING_LENGTH} characters`, async () => {
  const longest = 'x'.repeat(MAX_MEANING_LENGTH);
  expect(await field('add', 'product', 'x_longest', 'text', '--description', longest)).toMatchObject({ code: 0 });
});
