/** The menu of a column, for keyboard and pointer. */

import { Menu, MenuItem, Popover, Separator } from 'react-aria-components';
import type { Field } from '../../../src/catalog/resource.ts';
import { Icon } from '../ui/icon.tsx';
import type { Opener } from '../ui/use-opener.ts';
import { useView } from '../view/use-view.ts';
import { type RecordHeader, WIDTH_STEP } from './columns.ts';
import '../ui/menu.css';
import '../ui/popover.css';

export interface ColumnMenuProps {
  readonly opener: Opener;
  readonly column: RecordHeader['column'];
  readonly field: Field;
  /** By this many columns. */
  readonly onMove: (by: number) => void;
  /** By this many pixels. */
  readonly onResize: (by: number) => void;
}

export default function ColumnMenu({ opener, column, field, onMove, onResize }: ColumnMenuProps) {
  const { view, adjust } = useView();
  const { fields, sort } = view;
  const position = fields.indexOf(field.name);
  const isSecond = sort.length > 0 && sort[0]?.field !== field.name;
  return (
    <Popover
      className="popover"
      aria-label={`Column ${field.label}`}
      triggerRef={opener.trigger}
      isOpen
      onOpenChange={opener.close}
      placement="bottom end"
      offset={2}
    >
      <Menu
        className="menu"
        aria-label={`Column ${field.label}`}
        id={opener.id}
        onClose={opener.close}
        autoFocus="first"
      >
        <MenuItem className="menu-item" onAction={() => column.toggleSorting(false)}>
          <Icon name="ascending" /> Sort ascending
        </MenuItem>
        <MenuItem className="menu-item" onAction={() => column.toggleSorting(true)}>
          <Icon name="descending" /> Sort descending
        </MenuItem>
        {isSecond && (
          <MenuItem className="menu-item" onAction={() => column.toggleSorting(false, true)}>
            <Icon name="add" /> Then sort ascending
          </MenuItem>
        )}
        {isSecond && (
          <MenuItem className="menu-item" onAction={() => column.toggleSorting(true, true)}>
            <Icon name="add" /> Then sort descending
          </MenuItem>
        )}
        <Separator className="menu-separator" />
        <MenuItem className="menu-item" isDisabled={position === 0} onAction={() => onMove(-1)}>
          <Icon name="left" /> Move left
        </MenuItem>
        <MenuItem className="menu-item" isDisabled={position === fields.length - 1} onAction={() => onMove(1)}>
          <Icon name="right" /> Move right
        </MenuItem>
        <MenuItem className="menu-item" shouldCloseOnSelect={false} onAction={() => onResize(2 * WIDTH_STEP)}>
          <Icon name="add" /> Wider
        </MenuItem>
        <MenuItem className="menu-item" shouldCloseOnSelect={false} onAction={() => onResize(-2 * WIDTH_STEP)}>
          <Icon name="less" /> Narrower
        </MenuItem>
        <Separator className="menu-separator" />
        <MenuItem
          className="menu-item"
          isDisabled={fields.length === 1}
          onAction={() => adjust({ fields: fields.filter((name) => name !== field.name) })}
        >
          <Icon name="remove" /> Hide
        </MenuItem>
      </Menu>
    </Popover>
  );
}
