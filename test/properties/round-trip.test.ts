/** Any export can be imported again without a change, into another account and over its own records. */

import { gzipSync } from 'node:zlib';
import fc, { type Arbitrary } from 'fast-check';
import { describe, expect, test } from 'vitest';
import { builtInCatalog } from '../../src/catalog/catalog.ts';
import { company } from '../../src/catalog/company.ts';
import { valueFromJson } from '../../src/catalog/field-value.ts';
import { product } from '../../src/catalog/product.ts';
import { type Field, id, type Resource } from '../../src/catalog/resource.ts';
import { Mismatch, type Value } from '../../src/catalog/value.ts';
import { importRows } from '../../src/import/import.ts';
import { importFormats } from '../../src/import/import-formats.ts';
import type { ImportPlan, ImportResult } from '../../src/import/import-plan.ts';
import { COMMAND_WORDS } from '../../src/import/words.ts';
import type { Account, Store } from '../../src/store/store.ts';
import { fieldValue, text } from '../support/arbitraries.ts';
import { engines } from '../support/engines.ts';
import { CSV, exportedBytes, exportedFile, NDJSON, openExport, XLSX } from '../support/exports.ts';
import { load, type RecordValues } from '../support/fixture.ts';
import { rounds } from '../support/rounds.ts';
import { sharedStore } from '../support/shared.ts';

/** Everything with a meaning in some file format. */
const MARKS = [
  ...['"', '""', ',', ';', '\t', '\r', '\n', '\r\n', '\n\r', ' ', '\ufeff', '\u00a0', '\u2028', '\u0085', '\\', '\\N'],
  ...[
    '=',
    "'",
    '{',
    '}',
    '[',
    ']',
    'null',
    '-0',
    'a',
    'é',
    '😀',
    '\u{10ffff}',
    '\u0001',
    '\u007f',
    '\v',
    '\f',
    '_x000D_',
    '_x',
    '<',
    '&amp;',
    ']]>',
    '\uffff',
  ],
];
const marked = fc.array(fc.constantFrom(...MARKS), { maxLength: 6 }).map((parts) => parts.join(''));

function storableIn(field: Field): Arbitrary<RecordValues[string]> {
  const value = field.type === 'text' ? fc.oneof(text, marked) : fieldValue(field);
  const storable = value
    .map((candidate) => valueFromJson(field, candidate))
    .filter((candidate): candidate is Value | null => !(candidate instanceof Mismatch));
  return field.nullable ? fc.option(storable, { freq: 3 }) : storable;
}

function recordsOf(resource: Resource): Arbitrary<readonly RecordValues[]> {
  const record = fc.record(Object.fromEntries(resource.fields.map((field) => [field.name, storableIn(field)])));
  return fc.uniqueArray(record, { selector: (candidate) => candidate['id'], maxLength: 25 });
}

/** Files arrive compressed or not, in chunks that may end within a character. */
const transport = fc.record({ isCompressed: fc.boolean(), chunk: fc.integer({ min: 1, max: 5_000 }) });

async function* inChunks(bytes: Uint8Array, size: number): AsyncIterable<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

function imported(
  store: Store,
  account: Account,
  resource: Resource,
  file: { readonly format: string; readonly content: string | Uint8Array },
  { isCompressed, chunk } = { isCompressed: false, chunk: 65_536 },
): Promise<ImportResult> {
  const format = importFormats.find(({ name }) => name === file.format);
  if (format === undefined) throw new Error(`unknown format ${file.format}`);
  const plan: ImportPlan = {
    resource,
    key: id,
    decisions: { columns: new Map() },
    words: COMMAND_WORDS,
    import: {},
    onRowError: 'stop',
    replace: false,
    dryRun: false,
    now: '2026-06-01T00:00:00.000Z',
  };
  const bytes = isCompressed ? gzipSync(file.content) : Buffer.from(file.content);
  return importRows(store, { account: account.id }, plan, format, { bytes: inChunks(bytes, chunk) });
}

async function revisionIn(store: Store, account: Account, resource: Resource): Promise<number | undefined> {
  const found = await openExport(store, account.id, resource, CSV, { limit: '1' });
  await found?.close();
  return found?.version.revision;
}

const counts = (numbers: Partial<Extract<ImportResult, { kind: 'imported' }>>) => ({
  kind: 'imported',
  created: 0,
  updated: 0,
  unchanged: 0,
  removed: 0,
  skipped: 0,
  errors: expect.objectContaining({ count: 0, first: [] }),
  found: expect.anything(),
  version: expect.anything(),
  importId: expect.any(String),
  ...numbers,
});

describe.each(engines)('on $name', (engine) => {
  const opened = sharedStore(engine);

  test.each(builtInCatalog.resources)('$plural: csv, ndjson and json', async (resource) => {
    await fc.assert(
      fc.asyncProperty(recordsOf(resource), transport, async (records, sent) => {
        const { store } = opened;
        const first = await opened.account();
        await load(store, first, resource, records);
        const [csv, ndjson] = [
          await exportedFile(store, first.id, resource, CSV),
          await exportedFile(store, first.id, resource, NDJSON),
        ];
        const lines = ndjson.split('\n').slice(0, -1);
        expect(lines.map((line) => JSON.parse(line))).toEqual(
          records.toSorted((a, b) => Number(a['id']) - Number(b['id'])),
        );
        const files = [
          { format: 'csv', content: csv },
          { format: 'ndjson', content: ndjson },
          { format: 'json', content: `[\n${lines.join(',\n')}\n]\n` },
        ];
        for (const file of files) {
          const second = await opened.account();
          expect(await imported(store, second, resource, file, sent)).toEqual(counts({ created: records.length }));
          expect(await exportedFile(store, second.id, resource, CSV)).toBe(csv);
          expect(await exportedFile(store, second.id, resource, NDJSON)).toBe(ndjson);
          expect(await imported(store, first, resource, file, sent)).toEqual(counts({ unchanged: records.length }));
        }
        expect(await revisionIn(store, first, resource)).toBe(records.length === 0 ? 0 : 1);
        expect(await exportedFile(store, first.id, resource, NDJSON)).toBe(ndjson);
      }),
      { numRuns: rounds(3, 8) },
    );
  });

  test.each(builtInCatalog.resources)('$plural: xlsx', async (resource) => {
    const nullable = resource.fields.filter((field) => field.nullable).map(({ name }) => name);
    const emptied = (record: RecordValues): RecordValues => ({
      ...record,
      ...Object.fromEntries(nullable.filter((name) => record[name] === '').map((name) => [name, null])),
    });
    // The empty text is an empty cell, which is null. A workbook without rows is refused.
    const some = recordsOf(resource)
      .filter((records) => records.length > 0)
      .map((records) => records.map(emptied));
    await fc.assert(
      fc.asyncProperty(some, async (records) => {
        const { store } = opened;
        const first = await opened.account();
        await load(store, first, resource, records);
        const file = { format: 'xlsx', content: await exportedBytes(store, first.id, resource, XLSX) };
        const second = await opened.account();
        expect(await imported(store, second, resource, file)).toEqual(counts({ created: records.length }));
        for (const format of [NDJSON, CSV])
          expect(await exportedFile(store, second.id, resource, format)).toBe(
            await exportedFile(store, first.id, resource, format),
          );
        expect(await exportedBytes(store, second.id, resource, XLSX)).toEqual(file.content);
        expect(await imported(store, first, resource, file)).toEqual(counts({ unchanged: records.length }));
      }),
      { numRuns: rounds(5, 20) },
    );
  });

  test('null and the empty string stay distinct, and -0 becomes 0', async () => {
    const { store } = opened;
    const owner = await opened.account();
    const header = 'id,name,default_code,list_price,qty_available,categ_id';
    const content = `${header}\n1,A,,-0,-0.0,-0\n2,B,"",0e5,-0e-5,\n`;
    expect(await imported(store, owner, product, { format: 'csv', content })).toEqual(counts({ created: 2 }));
    const ndjson = await exportedFile(store, owner.id, product, NDJSON);
    expect(ndjson.split('\n').map((line) => line && Object.values(JSON.parse(line)).slice(0, 7))).toEqual([
      [1, 'A', null, 0, 0, true, 0],
      [2, 'B', '', 0, 0, true, null],
      '',
    ]);
    const csv = await exportedFile(store, owner.id, product, CSV);
    expect(csv).not.toContain(',-0');
    for (const file of [
      { format: 'csv', content: csv },
      { format: 'ndjson', content: ndjson },
      { format: 'csv', content },
      { format: 'ndjson', content: '{"id":1,"list_price":-0,"categ_id":-0.0}\n{"id":2,"default_code":""}\n' },
    ])
      expect(await imported(store, owner, product, file)).toEqual(counts({ unchanged: 2 }));
    expect(await revisionIn(store, owner, product)).toBe(1);
  });

  test('dates in a file are kept, and missing ones are not a change', async () => {
    const { store } = opened;
    const owner = await opened.account();
    const dated = [
      {
        id: 1,
        name: 'A',
        branch_user: '1',
        create_date: '0001-01-01T00:00:00.000Z',
        write_date: '9999-12-31T23:59:59.999Z',
      },
      {
        id: 2,
        name: 'B',
        branch_user: '2',
        create_date: '2024-02-29T12:00:00.001Z',
        write_date: '1969-12-31T23:59:59.999Z',
      },
    ];
    await load(store, owner, company, dated);
    const before = await exportedFile(store, owner.id, company, CSV);
    expect(before).toContain('0001-01-01T00:00:00.000Z,9999-12-31T23:59:59.999Z\r\n');
    const undated = 'id,name,branch_user\n1,A,1\n2,B,2\n';
    expect(await imported(store, owner, company, { format: 'csv', content: undated })).toEqual(
      counts({ unchanged: 2 }),
    );
    expect(await exportedFile(store, owner.id, company, CSV)).toBe(before);
    const other = await opened.account();
    await imported(store, other, company, { format: 'csv', content: before });
    expect(await exportedFile(store, other.id, company, CSV)).toBe(before);
  });

  test('an empty export imports nothing', async () => {
    const { store } = opened;
    const owner = await opened.account();
    const [csv, ndjson] = [
      await exportedFile(store, owner.id, company, CSV),
      await exportedFile(store, owner.id, company, NDJSON),
    ];
    expect([csv, ndjson]).toEqual(['id,name,company_code,branch_user,create_date,write_date\r\n', '']);
    for (const [format, content] of [
      ['csv', csv],
      ['ndjson', ndjson],
      ['json', '[]'],
    ] as const)
      expect(await imported(store, owner, company, { format, content })).toEqual(counts({}));
  });
});
