/**
 * An .xlsx workbook (ECMA-376, transitional or strict), of which only values are read: its sheets, and their rows as they are unpacked. What is kept in
 * memory does not depend on how many rows there are, except for their texts.
 */

import { quoted } from '../../problem/quoted.ts';
import { FREE, type ReadingCost, UnreadableFile } from '../format.ts';
import { checkIsArchive, withoutWorkbook } from './other-files.ts';
import { elements, isTrue, readPart, readSmallPart } from './part.ts';
import type { RandomAccess } from './random-access.ts';
import { type Relationship, readRelationships } from './relationships.ts';
import { SharedStrings } from './shared-strings.ts';
import { type SheetContext, SheetReader } from './sheet.ts';
import type { SheetRow } from './sheet-cell.ts';
import { readStyles } from './styles.ts';
import type { Attributes } from './xml.ts';
import { damaged, MAX_ENTRIES, ZipArchive } from './zip.ts';

export type { SheetCell, SheetRow } from './sheet-cell.ts';

export interface Sheet {
  readonly name: string;
  /** A `veryHidden` one cannot be made visible in the menus of Excel. */
  readonly visibility: 'visible' | 'hidden' | 'veryHidden';
}

export interface WorkbookOptions {
  /** The most bytes that may be unpacked, and that the texts of all rows of a sheet may have. More throw TooManyBytes. */
  readonly maxBytes: number;
  readonly cost?: ReadingCost | undefined;
}

export class Workbook {
  /** As they are ordered in Excel. Those without cells, such as charts, are left out. */
  readonly sheets: readonly Sheet[];
  readonly #file: RandomAccess;
  readonly #archive: ZipArchive;
  readonly #parts: ReadonlyMap<Sheet, string>;
  readonly #context: SheetContext;
  readonly #options: WorkbookOptions;

  private constructor(
    file: RandomAccess,
    archive: ZipArchive,
    parts: ReadonlyMap<Sheet, string>,
    context: SheetContext,
    options: WorkbookOptions,
  ) {
    this.sheets = [...parts.keys()];
    this.#file = file;
    this.#archive = archive;
    this.#parts = parts;
    this.#context = context;
    this.#options = options;
  }

  /** Closes the file if it is not a workbook, which throws UnreadableFile. */
  static async open(file: RandomAccess, options: WorkbookOptions): Promise<Workbook> {
    try {
      return await Workbook.#read(file, options);
    } catch (error) {
      await file.close();
      throw error;
    }
  }

  static async #read(file: RandomAccess, options: WorkbookOptions): Promise<Workbook> {
    const { maxBytes, cost = FREE } = options;
    await checkIsArchive(file);
    const archive = await ZipArchive.open(file, { maxBytes, onUnpacked: (bytes) => cost.unpacked(bytes) });
    const main = (await readRelationships(archive, '', cost)).find(({ type }) => type === 'officeDocument')?.part;
    if (main === undefined || !/\.xml$/i.test(main)) throw withoutWorkbook([...archive.names]);
    const relationships = await readRelationships(archive, main, cost);
    const partOf = (wanted: string) => relationships.find(({ type }) => type === wanted)?.part;
    const { sheets, is1904, isStale } = await readWorkbookPart(archive, main, cost);
    const [strings, styles] = [partOf('sharedStrings'), partOf('styles')];
    const context: SheetContext = {
      maxBytes,
      is1904,
      isStale,
      strings: strings === undefined ? undefined : await SharedStrings.read(archive, strings, { maxBytes, cost }),
      styles: styles === undefined ? [] : await readStyles(archive, styles, cost),
    };
    return new Workbook(file, archive, partsOf(sheets, relationships), context, options);
  }

  /** One batch for every piece of the sheet that has rows. Rows without values are left out. Can be called again. */
  async *rows(sheet: Sheet): AsyncIterable<readonly SheetRow[]> {
    const part = this.#parts.get(sheet);
    if (part === undefined) throw new Error(`${sheet.name} is not a sheet of this workbook`);
    const reader = new SheetReader(sheet.name, this.#context);
    const isComplete = () => reader.isComplete;
    const { maxBytes, cost = FREE } = this.#options;
    for await (const _ of readPart(this.#archive, part, { handler: reader, cost, maxBytes, isComplete })) {
      const rows = reader.take();
      if (rows.length > 0) yield rows;
    }
  }

  close(): Promise<void> {
    return this.#file.close();
  }
}

/** Each of them is a file in the archive. */
const MAX_SHEETS = MAX_ENTRIES;

interface ListedSheet extends Sheet {
  /** Of the relationship that leads to its cells. */
  readonly id: string;
}

interface WorkbookPart extends Pick<SheetContext, 'is1904' | 'isStale'> {
  readonly sheets: readonly ListedSheet[];
}

async function readWorkbookPart(archive: ZipArchive, name: string, cost: ReadingCost): Promise<WorkbookPart> {
  const sheets: ListedSheet[] = [];
  let root = '';
  let is1904 = false;
  let isStale = false;
  const handler = elements((path, attributes) => {
    root ||= path;
    if (path === 'workbook/workbookPr') is1904 = isTrue(attributes.get('date1904'));
    else if (path === 'workbook/calcPr') isStale = isTrue(attributes.get('fullCalcOnLoad'));
    else if (path === 'workbook/sheets/sheet') sheets.push(listedSheet(attributes));
    if (sheets.length > MAX_SHEETS) throw new UnreadableFile(`The workbook has more than ${MAX_SHEETS} sheets.`);
  });
  await readSmallPart(archive, name, handler, cost);
  if (root !== 'workbook') throw withoutWorkbook([...archive.names]);
  return { sheets, is1904, isStale };
}

function listedSheet(attributes: Attributes): ListedSheet {
  const state = attributes.get('state');
  // Only by its prefix, which programs choose, does it differ from other ids.
  const [, id = ''] = [...attributes].find(([name]) => name.endsWith(':id')) ?? [];
  return {
    name: attributes.get('name') ?? '',
    visibility: state === 'hidden' || state === 'veryHidden' ? state : 'visible',
    id,
  };
}

function partsOf(sheets: readonly ListedSheet[], relationships: readonly Relationship[]): ReadonlyMap<Sheet, string> {
  const byId = new Map(relationships.map((relationship) => [relationship.id, relationship]));
  const parts = new Map<Sheet, string>();
  for (const { id, ...sheet } of sheets) {
    const relationship = byId.get(id);
    if (relationship === undefined) throw damaged(`the cells of sheet ${quoted(sheet.name)} are missing`);
    if (relationship.type === 'worksheet') parts.set(sheet, relationship.part);
  }
  return parts;
}
