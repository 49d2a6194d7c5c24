/** Does something when a shortcut is pressed, while the component is shown. */

import { useEffect, useEffectEvent } from 'react';
import { areShortcutsOn } from './shortcut-preference.ts';
import { SHORTCUTS, type ShortcutName } from './shortcuts.ts';

export function useShortcut(name: ShortcutName, run: () => void): void {
  const handle = useEffectEvent((event: KeyboardEvent) => {
    if (event.key !== SHORTCUTS[name].keys || !isFree(event) || !areShortcutsOn()) return;
    // The key would be typed into what gets the focus.
    event.preventDefault();
    run();
  });
  useEffect(() => {
    const listen = (event: KeyboardEvent) => handle(event);
    document.addEventListener('keydown', listen);
    return () => document.removeEventListener('keydown', listen);
  }, []);
}

/** Whether nothing else is waiting for the key: a field, a list in which letters search, or a dialog. */
function isFree({ defaultPrevented, repeat, altKey, ctrlKey, metaKey, target }: KeyboardEvent): boolean {
  if (defaultPrevented || repeat || altKey || ctrlKey || metaKey) return false;
  const isTaken = target instanceof Element && target.closest('input, textarea, select, [role="listbox"]') !== null;
  return !isTaken && document.querySelector('[role="dialog"], [role="menu"]') === null;
}
