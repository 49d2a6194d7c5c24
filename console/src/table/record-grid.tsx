/** A page of records as a virtualized table. The document has only the visible rows and the focused one. */

import { defaultRangeExtractor, type Range, useVirtualizer } from '@tanstack/react-virtual';
import { Fragment, type KeyboardEvent, type MouseEvent, useEffect, useMemo, useRef, useState } from 'react';
import { findField } from '../../../src/catalog/catalog.ts';
import type { ListedPage } from '../data/use-list.ts';
import { Icon } from '../ui/icon.tsx';
import { loadLater } from '../ui/load-later.tsx';
import { useView } from '../view/use-view.ts';
import { ColumnHeader } from './column-header.tsx';
import { SELECTION_WIDTH } from './columns.ts';
import { describeChanges } from './describe-changes.ts';
import { nextPosition } from './grid-position.ts';
import { RecordRow } from './record-row.tsx';
import { added, allToggled, extended, NOTHING_SELECTED, toggled } from './row-selection.ts';
import { useColumnWidths } from './use-column-widths.ts';
import { useGridFocus } from './use-grid-focus.ts';
import { useHighlights } from './use-highlights.ts';
import { useRecordTable } from './use-record-table.ts';
import { useRowHeight } from './use-row-height.ts';
import '../ui/checkbox.css';
import './record-grid.css';

const SelectionBar = loadLater(() => import('./selection-bar.tsx'));

export interface RecordGridProps {
  readonly page: ListedPage;
  /** Whether another page is being loaded. */
  readonly isOutdated: boolean;
}

/** Rows rendered above and below the visible ones, so that scrolling shows no blanks. */
const OVERSCAN = 8;

export function RecordGrid({ page, isOutdated }: RecordGridProps) {
  const { view, show, adjust } = useView();
  const { resource, record: openId } = view;
  const scroller = useRef<HTMLDivElement>(null);
  const grid = useRef<HTMLTableElement>(null);
  const head = useRef<HTMLTableSectionElement>(null);
  const names = view.fields.join();
  const fields = useMemo(() => names.split(',').flatMap((name) => findField(resource, name) ?? []), [resource, names]);
  const rowHeight = useRowHeight(head);
  const widths = useColumnWidths({
    container: scroller,
    fields,
    records: page.data,
    rowHeight,
    reserved: SELECTION_WIDTH,
    chosen: view.widths,
  });
  const table = useRecordTable(page.data, widths);
  const { rows } = table.getRowModel();
  const columns = table.getAllLeafColumns();
  const { highlights, latest } = useHighlights(page);

  const ids = useMemo(() => page.data.map(({ id }) => id), [page.data]);
  const [selection, setSelection] = useState(NOTHING_SELECTED);
  const selected = useMemo(() => page.data.filter(({ id }) => selection.ids.has(id)), [page.data, selection]);
  const focus = useGridFocus({
    grid,
    ids,
    columns: columns.length,
    pageLength: () => Math.max(1, Math.floor((scroller.current?.clientHeight ?? 0) / rowHeight) - 2),
    scrollToRow: (row) => virtualizer.scrollToIndex(row),
  });
  const focusedRow = focus.position.area === 'rows' ? focus.position.row : undefined;
  const virtualizer = useVirtualizer({
    count: rows.length,
    getItemKey: (row) => ids[row] ?? row,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowHeight,
    overscan: OVERSCAN,
    // The header covers that much of the rows.
    scrollPaddingStart: rowHeight,
    paddingStart: rowHeight,
    useFlushSync: false,
    rangeExtractor: (range) => withFocused(range, focusedRow),
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: the height changes all rows
  useEffect(() => virtualizer.measure(), [rowHeight]);

  const list = JSON.stringify([page.of.q, page.of.filter, page.of.sort, page.of.page, page.of.limit]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: other records begin at the top
  useEffect(() => {
    virtualizer.scrollToOffset(0);
    setSelection(NOTHING_SELECTED);
    if (focus.position.area === 'rows') focus.setRow(0);
  }, [list]);

  const openRow = openId === undefined ? -1 : ids.indexOf(openId);
  const lastOpened = useRef(openId);
  /** The open record that was scrolled to. */
  const lastShown = useRef<number>(undefined);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the rest is as it was when the record was opened or closed
  useEffect(() => {
    // Only once: if a live update moves the row, the reader stays where they are.
    if (openRow !== -1 && lastShown.current !== openId && focusedRow !== openRow) {
      focus.setRow(openRow);
      virtualizer.scrollToIndex(openRow);
    }
    if (openRow !== -1 || openId === undefined) lastShown.current = openId;
    const isClosed = lastOpened.current !== undefined && openId === undefined;
    lastOpened.current = openId;
    // The panel had the focus, and is gone.
    if (isClosed && document.activeElement === document.body) focus.moveTo(focus.position);
  }, [openId, openRow]);

  const open = (row: number) => {
    const id = page.data[row]?.id;
    if (id === undefined || id === openId) return;
    if (openId === undefined) show({ record: id });
    else adjust({ record: id });
  };
  const handleKey = (event: KeyboardEvent<HTMLElement>) => {
    // React bubbles events of a menu through here, although it is elsewhere in the document.
    if (!(event.target instanceof Node) || !event.currentTarget.contains(event.target)) return;
    if (focus.handleKey(event)) return;
    const { key, shiftKey } = event;
    const isCommand = event.ctrlKey || event.metaKey;
    const row = rowOf(event.target);
    const id = row === undefined ? undefined : ids[row];
    if (key === 'Escape' && selected.length > 0) setSelection(NOTHING_SELECTED);
    else if (key === 'Escape' && openId !== undefined) show({ record: undefined });
    else if (key.toLowerCase() === 'a' && isCommand) setSelection(allToggled(selection, ids));
    else if (row === undefined || id === undefined) return;
    else if (key === 'Enter') open(row);
    else if (key === ' ') setSelection(shiftKey ? extended(selection, id, ids) : toggled(selection, id));
    else if (shiftKey && (key === 'ArrowUp' || key === 'ArrowDown')) {
      const next = nextPosition(key, focus.position, ids, 1);
      if (next?.area !== 'rows') return;
      setSelection(added(selection, id, next.id));
      focus.moveTo(next);
    } else return;
    event.preventDefault();
  };
  const handleClick = (event: MouseEvent) => {
    const { target, shiftKey } = event;
    const row = rowOf(target);
    const id = row === undefined ? undefined : ids[row];
    if (row === undefined || id === undefined || !(target instanceof Element)) return;
    if (shiftKey) setSelection(extended(selection, id, ids));
    else if (event.ctrlKey || event.metaKey || target.closest('.record-row-select'))
      setSelection(toggled(selection, id));
    // Neither selecting text nor a link opens a record.
    else if (getSelection()?.isCollapsed !== false && !target.closest('a')) open(row);
  };
  /** Otherwise the text between two clicks would be selected. */
  const keepText = (event: MouseEvent) => {
    if (event.shiftKey && rowOf(event.target) !== undefined) event.preventDefault();
  };

  const items = virtualizer.getVirtualItems();
  const firstRow = (page.of.page - 1) * page.of.limit;
  const { columnResizing } = table.state;
  const isAll = selected.length === ids.length;
  return (
    <>
      <div
        className="record-grid"
        ref={scroller}
        data-outdated={isOutdated || undefined}
        data-selecting={selected.length > 0 || undefined}
        onScroll={({ currentTarget }) => currentTarget.toggleAttribute('data-scrolled', currentTarget.scrollLeft > 0)}
      >
        <table
          className="record-grid-table"
          // biome-ignore lint/a11y/noNoninteractiveElementToInteractiveRole: a table with focus in it is a grid
          role="grid"
          ref={grid}
          aria-label={resource.plural}
          aria-describedby="record-grid-keys"
          aria-rowcount={page.meta.total + 1}
          aria-colcount={columns.length}
          aria-multiselectable="true"
          aria-busy={isOutdated}
          onFocus={focus.followFocus}
          onKeyDown={handleKey}
          onClick={handleClick}
          onMouseDown={keepText}
        >
          <colgroup>
            <col style={{ width: SELECTION_WIDTH }} />
            {columns.map((column) => (
              <col
                style={{
                  width: Math.max(
                    column.columnDef.minSize ?? 0,
                    column.getSize() + (column.getIsResizing() ? (columnResizing.deltaOffset ?? 0) : 0),
                  ),
                }}
                key={column.id}
              />
            ))}
            <col />
          </colgroup>
          <thead className="record-grid-head" ref={head}>
            {table.getHeaderGroups().map((group) => (
              <tr aria-rowindex={1} key={group.id}>
                {/* For pointers. With keys, Ctrl + A does the same. */}
                <td
                  className="record-row-select"
                  aria-hidden="true"
                  data-selected={isAll || undefined}
                  title={isAll ? 'Select none' : 'Select all rows of this page'}
                  onClick={() => setSelection(allToggled(selection, ids))}
                >
                  <span className="checkbox-box">
                    <Icon name="check" />
                  </span>
                </td>
                {group.headers.map((header) => (
                  <ColumnHeader
                    table={table}
                    header={header}
                    isFocused={focus.position.area === 'header' && focus.position.column === header.index}
                    onMove={(column) => focus.moveTo({ area: 'header', column })}
                    key={header.id}
                  />
                ))}
              </tr>
            ))}
          </thead>
          <tbody>
            {items.map((item, place) => {
              const record = rows[item.index]?.original;
              if (record === undefined) return null;
              return (
                <Fragment key={item.key}>
                  <Gap height={item.start - (items[place - 1]?.end ?? rowHeight)} />
                  <RecordRow
                    resource={resource}
                    record={record}
                    fields={fields}
                    index={item.index}
                    rowIndex={firstRow + item.index + 2}
                    isFocused={item.index === focusedRow}
                    isOpen={record.id === openId}
                    isSelected={selection.ids.has(record.id)}
                    change={highlights.get(record.id)}
                  />
                </Fragment>
              );
            })}
            <Gap height={virtualizer.getTotalSize() - (items.at(-1)?.end ?? rowHeight)} />
          </tbody>
        </table>
        <p className="visually-hidden" role="status">
          {view.isLive && describeChanges(latest, page.meta.total, resource)}
        </p>
        <p className="visually-hidden" id="record-grid-keys">
          Arrow keys move, Enter opens a record, Space selects it, Shift and the arrow keys select several, and Control
          and C copies them. In the header, Enter sorts, Shift and Enter adds a sort key, Shift and the arrow keys
          resize a column, Alt, Shift and the arrow keys move it, and Alt and Arrow Down opens its menu.
        </p>
      </div>
      {selected.length > 0 && (
        <SelectionBar
          resource={resource}
          fields={fields}
          records={selected}
          onClear={() => setSelection(NOTHING_SELECTED)}
        />
      )}
    </>
  );
}

/** Rows that are not in the document. */
function Gap({ height }: { readonly height: number }) {
  if (height <= 0) return null;
  return (
    // biome-ignore lint/a11y/noAriaHiddenOnFocusable: it has no tabindex, and is not focusable
    <tr aria-hidden="true">
      <td className="record-grid-gap" style={{ height }} />
    </tr>
  );
}

function withFocused(range: Range, row: number | undefined): number[] {
  const indexes = defaultRangeExtractor(range);
  if (row === undefined || row >= range.count || indexes.includes(row)) return indexes;
  return [...indexes, row].sort((a, b) => a - b);
}

function rowOf(target: EventTarget | null): number | undefined {
  const row = target instanceof Element ? target.closest<HTMLElement>('[data-row]')?.dataset['row'] : undefined;
  return row === undefined ? undefined : Number(row);
}
