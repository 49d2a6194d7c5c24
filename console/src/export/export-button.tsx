/** Opens the export dialog, and shows the progress. */

import { formatPercent } from '../format/values.ts';
import { ShortcutHint } from '../shortcuts/shortcut-hint.tsx';
import { useShortcut } from '../shortcuts/use-shortcut.ts';
import { Button } from '../ui/button.tsx';
import { Icon } from '../ui/icon.tsx';
import { loadLater } from '../ui/load-later.tsx';
import { useOpener } from '../ui/use-opener.ts';
import { useExport } from './use-export.ts';

const ExportPanel = loadLater(() => import('./export-panel.tsx'));

export function ExportButton() {
  const control = useExport();
  const { state } = control;
  const opener = useOpener('dialog');
  useShortcut('export', opener.open);
  return (
    <>
      <Button look="quiet" aria-label="Export" {...opener.button}>
        <ShortcutHint name="export" title="Export">
          <Icon name="download" />
          {state.kind === 'running' ? (
            <span>{state.records === undefined ? '…' : formatPercent(state.records / Math.max(state.total, 1))}</span>
          ) : (
            <span className="toolbar-label">Export</span>
          )}
        </ShortcutHint>
      </Button>
      {opener.isOpen && <ExportPanel opener={opener} control={control} />}
    </>
  );
}
