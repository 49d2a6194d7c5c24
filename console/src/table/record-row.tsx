/** One record as a row of the table. */

import { memo } from 'react';
import type { Field, Resource } from '../../../src/catalog/resource.ts';
import { isText } from '../../../src/catalog/value-types.ts';
import { isInactive } from '../data/inactive.ts';
import type { RecordValues } from '../data/records.ts';
import { FormattedValue } from '../format/formatted-value.tsx';
import { roundedFrom } from '../format/values.ts';
import { Icon } from '../ui/icon.tsx';
import { Tag } from '../ui/tag.tsx';
import { isPinned, isRightAligned } from './columns.ts';
import type { RowChange } from './page-difference.ts';
import './record-row.css';

export interface RecordRowProps {
  readonly resource: Resource;
  readonly record: RecordValues;
  readonly fields: readonly Field[];
  /** Zero-based, on this page. */
  readonly index: number;
  /** One-based, in the whole list, counting the header. */
  readonly rowIndex: number;
  readonly isFocused: boolean;
  readonly isOpen: boolean;
  readonly isSelected: boolean;
  readonly change: RowChange | undefined;
}

/** Longer text may be truncated, and gets a tooltip. */
const SURELY_VISIBLE = 12;

export const RecordRow = memo(function RecordRow(props: RecordRowProps) {
  const { resource, record, fields, index, rowIndex, isFocused, isOpen, isSelected, change } = props;
  const isUnused = isInactive(resource, record);
  // Its column says so as well, if it is there.
  const isTold = fields.some(({ kind }) => kind === 'active');
  return (
    <tr
      className="record-row"
      data-row={index}
      data-change={change === 'new' ? true : undefined}
      data-inactive={isUnused || undefined}
      aria-rowindex={rowIndex}
      aria-selected={isSelected}
      aria-current={isOpen || undefined}
      tabIndex={isFocused ? 0 : -1}
    >
      {/* For pointers. With keys, Space does the same. */}
      <td className="record-row-select" aria-hidden="true" data-selected={isSelected || undefined}>
        <span className="checkbox-box">
          <Icon name="check" />
        </span>
      </td>
      {fields.map((field) => {
        const value = record[field.name];
        return (
          <td
            className={isRightAligned(field) ? 'record-row-number' : undefined}
            data-pinned={isPinned(field) || undefined}
            data-change={change instanceof Set && change.has(field.name) ? true : undefined}
            title={isText(field) ? longText(value) : roundedFrom(value, field.type)}
            key={field.name}
          >
            <FormattedValue value={value} field={field} isInGrid />
            {isUnused && !isTold && isPinned(field) && <Tag>inactive</Tag>}
          </td>
        );
      })}
    </tr>
  );
});

function longText(value: unknown): string | undefined {
  return typeof value === 'string' && value.length > SURELY_VISIBLE ? value : undefined;
}
