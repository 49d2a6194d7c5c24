/** Opens the column chooser. */

import { lazy, Suspense } from 'react';
import { DialogTrigger } from 'react-aria-components';
import { Button } from '../ui/button.tsx';
import { Icon } from '../ui/icon.tsx';
import { Popover } from '../ui/popover.tsx';

const ColumnsChooser = lazy(() => import('./columns-chooser.tsx'));

export function ColumnsButton() {
  return (
    <DialogTrigger>
      <Button look="quiet" aria-label="Columns">
        <Icon name="columns" />
        <span className="toolbar-label">Columns</span>
      </Button>
      <Popover label="Columns">
        <Suspense>
          <ColumnsChooser />
        </Suspense>
      </Popover>
    </DialogTrigger>
  );
}
