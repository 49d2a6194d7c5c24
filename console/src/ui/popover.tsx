/** A small dialog beside the button that opens it. It takes much to place it, so components that have one are loaded later. */

import type { KeyboardEvent, ReactNode } from 'react';
import { Popover as AriaPopover, Dialog } from 'react-aria-components';
import type { Opener } from './use-opener.ts';
import './popover.css';

export interface PopoverProps {
  readonly opener: Opener;
  /** Says what the dialog is for. */
  readonly label: string;
  /** Called in place of closing it if somebody clicks elsewhere. The Escape key closes it in any case. */
  readonly onLeave?: () => void;
  readonly children: ReactNode;
}

export function Popover({ opener, label, onLeave = opener.close, children }: PopoverProps) {
  const closeOnEscape = (event: KeyboardEvent) => {
    if (event.key !== 'Escape' || event.nativeEvent.isComposing) return;
    event.stopPropagation();
    opener.close();
  };
  return (
    <AriaPopover
      className="popover"
      triggerRef={opener.trigger}
      isOpen
      onOpenChange={onLeave}
      isKeyboardDismissDisabled
      offset={4}
    >
      {/* biome-ignore lint/a11y/noStaticElementInteractions: the key is for whatever has the focus in it */}
      <div onKeyDown={closeOnEscape}>
        <Dialog className="popover-dialog" aria-label={label} id={opener.id}>
          {children}
        </Dialog>
      </div>
    </AriaPopover>
  );
}
