/** All keys of the console, and a way to turn those of one letter off. */

import { useState } from 'react';
import { Checkbox } from '../ui/checkbox.tsx';
import { Popover } from '../ui/popover.tsx';
import type { Opener } from '../ui/use-opener.ts';
import { KEYS_OF_PARTS } from './keys-of-parts.ts';
import { areShortcutsOn, turnShortcuts } from './shortcut-preference.ts';
import { SHORTCUTS, type Shortcut } from './shortcuts.ts';
import './shortcut-list.css';

export default function ShortcutList({ opener }: { readonly opener: Opener }) {
  const [isOn, setOn] = useState(areShortcutsOn);
  return (
    <Popover opener={opener} label="Keyboard shortcuts">
      <div className="shortcut-list">
        <h2>Keyboard shortcuts</h2>
        <KeyTable title="Everywhere" shortcuts={Object.values(SHORTCUTS)} isMuted={!isOn} />
        <Checkbox
          isSelected={isOn}
          meaning="Not while you are typing. This browser remembers it."
          onChange={(isSelected) => {
            turnShortcuts(isSelected ? 'on' : 'off');
            setOn(isSelected);
          }}
        >
          Use these shortcuts
        </Checkbox>
        {placesOf(KEYS_OF_PARTS).map(([place, shortcuts]) => (
          <KeyTable title={place} shortcuts={shortcuts} key={place} />
        ))}
      </div>
    </Popover>
  );
}

interface KeyTableProps {
  readonly title: string;
  readonly shortcuts: readonly Shortcut[];
  readonly isMuted?: boolean;
}

function KeyTable({ title, shortcuts, isMuted = false }: KeyTableProps) {
  return (
    <table className="shortcut-list-keys" data-muted={isMuted || undefined}>
      <caption>{title}</caption>
      <tbody>
        {shortcuts.map(({ keys, does }) => (
          <tr key={keys}>
            <th scope="row">
              <kbd>{keys}</kbd>
            </th>
            <td>{does}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** In the order of the table. */
function placesOf(shortcuts: readonly Shortcut[]): readonly (readonly [place: string, readonly Shortcut[]])[] {
  return [...Map.groupBy(shortcuts, ({ where }) => where)].map(([where, keys]) => [
    `${where.charAt(0).toUpperCase()}${where.slice(1)}`,
    keys,
  ]);
}
