/** What a button contains, with a tooltip that names the button and its shortcut. */

import type { ReactNode } from 'react';
import { SHORTCUTS, type ShortcutName } from './shortcuts.ts';
import './shortcut-hint.css';

export interface ShortcutHintProps {
  readonly name: ShortcutName;
  /** What the button is called. */
  readonly title: string;
  readonly children: ReactNode;
}

export function ShortcutHint({ name, title, children }: ShortcutHintProps) {
  return (
    <span className="shortcut-hint" title={`${title} (${SHORTCUTS[name].keys})`}>
      {children}
    </span>
  );
}
