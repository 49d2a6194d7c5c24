/**
 * Moves the focus with keys, as grids do: the whole table is one stop of the Tab key, and inside it arrow keys, Home, End, Page Up and
 * Page Down move from row to row and, above them, from header to header.
 */

import { type FocusEvent, type KeyboardEvent, type RefObject, useEffect, useRef, useState } from 'react';
import { type GridPosition, nextPosition, positionIn, rowPosition } from './grid-position.ts';

export interface GridFocusOptions {
  readonly grid: RefObject<HTMLElement | null>;
  /** The ids of the records, one for each row. */
  readonly ids: readonly number[];
  readonly columns: number;
  /** How many rows can be seen. */
  readonly pageLength: () => number;
  readonly scrollToRow: (row: number) => void;
}

export interface GridFocus {
  readonly position: GridPosition;
  /** Without moving the focus of the browser. */
  readonly setRow: (row: number) => void;
  readonly moveTo: (position: GridPosition) => void;
  /** For focus that is moved in another way, as with a pointer. */
  readonly followFocus: (event: FocusEvent<HTMLElement>) => void;
  /** True if the key moved the focus. */
  readonly handleKey: (event: KeyboardEvent) => boolean;
}

export function useGridFocus({ grid, ids, columns, pageLength, scrollToRow }: GridFocusOptions): GridFocus {
  const [wanted, setWanted] = useState<GridPosition>(() => rowPosition(0, ids));
  const position = positionIn(wanted, ids, columns);
  const target = useRef<GridPosition>(undefined);
  const hadFocus = useRef(false);
  const moveTo = (to: GridPosition) => {
    const next = positionIn(to, ids, columns);
    target.current = next;
    setWanted(next);
    if (next.area === 'rows') scrollToRow(next.row);
  };
  useEffect(() => {
    // The row that had the focus is gone, and with it the focus.
    if (hadFocus.current && document.activeElement === document.body && !isSamePlace(wanted, position)) {
      hadFocus.current = false;
      return moveTo(position);
    }
    hadFocus.current = grid.current?.contains(document.activeElement) ?? false;
    // Scrolling may have rendered the table before the position has changed.
    if (target.current === undefined || target.current !== wanted) return;
    const selector = position.area === 'rows' ? `[data-row="${position.row}"]` : `[data-column="${position.column}"]`;
    const element = grid.current?.querySelector<HTMLElement>(selector);
    if (!element) return;
    target.current = undefined;
    element.focus({ preventScroll: position.area === 'rows' });
  });
  const handleKey = (event: KeyboardEvent): boolean => {
    if (event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return false;
    const next = nextPosition(event.key, position, ids, pageLength());
    if (next === undefined) return false;
    event.preventDefault();
    moveTo(next);
    return true;
  };
  const followFocus = ({ target: focused }: FocusEvent<HTMLElement>) => {
    hadFocus.current = true;
    const { row, column } = focused.dataset;
    if (row !== undefined) setWanted(rowPosition(Number(row), ids));
    if (column !== undefined) setWanted({ area: 'header', column: Number(column) });
  };
  const setRow = (row: number) => setWanted(rowPosition(row, ids));
  return { position, setRow, moveTo, followFocus, handleKey };
}

/** Whether both are on the same record, or on the same column. */
function isSamePlace(a: GridPosition, b: GridPosition): boolean {
  return a.area === 'rows' ? b.area === 'rows' && a.id === b.id : b.area === 'header' && a.column === b.column;
}
