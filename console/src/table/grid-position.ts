/** Where the focus is in the table: on a row, or on a header above them. */

export interface HeaderPosition {
  readonly area: 'header';
  readonly column: number;
}

export interface RowPosition {
  readonly area: 'rows';
  readonly row: number;
  /** The record in that row. It may move to another one. */
  readonly id: number;
}

export type GridPosition = HeaderPosition | RowPosition;

/** Where a position is among these records: with its record, or in the same place if that is gone. */
export function positionIn(position: GridPosition, ids: readonly number[], columns: number): GridPosition {
  if (position.area === 'header') return { area: 'header', column: within(position.column, columns) };
  const row = ids[position.row] === position.id ? position.row : ids.indexOf(position.id);
  return rowPosition(row === -1 ? position.row : row, ids);
}

/** The row nearest to this one, or the header if there are none. */
export function rowPosition(row: number, ids: readonly number[]): GridPosition {
  const nearest = within(row, ids.length);
  const id = ids[nearest];
  return id === undefined ? { area: 'header', column: 0 } : { area: 'rows', row: nearest, id };
}

/** Undefined if the key does not move. */
export function nextPosition(
  key: string,
  from: GridPosition,
  ids: readonly number[],
  pageLength: number,
): GridPosition | undefined {
  if (from.area === 'header') {
    const columns: Readonly<Record<string, number>> = {
      ArrowLeft: from.column - 1,
      ArrowRight: from.column + 1,
      Home: 0,
      End: Number.POSITIVE_INFINITY,
    };
    const column = columns[key];
    if (column !== undefined) return { area: 'header', column };
    return key === 'ArrowDown' && ids.length > 0 ? rowPosition(0, ids) : undefined;
  }
  if (key === 'ArrowUp' && from.row === 0) return { area: 'header', column: 0 };
  const steps: Readonly<Record<string, number>> = {
    ArrowUp: from.row - 1,
    ArrowDown: from.row + 1,
    PageUp: from.row - pageLength,
    PageDown: from.row + pageLength,
    Home: 0,
    End: Number.POSITIVE_INFINITY,
  };
  const row = steps[key];
  return row === undefined ? undefined : rowPosition(row, ids);
}

function within(index: number, length: number): number {
  return Math.max(0, Math.min(index, length - 1));
}
