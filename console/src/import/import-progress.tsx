/** An import that was started: how far it is, and then what it did. */

import { StockbookError } from '@stockbook/client';
import { Link } from 'wouter';
import type { Resource } from '../../../src/catalog/resource.ts';
import { describeError } from '../data/describe-error.ts';
import { countOf, formatBytes, formatCount } from '../format/values.ts';
import { useSession } from '../session/session.ts';
import { isReadable } from '../session/usable-resources.ts';
import { Button } from '../ui/button.tsx';
import { Icon } from '../ui/icon.tsx';
import { Progress } from '../ui/progress.tsx';
import { IMPORTS } from '../view/page.ts';
import { hrefOf, newView } from '../view/view.ts';
import { countWords, ImportCounts } from './import-counts.tsx';
import { FileChanged } from './import-requests.ts';
import type { ChosenFile, ImportRun } from './import-state.tsx';
import { RowErrors } from './row-errors.tsx';
import { useImportRun } from './use-import-run.ts';
import './import-progress.css';

export interface ImportProgressProps {
  readonly chosen: ChosenFile;
  readonly run: ImportRun;
}

export function ImportProgress({ chosen, run }: ImportProgressProps) {
  const { review, reset } = useImportRun();
  const { file, resource } = chosen;
  switch (run.kind) {
    case 'uploading':
      return (
        <section className="import-progress" aria-label="Upload">
          <Progress
            label={`Uploading ${file.name}…`}
            text={`${formatBytes(run.sent)} of ${formatBytes(file.size)}`}
            share={run.sent / file.size}
          />
          <p>Keep this tab open until the file is uploaded.</p>
          <Button onPress={run.cancel}>Cancel</Button>
        </section>
      );
    case 'loading':
      return (
        <section className="import-progress" aria-label="Import">
          <Progress
            label={run.isCancelling ? 'Cancelling…' : `Loading into ${resource.plural}…`}
            text={`${formatCount(run.rows)} of ${countOf(run.ofRows, 'row', 'rows')}`}
            // Once all rows are read, they are written, which takes a while.
            share={run.rows < run.ofRows ? run.rows / run.ofRows : undefined}
          />
          <p>
            You can leave this page: the import goes on, and <Link href={IMPORTS}>Imports</Link> shows it. Nobody sees
            any of it before all of it is stored.
          </p>
          <Button isDisabled={run.isCancelling} onPress={run.cancel}>
            Cancel
          </Button>
        </section>
      );
    case 'done':
      return (
        <section className="import-progress" role="status">
          <h3 className="import-progress-title" data-tone="good">
            <Icon name="check" />
            {file.name} was loaded
          </h3>
          <p className="visually-hidden">{countWords(run.result)}.</p>
          <ImportCounts counts={run.result} />
          {run.result.errors.length > 0 && <RowErrors errors={run.result.errors} groups={run.result.errorGroups} />}
          <div className="import-progress-actions">
            <ShowRecords resource={resource} />
            <Button onPress={reset}>Import another file</Button>
          </div>
        </section>
      );
    case 'cancelled':
      return (
        <section className="import-progress" role="status">
          <h3 className="import-progress-title">The import was cancelled</h3>
          <p>Nothing was changed.</p>
          <div className="import-progress-actions">
            <Button onPress={review}>Back to the file</Button>
          </div>
        </section>
      );
    case 'failed':
      return (
        <section className="import-progress" role="alert">
          <Failure error={run.error} />
          <div className="import-progress-actions">
            <Button onPress={review}>Back to the file</Button>
          </div>
        </section>
      );
  }
}

/** Those that were written last come first. */
function ShowRecords({ resource }: { readonly resource: Resource }) {
  const { me } = useSession();
  if (!isReadable(me, resource)) return null;
  const view = { ...newView(resource), sort: [{ field: 'write_date', isDescending: true }] };
  return (
    <Link className="button button-primary" href={hrefOf(view)}>
      Show the {resource.plural}
    </Link>
  );
}

function Failure({ error }: { readonly error: unknown }) {
  if (error instanceof FileChanged)
    return (
      <>
        <h3 className="import-progress-title" data-tone="bad">
          <Icon name="warning" />
          The file has changed since it was chosen
        </h3>
        <p>Browsers do not send it then. Nothing was changed. Choose it again.</p>
      </>
    );
  const { title, detail, requestId } = describeError(error);
  const { errors = [], errorGroups } = error instanceof StockbookError ? error : {};
  return (
    <>
      <h3 className="import-progress-title" data-tone="bad">
        <Icon name="warning" />
        {title}
      </h3>
      <p>{detail}</p>
      {errors.length > 0 && <RowErrors errors={errors} groups={errorGroups} />}
      {requestId !== undefined && (
        <p>
          Request <code>{requestId}</code>
        </p>
      )}
    </>
  );
}
