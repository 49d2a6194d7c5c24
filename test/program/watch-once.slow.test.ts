/** `stockbook watch --once`: files in a folder become records, each exactly once. */

import { execFileSync } from 'node:child_process';
import { rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { gzipSync, zstdCompressSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { company } from '../../src/catalog/company.ts';
import { partner } from '../../src/catalog/partner.ts';
import { product } from '../../src/catalog/product.ts';
import { summary } from '../support/imports.ts';
import { linesOf, Watching, ways } from '../support/watching.ts';
import { workbookFile } from '../support/workbooks.ts';

const SHEET = ['name', 'Deco'].map((text) => `<row><c t="str"><v>${text}</v></c></row>`).join('');

describe.each(ways)('$way', (way) => {
  const watching = new Watching(way);
  const { put, read, list, once, path, rows, total, source } = watching;

  const imported = (file: string, what: string, counts: string, moved = file) =>
    `${file}: Imported ${what} into ${watching.account.name}: ${summary(counts)}. Moved to done/${moved}.`;

  test('files of every format are imported, the oldest first, and moved to done/', async () => {
    put('Products-3.csv.zst', zstdCompressSync('id,name\n1,third\n'), 3_000);
    put('product-2.ndjson.gz', gzipSync('{"id":1,"name":"second"}\n'), 2_000);
    put('product-1.csv', 'id,name\n1,first\n2,other\n', 1_000);
    put('partner.jsonl', '{"name":"Azure"}\n', 4_000);
    put('partner-2.xlsx', workbookFile({ sheets: { Partners: SHEET } }), 4_500);
    put('companies of today.json', '[{"name":"Contoso","branch_user":"7"}]', 5_000);
    const { code, stdout, stderr } = await once();
    expect({ code, stderr, lines: linesOf(stdout) }).toEqual({
      code: 0,
      stderr: '',
      lines: [
        imported('product-1.csv', '2 products', '2 created'),
        imported('product-2.ndjson.gz', '1 product', '1 updated'),
        imported('Products-3.csv.zst', '1 product', '1 updated'),
        imported('partner.jsonl', '1 partner', '1 created'),
        imported('partner-2.xlsx', '1 partner', '1 created'),
        imported('companies of today.json', '1 company', '1 created'),
      ],
    });
    expect(await rows(product)).toEqual([
      [1, 'third'],
      [2, 'other'],
    ]);
    expect(await rows(partner)).toEqual([
      [1, 'Azure'],
      [2, 'Deco'],
    ]);
    expect(await rows(company)).toEqual([[1, 'Contoso']]);
    expect(list()).toEqual(['done']);
    expect(await source('watch:product')).toMatchObject({
      resource: 'product',
      position: expect.stringMatching(/^1970-01-01T00:50:00.000Z [0-9a-f]{64} Products-3\.csv\.zst$/),
    });
    expect(await once()).toEqual({ code: 0, stdout: '', stderr: '' });
  });

  test('a file that cannot be imported is moved to failed/, with the reason, and the others are imported', async () => {
    put('product-1.csv', 'name,list_price\nChair,1\nDesk,x\n', 1_000);
    put('product-2.csv', 'name\nLamp\n', 2_000);
    const { code, stdout, stderr } = await once();
    expect({ code, lines: linesOf(stdout) }).toEqual({
      code: 1,
      lines: [imported('product-2.csv', '1 product', '1 created')],
    });
    expect(linesOf(stderr)).toEqual([
      expect.stringMatching(
        /^product-1\.csv: The rows have 1 error\. .* Moved to failed\/product-1\.csv; product-1\.csv\.error\.txt says what to do\.$/,
      ),
      'stockbook: Not all files could be imported.',
    ]);
    const text = read('failed/product-1.csv.error.txt');
    expect(text).toContain(`product-1.csv was not imported as products of ${watching.account.name}: rows_rejected.`);
    expect(text).toContain("\nline 3, list_price: must be a number in decimal notation, not 'x'\n");
    expect(text).toContain('\n- Correct these rows in product-1.csv.\n- Move product-1.csv back');
    expect(read('failed/product-1.csv.rejected.csv')).toBe('name,list_price\nDesk,x\n');
    expect(read('failed/product-1.csv')).toBe('name,list_price\nChair,1\nDesk,x\n');
    expect(await rows(product)).toEqual([[1, 'Lamp']]);
  });

  test('nothing in done/ and failed/ is overwritten', async () => {
    put('done/product.csv', 'before');
    put('failed/partner.csv.error.txt', 'before');
    put('product.csv', 'name\nChair\n');
    put('partner.csv', 'nmae\nAzure\n');
    expect((await once()).code).toBe(1);
    expect(read('done/product.csv')).toBe('before');
    expect(read('failed/partner.csv.error.txt')).toBe('before');
    expect(list('done')).toEqual([expect.stringMatching(/^product\.\d{8}T\d{9}Z\.csv$/), 'product.csv']);
    expect(list('failed').filter((name) => /^partner\.\d{8}T\d{9}Z\.csv(\.error\.txt)?$/.test(name))).toHaveLength(2);
  });

  test('what is not meant for it is left alone, and a name that nothing is about is mentioned', async () => {
    const others = ['.product.csv', 'product.csv.part', 'product.csv.filepart', 'product.tmp', '~$product.csv'];
    for (const name of [...others, 'product.csv.crdownload', 'notes.txt', 'orders.csv']) put(name, 'name\nX\n');
    put('product.csv/inside.csv', 'name\nX\n');
    const before = list();
    const { code, stdout, stderr } = await once();
    expect({ code, stdout, lines: linesOf(stderr) }).toEqual({
      code: 0,
      stdout: '',
      lines: expect.arrayContaining([
        'notes.txt: No rule is about this name. It is left alone.',
        'orders.csv: No rule is about this name. It is left alone.',
      ]),
    });
    expect(linesOf(stderr)).toHaveLength(2);
    expect(list()).toEqual(before);
    expect(await total(product)).toBe(0);
  });

  test('links and pipes are left alone and mentioned, wherever they lead', async () => {
    writeFileSync(path('secret.csv'), 'name\nSecret\n');
    symlinkSync(path('secret.csv'), path('in/product-1.csv'));
    symlinkSync(path('nothing'), path('in/product-2.csv'));
    execFileSync('mkfifo', [path('in/product-3.csv')]);
    put('product-4.csv', 'name\nChair\n');
    const { code, stderr } = await once();
    expect({ code, lines: linesOf(stderr).toSorted() }).toEqual({
      code: 0,
      lines: [
        'product-1.csv: It is a link, and links are not followed. It is left alone.',
        'product-2.csv: It is a link, and links are not followed. It is left alone.',
        'product-3.csv: It is a pipe or a device, not a file. It is left alone.',
      ],
    });
    expect(await rows(product)).toEqual([[1, 'Chair']]);
  });

  test('rejected rows of a workbook are CSV, and named like it', async () => {
    const cell = (text: string) => `<c t="str"><v>${text}</v></c>`;
    const sheet = [
      ['name', 'list_price'],
      ['Chair', '1'],
      ['Desk', 'x'],
    ].map((row) => `<row>${row.map(cell).join('')}</row>`);
    put('product.xlsx', workbookFile({ sheets: { Products: sheet.join('') } }));
    expect((await once()).code).toBe(1);
    expect(list('failed')).toEqual(['product.xlsx', 'product.xlsx.error.txt', 'product.xlsx.rejected.csv']);
    expect(read('failed/product.xlsx.rejected.csv')).toBe('name,list_price\nDesk,x\n');
    expect(statSync(path('in/failed/product.xlsx.rejected.csv')).mode & 0o777).toBe(0o600);
  });

  test('watch.json says which files are what, and how they are imported', async () => {
    const entry = { resource: 'product', key: 'default_code', map: { Ref: 'default_code', Item: 'name', Notes: null } };
    const rules = (more: object) =>
      put('watch.json', JSON.stringify({ files: [{ pattern: 'ERP_*', format: 'csv', ...entry, ...more }] }));
    rules({});
    put('erp_1.txt', 'Ref,Item,Notes\nA,Chair,x\nB,Desk,y\n', 1_000);
    put('product.csv', 'name\nLamp\n', 1_000);
    expect(linesOf((await once()).stdout)).toEqual([imported('erp_1.txt', '2 products', '2 created')]);
    rules({ replace: true });
    put('erp_2.txt', 'Ref,Item,Notes\nA,Stool,x\n', 2_000);
    expect((await once()).code).toBe(1);
    const text = read('failed/erp_2.txt.error.txt');
    expect(text).toContain('The import would remove 1 of 2 products, more than a tenth.');
    expect(text).toContain(way.isHttp ? 'Add confirm: true' : 'Add "confirm": true to its entry in watch.json');
    rules({ replace: true, confirm: true });
    put('erp_3.txt', 'Ref,Item,Notes\nA,Stool,x\n', 3_000);
    expect(linesOf((await once()).stdout)).toEqual([imported('erp_3.txt', '1 product', '1 updated, 1 removed')]);
    expect(await rows(product, 'default_code,name')).toEqual([['A', 'Stool']]);
    expect(list()).toEqual(['done', 'failed', 'product.csv', 'watch.json']);
  });

  test('a file that was imported but could not be moved is recognized, and those after it wait', async () => {
    put('done', 'in the way');
    put('product-1.csv', 'name\nChair\n', 1_000);
    put('product-2.csv', 'name\nDesk\n', 2_000);
    put('partner.csv', 'name\nAzure\n', 3_000);
    const first = await once();
    expect(first.code).toBe(1);
    expect(first.stderr).toContain('product-1.csv: Imported 1 product');
    expect(first.stderr).toContain('But it cannot be moved to in/done: file already exists (EEXIST).');
    expect(await rows(product)).toEqual([[1, 'Chair']]);
    expect((await once()).stderr).toContain('product-1.csv: It was imported before. But it cannot be moved');
    expect(await rows(product)).toEqual([[1, 'Chair']]);
    rmSync(path('in/done'));
    expect(linesOf((await once()).stdout)).toEqual([
      'product-1.csv: It was imported before. Moved to done/product-1.csv.',
      imported('product-2.csv', '1 product', '1 created'),
      'partner.csv: It was imported before. Moved to done/partner.csv.',
    ]);
    expect([await rows(product, 'name'), await total(partner)]).toEqual([[['Chair'], ['Desk']], 1]);
  });

  test('a file that was replaced after it was imported is imported as well', async () => {
    put('done', 'in the way');
    put('product.csv', 'name\nChair\n', 1_000);
    expect((await once()).code).toBe(1);
    rmSync(path('in/done'));
    put('product.csv', 'name\nTable\n', 1_000);
    expect(linesOf((await once()).stdout)).toEqual([imported('product.csv', '1 product', '1 created')]);
    expect(await rows(product, 'name')).toEqual([['Chair'], ['Table']]);
  });

  test('the same file with another time is imported again', async () => {
    const deliver = async (time: number) => {
      put('product.csv', 'id,name\n1,Chair\n', time);
      return linesOf((await once()).stdout);
    };
    expect(await deliver(1_000)).toEqual([imported('product.csv', '1 product', '1 created')]);
    expect(await deliver(2_000)).toEqual([
      expect.stringMatching(/^product\.csv: Imported .* 1 unchanged, .* Moved to done\/product\.\d/),
    ]);
    expect(await deliver(2_000)).toEqual([expect.stringContaining('product.csv: It was imported before. Moved')]);
  });

  test('a newer file that would add the same again is moved to failed/ with the question, unless the rules answer it', async () => {
    const newer = (name: string, time: number) => put(name, 'default_code,name\nA-1,Chair\nA-2,Desk\n', time);
    newer('product-1.csv', 1_000);
    newer('product-2.csv', 2_000);
    expect((await once()).code).toBe(1);
    expect(read('failed/product-2.csv.error.txt')).toMatch(
      /decision_required.*2 of the 2 new rows have the default_code of products that exist.*Add "?key"?: ?["']default_code["'] .* or "?add"?: true /s,
    );
    expect(await total(product)).toBe(2);
    const rule = (more: object) =>
      put('watch.json', JSON.stringify({ files: [{ pattern: 'product*.csv', resource: 'product', ...more }] }));
    rule({ key: 'default_code' });
    newer('product-3.csv', 3_000);
    expect((await once()).stdout).toContain('2 unchanged');
    rule({ add: true });
    newer('product-4.csv', 4_000);
    expect((await once()).stdout).toContain('2 created');
    expect(await total(product)).toBe(4);
  });

  test('sources of other folders do not disturb each other', async () => {
    put('product.csv', 'name\nChair\n');
    expect((await once('--source', 'erp')).code).toBe(0);
    expect([await source('erp:product'), await source('watch:product')]).toEqual([
      expect.objectContaining({ resource: 'product' }),
      undefined,
    ]);
  });
});
