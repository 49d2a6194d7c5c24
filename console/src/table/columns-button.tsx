/** Opens the column chooser. */

import { ShortcutHint } from '../shortcuts/shortcut-hint.tsx';
import { useShortcut } from '../shortcuts/use-shortcut.ts';
import { Button } from '../ui/button.tsx';
import { Icon } from '../ui/icon.tsx';
import { loadLater } from '../ui/load-later.tsx';
import { useOpener } from '../ui/use-opener.ts';

const ColumnsChooser = loadLater(() => import('./columns-chooser.tsx'));

export function ColumnsButton() {
  const opener = useOpener('dialog');
  useShortcut('columns', opener.open);
  return (
    <>
      <Button look="quiet" aria-label="Columns" {...opener.button}>
        <ShortcutHint name="columns" title="Columns">
          <Icon name="columns" />
          <span className="toolbar-label">Columns</span>
        </ShortcutHint>
      </Button>
      {opener.isOpen && <ColumnsChooser opener={opener} />}
    </>
  );
}
