/** Takes the files that somebody has dropped or chosen, and shows the import of the resource. */

import { useCallback, useRef } from 'react';
import { useLocation } from 'wouter';
import type { Resource } from '../../../src/catalog/resource.ts';
import { importPath } from '../view/page.ts';
import { checkFiles } from './check-file.ts';
import { isRunning, useImportState } from './import-state.tsx';

let choices = 0;

export type ChooseFile = (files: readonly File[], folders?: readonly string[]) => Promise<void>;

export function useChooseFile(resource: Resource): ChooseFile {
  const [state, setState] = useImportState();
  const [path, navigate] = useLocation();
  const busy = useRef(false);
  busy.current = isRunning(state);
  return useCallback(
    async (files, folders) => {
      if (path !== importPath(resource)) navigate(importPath(resource));
      // It is shown in place of the file.
      if (busy.current) return;
      const file = await checkFiles(files, folders);
      choices += 1;
      setState(
        typeof file === 'string'
          ? { kind: 'unusable', resource, reason: file }
          : { kind: 'chosen', id: choices, resource, file, settings: '', run: undefined },
      );
    },
    [path, navigate, resource, setState],
  );
}
