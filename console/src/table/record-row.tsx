/** One record as a row of the table. */

import { memo } from 'react';
import type { Field } from '../../../src/catalog/resource.ts';
import type { RecordValues } from '../data/records.ts';
import { FormattedValue } from '../format/formatted-value.tsx';
import { roundedFrom } from '../format/values.ts';
import { isRightAligned } from './columns.ts';
import type { RowChange } from './page-difference.ts';
import './record-row.css';

export interface RecordRowProps {
  readonly record: RecordValues;
  readonly fields: readonly Field[];
  /** Zero-based, on this page. */
  readonly index: number;
  /** One-based, in the whole list, counting the header. */
  readonly rowIndex: number;
  readonly isFocused: boolean;
  readonly isOpen: boolean;
  readonly change: RowChange | undefined;
}

/** Longer text may be truncated, and gets a tooltip. */
const SURELY_VISIBLE = 12;

export const RecordRow = memo(function RecordRow(props: RecordRowProps) {
  const { record, fields, index, rowIndex, isFocused, isOpen, change } = props;
  return (
    <tr
      className="record-row"
      data-row={index}
      data-change={change === 'new' ? true : undefined}
      aria-rowindex={rowIndex}
      aria-selected={isOpen}
      tabIndex={isFocused ? 0 : -1}
    >
      {fields.map((field) => {
        const value = record[field.name];
        return (
          <td
            className={isRightAligned(field) ? 'record-row-number' : undefined}
            data-change={change instanceof Set && change.has(field.name) ? true : undefined}
            title={typeof value === 'string' && value.length > SURELY_VISIBLE ? value : roundedFrom(value, field.type)}
            key={field.name}
          >
            <FormattedValue value={value} field={field} />
          </td>
        );
      })}
    </tr>
  );
});
