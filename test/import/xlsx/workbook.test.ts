import { describe, expect, test } from 'vitest';
import { TooManyBytes } from '../../../src/import/file-text.ts';
import { FREE, UnreadableFile } from '../../../src/import/format.ts';
import type { SheetCell, SheetRow } from '../../../src/import/xlsx/workbook.ts';
import { collected } from '../../support/iterables.ts';
import {
  exampleFile,
  openWorkbook,
  type Parts,
  readWorkbook,
  rowsOf,
  workbookFile,
  workbookParts,
  zipParts,
} from '../../support/workbooks.ts';
import { zip } from '../../support/zip.ts';

/** A cell in short: a text in quotes, and otherwise what it is. */
function short(cell: SheetCell): unknown {
  switch (cell.kind) {
    case 'empty':
      return null;
    case 'text':
      return `'${cell.text}'`;
    case 'number':
    case 'boolean':
      return cell.value;
    case 'uncalculated':
      return 'uncalculated';
    default:
      return `${cell.kind} ${cell.text}`;
  }
}

/** The cells of every row after its number. */
const shortRows = (rows: readonly SheetRow[]) => rows.map(({ number, cells }) => [number, ...cells.map(short)]);

/** The second column by the first, which says what it is. */
async function valuesIn(file: string): Promise<Record<string, unknown>> {
  const rows = await rowsOf(exampleFile(file));
  return Object.fromEntries(
    rows.slice(1).map(({ cells: [what, value] }) => [what?.kind === 'text' ? what.text : '', value && short(value)]),
  );
}

const PRODUCTS = [
  [1, "'id'", "'default_code'", "'name'", "'list_price'", "'active'", "'create_date'"],
  [2, 1, "'DESK-01'", "'Schreibtisch „Größe L“'", 1299.5, true, 'date 2024-03-01'],
  [3, 2, "'CHAIR-7'", `'Chair <b> & "arms"'`, 0.1, false, 'date 2024-03-01T10:20:30'],
  [4, 3, "' spaces  '", "'two\nlines'", -4],
  [6, 4, null, "'bold and italic 😀'"],
];

describe('workbooks of LibreOffice', () => {
  test('products', async () => {
    const [products, ...others] = await readWorkbook(exampleFile('products.xlsx'));
    expect(others).toEqual([]);
    expect(products?.sheet).toEqual({ name: 'Products', visibility: 'visible' });
    expect(shortRows(products?.rows ?? [])).toEqual(PRODUCTS);
  });

  test.each(['dates-1900.xlsx', 'dates-1904.xlsx'])('have dates as they were typed: %s', async (file) => {
    expect(await valuesIn(file)).toEqual({
      date: 'date 2024-02-29',
      'early date': 'date 1904-01-02',
      'date and time': 'date 2024-03-01T10:20:30',
      milliseconds: 'date 2024-03-01T10:20:30.250',
      'last second of a year': 'date 1999-12-31T23:59:59',
      month: 'date 2024-03-01',
      'last date': 'date 9999-12-31',
      time: 'time 10:20:00',
      midnight: 'time 00:00:00',
      duration: expect.closeTo(36.5 / 24),
      percent: 0.195,
      euro: 1234.5,
      'pieces per day': 12,
      'date as text': "'2024-02-29'",
    });
  });

  test('formulas', async () => {
    expect(await valuesIn('formulas.xlsx')).toEqual({
      sum: 0.3,
      text: "'a<b>'",
      'empty text': undefined,
      boolean: true,
      date: 'date 2024-03-01',
      'not available': 'error #N/A',
      'division by zero': 'error #DIV/0!',
      'unknown name': 'error #NAME?',
      'no value': 'error #VALUE!',
      'other cell': 3,
      'empty cell': 0,
    });
  });

  test('several sheets', async () => {
    const sheets = await readWorkbook(exampleFile('sheets.xlsx'));
    expect(sheets.map(({ sheet, rows }) => [sheet.name, sheet.visibility, rows.length])).toEqual([
      ['Cover', 'visible', 0],
      ['Prices & Stock', 'visible', 5],
      ['Lists', 'hidden', 1],
      ['Notes', 'visible', 1],
    ]);
    expect(shortRows(sheets[1]?.rows ?? [])).toEqual(PRODUCTS);
    expect(shortRows(sheets[3]?.rows ?? [])).toEqual([[3, null, "'Ask Anna.'"]]);
  });

  test('lines above the names of the columns', async () => {
    expect(shortRows(await rowsOf(exampleFile('titles.xlsx')))).toEqual([
      [1, "'Price list 2024'"],
      [2, "'As of'", 'date 2024-03-01'],
      [4, null, "'Code'", "'Name'", "'Price'"],
      [5, null, "'DESK-01'", "'Desk'", 1299.5],
      [6, null, "'CHAIR-7'", "'Chair'", 99],
      [8, null, null, "'Total'", 1398.5],
    ]);
  });

  test('numbers as text, and numbers as they are shown', async () => {
    const rows = await rowsOf(exampleFile('text-and-numbers.xlsx'));
    const texts = rows.slice(1).map(({ cells }) => cells.map((cell) => 'text' in cell && [cell.kind, cell.text]));
    expect(texts).toEqual([
      [
        ['text', '00123'],
        ['text', '4006381333931'],
        ['text', '1.299,50'],
      ],
      [
        ['number', '123'],
        ['number', '4006381333931'],
        ['number', '1299.5'],
      ],
      [
        ['number', '42'],
        ['number', '100000000000000000000'],
        ['number', '0.3'],
      ],
      [
        ['text', '1E5'],
        ['number', '1.7976931348623157e+308'],
        ['number', '0.333333333333333'],
      ],
      [
        ['text', 'TRUE'],
        ['text', '#N/A'],
        ['text', '_x000D_'],
      ],
    ]);
  });
});

/** The cells of the first row of a sheet, of which this is the XML. */
async function cellsOf(row: string, content: Omit<Parameters<typeof workbookFile>[0], 'sheets'> = {}) {
  const rows = await rowsOf(workbookFile({ ...content, sheets: { S: row } }));
  return rows[0]?.cells.map(short);
}

describe('cells', () => {
  test.each<[string, string, readonly unknown[] | undefined]>([
    ['without references', '<row><c><v>1</v></c><c/><c><v>3</v></c></row>', [1, null, 3]],
    ['references', '<row r="1"><c r="C1"><v>3</v></c><c><v>4</v></c><c r="AB1"/></row>', [null, null, 3, 4]],
    ['in another order', '<row r="1"><c r="B1"><v>2</v></c><c r="A1"><v>1</v></c></row>', [1, 2]],
    ['numbers', '<row><c><v>1E3</v></c><c t="n"><v>-.5</v></c><c><v> 7 </v></c></row>', [1000, -0.5, 7]],
    ['booleans', '<row><c t="b"><v>1</v></c><c t="b"><v>0</v></c></row>', [true, false]],
    ['errors', '<row><c t="e"><v>#REF!</v></c></row>', ['error #REF!']],
    ['dates as text', '<row><c t="d"><v>2024-03-01T10:20:30</v></c></row>', ['date 2024-03-01T10:20:30']],
    ['results that are text', '<row><c t="str"><f>A2</f><v> a_x000D_&#10;b</v></c></row>', ["' a\r\nb'"]],
    ['no text', '<row><c t="str"><f>A2</f><v></v></c><c t="inlineStr"><is><t/></is></c></row>', undefined],
    ['formulas without results', '<row><c><f>A2</f></c><c><f>A2</f><v/></c></row>', ['uncalculated', 'uncalculated']],
    ['only formats', '<row><c s="1"/></row>', undefined],
    ['formats in the last column', '<row r="1"><c r="A1"><v>1</v></c><c r="XFD1" s="1"/></row>', [1]],
    ['the last column', '<row r="1"><c r="ALL1"><v>1</v></c></row>', [...Array(999).fill(null), 1]],
    [
      'inline texts',
      '<row><c t="inlineStr"><is><r><t>a</t></r><r><t xml:space="preserve"> b</t></r><rPh><t>c</t></rPh></is></c></row>',
      ["'a b'"],
    ],
    [
      'an inline text where there should be none',
      '<row><c><is><t>5</t></is></c><c t="inlineStr"><is><t>b</t></is></c></row>',
      [5, "'b'"],
    ],
  ])('are read: %s', async (_, row, cells) => {
    expect(await cellsOf(row)).toEqual(cells);
  });

  test.each<[string, string]>([
    ['0.30000000000000004', '0.3'],
    ['-146.90550000000002', '-146.9055'],
    ['1.0000000000000001E-7', '1e-7'],
    ['0.1', '0.1'],
    ['1234567890123456', '1234567890123456'],
  ])('%s is shown as %s', async (value, text) => {
    const [row] = await rowsOf(workbookFile({ sheets: { S: `<row><c><v>${value}</v></c></row>` } }));
    expect(row?.cells).toEqual([{ kind: 'number', value: Number(value), text }]);
  });

  test('shared texts', async () => {
    const strings = [
      '<si><t>plain</t></si>',
      '<si><t> trimmed\n</t></si>',
      '<si><t xml:space="preserve"> kept </t></si>',
      '<si><r><rPr><b/></rPr><t>東</t></r><r><t>京</t></r><rPh sb="0" eb="1"><t>トウ</t></rPh><phoneticPr fontId="1"/></si>',
      '<si><t>a_x005F_x000D_ _x0041__xD83D__xDE00__xD800_</t></si>',
      '<si/>',
    ].join('');
    const row = `<row>${[0, 1, 2, 3, 4, 5, 0].map((index) => `<c t="s"><v>${index}</v></c>`).join('')}</row>`;
    expect(await cellsOf(row, { strings })).toEqual([
      ...["'plain'", "'trimmed'", "' kept '", "'東京'", "'a_x000D_ A😀\ufffd'", null, "'plain'"],
    ]);
  });

  test('a number is a date if its style says so', async () => {
    const styles = `<numFmts><numFmt numFmtId="164" formatCode="[$-407]d/m/yy"/><numFmt numFmtId="165" formatCode="0&quot;d&quot;"/></numFmts>
      <cellStyleXfs><xf numFmtId="14"/></cellStyleXfs>
      <cellXfs><xf/><xf numFmtId="14"/><xf numFmtId="164"/><xf numFmtId="165"/></cellXfs>`;
    const row = `<row>${['', ...[0, 1, 2, 3, 99].map((style) => `s="${style}"`)].map((style) => `<c ${style}><v>45352</v></c>`).join('')}</row>`;
    const dated = 'date 2024-03-01';
    expect(await cellsOf(row, { styles })).toEqual([45_352, 45_352, dated, dated, 45_352, 45_352]);
    const workbook = '<workbookPr date1904="1"/>';
    expect(await cellsOf('<row><c s="1"><v>0</v></c></row>', { styles, workbook })).toEqual(['date 1904-01-01']);
    expect(await cellsOf('<row><c s="1"><v>-1</v></c></row>', { styles })).toEqual([-1]);
  });

  test('zero is not a result if all formulas have yet to be calculated', async () => {
    const row = '<row><c><f>A2</f><v>0</v></c><c><v>0</v></c><c><f>A2</f><v>5</v></c></row>';
    expect(await cellsOf(row, { workbook: '<calcPr fullCalcOnLoad="1"/>' })).toEqual(['uncalculated', 0, 5]);
    expect(await cellsOf(row, { workbook: '<calcPr calcId="1"/>' })).toEqual([0, 0, 5]);
  });
});

/** A workbook with one cell, and some of its parts changed. */
function changed(change: (parts: Record<string, string | Uint8Array>) => Parts): Buffer {
  const content = { sheets: { S: '<row><c t="s"><v>0</v></c></row>' }, strings: '<si><t>x</t></si>', styles: '' };
  return zipParts(change({ ...workbookParts(content) }));
}

const SHEET = 'xl/worksheets/sheet1.xml';

describe('as other programs write them', () => {
  const replaced = (parts: Parts, pairs: readonly (readonly [string | RegExp, string])[]): Parts =>
    Object.fromEntries(
      Object.entries(parts).map(([name, xml]) => [
        name,
        pairs.reduce((text, [from, to]) => text.replaceAll(from, to), String(xml)),
      ]),
    );

  test.each<[string, Buffer]>([
    [
      'strict',
      changed((parts) =>
        replaced(parts, [
          [
            'http://schemas.openxmlformats.org/officeDocument/2006/relationships',
            'http://purl.oclc.org/ooxml/officeDocument/relationships',
          ],
          [
            'http://schemas.openxmlformats.org/spreadsheetml/2006/main',
            'http://purl.oclc.org/ooxml/spreadsheetml/main',
          ],
        ]),
      ),
    ],
    [
      'with prefixes',
      changed((parts) =>
        replaced(parts, [
          [/<(\/?)(?!Relationship)([a-z])/g, '<$1x:$2'],
          ['r:id=', 'rel:id='],
        ]),
      ),
    ],
    ['in UTF-16', changed((parts) => ({ ...parts, [SHEET]: Buffer.from(`\ufeff${parts[SHEET]}`, 'utf16le') }))],
    ['with a byte order mark', changed((parts) => ({ ...parts, [SHEET]: `\ufeff${parts[SHEET]}` }))],
    [
      'without rows after the first',
      changed((parts) => replaced(parts, [['</sheetData>', '<row/></sheetData><row><c/></row>']])),
    ],
  ])('are read: %s', async (_, bytes) => {
    expect(shortRows(await rowsOf(bytes))).toEqual([[1, "'x'"]]);
  });

  test('sheets that cannot be shown, and charts', async () => {
    const bytes = changed((parts) =>
      replaced(parts, [
        ['<sheet name="S"', '<sheet name="C" r:id="chart"/><sheet name="S" state="veryHidden"'],
        [
          '<Relationship Id="rId1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/worksheet"',
          '<Relationship Id="chart" Type="x/chartsheet" Target="c.xml"/>$&',
        ],
      ]),
    );
    const workbook = await openWorkbook(bytes);
    expect(workbook.sheets).toEqual([{ name: 'S', visibility: 'veryHidden' }]);
    await workbook.close();
  });
});

describe('what is refused', () => {
  const without = (name: string) => changed(({ [name]: _, ...parts }) => parts);
  const withData = (data: string) => workbookFile({ sheets: { S: data } });
  const withClaim = (part: string, size: number) =>
    zip(
      Object.entries(workbookParts({ sheets: {}, styles: '' })).map(([name, content]) => ({
        name,
        content,
        claim: name === part ? { size } : {},
      })),
    );
  const withSheet = (xml: string | Uint8Array) => changed((parts) => ({ ...parts, [SHEET]: xml }));

  test.each<[string, Buffer, string]>([
    ['no sheet', without(SHEET), `'${SHEET}' is missing`],
    ['no texts', without('xl/sharedStrings.xml'), "'xl/sharedStrings.xml' is missing"],
    ['no workbook', without('xl/workbook.xml'), "'xl/workbook.xml' is missing"],
    ['no relationships', without('xl/_rels/workbook.xml.rels'), "the cells of sheet 'S' are missing"],
    ['no relationships at all', without('_rels/.rels'), 'without a workbook'],
    [
      'a sheet that is the workbook',
      changed((parts) => ({
        ...parts,
        'xl/_rels/workbook.xml.rels': String(parts['xl/_rels/workbook.xml.rels']).replace(
          'worksheets/sheet1',
          'workbook',
        ),
      })),
      "no cells but 'workbook'",
    ],
    [
      'a sheet outside of the archive',
      changed((parts) => ({
        ...parts,
        'xl/_rels/workbook.xml.rels': String(parts['xl/_rels/workbook.xml.rels']).replace(
          'worksheets/',
          '../../../etc/',
        ),
      })),
      'is missing',
    ],
    [
      'a long target',
      changed((parts) => ({
        ...parts,
        '_rels/.rels': String(parts['_rels/.rels']).replace('xl/', `xl/${'a/../'.repeat(210)}`),
      })),
      'a target has more than 1024 characters',
    ],
    ['a DTD', withSheet('<!DOCTYPE x><worksheet/>'), 'DOCTYPE'],
    ['XML that ends early', withSheet('<worksheet><sheetData><row>'), 'ends too early'],
    ['not UTF-8', withSheet(Buffer.from('<worksheet>\xff</worksheet>', 'latin1')), 'is not UTF-8'],
    ['rows in the wrong order', withData('<row r="2"/><row r="1"/>'), 'has row 1 after row 2'],
    ['a row twice', withData('<row r="2"/><row r="2"/>'), 'has row 2 after row 2'],
    ['row 0', withData('<row r="0"/>'), 'has row 0 after row 0'],
    ['a row that is no number', withData('<row r="x"/>'), "has a row 'x'"],
    ['a row beyond the last', withData('<row r="1048577"/>'), "has a row '1048577'"],
    ['a cell of another row', withData('<row r="1"><c r="A2"/></row>'), "has a cell 'A2'"],
    ['no cell', withData('<row r="1"><c r="1A"/></row>'), "has a cell '1A'"],
    ['a cell beyond the last', withData('<row r="1"><c r="AAAA1"/></row>'), "has a cell 'AAAA1'"],
    [
      'too many columns',
      withData('<row r="1"><c r="ALM1"><v>1</v></c></row>'),
      "Cell ALM1 of sheet 'S' is beyond column ALL",
    ],
    ['a cell twice', withData('<row r="1"><c r="A1"><v>1</v></c><c r="A1"><v>1</v></c></row>'), 'cell A1 of sheet'],
    ['a text that is missing', withData('<row><c t="s"><v>0</v></c></row>'), "refers to text '0', but there are 0"],
    ['a text that is no number', withData('<row><c t="s"><v>-1</v></c></row>'), "refers to text '-1'"],
    ['a number that is none', withData('<row><c><v>1,5</v></c></row>'), "has the number '1,5'"],
    ['a number that is too large', withData('<row><c><v>1e999</v></c></row>'), "has the number '1e999'"],
    ['an unknown type', withData('<row><c t="x"><v>1</v></c></row>'), "unknown type 'x'"],
    [
      'a long text',
      withData(`<row><c t="inlineStr"><is><t>${'xy'.repeat(32_769)}</t></is></c></row>`),
      'more than 65536 characters',
    ],
    [
      'a long row',
      withData(`<row>${`<c t="str"><v>${'xy'.repeat(16_000)}</v></c>`.repeat(33)}</row>`),
      'too many for a row',
    ],
    [
      'too many sheets',
      changed((parts) => ({
        ...parts,
        'xl/workbook.xml': String(parts['xl/workbook.xml']).replace(
          '</sheets>',
          `${'<sheet/>'.repeat(4_096)}</sheets>`,
        ),
      })),
      'more than 4096 sheets',
    ],
    [
      'too many styles',
      changed((parts) => ({
        ...parts,
        'xl/styles.xml': `<styleSheet><cellXfs>${'<xf/>'.repeat(65_537)}</cellXfs></styleSheet>`,
      })),
      'more than 65536 styles',
    ],
    ['a large part', withClaim('xl/styles.xml', 16 * 1024 * 1024 + 1), 'has more than 16 MiB'],
  ])('%s', async (_, bytes, message) => {
    const error = await readWorkbook(bytes).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(UnreadableFile);
    expect(String(error)).toContain(message);
  });

  test('texts that cells repeat too often', async () => {
    const row = '<row><c t="s"><v>0</v></c></row>';
    const bytes = workbookFile({ sheets: { S: row.repeat(40) }, strings: `<si><t>${'x'.repeat(1_000)}</t></si>` });
    expect(await rowsOf(bytes, { maxBytes: 40_000 })).toHaveLength(40);
    await expect(rowsOf(bytes, { maxBytes: 39_999 })).rejects.toThrow(TooManyBytes);
  });

  test('a sheet with too many bytes', async () => {
    await expect(readWorkbook(exampleFile('products.xlsx'), { maxBytes: 1_000 })).rejects.toThrow(TooManyBytes);
  });
});

test('pieces are parsed one by one, in steps that the caller runs', async () => {
  let steps = 0;
  const data = '<row><c><v>1</v></c></row>'.repeat(10_000);
  const workbook = await openWorkbook(workbookFile({ sheets: { S: data } }), {
    cost: {
      ...FREE,
      async step(run) {
        steps += 1;
        return run();
      },
    },
  });
  const [sheet] = workbook.sheets;
  expect(steps).toBe(3);
  if (sheet === undefined) throw new Error('there is no sheet');
  const batches = await collected(workbook.rows(sheet));
  await workbook.close();
  expect(batches.flat()).toHaveLength(10_000);
  // 260,000 characters in pieces of 16 KB.
  expect(steps - 3).toBeGreaterThanOrEqual(16);
});

test('a workbook can be read again, and only in part', async () => {
  const workbook = await openWorkbook(workbookFile({ sheets: { S: '<row><c><v>1</v></c></row>'.repeat(10_000) } }));
  const [sheet] = workbook.sheets;
  if (sheet === undefined) throw new Error('there is no sheet');
  for await (const rows of workbook.rows(sheet)) {
    expect(rows[0]?.number).toBe(1);
    break;
  }
  expect((await collected(workbook.rows(sheet))).flat()).toHaveLength(10_000);
  await workbook.close();
});
