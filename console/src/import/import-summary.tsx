/** What an import would do, what can be chosen about it, and the button that does it. */

import type { RecognisedFile } from '@stockbook/client';
import { useState } from 'react';
import { countOf, withLocalTimes } from '../format/values.ts';
import { Button } from '../ui/button.tsx';
import { Checkbox } from '../ui/checkbox.tsx';
import { type Counts, countWords, ImportCounts, isChange, loadedRows } from './import-counts.tsx';
import { ImportOptions } from './import-options.tsx';
import type { DryRun } from './import-requests.ts';
import type { ImportSettings } from './import-settings.ts';
import type { ChosenFile } from './import-state.tsx';
import { useImportRun } from './use-import-run.ts';
import './import-summary.css';

export interface ImportSummaryProps {
  readonly chosen: ChosenFile;
  readonly settings: ImportSettings;
  readonly onSettings: (settings: ImportSettings) => void;
  /** Undefined if it is not known, or if it failed. */
  readonly run: DryRun | undefined;
  readonly recognised: RecognisedFile | undefined;
  /** What is being done to find out. */
  readonly status: string | undefined;
  /** Whether `run` is about other settings. */
  readonly isOutdated: boolean;
  /** Whether somebody has to decide about columns. */
  readonly hasOpenColumns: boolean;
}

export function ImportSummary(props: ImportSummaryProps) {
  const { chosen, settings, onSettings, run, recognised, status, isOutdated, hasOpenColumns } = props;
  const { start } = useImportRun();
  const result = run?.kind === 'possible' ? run.result : undefined;
  const refusal = result?.refusal;
  const isConfirmable = refusal?.code === 'confirmation_required';
  // For these settings and this number, and no other.
  const question = isConfirmable ? `${settings} ${refusal.detail}` : '';
  const [confirmed, setConfirmed] = useState('');
  const isConfirmed = isConfirmable && confirmed === question;
  const rows = result && loadedRows(result, settings.get('replace') === 'true');
  const canLoad = result !== undefined && !isOutdated && isChange(result) && (refusal === undefined || isConfirmed);
  return (
    <aside className="import-summary" aria-labelledby="import-summary">
      <div className="import-summary-head">
        <h3 id="import-summary">What would happen</h3>
        <span className="import-summary-status" aria-hidden="true">
          {status}
        </span>
      </div>
      <p className="visually-hidden" role="status">
        {isOutdated ? '' : describe(run)}
      </p>
      <div className="import-summary-counts" data-old={isOutdated || undefined}>
        <ImportCounts counts={result} />
      </div>
      <ImportOptions resource={chosen.resource} recognised={recognised} settings={settings} onSettings={onSettings} />
      {refusal !== undefined && (
        <div className="import-summary-refusal" role="alert">
          <p>{withLocalTimes(refusal.detail)}</p>
          {isConfirmable && (
            <Checkbox isSelected={isConfirmed} onChange={(isOn) => setConfirmed(isOn ? question : '')}>
              Yes, remove them
            </Checkbox>
          )}
        </div>
      )}
      <Button
        look="primary"
        isDisabled={!canLoad}
        onPress={() => start(chosen, { settings, isConfirmed, rows: (rows ?? 0) + (result?.skipped ?? 0) })}
      >
        {rows === undefined ? 'Load' : `Load ${countOf(rows, 'row', 'rows')}`}
      </Button>
      {!isOutdated && <p className="import-summary-hint">{hintFor(run, result, hasOpenColumns)}</p>}
    </aside>
  );
}

function describe(run: DryRun | undefined): string {
  switch (run?.kind) {
    case 'possible':
      return `The import would do this: ${countWords(run.result)}.`;
    case 'rejected':
      return `The file has ${countOf(run.errorCount, 'error', 'errors')}.`;
    case 'undecided':
      return 'There is a question about the file.';
    default:
      return '';
  }
}

/** Why the button cannot be pressed. */
function hintFor(run: DryRun | undefined, result: Counts | undefined, hasOpenColumns: boolean): string {
  if (hasOpenColumns) return 'Choose the fields of the columns first.';
  if (run?.kind === 'undecided') return 'Answer the question about the file first.';
  if (run?.kind === 'rejected') return 'Correct the file, or skip the rows with errors.';
  if (result !== undefined && !isChange(result)) return 'The import would change nothing.';
  return '';
}
