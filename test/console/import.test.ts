/** What decides about an import before the service does: the file, and the settings in the address. */

import { expect, test } from 'vitest';
import { checkFiles } from '../../console/src/import/check-file.ts';
import { ACCEPTED, codingOf, formatOf } from '../../console/src/import/file-formats.ts';
import { ImportSettings } from '../../console/src/import/import-settings.ts';

const file = (name: string, content = 'id,name\n1,Chair\n', type = '') => new File([content], name, { type });

test.each([
  ['products.csv', 'text/csv', undefined],
  ['PRODUCTS.CSV', 'text/csv', undefined],
  ['list.2026.txt', 'text/csv', undefined],
  ['list.tsv', 'text/tab-separated-values', undefined],
  ['book.xlsx', 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet', undefined],
  ['rows.json', 'application/json', undefined],
  ['rows.jsonl.gz', 'application/x-ndjson', 'gzip'],
  ['rows.ndjson.zst', 'application/x-ndjson', 'zstd'],
  ['rows.gz', undefined, 'gzip'],
  ['csv', undefined, undefined],
])('%s is sent as %s', (name, mediaType, coding) => {
  expect(formatOf(name)?.mediaType).toBe(mediaType);
  expect(codingOf(name)).toBe(coding);
});

test('the dialog of the browser offers what can be imported', () => {
  expect(ACCEPTED).toBe('.csv,.txt,.tsv,.tab,.xlsx,.xlsm,.json,.ndjson,.jsonl,.gz,.zst');
});

test.each<[name: string, files: readonly File[], folders: readonly string[], reason: RegExp]>([
  ['nothing', [], [], /There is no file/],
  ['several files', [file('a.csv'), file('b.csv')], [], /These are 2 files\. Import one after the other/],
  ['a folder', [file('exports', '')], ['exports'], /“exports” is a folder/],
  ['an empty file', [file('a.csv', '')], [], /“a\.csv” is empty/],
  ['a picture', [file('chair.png', 'x', 'image/png')], [], /“chair\.png” is a picture: it has no rows/],
  ['an old workbook', [file('a.xls')], [], /is a spreadsheet in a format that is not read\. Save it as \.xlsx/],
  ['another spreadsheet', [file('a.ods')], [], /Save it as \.xlsx/],
  ['an archive', [file('a.zip')], [], /Unpack it first/],
  [
    'anything else',
    [file('a.pdf')],
    [],
    /“a\.pdf” cannot be imported\. Files that can be imported are CSV, TSV, Excel/,
  ],
])('%s cannot be imported', async (_, files, folders, reason) => {
  expect(await checkFiles(files, folders)).toMatch(reason);
});

test('a file that can be read is taken as it is', async () => {
  const chosen = file('a.csv');
  expect(await checkFiles([chosen])).toBe(chosen);
});

test('settings are parameters of the API', () => {
  const settings = new ImportSettings('')
    .with('key', 'default_code')
    .withColumn('Preis: netto', 'list_price')
    .withColumn('Notiz', null)
    .withColumn('Preis: netto', 'qty_available')
    .with('encoding', 'windows-1252')
    .with('decimal', ',');
  expect(String(settings)).toBe(
    'key=default_code&map=Preis:+netto:qty_available&map=Notiz:&encoding=windows-1252&decimal=,',
  );
  expect([...settings.columns]).toEqual([
    ['Preis: netto', 'qty_available'],
    ['Notiz', null],
  ]);
  // It is part of the Content-Type.
  expect(settings.query.has('encoding')).toBe(false);
  expect(settings.query.getAll('map')).toEqual(['Preis: netto:qty_available', 'Notiz:']);
  expect(String(settings.with('key', undefined).with('decimal', undefined))).not.toMatch(/key|decimal/);
  expect(settings.cleared().isEmpty).toBe(true);
});

test('columns may be mapped with either sign', () => {
  const { columns } = new ImportSettings('map=Preis:+netto=list_price&map=A%3DB:name&map=Notiz=');
  expect([...columns]).toEqual([
    ['Preis: netto', 'list_price'],
    ['A=B', 'name'],
    ['Notiz', null],
  ]);
});

test('a link neither confirms a removal nor makes an import', () => {
  const settings = new ImportSettings('?replace=true&confirm=true&dry_run=false&key=ref');
  expect(String(settings.query)).toBe('key=ref&replace=true');
  expect(settings.unknown).toEqual(['confirm', 'dry_run']);
});
