/** The export dialog: the format, then the progress, then the result. */

import { useState } from 'react';
import { MAX_SHEET_RECORDS } from '../../../src/catalog/sheet.ts';
import { describeError } from '../data/describe-error.ts';
import { useList } from '../data/use-list.ts';
import { countOf, formatBytes, formatCount } from '../format/values.ts';
import { Button } from '../ui/button.tsx';
import { Popover } from '../ui/popover.tsx';
import { Progress } from '../ui/progress.tsx';
import { RadioList } from '../ui/radio-list.tsx';
import type { Opener } from '../ui/use-opener.ts';
import { useView } from '../view/use-view.ts';
import { isNarrowed } from '../view/view.ts';
import { EXPORT_FORMATS, type ExportFormat } from './export-view.ts';
import { type BegunExport, type ExportControl, isSameExport } from './use-export.ts';
import './export-panel.css';

const FORMATS = (
  [
    { id: 'xlsx', meaning: 'real numbers and dates; times in UTC' },
    { id: 'csv', meaning: 'raw values; can be imported again' },
    { id: 'spreadsheet', meaning: 'for other programs; times in UTC, formulas escaped' },
    { id: 'ndjson', meaning: 'one JSON object per line' },
  ] as const
).map((format) => ({ ...format, title: EXPORT_FORMATS[format.id].title }));

export interface ExportPanelProps {
  readonly opener: Opener;
  readonly control: ExportControl;
}

export default function ExportPanel({ opener, control }: ExportPanelProps) {
  return (
    <Popover opener={opener} label="Export">
      <Steps control={control} />
    </Popover>
  );
}

function Steps({ control }: Pick<ExportPanelProps, 'control'>) {
  const { state, start, cancel, reset } = control;
  const { view } = useView();
  const { data, isPlaceholderData } = useList();
  const [chosen, setFormat] = useState<ExportFormat>();
  const ofView = state.kind !== 'idle' && isSameExport(state.view, view) ? state : undefined;
  if (state.kind === 'running')
    return (
      <div className="export-panel">
        <Progress
          label={`Exporting ${state.view.resource.plural}…`}
          text={
            state.records === undefined
              ? `${formatBytes(state.bytes)} so far`
              : `${formatCount(state.records)} of ${formatCount(state.total)} records`
          }
          share={state.records === undefined ? undefined : state.records / Math.max(state.total, 1)}
        />
        {ofView === undefined && <p>Another export can start when this one has ended.</p>}
        <Button onPress={cancel}>Cancel</Button>
      </div>
    );
  if (ofView?.kind === 'done')
    return (
      <div className="export-panel" role="status">
        <p>
          Exported <strong>{countOf(ofView.records, ofView.view.resource.name, ofView.view.resource.plural)}</strong> to{' '}
          {ofView.name}.
        </p>
        <Button onPress={reset}>Export again</Button>
      </div>
    );
  if (ofView?.kind === 'failed')
    return (
      <div className="export-panel">
        <Failure failed={ofView} />
        <Button onPress={reset}>Try again</Button>
      </div>
    );
  // Until the view is loaded, the page is that of another one.
  const total = isPlaceholderData ? undefined : data?.meta.total;
  const isTooLong = (total ?? 0) > MAX_SHEET_RECORDS;
  const format = chosen ?? (isTooLong ? 'csv' : 'xlsx');
  const isTooLongForFormat = isTooLong && format === 'xlsx';
  return (
    <div className="export-panel">
      {state.kind === 'failed' && <Failure failed={state} />}
      <p>
        All <strong>{total === undefined ? '…' : formatCount(total)}</strong> {view.resource.plural}{' '}
        {isNarrowed(view) ? 'that match, ' : ''}with {countOf(view.fields.length, 'column', 'columns')}, in table order.
        {view.group !== undefined && ' Each record is a row: groups are not exported.'}
      </p>
      <RadioList label="Format" options={FORMATS} chosen={format} onChoose={setFormat} />
      {isTooLongForFormat && (
        <p role="status">Excel has room for {formatCount(MAX_SHEET_RECORDS)} rows. Add a filter, or choose CSV.</p>
      )}
      <Button
        look="primary"
        isDisabled={total === undefined || isTooLongForFormat}
        onPress={() => start(view, format, total ?? 0)}
      >
        Export
      </Button>
    </div>
  );
}

/** Also shown in the panel of another resource: the user may have missed it. */
function Failure({ failed }: { readonly failed: BegunExport & { readonly kind: 'failed' } }) {
  const { title, detail } = describeError(failed.error);
  return (
    <div role="alert">
      <p>
        <strong>
          The export of {failed.view.resource.plural} failed. {title}.
        </strong>{' '}
        {detail}
      </p>
      <p>The incomplete file was discarded.</p>
    </div>
  );
}
