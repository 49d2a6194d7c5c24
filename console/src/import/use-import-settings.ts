/** The settings of the import in the address, and how components change them. */

import { useCallback, useMemo } from 'react';
import { useLocation, useSearch } from 'wouter';
import { ImportSettings } from './import-settings.ts';

export interface ImportSettingsState {
  readonly settings: ImportSettings;
  /** Without a step for the back button, which leaves the import. */
  readonly change: (settings: ImportSettings) => void;
}

export function useImportSettings(): ImportSettingsState {
  const [path, navigate] = useLocation();
  const search = useSearch();
  const settings = useMemo(() => new ImportSettings(search), [search]);
  const change = useCallback(
    (changed: ImportSettings) => navigate(`${path}${changed.isEmpty ? '' : `?${changed}`}`, { replace: true }),
    [path, navigate],
  );
  return { settings, change };
}
