/** A small dialog beside the button that opens it. It takes much to place it, so components that have one are loaded later. */

import type { ReactNode } from 'react';
import { Popover as AriaPopover, Dialog } from 'react-aria-components';
import type { Opener } from './use-opener.ts';
import './popover.css';

export interface PopoverProps {
  readonly opener: Opener;
  /** Says what the dialog is for. */
  readonly label: string;
  readonly children: ReactNode;
}

export function Popover({ opener, label, children }: PopoverProps) {
  return (
    <AriaPopover className="popover" triggerRef={opener.trigger} isOpen onOpenChange={opener.close} offset={4}>
      <Dialog className="popover-dialog" aria-label={label} id={opener.id}>
        {children}
      </Dialog>
    </AriaPopover>
  );
}
