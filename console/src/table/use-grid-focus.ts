/**
 * Moves the focus with keys, as grids do: the whole table is one stop of the Tab key, and inside it arrow keys, Home, End, Page Up and
 * Page Down move from row to row and, above them, from header to header.
 */

import { type FocusEvent, type KeyboardEvent, type RefObject, useEffect, useRef, useState } from 'react';

export type GridPosition =
  | { readonly area: 'header'; readonly column: number }
  | { readonly area: 'rows'; readonly row: number };

export interface GridFocusOptions {
  readonly grid: RefObject<HTMLElement | null>;
  readonly rows: number;
  readonly columns: number;
  /** How many rows can be seen. */
  readonly pageLength: () => number;
  readonly scrollToRow: (row: number) => void;
}

export interface GridFocus {
  readonly position: GridPosition;
  /** Without moving the focus of the browser. */
  readonly setPosition: (position: GridPosition) => void;
  readonly moveTo: (position: GridPosition) => void;
  /** For focus that is moved in another way, as with a pointer. */
  readonly followFocus: (event: FocusEvent<HTMLElement>) => void;
  /** True if the key moved the focus. */
  readonly handleKey: (event: KeyboardEvent) => boolean;
}

export function useGridFocus({ grid, rows, columns, pageLength, scrollToRow }: GridFocusOptions): GridFocus {
  const [wanted, setPosition] = useState<GridPosition>({ area: 'rows', row: 0 });
  const position = clamp(wanted, rows, columns);
  const target = useRef<GridPosition>(undefined);
  const moveTo = (to: GridPosition) => {
    const next = clamp({ ...to }, rows, columns);
    target.current = next;
    setPosition(next);
    if (next.area === 'rows') scrollToRow(next.row);
  };
  useEffect(() => {
    // Scrolling may have rendered the table before the position has changed.
    if (target.current === undefined || target.current !== wanted) return;
    const selector = wanted.area === 'rows' ? `[data-row="${wanted.row}"]` : `[data-column="${wanted.column}"]`;
    const element = grid.current?.querySelector<HTMLElement>(selector);
    if (!element) return;
    target.current = undefined;
    element.focus({ preventScroll: wanted.area === 'rows' });
  });
  const handleKey = (event: KeyboardEvent): boolean => {
    if (event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return false;
    const next = nextPosition(event.key, position, rows, pageLength());
    if (next === undefined) return false;
    event.preventDefault();
    moveTo(next);
    return true;
  };
  const followFocus = ({ target }: FocusEvent<HTMLElement>) => {
    const { row, column } = target.dataset;
    if (row !== undefined) setPosition({ area: 'rows', row: Number(row) });
    if (column !== undefined) setPosition({ area: 'header', column: Number(column) });
  };
  return { position, setPosition, moveTo, followFocus, handleKey };
}

/** Undefined if the key does not move. */
function nextPosition(key: string, from: GridPosition, rows: number, pageLength: number): GridPosition | undefined {
  if (from.area === 'header') {
    const columns: Readonly<Record<string, number>> = {
      ArrowLeft: from.column - 1,
      ArrowRight: from.column + 1,
      Home: 0,
      End: Number.POSITIVE_INFINITY,
    };
    const column = columns[key];
    if (column !== undefined) return { area: 'header', column };
    return key === 'ArrowDown' && rows > 0 ? { area: 'rows', row: 0 } : undefined;
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
  return row === undefined ? undefined : { area: 'rows', row };
}

function clamp(position: GridPosition, rows: number, columns: number): GridPosition {
  if (position.area === 'header') return { area: 'header', column: limit(position.column, columns) };
  return rows === 0 ? { area: 'header', column: 0 } : { area: 'rows', row: limit(position.row, rows) };
}

function limit(index: number, length: number): number {
  return Math.max(0, Math.min(index, length - 1));
}
