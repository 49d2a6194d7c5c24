/** A workbook of Excel with one sheet, whose rows the store has built. ISO/IEC 29500-1, chapter 18. */

import type { Field, Resource } from '../../catalog/resource.ts';
import { columnHeading, sheetFormats, sheetStyle } from '../../catalog/sheet.ts';
import { storageOf } from '../../catalog/value-types.ts';
import type { Export } from '../../store/store.ts';
import { zip } from './zip.ts';

export interface Sheet {
  readonly resource: Resource;
  readonly fields: readonly Field[];
  /** Without the one with the names of the columns. */
  readonly rows: number;
}

/** The bytes of a workbook with these rows. */
export function workbookBody(
  { next, close }: Pick<Export, 'next' | 'close'>,
  sheet: Sheet,
): Pick<Export, 'next' | 'close'> {
  const pieces = zip([
    { name: '[Content_Types].xml', content: once(CONTENT_TYPES) },
    { name: '_rels/.rels', content: once(relationships([['officeDocument', 'xl/workbook.xml']])) },
    { name: 'xl/workbook.xml', content: once(workbook(sheet)) },
    { name: 'xl/_rels/workbook.xml.rels', content: once(WORKBOOK_PARTS) },
    { name: 'xl/styles.xml', content: once(STYLES) },
    { name: 'xl/worksheets/sheet1.xml', content: sheetXml(sheet, next) },
  ]);
  return {
    async next() {
      const { done, value } = await pieces.next();
      return done ? undefined : value;
    },
    async close() {
      // Ends a read that is under way, which the generator waits for.
      await close();
      await pieces.return(undefined);
    },
  };
}

async function* once(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text);
}

async function* sheetXml(sheet: Sheet, next: Export['next']): AsyncGenerator<Uint8Array> {
  yield Buffer.from(sheetStart(sheet));
  for (let rows = await next(); rows !== undefined; rows = await next()) yield rows;
  yield Buffer.from(sheetEnd(sheet));
}

const MAIN = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';
const OFFICE = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const PACKAGE = 'http://schemas.openxmlformats.org/package/2006';
const SPREADSHEET = 'application/vnd.openxmlformats-officedocument.spreadsheetml';

function xml(root: string): string {
  return `<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n${root}`;
}

const CONTENT_TYPES = xml(
  `<Types xmlns="${PACKAGE}/content-types">\
<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>\
<Default Extension="xml" ContentType="application/xml"/>\
<Override PartName="/xl/workbook.xml" ContentType="${SPREADSHEET}.sheet.main+xml"/>\
<Override PartName="/xl/worksheets/sheet1.xml" ContentType="${SPREADSHEET}.worksheet+xml"/>\
<Override PartName="/xl/styles.xml" ContentType="${SPREADSHEET}.styles+xml"/></Types>`,
);

function relationships(targets: readonly (readonly [type: string, target: string])[]): string {
  const items = targets.map(
    ([type, target], index) => `<Relationship Id="rId${index + 1}" Type="${OFFICE}/${type}" Target="${target}"/>`,
  );
  return xml(`<Relationships xmlns="${PACKAGE}/relationships">${items.join('')}</Relationships>`);
}

const WORKBOOK_PARTS = relationships([
  ['worksheet', 'worksheets/sheet1.xml'],
  ['styles', 'styles.xml'],
]);

/** Excel keeps the range of a filter as a hidden name as well. */
function workbook(sheet: Sheet): string {
  const { plural } = sheet.resource;
  const name = plural.charAt(0).toUpperCase() + plural.slice(1);
  const range = `'${name}'!${rangeOf(sheet, '$')}`;
  return xml(
    `<workbook xmlns="${MAIN}" xmlns:r="${OFFICE}"><sheets><sheet name="${name}" sheetId="1" r:id="rId1"/></sheets>\
<definedNames><definedName name="_xlnm._FilterDatabase" localSheetId="0" hidden="1">${range}</definedName></definedNames></workbook>`,
  );
}

/** The formats of the fields, and bold for the names of the columns. */
const HEADING_STYLE = sheetFormats.length;

/** The first id that a file may define. */
const FIRST_FORMAT = 164;

const STYLES = xml(
  `<styleSheet xmlns="${MAIN}"><numFmts count="${sheetFormats.length}">\
${sheetFormats.map((code, index) => `<numFmt numFmtId="${FIRST_FORMAT + index}" formatCode="${code}"/>`).join('')}</numFmts>\
<fonts count="2"><font><sz val="11"/><name val="Calibri"/><family val="2"/></font>\
<font><b/><sz val="11"/><name val="Calibri"/><family val="2"/></font></fonts>\
<fills count="2"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill></fills>\
<borders count="1"><border><left/><right/><top/><bottom/><diagonal/></border></borders>\
<cellStyleXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" borderId="0"/></cellStyleXfs>\
<cellXfs count="${sheetFormats.length + 1}">\
${sheetFormats.map((code, index) => cellFormat(code === 'General' ? 0 : FIRST_FORMAT + index, 0)).join('')}${cellFormat(0, 1)}</cellXfs>\
<cellStyles count="1"><cellStyle name="Normal" xfId="0" builtinId="0"/></cellStyles></styleSheet>`,
);

function cellFormat(format: number, font: number): string {
  return `<xf numFmtId="${format}" fontId="${font}" fillId="0" borderId="0" xfId="0" applyNumberFormat="1" applyFont="1"/>`;
}

function sheetStart(sheet: Sheet): string {
  const { fields } = sheet;
  const columns = fields.map((field, index) => {
    const place = index + 1;
    return `<col min="${place}" max="${place}" width="${widthOf(field)}" style="${sheetStyle(field)}" customWidth="1"/>`;
  });
  const headings = fields.map(
    (field) => `<c s="${HEADING_STYLE}" t="inlineStr"><is><t>${escaped(columnHeading(field))}</t></is></c>`,
  );
  return xml(
    `<worksheet xmlns="${MAIN}"><dimension ref="${rangeOf(sheet)}"/><sheetViews><sheetView tabSelected="1" workbookViewId="0">\
<pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/><selection pane="bottomLeft" activeCell="A2" sqref="A2"/>\
</sheetView></sheetViews><sheetFormatPr defaultRowHeight="15"/><cols>${columns.join('')}</cols><sheetData>\
<row>${headings.join('')}</row>\n`,
  );
}

/** An article number consists of digits and is text, which Excel would mark as a mistake. */
function sheetEnd(sheet: Sheet): string {
  const range = rangeOf(sheet);
  return `</sheetData><autoFilter ref="${range}"/>\
<ignoredErrors><ignoredError sqref="${range}" numberStoredAsText="1"/></ignoredErrors></worksheet>\n`;
}

/** In characters, with room for the button of the filter. */
function widthOf(field: Field): number {
  return Math.max(WIDTHS[storageOf(field)], columnHeading(field).length + 4);
}

const WIDTHS = { integer: 10, real: 12, text: 30, boolean: 10, timestamp: 20 };

/** `A1:K8`, or `$A$1:$K$8`. */
function rangeOf({ fields, rows }: Sheet, sign = ''): string {
  return `${sign}A${sign}1:${sign}${columnLetters(fields.length)}${sign}${rows + 1}`;
}

/** `A` for 1, `AA` for 27. */
function columnLetters(place: number): string {
  const rest = (place - 1) % 26;
  const last = String.fromCharCode(0x41 + rest);
  return place <= 26 ? last : columnLetters((place - 1 - rest) / 26) + last;
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
