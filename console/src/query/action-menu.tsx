/** A button that opens a list of actions. */

import type { ReactNode } from 'react';
import { Menu, MenuItem, MenuTrigger, Popover } from 'react-aria-components';
import { Button } from '../ui/button.tsx';
import '../ui/menu.css';

export interface Action {
  readonly label: string;
  readonly run: () => void;
}

export interface ActionMenuProps {
  /** What the actions are for. */
  readonly name: string;
  readonly isDisabled?: boolean;
  /** Those that are false are not offered. */
  readonly actions: readonly (Action | false)[];
  readonly children: ReactNode;
}

export function ActionMenu({ name, isDisabled = false, actions, children }: ActionMenuProps) {
  return (
    <MenuTrigger>
      <Button look="quiet" aria-label={name} isDisabled={isDisabled}>
        {children}
      </Button>
      <Popover className="popover" offset={4}>
        <Menu className="menu" aria-label={name}>
          {actions
            .filter((action) => action !== false)
            .map(({ label, run }) => (
              <MenuItem className="menu-item" key={label} id={label} onAction={run}>
                {label}
              </MenuItem>
            ))}
        </Menu>
      </Popover>
    </MenuTrigger>
  );
}
