/** The table before its records are there: the same header and rows of the same height, so that nothing moves when they arrive. */

import { useView } from '../view/use-view.ts';
import { columnsOf } from './columns.ts';
import './table-skeleton.css';

/** As many as a large screen has room for; the others cannot be seen. */
const ROWS = Array.from({ length: 40 }, (_, index) => index);

export function TableSkeleton() {
  const { view } = useView();
  const columns = columnsOf(view.resource, view.fields);
  return (
    <div className="table-skeleton" aria-hidden="true">
      <div className="table-skeleton-row table-skeleton-head">
        {columns.map(({ id, size }) => (
          <span style={{ width: view.widths.get(id ?? '') ?? size }} key={id}>
            {id}
          </span>
        ))}
      </div>
      {ROWS.map((row) => (
        <div className="table-skeleton-row" key={row}>
          {columns.map(({ id, size }) => (
            <span style={{ width: view.widths.get(id ?? '') ?? size }} key={id}>
              <i />
            </span>
          ))}
        </div>
      ))}
    </div>
  );
}
