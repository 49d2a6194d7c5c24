/** Keeps the export while components come and go. */

import type { ReactNode } from 'react';
import { ExportContext, useNewExport } from './use-export.ts';

export function ExportProvider({ children }: { readonly children: ReactNode }) {
  return <ExportContext value={useNewExport()}>{children}</ExportContext>;
}
