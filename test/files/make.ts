/**
 * Makes the workbooks in this directory with LibreOffice, which has to be installed (`soffice`): `npx node test/files/make.ts`. They are committed, so tests do
 * not need it. What they contain is written here, as flat OpenDocument spreadsheets, which LibreOffice then saves in other formats.
 */

import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

type Cell = string;

interface Table {
  readonly name: string;
  readonly isHidden?: boolean;
  readonly rows: readonly (readonly Cell[])[];
}

interface Document {
  readonly tables: readonly Table[];
  /** From which days are counted. */
  readonly epoch?: string;
}

const escaped = (value: string) =>
  value.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;').replaceAll('  ', ' <text:s/>');
const cell = (attributes: string, content = '') => `<table:table-cell ${attributes}>${content}</table:table-cell>`;
const styled = (style: string) => (style === '' ? '' : `table:style-name="${style}"`);

const none = '<table:table-cell/>';
const text = (value: string, style = '') => {
  const lines = value.split('\n').map((line) => `<text:p>${escaped(line)}</text:p>`);
  return cell(`office:value-type="string" ${styled(style)}`, lines.join(''));
};
const rich = (...runs: readonly string[]) =>
  cell(
    'office:value-type="string"',
    `<text:p>${runs.map((run, index) => `<text:span text:style-name="run${index % 2}">${escaped(run)}</text:span>`).join('')}</text:p>`,
  );
const number = (value: number | string, style = '') =>
  cell(`office:value-type="float" office:value="${value}" ${styled(style)}`);
const boolean = (value: boolean) => cell(`office:value-type="boolean" office:boolean-value="${value}"`);
const date = (value: string, style = 'date') =>
  cell(`office:value-type="date" office:date-value="${value}" ${styled(style)}`);
const time = (value: string, style = 'time') =>
  cell(`office:value-type="time" office:time-value="${value}" ${styled(style)}`);
const formula = (expression: string, style = '') => cell(`table:formula="of:=${escaped(expression)}" ${styled(style)}`);
const title = (value: string, columns: number) =>
  cell(
    `office:value-type="string" table:number-columns-spanned="${columns}" table:number-rows-spanned="1"`,
    `<text:p>${escaped(value)}</text:p>`,
  );

/** Number formats by the name of their style. */
const FORMATS: Readonly<Record<string, string>> = {
  date: '<number:date-style style:name="N-date"><number:day number:style="long"/><number:text>.</number:text><number:month number:style="long"/><number:text>.</number:text><number:year number:style="long"/></number:date-style>',
  moment:
    '<number:date-style style:name="N-moment"><number:year number:style="long"/><number:text>-</number:text><number:month number:style="long"/><number:text>-</number:text><number:day number:style="long"/><number:text> </number:text><number:hours number:style="long"/><number:text>:</number:text><number:minutes number:style="long"/><number:text>:</number:text><number:seconds number:style="long" number:decimal-places="3"/></number:date-style>',
  month:
    '<number:date-style style:name="N-month" number:language="de" number:country="DE"><number:month number:textual="true" number:style="long"/><number:text> </number:text><number:year/></number:date-style>',
  time: '<number:time-style style:name="N-time"><number:hours number:style="long"/><number:text>:</number:text><number:minutes number:style="long"/></number:time-style>',
  duration:
    '<number:time-style style:name="N-duration" number:truncate-on-overflow="false"><number:hours/><number:text>:</number:text><number:minutes number:style="long"/></number:time-style>',
  percent:
    '<number:percentage-style style:name="N-percent"><number:number number:decimal-places="1" number:min-integer-digits="1"/><number:text>%</number:text></number:percentage-style>',
  euro: '<number:currency-style style:name="N-euro"><number:number number:decimal-places="2" number:min-integer-digits="1" number:grouping="true"/><number:text> </number:text><number:currency-symbol number:language="de" number:country="DE">€</number:currency-symbol></number:currency-style>',
  pieces:
    '<number:number-style style:name="N-pieces"><number:number number:decimal-places="0" number:min-integer-digits="1"/><number:text> pcs/day</number:text></number:number-style>',
  padded:
    '<number:number-style style:name="N-padded"><number:number number:decimal-places="0" number:min-integer-digits="5"/></number:number-style>',
  text: '<number:text-style style:name="N-text"><number:text-content/></number:text-style>',
};

function flatDocument({ tables, epoch = '1899-12-30' }: Document): string {
  const namespaces = [
    ...['office', 'table', 'text', 'style'].map((name) => [name, `urn:oasis:names:tc:opendocument:xmlns:${name}:1.0`]),
    ['number', 'urn:oasis:names:tc:opendocument:xmlns:datastyle:1.0'],
    ['fo', 'urn:oasis:names:tc:opendocument:xmlns:xsl-fo-compatible:1.0'],
    ['of', 'urn:oasis:names:tc:opendocument:xmlns:of:1.2'],
  ].map(([prefix, uri]) => `xmlns:${prefix}="${uri}"`);
  const formats = Object.entries(FORMATS).map(
    ([name, format]) =>
      `${format}<style:style style:name="${name}" style:family="table-cell" style:data-style-name="N-${name}"/>`,
  );
  return `<?xml version="1.0" encoding="UTF-8"?>
<office:document ${namespaces.join(' ')} office:version="1.3" office:mimetype="application/vnd.oasis.opendocument.spreadsheet">
<office:automatic-styles>${formats.join('\n')}
<style:style style:name="run0" style:family="text"><style:text-properties fo:font-weight="bold"/></style:style>
<style:style style:name="run1" style:family="text"><style:text-properties fo:font-style="italic"/></style:style>
<style:style style:name="shown" style:family="table"><style:table-properties table:display="true"/></style:style>
<style:style style:name="hidden" style:family="table"><style:table-properties table:display="false"/></style:style>
</office:automatic-styles>
<office:body><office:spreadsheet>
<table:calculation-settings><table:null-date table:date-value="${epoch}"/></table:calculation-settings>
${tables.map(tableXml).join('\n')}
</office:spreadsheet></office:body></office:document>`;
}

function tableXml({ name, isHidden = false, rows }: Table): string {
  const rowXml = (cells: readonly Cell[]) => `<table:table-row>${cells.join('') || none}</table:table-row>`;
  return `<table:table table:name="${escaped(name)}" table:style-name="${isHidden ? 'hidden' : 'shown'}">
<table:table-column table:number-columns-repeated="12"/>
${rows.map(rowXml).join('\n')}
</table:table>`;
}

const products: Table = {
  name: 'Products',
  rows: [
    ['id', 'default_code', 'name', 'list_price', 'active', 'create_date'].map((name) => text(name)),
    [
      number(1),
      text('DESK-01'),
      text('Schreibtisch „Größe L“'),
      number(1299.5, 'euro'),
      boolean(true),
      date('2024-03-01'),
    ],
    [
      number(2),
      text('CHAIR-7'),
      text('Chair <b> & "arms"'),
      number(0.1),
      boolean(false),
      date('2024-03-01T10:20:30', 'moment'),
    ],
    [number(3), text(' spaces  '), text('two\nlines'), number(-4), none, none],
    [],
    [number(4), none, rich('bold', ' and ', 'italic 😀')],
  ],
};

/** The columns say what the cells are. */
const dates: Table = {
  name: 'Dates',
  rows: [
    ['what', 'value'].map((name) => text(name)),
    [text('date'), date('2024-02-29')],
    [text('early date'), date('1904-01-02')],
    [text('date and time'), date('2024-03-01T10:20:30', 'moment')],
    [text('milliseconds'), date('2024-03-01T10:20:30.250', 'moment')],
    [text('last second of a year'), date('1999-12-31T23:59:59', 'moment')],
    [text('month'), date('2024-03-01', 'month')],
    [text('last date'), date('9999-12-31')],
    [text('time'), time('PT10H20M00S')],
    [text('midnight'), time('PT00H00M00S')],
    [text('duration'), time('PT36H30M00S', 'duration')],
    [text('percent'), number(0.195, 'percent')],
    [text('euro'), number(1234.5, 'euro')],
    [text('pieces per day'), number(12, 'pieces')],
    [text('date as text'), text('2024-02-29')],
  ],
};

const documents: Readonly<Record<string, Document>> = {
  products: { tables: [products] },
  'dates-1900': { tables: [dates] },
  'dates-1904': { tables: [dates], epoch: '1904-01-01' },
  formulas: {
    tables: [
      {
        name: 'Formulas',
        rows: [
          ['what', 'value'].map((name) => text(name)),
          [text('sum'), formula('0.1+0.2')],
          [text('text'), formula('"a" & "<b>"')],
          [text('empty text'), formula('""')],
          [text('boolean'), formula('1=1')],
          [text('date'), formula('DATE(2024;3;1)', 'date')],
          [text('not available'), formula('NA()')],
          [text('division by zero'), formula('1/0')],
          [text('unknown name'), formula('NO_SUCH_NAME')],
          [text('no value'), formula('1+"a"')],
          [text('other cell'), formula('[.B2]*10')],
          [text('empty cell'), formula('[.Z99]')],
        ],
      },
    ],
  },
  sheets: {
    tables: [
      { name: 'Cover', rows: [] },
      { name: 'Prices & Stock', rows: products.rows },
      { name: 'Lists', isHidden: true, rows: [['draft', 'sent', 'paid'].map((word) => text(word))] },
      { name: 'Notes', rows: [[], [], [none, text('Ask Anna.')]] },
    ],
  },
  titles: {
    tables: [
      {
        name: 'Report',
        rows: [
          [title('Price list 2024', 4)],
          [text('As of'), date('2024-03-01')],
          [],
          [none, text('Code'), text('Name'), text('Price')],
          [none, text('DESK-01'), text('Desk'), number(1299.5)],
          [none, text('CHAIR-7'), text('Chair'), number(99)],
          [],
          [none, none, text('Total'), formula('SUM([.D5:.D6])')],
        ],
      },
    ],
  },
  'text-and-numbers': {
    tables: [
      {
        name: 'Mixed',
        rows: [
          ['code', 'barcode', 'price'].map((name) => text(name)),
          [text('00123'), text('4006381333931'), text('1.299,50')],
          [number(123), number(4006381333931), number(1299.5)],
          [number(42, 'padded'), number('1e+20'), number(0.30000000000000004)],
          [text('1E5', 'text'), number('1.7976931348623157e308'), number(1 / 3)],
          [text('TRUE'), text('#N/A'), text('_x000D_')],
        ],
      },
    ],
  },
};

/** Formats that cannot be imported, to recognize them. */
const OTHERS = [
  ['ods', 'products'],
  ['xls', 'products'],
] as const;

const folder = mkdtempSync(join(tmpdir(), 'stockbook-files-'));
const convert = (format: string, names: readonly string[]) => {
  const files = names.map((name) => join(folder, `${name}.fods`));
  const profile = `-env:UserInstallation=file://${join(folder, 'profile')}`;
  execFileSync('soffice', [profile, '--headless', '--convert-to', format, '--outdir', folder, ...files]);
  for (const name of names)
    copyFileSync(join(folder, `${name}.${format}`), new URL(`${name}.${format}`, import.meta.url));
};
try {
  for (const [name, document] of Object.entries(documents)) {
    writeFileSync(join(folder, `${name}.fods`), flatDocument(document));
  }
  convert('xlsx', Object.keys(documents));
  for (const [format, name] of OTHERS) convert(format, [name]);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
