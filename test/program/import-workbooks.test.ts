/** `stockbook import` of workbooks that LibreOffice has written, and of some that were made for a test. */

import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { product } from '../../src/catalog/product.ts';
import { Imports, summary } from '../support/imports.ts';
import { exampleFile, sheetOf, workbookFile } from '../support/workbooks.ts';

const imports = new Imports();
const { withAccount, inFolder, file, imported, rows } = imports;

const fileNamed = (name: string) => file(name, exampleFile(name));

test('cells have types, and nothing has to be recognised', async () => {
  await withAccount();
  expect(await imported(product, fileNamed('products.xlsx'))).toEqual({
    code: 0,
    stdout: `Imported 4 products into ${imports.account.name}: ${summary('4 created')}.\n`,
    stderr: 'Recognised: the sheet Products.\n',
  });
  expect(await rows(product, 'id,default_code,name,list_price,active')).toEqual([
    [1, 'DESK-01', 'Schreibtisch „Größe L“', 1299.5, true],
    [2, 'CHAIR-7', 'Chair <b> & "arms"', 0.1, false],
    [3, ' spaces  ', 'two\nlines', -4, true],
    [4, null, 'bold and italic 😀', 0, true],
  ]);
  expect((await rows(product, 'create_date')).slice(0, 2)).toEqual([
    ['2024-03-01T00:00:00.000Z'],
    ['2024-03-01T10:20:30.000Z'],
  ]);
});

test('the names of columns are found below a title, and rows with errors are written as CSV', async () => {
  await withAccount();
  const flags = ['--map', 'Code=default_code', '--map', 'Price=list_price', '--key', 'default_code'];
  const { code, stderr } = await imported(product, fileNamed('titles.xlsx'), ...flags, '--reject', 'rejected.csv');
  expect({ code, stderr: stderr.split('\n') }).toEqual({
    code: 0,
    stderr: [
      'Recognised: the sheet Report, the names of columns in row 4.',
      'Columns: Name is name.',
      'Above the names of the columns, 1 row (2) was left out.',
      '1 error in the file:',
      'row 8, default_code: missing; it identifies the record',
      '',
    ],
  });
  expect(readFileSync(inFolder('rejected.csv'), 'utf8')).toBe(',Code,Name,Price\n,,Total,1398.5\n');
  expect(await rows(product, 'default_code,list_price')).toEqual([
    ['DESK-01', 1299.5],
    ['CHAIR-7', 99],
  ]);
});

test('--header-row names the row, also in a mapping', async () => {
  await withAccount();
  const tables = file(
    'two.xlsx',
    workbookFile({
      sheets: { Prices: sheetOf(['name', 'list_price'], ['Chair', 1], ['name', 'qty_available'], ['Desk', 2]) },
    }),
  );
  const asked = await imported(product, tables);
  expect(asked).toMatchObject({ code: 1, stderr: expect.stringContaining('Add --header-row 1 (') });
  const chosen = await imported(product, tables, '--header-row', '3', '--save', inFolder('two.json'));
  expect(chosen).toMatchObject({
    code: 0,
    stderr:
      'Recognised: the sheet Prices, the names of columns in row 3.\nAbove the names of the columns, 2 rows (1, 2) were left out.\n',
  });
  expect(JSON.parse(readFileSync(inFolder('two.json'), 'utf8'))).toMatchObject({ headerRow: 3 });
  const again = await imported(product, tables, '--mapping', inFolder('two.json'), '--key', 'name');
  expect(again.stdout).toContain('1 unchanged');
  expect(await imported(product, tables, '--header-row', 'x')).toMatchObject({ code: 2 });
});

describe('sheets', () => {
  test('the only one with data is read, however many there are', async () => {
    await withAccount();
    expect(await imported(product, fileNamed('sheets.xlsx'))).toMatchObject({
      code: 0,
      stderr: 'Recognised: the sheet Prices & Stock.\n',
    });
  });

  test('if several have data, it is a question', async () => {
    await withAccount();
    const workbook = file(
      'several.xlsx',
      workbookFile({
        sheets: { January: sheetOf(['name'], ['A']), February: sheetOf(['name', 'active'], ['B', 'x']) },
      }),
    );
    const { code, stderr } = await imported(product, workbook);
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: expect.stringContaining(
        '--sheet "January" (January: name) or --sheet "February" (February: name, active)',
      ),
    });
    expect(await imported(product, workbook, '--sheet', 'February')).toMatchObject({ code: 0 });
    expect(await rows(product, 'name')).toEqual([['B']]);
    expect((await imported(product, workbook, '--sheet', 'March')).stderr).toContain(
      "There is no sheet 'March', only 'January', 'February'.",
    );
  });
});

test('numbers in a field of text are reported, because Excel removes leading zeros', async () => {
  await withAccount();
  const { code, stderr } = await imported(
    product,
    fileNamed('text-and-numbers.xlsx'),
    ...['--map', 'code=default_code', '--map', 'barcode=name', '--map', 'price=list_price', '--reject', 'wrong.csv'],
  );
  expect(code).toBe(0);
  expect(stderr).toContain(
    'default_code: 2 cells are numbers, which Excel writes without leading zeros; the first is 123 in row 3.',
  );
});

test('errors of Excel, and formulas without a result, are errors of their rows', async () => {
  await withAccount();
  const sheet = `${sheetOf(['name', 'list_price'])}<row><c t="str"><v>A</v></c><c t="e"><v>#N/A</v></c></row><row><c t="str"><v>B</v></c><c><f>1+1</f></c></row>`;
  const { stderr } = await imported(product, file('errors.xlsx', workbookFile({ sheets: { Sheet1: sheet } })));
  expect(stderr).toContain('row 2, list_price: has the error #N/A of Excel');
  expect(stderr).toContain(
    'row 3, list_price: has a formula that was not calculated; open the file in Excel, save it, and import it again',
  );
});

test.each([
  ['products.ods', 'OpenDocument'],
  ['products.xls', '.xls'],
])('%s is refused with what to do', async (name, words) => {
  const { code, stderr } = await imported(product, fileNamed(name));
  expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining(words) });
  expect(stderr).toContain('.xlsx');
});
