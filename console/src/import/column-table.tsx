/** The columns of a file, what they contain, and the fields that they set. */

import type { RecognisedColumn } from '@stockbook/client';
import type { Resource } from '../../../src/catalog/resource.ts';
import type { ColumnMap } from './import-settings.ts';
import '../ui/select.css';
import './column-table.css';

export interface ColumnTableProps {
  readonly resource: Resource;
  readonly columns: readonly RecognisedColumn[];
  /** What somebody has decided. */
  readonly decided: ColumnMap;
  /** Null ignores the column. */
  readonly onDecide: (column: string, field: string | null) => void;
}

/** Also a column that says which rows remove their records. */
const REMOVED = { name: 'removed', label: 'Removed: “true” removes the record' };

const IGNORED = '';
const UNDECIDED = '?';

/** Whether a column is no field, and nobody has said what to do with it. */
export function isUndecided({ column, field, reason }: RecognisedColumn, decided: ColumnMap): boolean {
  return field === null && reason === undefined && !decided.has(column);
}

export function ColumnTable({ resource, columns, decided, onDecide }: ColumnTableProps) {
  const fields = [...resource.fields, REMOVED];
  return (
    <table className="column-table">
      <thead>
        <tr>
          <th scope="col">In the file</th>
          <th scope="col">Examples</th>
          <th scope="col">Field</th>
        </tr>
      </thead>
      <tbody>
        {columns.map((one) => {
          const { column, field, reason, examples = [] } = one;
          const chosen = decided.has(column) ? (decided.get(column) ?? null) : field;
          const isOpen = isUndecided(one, decided);
          return (
            <tr data-ignored={(chosen === null && !isOpen) || undefined} key={column}>
              <th scope="row">{column === '' ? '(no name)' : column}</th>
              <td className="column-table-examples">
                {examples.filter((example) => example !== '').join(' · ') || 'empty'}
              </td>
              <td>
                <select
                  className="select"
                  aria-label={`Field for ${column}`}
                  data-open={isOpen || undefined}
                  value={isOpen ? UNDECIDED : (chosen ?? IGNORED)}
                  onChange={({ target }) => onDecide(column, target.value === IGNORED ? null : target.value)}
                >
                  {isOpen && (
                    <option value={UNDECIDED} disabled>
                      Choose a field, or ignore it
                    </option>
                  )}
                  <option value={IGNORED}>Ignore</option>
                  {fields.map(({ name, label }) => (
                    <option value={name} key={name}>
                      {label}
                    </option>
                  ))}
                </select>
                {chosen === null && reason !== undefined && reason !== 'ignored' && (
                  <p className="column-table-reason">{reason}</p>
                )}
              </td>
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}
