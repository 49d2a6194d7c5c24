/** The TanStack table of the view. Columns, widths and order are stored in the URL. */

import { type ReactTable, type Updater, useTable } from '@tanstack/react-table';
import { useMemo } from 'react';
import type { RecordValues } from '../data/records.ts';
import { useView } from '../view/use-view.ts';
import { columnsOf, features } from './columns.ts';
import type { ColumnWidths } from './use-column-widths.ts';

export type RecordTableModel = ReactTable<typeof features, RecordValues>;

export function useRecordTable(records: readonly RecordValues[], columnWidths: ColumnWidths): RecordTableModel {
  const { view, show, adjust } = useView();
  const { resource, fields, sort, widths } = view;
  const names = fields.join();
  const columns = useMemo(() => columnsOf(resource, names.split(','), columnWidths), [resource, names, columnWidths]);
  const sorting = useMemo(() => sort.map(({ field, isDescending }) => ({ id: field, desc: isDescending })), [sort]);
  const columnSizing = useMemo(() => Object.fromEntries(widths), [widths]);
  return useTable({
    features,
    columns,
    data: records,
    getRowId: ({ id }) => String(id),
    manualSorting: true,
    columnResizeMode: 'onEnd',
    state: { sorting, columnSizing },
    onSortingChange: (change) => {
      show({ sort: resolve(change, sorting).map(({ id, desc }) => ({ field: id, isDescending: desc })) });
    },
    onColumnSizingChange: (change) => {
      const sizes = Object.entries(resolve(change, columnSizing));
      adjust({ widths: new Map(sizes.map(([field, width]) => [field, Math.round(width)])) });
    },
  });
}

function resolve<State>(change: Updater<State>, state: State): State {
  return change instanceof Function ? change(state) : change;
}
