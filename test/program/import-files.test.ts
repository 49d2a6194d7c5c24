/** `stockbook import` of files as other programs write them: what is recognised, and what is asked. */

import { readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { beforeAll, describe, expect, test } from 'vitest';
import { partner } from '../../src/catalog/partner.ts';
import { product } from '../../src/catalog/product.ts';
import { Imports, summary } from '../support/imports.ts';
import { hasTerminals, startInTerminal } from '../support/program.ts';
import { exampleFile, workbookFile } from '../support/workbooks.ts';

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
      'Recognised: semicolons.\nstockbook: Is \'1.299\' in list_price 1299 or 1.299? Nothing was changed. Add --decimal "," (1299: with a decimal comma) or --decimal "." (1.299: with a decimal point).\n',
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
    expect(stderr).toContain("(lines 2, 3; the first is '12,50 €')");
  });
});

describe('encodings', () => {
  beforeAll(withAccount);

  test.each([
    ['UTF-16 with a mark', utf16('name\nStühle\n'), 'utf-16le'],
    ['UTF-16, compressed', gzipSync(utf16('name\nStühle\n')), 'utf-16le'],
  ])('are recognised: %s', async (_, content, encoding) => {
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
        'Ignored: id (an external id of Odoo), categ_id (has names instead of ids; export categ_id/.id as well), categ_id/id (an external id of Odoo).',
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

test.each([
  ['the label of .id', 'ID,Internal Reference,name\n7,A,Nut\n', [[7, 'A']]],
  ['numbers in id', 'id,Internal Reference,name\n7,A,Nut\n', [[7, 'A']]],
  ['False, which is nothing', '.id,default_code,name\n7,False,Nut\n', [[7, null]]],
])('an export of Odoo with %s', async (_, content, expected) => {
  await withAccount();
  expect(await imported(product, file('more.csv', content))).toMatchObject({ code: 0 });
  expect(await rows(product, 'id,default_code')).toEqual(expected);
});

test('an export of Odoo without ids is imported, with a note', async () => {
  await withAccount();
  const { code, stderr } = await imported(product, file('idless.csv', 'External ID,name\na.b,Nut\n'));
  expect({ code, stderr }).toEqual({
    code: 0,
    stderr: expect.stringContaining('The file has no column .id, so its rows are added'),
  });
});

test('a file that is imported a second time adds nothing unless told to', async () => {
  await withAccount();
  const chairs = file('chairs.csv', 'default_code,name\nCHAIR-1,Oak chair\nCHAIR-2,Ash chair\n');
  expect((await imported(product, chairs)).code).toBe(0);
  for (const flags of [[], ['--dry-run']])
    expect(await imported(product, chairs, ...flags)).toEqual({
      code: 1,
      stdout: '',
      stderr: expect.stringMatching(
        /stockbook: The import would add 2 products, but 2 of the 2 new rows have the default_code of products that exist, and the same content was imported at \S+\. Nothing was changed\. Add --key "default_code" \(.*\) or --add \(adds them once more\)\.\n$/,
      ),
    });
  expect((await imported(product, chairs, '--key', 'default_code')).stdout).toContain(
    '0 created, 0 updated, 2 unchanged',
  );
  expect((await imported(product, chairs, '--add')).stdout).toContain('2 created');
  expect((await imported(product, chairs, '--add', '--key', 'default_code')).code).toBe(2);
});

test('a workbook that is imported a second time is recognised by its content', async () => {
  await withAccount();
  const text = (name: string) => `<row><c t="str"><v>${name}</v></c></row>`;
  const workbook = file('names.xlsx', workbookFile({ sheets: { Partners: `${text('name')}${text('Ada')}` } }));
  expect((await imported(partner, workbook)).code).toBe(0);
  expect((await imported(partner, workbook)).stderr).toContain('the same content was imported at');
});

test('each column has its own decimal sign', async () => {
  await withAccount();
  const csv = file('signs.csv', 'name;list_price;qty_available\nA;12,50;1.5\nB;1.299;2\n');
  const { code, stderr } = await imported(product, csv);
  expect({ code, notes: stderr.split('\n').slice(1, 3) }).toEqual({
    code: 0,
    notes: ['list_price: numbers have a decimal comma.', 'qty_available: numbers have a decimal point.'],
  });
  expect(await rows(product, 'list_price,qty_available')).toEqual([
    [12.5, 1.5],
    [1299, 2],
  ]);
});

test('in a column of x, an empty cell is false', async () => {
  await withAccount();
  const { stderr } = await imported(product, file('marks.csv', 'name,active\nDesk,x\nChair,\n'));
  expect(stderr).toBe('active: x is true, and an empty cell is false.\n');
  expect(await rows(product, 'active')).toEqual([[true], [false]]);
});

test('rejected rows of a file in another encoding can be imported with the same mapping', async () => {
  await withAccount();
  const csv = file('w1252.csv', latin1('sep=;\nname;list_price\nMüller;1\nTür;x\n'));
  const flags = ['--encoding', 'windows-1252', '--reject', 'w.csv', '--save', 'w.mapping.json'];
  expect(await imported(product, csv, ...flags)).toMatchObject({ code: 0 });
  const rejected = readFileSync(inFolder('w.csv'), 'utf8');
  expect(rejected).toBe('\ufeffsep=;\nname;list_price\nTür;x\n');
  const fixed = file('w.csv', rejected.replace('x', '2'));
  expect(await imported(product, fixed, '--mapping', 'w.mapping.json')).toMatchObject({ code: 0 });
  expect(await rows(product, 'name')).toEqual([['Müller'], ['Tür']]);
});

describe('files as programs have written them', () => {
  test('a price list of a German Excel', async () => {
    await withAccount();
    const names = ['Artikelnummer=default_code', 'Bezeichnung=name', 'Preis=list_price', 'Bestand=qty_available'];
    const flags = [...names, 'Aktiv=active', 'Angelegt=create_date'].flatMap((map) => ['--map', map]);
    const csv = file('german-prices.csv', exampleFile('german-prices.csv'));
    expect((await imported(product, csv, ...flags)).stderr).toContain(
      `Line 2 is not UTF-8. What does it say? Nothing was changed. Add --encoding "windows-1252"`,
    );
    expect(await imported(product, csv, ...flags, '--encoding', 'windows-1252')).toMatchObject({
      code: 0,
      stderr: 'Recognised: windows-1252, semicolons, decimal comma, dates as DD.MM.YYYY.\n',
    });
    expect(await rows(product, 'default_code,name,list_price,qty_available,active,create_date')).toEqual([
      ['00123', 'Schreibtisch "Größe L"', 1299, 12, true, '2024-03-01T00:00:00.000Z'],
      ['00124', 'Stühle, gestapelt', 89.9, 1500, false, '2023-12-24T00:00:00.000Z'],
      ['00125', 'Lampe "rund"', 7, 0, true, '2024-01-31T10:20:00.000Z'],
    ]);
  });

  test('products of Odoo, of which one column is no field', async () => {
    await withAccount();
    const csv = file('odoo-products.csv', exampleFile('odoo-products.csv'));
    expect((await imported(product, csv)).stderr).toContain('or all of them with --ignore-unknown');
    expect(await imported(product, csv, '--ignore-unknown')).toMatchObject({ code: 0 });
    expect(await rows(product, 'id,name,default_code,qty_available,active,categ_id')).toEqual([
      [11, 'Oak nut M6x29', 'SKU-0000001', 929, true, 181],
      [12, '=Sum of parts', 'SKU-0000002', -3, false, null],
      [13, 'Office chair', null, 0, true, 181],
    ]);
  });

  test('partners of Odoo, with labels', async () => {
    await withAccount();
    const csv = file('odoo-partners.csv', exampleFile('odoo-partners.csv'));
    expect(await imported(partner, csv)).toMatchObject({ code: 0 });
    expect(await rows(partner, 'id,name,is_company,email,vat,country_code')).toEqual([
      [1, 'My Company', true, 'info@example.com', null, 'DE'],
      [3, 'Administrator', false, 'admin@example.com', null, null],
    ]);
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

  test('a flag comes before the mapping', async () => {
    await withAccount();
    const csv = file('fourth.csv', 'Nr;Bezeichnung;Preis;Notiz;\nA;Stuhl;5;B;\n');
    const flags = [
      '--mapping',
      'german.mapping.json',
      '--map',
      'Notiz=name',
      '--map',
      'Bezeichnung=',
      '--save',
      'own.json',
    ];
    expect(await imported(product, csv, ...flags)).toMatchObject({ code: 0 });
    expect(await imported(product, csv, '--mapping', 'own.json')).toMatchObject({
      stdout: expect.stringContaining('1 unchanged'),
    });
    expect(await rows(product, 'default_code,name')).toEqual([['A', 'B']]);
  });

  test('--save does not overwrite the file, and says if it fails', async () => {
    await withAccount();
    const csv = file('unsaved.csv', 'name\nA\n');
    expect(await imported(product, csv, '--save', csv)).toMatchObject({ code: 2 });
    expect(await imported(product, csv, '--save', 'missing/x.json')).toMatchObject({
      code: 1,
      stdout: expect.stringContaining('1 created'),
      stderr: expect.stringContaining('The mapping was not saved: missing/x.json cannot be written'),
    });
  });

  test.each([
    ['[]', 'it is not a JSON object'],
    ['{"resource":"partner"}', 'it is for partner, not for product'],
    ['{"decimals":","}', '"decimals" is not one of'],
    ['{"columns":{"a":5}}', '"columns" is not an object'],
    ['{"decimal":5}', '"decimal" is not a text'],
    ['{"decimal":";"}', 'The mapping wrong.mapping.json cannot be used: --decimal must be'],
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
  const workbook = gzipSync(
    workbookFile({ sheets: { S: '<row><c t="str"><v>name</v></c></row><row><c t="str"><v>D</v></c></row>' } }),
  );
  expect(await imported(partner, file('workbook.gz', workbook))).toMatchObject({ code: 0 });
  for (const [name, content] of named) expect(await imported(partner, file(name, content))).toMatchObject({ code: 0 });
  expect(await rows(partner, 'name')).toEqual([['D'], ['A'], ['B'], ['C']]);
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

test.skipIf(!hasTerminals)('Ctrl-D at a question changes nothing', async () => {
  const program = startInTerminal(['import', imports.account.name, 'product', 'ask.csv'], { folder: imports.folder });
  await expect.poll(() => program.output().stdout).toContain('1 to 2: ');
  program.child.stdin.write('\x04');
  expect(await program.finished).toMatchObject({ code: 1, stdout: expect.stringContaining('nothing was changed') });
});
