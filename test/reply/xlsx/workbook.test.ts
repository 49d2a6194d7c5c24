/** A workbook is an archive that programs can open, and the same rows are the same bytes. */

import { describe, expect, test } from 'vitest';
import { company } from '../../../src/catalog/company.ts';
import { product } from '../../../src/catalog/product.ts';
import { type Field, nullable, type Resource } from '../../../src/catalog/resource.ts';
import { MAX_SHEET_RECORDS } from '../../../src/catalog/sheet.ts';
import { spooled } from '../../../src/import/xlsx/random-access.ts';
import { ZipArchive } from '../../../src/import/xlsx/zip.ts';
import { planExport } from '../../../src/plan/list.ts';
import { checkRows } from '../../../src/reply/export.ts';
import { workbookBody } from '../../../src/reply/xlsx/workbook.ts';
import { planned } from '../../support/fixture.ts';
import { collected, once } from '../../support/iterables.ts';
import { MAX_BYTES, readWorkbook } from '../../support/workbooks.ts';

interface Source {
  readonly resource?: Resource;
  readonly fields?: readonly Field[];
}

async function workbook(chunks: readonly string[], { resource = company, fields = resource.fields }: Source = {}) {
  const rest = [...chunks];
  const next = async () => {
    const chunk = rest.shift();
    return chunk === undefined ? undefined : Buffer.from(chunk);
  };
  const rows = chunks.join('').split('<row>').length - 1;
  const body = workbookBody({ next, close: async () => {} }, { resource, fields, rows });
  const pieces: Uint8Array[] = [];
  for (let piece = await body.next(); piece !== undefined; piece = await body.next()) pieces.push(piece);
  await body.close();
  return Buffer.concat(pieces);
}

const row = (id: number) => `<row><c><v>${id}</v></c></row>\n`;

/** A file of the archive. */
async function part(bytes: Uint8Array, name: string): Promise<string> {
  const file = await spooled(once(bytes), Number.POSITIVE_INFINITY);
  const archive = await ZipArchive.open(file);
  const text = Buffer.concat(await collected(archive.bytes(name, MAX_BYTES))).toString();
  await file.close();
  return text;
}

test('the rows are those of the store, below the names of the columns', async () => {
  const [sheet, ...others] = await readWorkbook(await workbook([row(1) + row(2), row(3)]));
  expect(others).toEqual([]);
  expect(sheet?.sheet.name).toBe('Companies');
  expect(sheet?.rows.map(({ number, cells }) => [number, ...cells.map((cell) => Object.values(cell)[1])])).toEqual([
    [1, 'ID', 'Name', 'Company code', 'Branch user', 'Created (UTC)', 'Changed (UTC)'],
    [2, 1],
    [3, 2],
    [4, 3],
  ]);
});

test('the bytes do not depend on how the rows arrive', async () => {
  const rows = Array.from({ length: 5_000 }, (_, index) => row(index));
  const whole = await workbook([rows.join('')]);
  expect(await workbook(rows)).toEqual(whole);
  expect(await workbook([rows.slice(0, 7).join(''), rows.slice(7).join('')])).toEqual(whole);
});

test('the first row is frozen and can be filtered by, columns have widths, and text stays text', async () => {
  const bytes = await workbook([row(1)], { resource: product });
  const sheet = await part(bytes, 'xl/worksheets/sheet1.xml');
  expect(sheet).toContain('<dimension ref="A1:K2"/>');
  expect(sheet).toContain('<pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/>');
  expect(sheet).toContain('<col min="2" max="2" width="30" style="1" customWidth="1"/>');
  expect(sheet).toContain('<autoFilter ref="A1:K2"/>');
  expect(await part(bytes, 'xl/workbook.xml')).toContain(`'Products'!$A$1:$K$2`);
  expect(await part(bytes, 'xl/styles.xml')).toContain('formatCode="yyyy\\-mm\\-dd\\ hh:mm:ss"');
});

test('any number of columns, and no rows', async () => {
  const fields = Array.from({ length: 703 }, (_, index) =>
    nullable(`field_${index}`, `Field ${index}`, 'text', 'anything'),
  );
  const sheet = await part(await workbook([], { fields }), 'xl/worksheets/sheet1.xml');
  expect(sheet).toContain('<dimension ref="A1:AAA1"/>');
  expect(await part(await workbook([], { fields: fields.slice(0, 26) }), 'xl/worksheets/sheet1.xml')).toContain(
    '"A1:Z1"',
  );
  expect(await part(await workbook([], { fields: fields.slice(0, 702) }), 'xl/worksheets/sheet1.xml')).toContain(
    '"A1:ZZ1"',
  );
});

test('an error of the store is one of the workbook', async () => {
  const broken = new Error('the connection is lost');
  const next = () => Promise.reject(broken);
  const body = workbookBody({ next, close: async () => {} }, { resource: company, fields: company.fields, rows: 1 });
  const all = async () => {
    while ((await body.next()) !== undefined);
  };
  await expect(all()).rejects.toThrow(broken);
  await body.close();
});

describe('the limit of a sheet', () => {
  const planOf = (kind: 'csv' | 'xlsx') =>
    planned(
      planExport(product, { values: {}, continuations: [] }, kind === 'csv' ? { kind, excelSafe: true } : { kind }),
    );

  test('the last record fits, and one more is a problem that says what to do', () => {
    expect(checkRows(MAX_SHEET_RECORDS, planOf('xlsx'))).toBeUndefined();
    expect(checkRows(MAX_SHEET_RECORDS + 1, planOf('xlsx'))).toMatchObject({
      code: 'too_many_rows',
      detail: '1048576 products match, and a sheet of Excel has 1048576 rows.',
      context: { suggestion: 'Narrow the filter to at most 1048575 products, or use format=csv.' },
    });
  });

  test('CSV has none', () => {
    expect(checkRows(MAX_SHEET_RECORDS + 1, planOf('csv'))).toBeUndefined();
  });
});
