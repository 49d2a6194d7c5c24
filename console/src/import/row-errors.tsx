/** What is wrong with rows of a file: by reason, with the lines and how to fix them. */

import type { ErrorGroup, RowError } from '@stockbook/client';
import { countOf, formatCount } from '../format/values.ts';
import './row-errors.css';

export interface RowErrorsProps {
  /** The first of them. */
  readonly errors: readonly RowError[];
  /** Which rows have the same error. Imports of earlier versions do not have it. */
  readonly groups: readonly ErrorGroup[] | undefined;
}

export function RowErrors({ errors, groups = errors.map(groupOfOne) }: RowErrorsProps) {
  return (
    <ul className="row-errors">
      {groups.map(({ column, reason, suggestion, rows, lines }) => {
        const shown = lines.map((line) => ({
          line,
          value: errors.find((error) => error.line === line && error.column === column)?.value,
        }));
        return (
          <li className="row-errors-group" key={`${column} ${reason} ${lines[0]}`}>
            <p>
              {column !== undefined && <strong>{column}</strong>} {reason}
            </p>
            {suggestion !== undefined && <p className="row-errors-fix">{suggestion}</p>}
            <ul className="row-errors-rows">
              {shown.map(({ line, value }) => (
                <li key={line}>
                  <span className="row-errors-line">line {formatCount(line)}</span>
                  {value !== undefined && <code className="row-errors-value">{value}</code>}
                </li>
              ))}
              {rows > lines.length && (
                <li className="row-errors-line">and {countOf(rows - lines.length, 'more row', 'more rows')}</li>
              )}
            </ul>
          </li>
        );
      })}
    </ul>
  );
}

function groupOfOne({ column, reason, suggestion, line }: RowError): ErrorGroup {
  return {
    ...(column !== undefined && { column }),
    reason,
    ...(suggestion !== undefined && { suggestion }),
    rows: 1,
    lines: [line],
  };
}
