/** Files to import that were damaged at random, from a seed, and reading them. */

import { product } from '../../src/catalog/product.ts';
import { id } from '../../src/catalog/resource.ts';
import { csv } from '../../src/import/csv.ts';
import { type Decisions, Undecided } from '../../src/import/decisions.ts';
import { TooManyBytes } from '../../src/import/file-text.ts';
import { type FileFacts, type Format, type RawRow, UnreadableFile } from '../../src/import/format.ts';
import { recognise } from '../../src/import/recognition.ts';
import { RowReader } from '../../src/import/row-reader.ts';
import { REQUEST_WORDS } from '../../src/import/words.ts';
import { xlsx } from '../../src/import/xlsx.ts';
import { once } from './iterables.ts';
import { mutated } from './mutate.ts';
import { Random } from './random.ts';
import { exampleFile, MAX_BYTES, type Parts, readWorkbook, workbookParts, zipParts } from './workbooks.ts';

/** Texts that mean something in XML, in a sheet, or in CSV. */
const XML_MARKS = [
  ...['<', '>', '/>', '</c>', '</row>', '</sheetData>', '&', '&amp;', '&#0;', '&#x1F600;', '"', "'", '=', ']]>', '\0'],
  ...[
    '<!--',
    '-->',
    '<![CDATA[',
    '<!DOCTYPE a>',
    '<?',
    '?>',
    '\ufeff',
    '<c',
    '<row r="',
    ' r="ZZZ9"',
    ' t="s"',
    ' t="d"',
  ],
  ...['<f/>', '<v>', '</v>', '-1', '0', '1e308', '99999999999', 'NaN', '_x0000_', '_xD800_', ' s="7"', '../', '/'],
];
const CSV_MARKS = ['"', '""', ',', ';', '\t', '\n', '\r', '\r\n', '\0', '\ufeff', '\u00ff', '\u2028', "'", '='];

const WORKBOOKS = ['products', 'dates-1900', 'formulas', 'sheets', 'titles', 'text-and-numbers'].map((name) =>
  exampleFile(`${name}.xlsx`),
);

/** All kinds of cells. */
const PARTS: Parts = workbookParts({
  sheets: {
    S: `<row r="1"><c r="A1" t="s"><v>0</v></c><c r="B1" t="inlineStr"><is><t>b</t></is></c></row>
<row r="2"><c r="A2" s="1"><v>45352.5</v></c><c r="B2"><f>A1</f><v>1.5</v></c><c r="C2" t="b"><v>1</v></c><c r="D2" t="e"><v>#N/A</v></c></row>
<row r="4"><c r="B4" t="d"><v>2024-03-01</v></c><c r="C4" t="str"><f>A1</f><v>x</v></c><c t="n"><f>A1</f></c></row>`,
    T: '<row><c><v>1</v></c></row>',
  },
  strings: '<si><t>a</t></si><si><r><t>b</t></r><rPh><t>c</t></rPh></si>',
  styles: '<numFmts><numFmt numFmtId="164" formatCode="d/m/yy"/></numFmts><cellXfs><xf/><xf numFmtId="164"/></cellXfs>',
});

const CSV = 'id,name,list_price\r\n1,"a ""b"", c",1.5\r\n2,"two\nlines",\r\n3,é😀,"0,5"\r\n';

const CSV_FILES = [Buffer.from(CSV), ...['odoo-products', 'german-prices'].map((name) => exampleFile(`${name}.csv`))];

/** Reads some of each kind. Fails with the seed if anything is thrown that does not say what is wrong with the file. */
export async function readDamaged(seed: number, rounds: number): Promise<void> {
  const random = new Random(seed);
  for (let round = 0; round < rounds; round += 1) {
    const [name, content] = random.pick(Object.entries(PARTS));
    const part = mutated(random, Buffer.from(content), XML_MARKS);
    const reads = [
      () => readWorkbook(mutated(random, random.pick(WORKBOOKS), XML_MARKS)),
      () => readWorkbook(zipParts({ ...PARTS, [name]: part })),
      () => readRows(xlsx, mutated(random, random.pick(WORKBOOKS), XML_MARKS)),
      () => readRows(csv, mutated(random, random.pick(CSV_FILES), CSV_MARKS)),
    ];
    for (const read of reads) {
      await read().catch((error: unknown) => {
        if (error instanceof UnreadableFile || error instanceof TooManyBytes || error instanceof Undecided) return;
        throw new Error(`Round ${round} with STOCKBOOK_TEST_SEED=${seed}`, { cause: error });
      });
    }
  }
}

/** Reads all rows of a file as an import does. */
async function readRows<Cell>(format: Format<Cell>, bytes: Uint8Array): Promise<void> {
  const facts: FileFacts = {};
  const rows: RawRow<Cell>[] = [];
  const input = { bytes: once(bytes), maxBytes: MAX_BYTES };
  for await (const batch of format.rows(input, DECISIONS, facts, () => true)) rows.push(...batch);
  const { columns, texts } = recognise(format, RULES, DECISIONS, facts, rows);
  const reader = new RowReader(format, id, columns, texts, true, { ...RULES, isColumn: () => true, isChosen: false });
  for (const row of rows) reader.read(row);
}

const DECISIONS: Decisions = { columns: new Map(), ignoreUnknown: true };
const RULES = { resource: product, key: id, words: REQUEST_WORDS };
