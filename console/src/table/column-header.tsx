/** The header of a column: sorts, resizes and moves it, with a pointer or with keys. */

import { type DragEvent, type KeyboardEvent, type MouseEvent, useState } from 'react';
import { Button as AriaButton } from 'react-aria-components';
import { describeField } from '../format/field-words.ts';
import { Icon } from '../ui/icon.tsx';
import { loadLater } from '../ui/load-later.tsx';
import { useOpener } from '../ui/use-opener.ts';
import { moveField, shiftField } from '../view/move-field.ts';
import { useView } from '../view/use-view.ts';
import { isPinned, isRightAligned, type RecordHeader, WIDTH_STEP } from './columns.ts';
import type { RecordTableModel } from './use-record-table.ts';
import './column-header.css';

const ColumnMenu = loadLater(() => import('./column-menu.tsx'));

export interface ColumnHeaderProps {
  readonly table: RecordTableModel;
  readonly header: RecordHeader;
  readonly isFocused: boolean;
  /** After the column was moved, to keep the focus on it. */
  readonly onMove: (column: number) => void;
}

/** The media type of a column that is dragged. */
const DRAGGED = 'application/x-stockbook-column';

type Side = 'before' | 'after';

export function ColumnHeader({ table, header, isFocused, onMove }: ColumnHeaderProps) {
  const { view, adjust } = useView();
  const menu = useOpener('menu');
  const [dropSide, setDropSide] = useState<Side>();
  const { column, index } = header;
  const field = column.columnDef.meta?.field;
  if (field === undefined) throw new Error(`the column ${column.id} has no field`);
  const { fields } = view;

  const move = (by: number) => {
    const moved = shiftField(fields, field.name, by);
    adjust({ fields: moved });
    onMove(moved.indexOf(field.name));
  };
  const resize = (by: number) => {
    const width = Math.max(column.columnDef.minSize ?? 0, column.getSize() + by);
    table.setColumnSizing((sizes) => ({ ...sizes, [field.name]: width }));
  };
  const handleKey = (event: KeyboardEvent) => {
    const direction = event.key === 'ArrowLeft' ? -1 : event.key === 'ArrowRight' ? 1 : 0;
    if (event.shiftKey && direction !== 0) {
      if (event.altKey) move(direction);
      else resize(direction * WIDTH_STEP);
    } else if ((event.altKey && event.key === 'ArrowDown') || event.key === 'ContextMenu') menu.open();
    else return;
    event.preventDefault();
    event.stopPropagation();
  };

  const startDrag = (event: DragEvent) => {
    // It may be the edge of the column that is dragged.
    if (table.state.columnResizing.isResizingColumn !== false) return event.preventDefault();
    event.dataTransfer.setData(DRAGGED, field.name);
    event.dataTransfer.effectAllowed = 'move';
  };
  const dragOver = (event: DragEvent<HTMLElement>) => {
    if (!event.dataTransfer.types.includes(DRAGGED)) return;
    event.preventDefault();
    setDropSide(sideOf(event));
  };
  const drop = (event: DragEvent<HTMLElement>) => {
    event.preventDefault();
    setDropSide(undefined);
    // The state may be that of an earlier place: a quick drop comes before it is rendered.
    const before = sideOf(event) === 'before' ? field.name : fields[fields.indexOf(field.name) + 1];
    const dragged = event.dataTransfer.getData(DRAGGED);
    if (fields.includes(dragged)) adjust({ fields: moveField(fields, dragged, before) });
  };

  const sorted = column.getIsSorted();
  const place = column.getSortIndex() + 1;
  return (
    <th
      className="column-header"
      scope="col"
      // Only the first key: ARIA has no order of several.
      aria-sort={sorted !== false && place === 1 ? SORTS[sorted] : undefined}
      aria-colindex={index + 1}
      data-drop={dropSide}
      data-pinned={isPinned(field) || undefined}
      draggable
      onDragStart={startDrag}
      onDragOver={dragOver}
      onDragLeave={() => setDropSide(undefined)}
      onDrop={drop}
    >
      <div className={isRightAligned(field) ? 'column-header-content column-header-right' : 'column-header-content'}>
        <button
          type="button"
          className="column-header-sort"
          data-column={index}
          tabIndex={isFocused ? 0 : -1}
          title={describeField(field)}
          onClick={(event: MouseEvent) => column.toggleSorting(undefined, event.shiftKey)}
          onKeyDown={handleKey}
        >
          <span className="column-header-name">{field.label}</span>
          {sorted !== false && <Icon name={sorted === 'asc' ? 'ascending' : 'descending'} />}
          {sorted !== false && view.sort.length > 1 && <span className="column-header-place">{place}</span>}
          {sorted !== false && place > 1 && (
            <span className="visually-hidden">
              , sort key {place}, {SORTS[sorted]}
            </span>
          )}
        </button>
        <AriaButton
          className="column-header-menu"
          aria-label={`Column ${field.label}`}
          excludeFromTabOrder
          {...menu.button}
        >
          <Icon name="down" />
        </AriaButton>
        {menu.isOpen && <ColumnMenu opener={menu} column={column} field={field} onMove={move} onResize={resize} />}
      </div>
      {/* With keys, the button and the menu do the same. */}
      <div
        className="column-header-edge"
        data-resizing={column.getIsResizing() || undefined}
        aria-hidden="true"
        onMouseDown={header.getResizeHandler()}
        onTouchStart={header.getResizeHandler()}
        onDoubleClick={() => column.resetSize()}
      />
    </th>
  );
}

const SORTS = { asc: 'ascending', desc: 'descending' } as const;

/** On which side of the header the pointer is. */
function sideOf({ currentTarget, clientX }: DragEvent<HTMLElement>): Side {
  const { left, width } = currentTarget.getBoundingClientRect();
  return clientX < left + width / 2 ? 'before' : 'after';
}
