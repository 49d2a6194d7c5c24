import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { withDefault } from '../../src/catalog/resource.ts';
import { CsvParser, csv } from '../../src/import/csv.ts';
import { type Format, type RowParser, UnreadableFile } from '../../src/import/format.ts';
import { JsonArrayParser, json } from '../../src/import/json.ts';
import { MAX_LINE_LENGTH } from '../../src/import/lines.ts';
import { NdjsonParser, ndjson } from '../../src/import/ndjson.ts';
import { TextCells } from '../../src/import/text-cells.ts';
import { text } from '../support/arbitraries.ts';

interface ParsedFormat<Cell> {
  readonly format: Format<Cell>;
  readonly parser: () => RowParser<Cell>;
}

const CSV = { format: csv, parser: () => new CsvParser() };
const NDJSON = { format: ndjson, parser: () => new NdjsonParser() };
const JSON_ARRAY = { format: json, parser: () => new JsonArrayParser() };

const name = withDefault('name', 'Name', 'text', 'x', '');
const texts = new TextCells({});

/** The rows with their cells as values; a cell that does not set the field is undefined. */
function rowsOf<Cell>({ format, parser: open }: ParsedFormat<Cell>, chunks: readonly string[]) {
  const parser = open();
  return [...chunks.flatMap((chunk) => [...parser.feed(chunk)]), ...parser.end()].flatMap((row) =>
    row.kind === 'row'
      ? [{ line: row.number, columns: row.columns, cells: row.cells.map((cell) => format.value(name, cell, texts)) }]
      : [],
  );
}

test('the longest element of JSON', () => {
  const element = (length: number) => JSON.stringify({ name: 'x'.repeat(length - '{"name":""}'.length) });
  expect(rowsOf(JSON_ARRAY, [`[{"name":"a"},${element(MAX_LINE_LENGTH)}]`])).toHaveLength(2);
  expect(() => rowsOf(JSON_ARRAY, [`[{"name":"a"},${element(MAX_LINE_LENGTH + 1)}]`])).toThrow(
    new UnreadableFile('Element 2 has more than 1048576 characters, too many for a row.'),
  );
});

describe('CSV', () => {
  test.each<[string, string, readonly { line: number; cells: readonly unknown[] }[]]>([
    ['plain', 'a,b\n1,2\n', [{ line: 2, cells: ['1', '2'] }]],
    ['no line break at the end', 'a,b\n1,2', [{ line: 2, cells: ['1', '2'] }]],
    ['CR LF', 'a,b\r\n1,2\r\n', [{ line: 2, cells: ['1', '2'] }]],
    ['empty cells', 'a,b,c\n,"",\n', [{ line: 2, cells: [undefined, '', undefined] }]],
    [
      'empty lines',
      'a\n\n1\n\n2\n',
      [
        { line: 3, cells: ['1'] },
        { line: 5, cells: ['2'] },
      ],
    ],
    ['quotes', 'a,b\n"x ""y""","1,2"\n', [{ line: 2, cells: ['x "y"', '1,2'] }]],
    [
      'line breaks in quotes',
      'a,b\n"x\ny","z\r\n"\n1,2\n',
      [
        { line: 2, cells: ['x\ny', 'z\r\n'] },
        { line: 5, cells: ['1', '2'] },
      ],
    ],
    ['semicolons', 'a;b\n1,5;"x;y"\n', [{ line: 2, cells: ['1,5', 'x;y'] }]],
    ['tabs', 'a\tb\n1\t2\n', [{ line: 2, cells: ['1', '2'] }]],
    ['delimiters in the names', '"a;;;",b\n1,2\n', [{ line: 2, cells: ['1', '2'] }]],
    ['spaces matter in cells, not in names', ' a , b \n 1 , 2 \n', [{ line: 2, cells: [' 1 ', ' 2 '] }]],
    ['rows of empty cells', 'a,b\n,\n1,2\n,\n', [{ line: 3, cells: ['1', '2'] }]],
    [
      'a lone CR, which is an ordinary character in quotes',
      'a,b\r1,"x\ry"\r\r3,4\r\n5,6',
      [
        { line: 2, cells: ['1', 'x\ry'] },
        { line: 5, cells: ['3', '4'] },
        { line: 6, cells: ['5', '6'] },
      ],
    ],
    ['spaces after a closing quote', 'a,b\n"1"  ,"2" \n', [{ line: 2, cells: ['1', '2'] }]],
    ['only a header', 'a,b\n', []],
  ])('is read: %s', (_, content, rows) => {
    expect(rowsOf(CSV, [content]).map(({ line, cells }) => ({ line, cells }))).toEqual(rows);
  });

  test('a quote inside an unquoted cell is an ordinary character', () => {
    expect(rowsOf(CSV, ['a,b\nScreen 24",x\n5" to 6","y"\n'])).toMatchObject([
      { line: 2, cells: ['Screen 24"', 'x'] },
      { line: 3, cells: ['5" to 6"', 'y'] },
    ]);
  });

  test('cells quoted as in RFC 4180 are read back', () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(text, text)),
        fc.constantFrom(',', ';', '\t'),
        fc.constantFrom('\n', '\r\n'),
        (rows, delimiter, end) => {
          const quoted = (cell: string) => `"${cell.replaceAll('"', '""')}"`;
          const content = [['a', 'b'].join(delimiter), ...rows.map((row) => row.map(quoted).join(delimiter))].join(end);
          expect(rowsOf(CSV, [content]).map(({ cells }) => cells)).toEqual(rows);
        },
      ),
    );
  });
});

test('the rows do not depend on how a file is split into chunks', () => {
  const record = fc.record({ name: text, list_price: fc.double({ noNaN: true, noDefaultInfinity: true }) });
  const split = (content: string, places: readonly number[]) => {
    const ends = [...places.map((place) => place % (content.length + 1)), content.length].toSorted((a, b) => a - b);
    return ends.map((end, index) => content.slice(ends[index - 1] ?? 0, end));
  };
  fc.assert(
    fc.property(fc.array(record, { maxLength: 8 }), fc.array(fc.nat(), { maxLength: 10 }), (records, places) => {
      const check = <Cell>(format: ParsedFormat<Cell>, content: string) => {
        const whole = rowsOf(format, [content]);
        expect(whole).toHaveLength(records.length);
        expect(rowsOf(format, split(content, places))).toEqual(whole);
      };
      const lines = records.map((row) => `"${row.name.replaceAll('"', '""')}",${row.list_price}\n`);
      check(CSV, `name,list_price\n${lines.join('')}`);
      check(NDJSON, records.map((row) => `${JSON.stringify(row)}\n`).join(''));
      check(JSON_ARRAY, JSON.stringify(records, null, 2));
    }),
  );
});
