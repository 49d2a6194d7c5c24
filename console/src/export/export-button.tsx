/** Opens the export dialog, and shows the progress. */

import { lazy, Suspense } from 'react';
import { DialogTrigger } from 'react-aria-components';
import { formatPercent } from '../format/values.ts';
import { Button } from '../ui/button.tsx';
import { Icon } from '../ui/icon.tsx';
import { Popover } from '../ui/popover.tsx';
import { useExport } from './use-export.ts';

const ExportPanel = lazy(() => import('./export-panel.tsx'));

export function ExportButton() {
  const control = useExport();
  const { state } = control;
  return (
    <DialogTrigger>
      <Button look="quiet" aria-label="Export">
        <Icon name="download" />
        {state.kind === 'running' ? (
          <span>{formatPercent(state.total === 0 ? 0 : state.records / state.total)}</span>
        ) : (
          <span className="toolbar-label">Export</span>
        )}
      </Button>
      <Popover label="Export">
        <Suspense>
          <ExportPanel control={control} />
        </Suspense>
      </Popover>
    </DialogTrigger>
  );
}
