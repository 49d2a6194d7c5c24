/** A list of actions, beside the button that opens it. */

import { Popover as AriaPopover, Menu, MenuItem } from 'react-aria-components';
import type { Opener } from '../ui/use-opener.ts';
import '../ui/popover.css';
import './action-menu.css';

export interface Action {
  readonly label: string;
  readonly run: () => void;
}

export interface ActionMenuProps {
  readonly opener: Opener;
  /** What the actions are for. */
  readonly name: string;
  /** Those that are false are not offered. */
  readonly actions: readonly (Action | false)[];
}

export function ActionMenu({ opener, name, actions }: ActionMenuProps) {
  return (
    <AriaPopover className="popover" triggerRef={opener.trigger} isOpen onOpenChange={opener.close} offset={4}>
      <Menu className="action-menu" aria-label={name} id={opener.id} onClose={opener.close} autoFocus="first">
        {actions
          .filter((action) => action !== false)
          .map(({ label, run }) => (
            <MenuItem className="action-menu-item" key={label} id={label} onAction={run}>
              {label}
            </MenuItem>
          ))}
      </Menu>
    </AriaPopover>
  );
}
