/** Finds the row of a sheet that names the columns. */

import { UnreadableFile } from '../format.ts';
import { CountedRows, type NamingRow, namesColumns, noSuchRow } from '../tables.ts';
import type { SheetCell, SheetRow } from './sheet-cell.ts';

export interface FoundHeader {
  readonly row: SheetRow;
  /** Whether it has names that are known. */
  readonly isKnown: boolean;
  /** The rows below it that were looked at. */
  readonly below: readonly SheetRow[];
  /** What is above it, except titles, which consist of one cell. */
  readonly above: CountedRows;
  /** A row above it that begins another table. */
  readonly other?: NamingRow;
}

/** Among how many rows the names of the columns are looked for. */
export const HEADER_ROWS = 30;

export class HeaderFinder {
  readonly #isColumn: (name: string) => boolean;
  readonly #named: number | undefined;
  readonly #above = new CountedRows();
  readonly #rows: SheetRow[] = [];

  /** `named` is the number of the row, if somebody has said it. */
  constructor(isColumn: (name: string) => boolean, named: number | undefined) {
    this.#isColumn = isColumn;
    this.#named = named;
  }

  /** Undefined until enough rows are there. */
  add(rows: readonly SheetRow[]): FoundHeader | undefined {
    if (this.#named === undefined) {
      this.#rows.push(...rows);
      return this.#rows.length < HEADER_ROWS ? undefined : this.#choose();
    }
    for (const [index, row] of rows.entries()) {
      if (row.number > this.#named) throw new UnreadableFile(noSuchRow(this.#named, 'row'));
      if (row.number === this.#named) return { row, isKnown: true, below: rows.slice(index + 1), above: this.#above };
      this.#leaveOut(row);
    }
    return undefined;
  }

  /** There are no more rows. Undefined if none of them names columns. */
  end(): FoundHeader | undefined {
    if (this.#named !== undefined) throw new UnreadableFile(noSuchRow(this.#named, 'row'));
    return this.#choose();
  }

  /** The row with most names of columns that are known. If there is none, the first one that consists of different texts, in at least half of the columns. */
  #choose(): FoundHeader | undefined {
    const start = this.#rows.slice(0, HEADER_ROWS);
    const known = start.map((row) => namesOf(row).filter((name) => name !== '' && this.#isColumn(name)).length);
    const most = Math.max(0, ...known);
    const index = most > 0 ? known.indexOf(most) : start.findIndex((row) => isOfTexts(row, start));
    const row = start[index];
    if (row === undefined) return undefined;
    const above = start.slice(0, index);
    for (const each of above) this.#leaveOut(each);
    const other = above.find((each) => namesColumns(namesOf(each), this.#isColumn));
    return {
      row,
      isKnown: most > 0,
      below: this.#rows.slice(index + 1),
      above: this.#above,
      ...(other && { other: { number: other.number, names: namesOf(other) } }),
    };
  }

  #leaveOut(row: SheetRow): void {
    if (filled(row).length > 1) this.#above.add(row.number);
  }
}

export function namesOf({ cells }: SheetRow): readonly string[] {
  return cells.map((cell) => textOf(cell).trim());
}

export function textOf(cell: SheetCell): string {
  switch (cell.kind) {
    case 'empty':
    case 'uncalculated':
      return '';
    case 'boolean':
      return String(cell.value);
    default:
      return cell.text;
  }
}

function filled({ cells }: SheetRow): readonly SheetCell[] {
  return cells.filter(({ kind }) => kind !== 'empty');
}

function isOfTexts(row: SheetRow, rows: readonly SheetRow[]): boolean {
  const cells = filled(row);
  const texts = new Set(cells.map((cell) => (cell.kind === 'text' ? cell.text : undefined)));
  const widest = Math.max(0, ...rows.map((each) => filled(each).length));
  return cells.length * 2 >= widest && texts.size === cells.length && !texts.has(undefined);
}
