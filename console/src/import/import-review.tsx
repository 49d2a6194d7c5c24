/** A file before it is imported: how it is read, what its columns are, and what the import would do. */

import { type ImportQuestion, StockbookError } from '@stockbook/client';
import { useEffect, useState } from 'react';
import { formatBytes, formatPercent } from '../format/values.ts';
import { Button } from '../ui/button.tsx';
import { ErrorNotice } from '../ui/error-notice.tsx';
import { Icon } from '../ui/icon.tsx';
import { Notice } from '../ui/notice.tsx';
import { ChooseFileButton } from './choose-file.tsx';
import { ColumnTable, isUndecided } from './column-table.tsx';
import { formatOf } from './file-formats.ts';
import { FileQuestions } from './file-questions.tsx';
import { FileReading } from './file-reading.tsx';
import { type DryRun, FileChanged, type FileImport } from './import-requests.ts';
import type { ImportSettings } from './import-settings.ts';
import { type ChosenFile, useImportState } from './import-state.tsx';
import { ImportSummary } from './import-summary.tsx';
import { RecordPreview } from './record-preview.tsx';
import { RejectedRowsButton } from './rejected-rows-button.tsx';
import { RowErrors } from './row-errors.tsx';
import { useDryRun } from './use-dry-run.ts';
import { useImportSettings } from './use-import-settings.ts';
import './import-review.css';

export function ImportReview({ chosen }: { readonly chosen: ChosenFile }) {
  const { resource, file } = chosen;
  const { settings, change } = useImportSettings();
  useKeptSettings(chosen, settings);
  const { query, sent } = useDryRun(chosen, settings);
  const { data, error, isFetching, isPlaceholderData, refetch } = query;
  const questions = useQuestions(data);
  const recognised = useLatest(data?.recognised);
  const columns = recognised?.columns ?? [];
  const open = columns.filter((column) => isUndecided(column, settings.columns)).map(({ column }) => column);
  const preview = data === undefined || data.kind === 'undecided' ? [] : (data.preview ?? []);
  const request = { resource, file, settings };
  return (
    <div className="import-review">
      <div className="import-review-main" aria-busy={isFetching}>
        <section className="import-review-part import-review-file" aria-labelledby="import-file">
          <div className="import-review-name">
            <Icon name="file" />
            <h3 id="import-file">{file.name}</h3>
            <span className="import-review-size">{formatBytes(file.size)}</span>
            <ChooseFileButton resource={resource}>Choose another file</ChooseFileButton>
          </div>
          <FileReading recognised={recognised} settings={settings} onSettings={change} />
        </section>
        {error !== null && (
          <div className="import-review-failure">
            <Failure error={error} settings={settings} onSettings={change} onRetry={() => void refetch()} />
          </div>
        )}
        {questions.length > 0 && <FileQuestions questions={questions} settings={settings} onSettings={change} />}
        {data === undefined && error === null && <Reading size={file.size} sent={sent} />}
        {columns.length > 0 && (
          <section className="import-review-part">
            <div className="import-review-bar">
              <h3>Columns</h3>
              {!settings.isEmpty && (
                <Button look="quiet" onPress={() => change(settings.cleared())}>
                  Reset all settings
                </Button>
              )}
            </div>
            {open.length > 0 && (
              <div className="import-review-open">
                <p>
                  <Icon name="warning" />
                  {open.length === 1
                    ? '1 column is not a field. Choose the field that it sets, or ignore it.'
                    : `${open.length} columns are not fields. Choose the fields that they set, or ignore them.`}
                </p>
                <Button onPress={() => change(settings.with('ignore_unknown', 'true'))}>
                  {open.length === 1 ? 'Ignore it' : 'Ignore all of them'}
                </Button>
              </div>
            )}
            <ColumnTable
              resource={resource}
              columns={columns}
              decided={settings.columns}
              onDecide={(column, field) => change(settings.withColumn(column, field))}
            />
          </section>
        )}
        {data !== undefined && <Errors run={data} open={open} request={request} onSettings={change} />}
        {preview.length > 0 && (
          <section className="import-review-part">
            <h3>The first records as they would be stored</h3>
            <RecordPreview resource={resource} records={preview} set={columns.flatMap(({ field }) => field ?? [])} />
          </section>
        )}
      </div>
      <ImportSummary
        chosen={chosen}
        settings={settings}
        onSettings={change}
        run={data}
        recognised={recognised}
        status={isFetching ? statusOf(file.size, sent) : undefined}
        isOutdated={isPlaceholderData || isFetching}
        hasOpenColumns={open.length > 0}
      />
    </div>
  );
}

/** They are in the address, and stay with the file when another view is shown. */
function useKeptSettings({ id }: ChosenFile, settings: ImportSettings): void {
  const [, setState] = useImportState();
  const text = String(settings);
  useEffect(() => {
    setState((state) => (state.kind === 'chosen' && state.id === id ? { ...state, settings: text } : state));
  }, [setState, id, text]);
}

/** The most recent one, so that a wrong setting can be changed again. */
function useLatest<Value>(value: Value | undefined): Value | undefined {
  const [latest, setLatest] = useState(value);
  if (value !== undefined && value !== latest) setLatest(value);
  return value ?? latest;
}

/** What has been asked about the file so far: an answer can be changed. */
function useQuestions(run: DryRun | undefined): readonly ImportQuestion[] {
  const [asked, setAsked] = useState<readonly ImportQuestion[]>([]);
  const open = run?.kind === 'undecided' ? run.questions : [];
  const added = open.filter(
    ({ parameter }, index) =>
      !asked.some((question) => question.parameter === parameter) &&
      open.findIndex((question) => question.parameter === parameter) === index,
  );
  if (added.length > 0) setAsked([...asked, ...added]);
  return asked;
}

/** Small files are checked before anybody could read more. */
const LARGE = 1_000_000;

function statusOf(size: number, sent: number): string {
  if (size < LARGE) return 'Checking…';
  return sent < 1 ? `Sending… ${formatPercent(sent)}` : 'Checking…';
}

function Reading({ size, sent }: { readonly size: number; readonly sent: number }) {
  return (
    <p className="import-review-reading" role="status">
      {statusOf(size, sent)}
    </p>
  );
}

interface FailureProps {
  readonly error: Error;
  readonly settings: ImportSettings;
  readonly onSettings: (settings: ImportSettings) => void;
  readonly onRetry: () => void;
}

function Failure({ error, settings, onSettings, onRetry }: FailureProps) {
  if (error instanceof FileChanged)
    return (
      <Notice title="The file has changed since it was chosen" icon="warning" tone="danger">
        <p>Browsers do not send it then. Choose it again.</p>
      </Notice>
    );
  // A suggestion for API clients does not help somebody who has chosen a setting.
  if (error instanceof StockbookError && (error.status === 400 || error.status === 422))
    return (
      <Notice
        title={error.title ?? 'The file cannot be imported'}
        icon="warning"
        tone="danger"
        actions={
          !settings.isEmpty && <Button onPress={() => onSettings(settings.cleared())}>Reset all settings</Button>
        }
      >
        <p>{error.detail}</p>
      </Notice>
    );
  return <ErrorNotice error={error} onRetry={onRetry} />;
}

interface ErrorsProps {
  readonly run: DryRun;
  /** Columns that somebody has to decide about: that is asked where they are. */
  readonly open: readonly string[];
  readonly request: FileImport;
  readonly onSettings: (settings: ImportSettings) => void;
}

function Errors({ run, open, request, onSettings }: ErrorsProps) {
  const { settings } = request;
  if (run.kind === 'undecided') return null;
  const all = run.kind === 'rejected' ? run : { errors: run.result.errors, groups: run.result.errorGroups };
  const isShown = ({ column }: { readonly column?: string }) => !open.some((name) => name === column);
  const errors = all.errors.filter(isShown);
  const groups = all.groups?.filter(isShown);
  if (errors.length === 0) return null;
  const format = formatOf(request.file.name)?.rejects;
  const canSkip = run.kind === 'rejected' && settings.get('replace') !== 'true' && settings.get('on_error') !== 'skip';
  return (
    <section className="import-review-part" aria-labelledby="import-errors">
      <h3 id="import-errors">{run.kind === 'rejected' ? 'Errors' : 'Rows that are skipped'}</h3>
      <RowErrors errors={errors} groups={groups} />
      <div className="import-review-actions">
        {canSkip && <Button onPress={() => onSettings(settings.with('on_error', 'skip'))}>Skip these rows</Button>}
        {format !== undefined && <RejectedRowsButton request={request} format={format} />}
      </div>
    </section>
  );
}
