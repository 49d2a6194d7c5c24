/** What opens beside a button: a small dialog, or a menu. */

import type { ReactNode } from 'react';
import { Popover as AriaPopover, Dialog } from 'react-aria-components';
import './popover.css';

export interface PopoverProps {
  /** Says what the dialog is for. */
  readonly label: string;
  /** May close the dialog itself. */
  readonly children: ReactNode | ((close: () => void) => ReactNode);
}

/** Inside a `DialogTrigger`, after its button. */
export function Popover({ label, children }: PopoverProps) {
  return (
    <AriaPopover className="popover" offset={4}>
      <Dialog className="popover-dialog" aria-label={label}>
        {typeof children === 'function' ? ({ close }) => children(close) : children}
      </Dialog>
    </AriaPopover>
  );
}
