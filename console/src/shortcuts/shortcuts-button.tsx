/** Opens the list of keys, as `?` does. */

import { Button } from '../ui/button.tsx';
import { Icon } from '../ui/icon.tsx';
import { loadLater } from '../ui/load-later.tsx';
import { useOpener } from '../ui/use-opener.ts';
import { ShortcutHint } from './shortcut-hint.tsx';
import { useShortcut } from './use-shortcut.ts';
import './shortcuts-button.css';

const ShortcutList = loadLater(() => import('./shortcut-list.tsx'));

const TITLE = 'Keyboard shortcuts';

export function ShortcutsButton() {
  const opener = useOpener('dialog');
  useShortcut('help', opener.open);
  return (
    <span className="shortcuts-button">
      <Button look="quiet" aria-label={TITLE} {...opener.button}>
        <ShortcutHint name="help" title={TITLE}>
          <Icon name="keyboard" />
        </ShortcutHint>
      </Button>
      {opener.isOpen && <ShortcutList opener={opener} />}
    </span>
  );
}
