/** `stockbook import` of files as other programs write them: what is recognised, and what is asked. */

import { readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { beforeAll, describe, expect, test } from 'vitest';
import { partner } from '../../src/catalog/partner.ts';
import { product } from '../../src/catalog/product.ts';
import { Imports, summary } from '../support/imports.ts';
import { hasTerminals, startInTerminal } from '../support/program.ts';

const imports = new Imports();
const { withAccount, inFolder, file, imported, rows } = imports;

const utf16 = (text: string) => Buffer.from(`\ufeff${text}`, 'utf16le');
const latin1 = (text: string) => Buffer.from(text, 'latin1');

describe('a German spreadsheet', () => {
  beforeAll(withAccount);

  test('is read as it is meant, and what was recognised is printed', async () => {
    const csv = file(
      'german.csv',
      'sep=;\r\nDefault Code;Náme;LIST PRICE;active;create date\r\nA-1;Stühle;1.234,50;WAHR;01.03.2024\r\nA-2;Tisch;1.299;FALSCH;25.12.2023 10:20\r\nA-3;Lampe; 7 ;x;2024-03-01 10:20:30\r\n',
    );
    expect(await imported(product, csv, '--timezone', 'Europe/Berlin')).toEqual({
      code: 0,
      stdout: `Imported 3 products into ${imports.account.name}: ${summary('3 created')}.\n`,
      stderr: [
        'Recognised: semicolons, decimal comma, dates as DD.MM.YYYY, times in Europe/Berlin.',
        'Columns: Default Code is default_code, Náme is name, LIST PRICE is list_price, create date is create_date.',
        '',
      ].join('\n'),
    });
    expect(await rows(product, 'default_code,name,list_price,active,create_date')).toEqual([
      ['A-1', 'Stühle', 1234.5, true, '2024-02-29T23:00:00.000Z'],
      ['A-2', 'Tisch', 1299, false, '2023-12-25T09:20:00.000Z'],
      ['A-3', 'Lampe', 7, true, '2024-03-01T09:20:30.000Z'],
    ]);
  });

  test('a number that has two meanings is a question, and the flag answers it', async () => {
    await withAccount();
    const csv = file('two.csv', 'name;list_price\nChair;1.299\n');
    const asked = await imported(product, csv);
    expect(asked).toMatchObject({ code: 1, stdout: '' });
    expect(asked.stderr).toBe(
      'stockbook: Is \'1.299\' in list_price 1299 or 1.299? Nothing was changed. Add --decimal "," (1299: with a decimal comma) or --decimal "." (1.299: with a decimal point).\n',
    );
    expect(await imported(product, csv, '--decimal', ',')).toMatchObject({ code: 0 });
    expect(await rows(product, 'list_price')).toEqual([[1299]]);
  });

  test('with commas between cells, a point is a decimal point', async () => {
    await withAccount();
    expect(await imported(product, file('plain.csv', 'name,list_price\nChair,1.299\n'))).toMatchObject({ stderr: '' });
    expect(await rows(product, 'list_price')).toEqual([[1.299]]);
  });

  test('a currency is an error that says so', async () => {
    await withAccount();
    const { stderr } = await imported(product, file('euro.csv', 'name;list_price\nChair;12,50 €\nDesk;1,00 €\n'));
    expect(stderr).toContain('2 rows, list_price: must be a number without a currency');
    expect(stderr).toContain("not '12,50 €'; did you mean 12,50? (lines 2, 3)");
  });
});

describe('encodings', () => {
  beforeAll(withAccount);

  test.each([
    ['UTF-16 with a mark', utf16('name\nStühle\n'), 'utf-16le'],
    ['UTF-16, compressed', gzipSync(utf16('name\nStühle\n')), 'utf-16le'],
  ])('%s', async (_, content, encoding) => {
    await withAccount();
    expect(await imported(partner, file('encoded.csv', content))).toMatchObject({
      code: 0,
      stderr: `Recognised: ${encoding}.\n`,
    });
    expect(await rows(partner, 'name')).toEqual([['Stühle']]);
  });

  test('another one is a question that shows the first cell in each', async () => {
    await withAccount();
    const csv = file('latin.csv', latin1('name,ref\nPlain,1\nx,Stühle\n'));
    const { code, stderr } = await imported(partner, csv);
    expect(code).toBe(1);
    expect(stderr).toContain('Line 3 is not UTF-8. What does it say?');
    expect(stderr).toContain(`--encoding "windows-1252" ('Stühle')`);
    expect(await imported(partner, csv, '--encoding', 'windows-1252')).toMatchObject({ code: 0 });
    expect(await rows(partner, 'name,ref')).toEqual([
      ['Plain', '1'],
      ['x', 'Stühle'],
    ]);
  });

  test('UTF-16 without a mark', async () => {
    const { stderr } = await imported(partner, file('bare.csv', Buffer.from('name\nA\n', 'utf16le')));
    expect(stderr).toContain('--encoding "utf-16le"');
  });
});

describe('an export of Odoo', () => {
  const EXPORT = [
    '"id",".id","name","default_code","list_price","qty_available","active","categ_id","categ_id/.id","categ_id/id","write_date"',
    '"__export__.product_product_11_153f9652","11","Oak nut","SKU-1","284.72","929.0","True","Cat 178","178","__export__.c_1","2020-09-13 12:27:40"',
    `"__export__.product_product_12_153f9653","12","'=Sum","","0.0","0.0","","","","","2020-09-13 12:27:40"`,
    '"","","","","","","","","","x",""',
    '',
  ].join('\r\n');

  test('is recognised', async () => {
    await withAccount();
    expect(await imported(product, file('odoo.csv', EXPORT))).toEqual({
      code: 0,
      stdout: `Imported 2 products into ${imports.account.name}: ${summary('2 created')}.\n`,
      stderr: [
        'Recognised: an export of Odoo.',
        'Columns: .id is id, categ_id/.id is categ_id.',
        'Ignored: id (an external id of Odoo), categ_id (has names instead of ids; export categ_id/.id as well), categ_id/id (of other records).',
        'Odoo writes times in the time zone of the user who exports them. They were read as UTC.',
        '1 line with nothing but cells of other records was skipped.',
        '',
      ].join('\n'),
    });
    expect(await rows(product, 'id,name,default_code,active,categ_id')).toEqual([
      [11, 'Oak nut', 'SKU-1', true, 178],
      [12, '=Sum', null, false, null],
    ]);
  });

  test('with English labels', async () => {
    await withAccount();
    const labels = '"External ID","Name","Internal Reference","Sales Price","Quantity On Hand","Product Category/.id"';
    const csv = file('labels.csv', `${labels}\r\n"a.b","Nut","N-1","1.50","2.0","7"\r\n`);
    expect(await imported(product, csv, '--key', 'default_code')).toMatchObject({ code: 0 });
    expect(await rows(product, 'name,default_code,list_price,qty_available,categ_id')).toEqual([
      ['Nut', 'N-1', 1.5, 2, 7],
    ]);
  });

  test('rows without a code are errors of their own, not duplicates', async () => {
    await withAccount();
    const csv = file('codeless.csv', '"id","name","default_code"\r\n"a.b","A",""\r\n"a.c","B",""\r\n');
    const { stderr } = await imported(product, csv, '--key', 'default_code');
    expect(stderr).toContain('2 rows, default_code: missing; it identifies the record (lines 2, 3)');
  });

  test('as JSON', async () => {
    await withAccount();
    const json = file('odoo.json', '[{"id":5,"name":"Nut","default_code":false,"categ_id":[7,"Office"]}]');
    expect(await imported(product, json)).toMatchObject({ code: 0 });
    expect(await rows(product, 'id,default_code,categ_id')).toEqual([[5, null, 7]]);
  });
});

describe('what is decided once', () => {
  const GERMAN = 'Nr;Bezeichnung;Preis;Notiz\nA;Stuhl;12,50;x\n';
  const flags = [
    '--map',
    'Nr=default_code',
    '--map',
    'Bezeichnung=name',
    '--map',
    'Preis=list_price',
    '--map',
    'Notiz=',
  ];

  test('is saved, and repeated', async () => {
    await withAccount();
    const csv = file('first.csv', GERMAN);
    const saved = await imported(product, csv, ...flags, '--key', 'default_code', '--save', 'german.mapping.json');
    expect(saved).toMatchObject({ code: 0 });
    expect(JSON.parse(readFileSync(inFolder('german.mapping.json'), 'utf8'))).toEqual({
      resource: 'product',
      key: 'default_code',
      columns: { Nr: 'default_code', Bezeichnung: 'name', Preis: 'list_price', Notiz: null },
      encoding: 'utf-8',
      delimiter: ';',
      decimal: ',',
    });
    const next = file('second.csv', 'Nr;Bezeichnung;Preis;Notiz\nA;Stuhl;1.299;\n');
    expect(await imported(product, next, '--mapping', 'german.mapping.json')).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('1 updated'),
    });
    expect(await rows(product, 'default_code,list_price')).toEqual([['A', 1299]]);
  });

  test('a file that does not fit is an error that names the column', async () => {
    const csv = file('third.csv', 'Nr;Bezeichnung;Notiz\nA;Stuhl;\n');
    const { code, stderr } = await imported(product, csv, '--mapping', 'german.mapping.json');
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: expect.stringContaining("The mapping names the column 'Preis', which does not exist."),
    });
  });

  test.each([
    ['[]', 'it is not a JSON object'],
    ['{"resource":"partner"}', 'it is for partner, not for product'],
    ['{"decimals":","}', '"decimals" is not one of'],
    ['{"columns":{"a":5}}', '"columns" is not an object'],
    ['{"decimal":5}', '"decimal" is not a text'],
  ])('%s is refused', async (mapping, reason) => {
    file('wrong.mapping.json', mapping);
    const { code, stderr } = await imported(product, file('any.csv', 'name\nA\n'), '--mapping', 'wrong.mapping.json');
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining(reason) });
  });

  test('--ignore-unknown ignores columns that are not fields, and says so', async () => {
    await withAccount();
    const csv = file('unknown.csv', 'name,Barcode\nA,123\n');
    expect((await imported(product, csv)).stderr).toContain('Barcode: product has no such field');
    expect(await imported(product, csv, '--ignore-unknown')).toMatchObject({
      code: 0,
      stderr: 'Ignored: Barcode (unknown).\n',
    });
  });
});

test('--preview shows the first records as they would be stored, and changes nothing', async () => {
  await withAccount();
  const csv = file('preview.csv', 'name;list_price;active\nStuhl;1.234,50;ja\nTisch;7,00;nein\n');
  const { code, stdout } = await imported(product, csv, '--preview');
  expect({ code, lines: stdout.split('\n').map((line) => line.trim().replaceAll(/ +/g, ' ')) }).toEqual({
    code: 0,
    lines: [
      'name list_price active',
      'Stuhl 1234.5 true',
      'Tisch 7 false',
      '',
      expect.stringMatching(/^Would import 2 products into .*: 2 created, .* Nothing was changed\.$/),
      '',
    ],
  });
  expect(await rows(product)).toEqual([]);
});

test('the content decides if the name says nothing', async () => {
  await withAccount();
  const named: readonly (readonly [string, string])[] = [
    ['rows', 'name\nA\n'],
    ['lines.dat', '{"name":"B"}\n'],
    ['array', ' [{"name":"C"}]'],
  ];
  for (const [name, content] of named) expect(await imported(partner, file(name, content))).toMatchObject({ code: 0 });
  expect(await rows(partner, 'name')).toEqual([['A'], ['B'], ['C']]);
});

test.skipIf(!hasTerminals)('on a terminal, what has two meanings is asked', async () => {
  await withAccount();
  const csv = file('ask.csv', 'name;list_price\nChair;1.299\n');
  const program = startInTerminal(['import', imports.account.name, 'product', csv], { folder: imports.folder });
  await expect.poll(() => program.output().stdout).toContain('1 to 2: ');
  program.child.stdin.write('1\r');
  expect(await program.finished).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/Next time, --decimal "," answers this\..*1 created/s),
  });
  expect(await rows(product, 'list_price')).toEqual([[1299]]);
});
