/** Small files that stand for much more: they are refused, or read in time and memory that do not depend on what they stand for. */

import { describe, expect, test } from 'vitest';
import { product } from '../../src/catalog/product.ts';
import { id } from '../../src/catalog/resource.ts';
import { ColumnMatcher } from '../../src/import/columns.ts';
import { CsvParser, csv } from '../../src/import/csv.ts';
import type { Decisions } from '../../src/import/decisions.ts';
import { UnreadableFile } from '../../src/import/format.ts';
import { recognise } from '../../src/import/recognition.ts';
import { REQUEST_WORDS } from '../../src/import/words.ts';
import { xlsx } from '../../src/import/xlsx.ts';
import { workbookFile } from '../support/workbooks.ts';

const DECISIONS: Decisions = { columns: new Map() };
const RULES = { resource: product, key: id, words: REQUEST_WORDS };

async function* once(bytes: Uint8Array) {
  yield bytes;
}

test('a row of CSV whose quotes never end is refused', () => {
  const parser = new CsvParser();
  const read = () => {
    for (let pieces = 0; pieces < 200; pieces += 1)
      for (const _ of parser.feed(`${pieces === 0 ? 'name\n"' : ''}${'","\n'.repeat(5_000)}`));
  };
  expect(read).toThrow(UnreadableFile);
});

test('the text of a row of a sheet is made only if it is needed', async () => {
  const quotes = '"'.repeat(65_000);
  const row = `<row>${'<c t="s"><v>0</v></c>'.repeat(15)}</row>`;
  const sheet = `<row><c t="str"><v>name</v></c></row>${row.repeat(900)}`;
  const bytes = workbookFile({ sheets: { S: sheet }, strings: `<si><t>${quotes}</t></si>` });
  let size = 0;
  for await (const rows of xlsx.rows({ bytes: once(bytes) }, DECISIONS, {}, () => true))
    for (const raw of rows) size += raw.size;
  // As texts, they would have more than a gigabyte.
  expect(size).toBeGreaterThan(800_000_000);
});

test('many sheets are not looked at', async () => {
  const sheet = '<row><c t="str"><v>name</v></c></row>';
  const sheets = Object.fromEntries(Array.from({ length: 60 }, (_, n) => [`S${n}`, sheet]));
  const read = async () => {
    for await (const _ of xlsx.rows({ bytes: once(workbookFile({ sheets })) }, DECISIONS, {}, () => true));
  };
  await expect(read()).rejects.toThrow('The workbook has 60 sheets');
});

describe('the names of columns', () => {
  test.each([
    [50, /^Column 0, Column 1, .*, Column 49$/],
    [51, /^Column 0, Column 1, .*, Column 49, 1 more$/],
  ])('of %i unknown ones, 50 are listed', (count, listed) => {
    const matcher = new ColumnMatcher({ ...RULES, columns: new Map() });
    const columns = matcher.match(['name', ...Array.from({ length: count }, (_, n) => `Column ${n}`)]);
    expect(columns.unknown).toHaveLength(count);
    expect(matcher.unknownColumns(columns.unknown, columns, true).column).toMatch(listed);
  });

  test('a long one is no spelling of a field', () => {
    const marks = `n\u0301ame${'\u0301'.repeat(50_000)}${'\u0316'.repeat(50_000)}`;
    const matcher = new ColumnMatcher({ ...RULES, columns: new Map() });
    const columns = matcher.match([marks, 'N\u0301ame', 'List Price (%)']);
    expect(columns.unknown.map(({ length }) => length)).toEqual([marks.length, 14]);
    expect(matcher.unknownColumns(columns.unknown, columns, true).column).toHaveLength(61 + ', '.length + 14);
  });

  test('repeated ones are refused before their cells are looked at', () => {
    const names = Array.from({ length: 1_000 }, () => 'create_date');
    const row = {
      kind: 'row',
      number: 2,
      text: '',
      size: 0,
      columns: names,
      cells: names.map(() => '1/2/2024'),
    } as const;
    const header = { kind: 'header', number: 1, text: '', size: 0, columns: names } as const;
    const { columns } = recognise(csv, RULES, DECISIONS, {}, [header, ...Array.from({ length: 30 }, () => row)]);
    expect(columns.match(names).errors).toHaveLength(999);
  });
});
