/** The flags of `stockbook import` that say how a file is written, and what the same file is without them. */

import { describe, expect, test } from 'vitest';
import { product } from '../../src/catalog/product.ts';
import { Imports } from '../support/imports.ts';

const imports = new Imports();
const { withAccount, file, imported, rows } = imports;

const [DATES, COMMAS, BARS, TABS] = [
  'name,create_date\nChair,03/04/2024\n',
  'name,default_code\nChair,A\n',
  'name|default_code\nChair, red|A;B\n',
  'name\tdefault_code\nChair, red\tA;B\n',
];
const [EMPTY, ALL_QUOTED] = ['name,default_code\nChair,""\n', '"name","default_code"\n"Chair",""\n'];
const FIELDS = 'name,default_code,create_date';
const NOW = expect.any(String);

describe('are read', () => {
  test.each<[flags: string, content: string, is: readonly unknown[]]>([
    ['--dates MM/DD/YYYY', DATES, ['Chair', null, '2024-03-04T00:00:00.000Z']],
    ['--dates DD/MM/YYYY', DATES, ['Chair', null, '2024-04-03T00:00:00.000Z']],
    ['--lenient', 'name,default_code\nChair,N/A\n', ['Chair', null, NOW]],
    ['', COMMAS, ['Chair', 'A', NOW]],
    ['--delimiter ,', COMMAS, ['Chair', 'A', NOW]],
    ['--delimiter |', BARS, ['Chair, red', 'A;B', NOW]],
    ['--delimiter tab', TABS, ['Chair, red', 'A;B', NOW]],
    ['', EMPTY, ['Chair', '', NOW]],
    ['', ALL_QUOTED, ['Chair', null, NOW]],
    ['--empty-text null', EMPTY, ['Chair', null, NOW]],
    ['--empty-text keep', ALL_QUOTED, ['Chair', '', NOW]],
  ])('with "%s": %j', async (flags, content, is) => {
    await withAccount();
    const given = flags.split(' ').filter(Boolean);
    expect(await imported(product, file('written.csv', content), ...given)).toMatchObject({ code: 0 });
    expect(await rows(product, FIELDS)).toEqual([is]);
  });
});

describe('are refused', () => {
  test.each([
    ['', DATES, 1, 'Add --dates "DD/MM/YYYY"'],
    ['--dates DD.MM.YYYY', DATES, 1, 'create_date: must be'],
    ['--dates DD', DATES, 2, '--dates must be'],
    ['--delimiter ;', COMMAS, 1, 'name,default_code: product has no such field'],
    ['--delimiter /', COMMAS, 2, '--delimiter must be'],
    ['--empty-text never', EMPTY, 2, '--empty-text must be null or keep'],
  ])('with "%s": %j', async (flags, content, code, message) => {
    await withAccount();
    const given = flags.split(' ').filter(Boolean);
    expect(await imported(product, file('written.csv', content), ...given)).toMatchObject({
      code,
      stderr: expect.stringContaining(message),
    });
    expect(await rows(product, FIELDS)).toEqual([]);
  });
});
