/** The table while it is loading: the same header and row height, so that nothing moves when the records arrive. */

import { useView } from '../view/use-view.ts';
import { columnsOf } from './columns.ts';
import './table-skeleton.css';

export function TableSkeleton() {
  const { view } = useView();
  const columns = columnsOf(view.resource, view.fields);
  return (
    <div className="table-skeleton" aria-hidden="true">
      <div className="table-skeleton-head">
        {columns.map(({ id, header, size }) => (
          <span style={{ width: view.widths.get(id ?? '') ?? size }} key={id}>
            {String(header)}
          </span>
        ))}
      </div>
      <div className="table-skeleton-rows" />
    </div>
  );
}
