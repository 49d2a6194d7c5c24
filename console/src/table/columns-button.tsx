/** Opens the column chooser. */

import { Button } from '../ui/button.tsx';
import { Icon } from '../ui/icon.tsx';
import { loadLater } from '../ui/load-later.tsx';
import { useOpener } from '../ui/use-opener.ts';

const ColumnsChooser = loadLater(() => import('./columns-chooser.tsx'));

export function ColumnsButton() {
  const opener = useOpener('dialog');
  return (
    <>
      <Button look="quiet" aria-label="Columns" {...opener.button}>
        <Icon name="columns" />
        <span className="toolbar-label">Columns</span>
      </Button>
      {opener.isOpen && <ColumnsChooser opener={opener} />}
    </>
  );
}
