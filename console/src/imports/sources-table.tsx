/** Where connectors import from: how current the account is, and what fails. Nothing if there are no sources. */

import type { Source } from '@stockbook/client';
import { RecentTime } from '../format/recent-time.tsx';
import { Icon } from '../ui/icon.tsx';
import { useSources } from './use-sources.ts';
import './import-state-word.css';
import './sources-table.css';

/** A connector that has not reported for so long, in seconds, has probably ended. The alert has the same limit. */
const SILENCE = 1_800;

export function SourcesTable() {
  const { data: sources = [] } = useSources();
  if (sources.length === 0) return null;
  return (
    <section className="sources" aria-label="Sources">
      <table className="imports-table">
        <thead>
          <tr>
            <th scope="col">Source</th>
            <th scope="col">Into</th>
            <th scope="col">State</th>
            <th scope="col">Complete as of</th>
            <th scope="col">Last import</th>
          </tr>
        </thead>
        <tbody>
          {sources.map((source) => (
            <tr key={source.name}>
              <th className="imports-table-text" scope="row" title={source.name}>
                {source.name}
              </th>
              <td>{source.resource}</td>
              <td className="sources-state">
                <SourceState of={source} />
              </td>
              <td>{source.checkedAt === null ? '–' : <RecentTime timestamp={source.checkedAt} />}</td>
              <td>
                <RecentTime timestamp={source.savedAt} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

/** What its connector reported last; a connector that does not report says nothing. */
function SourceState({ of: { failure, lag } }: { readonly of: Source }) {
  if (failure !== null)
    return (
      <span className="import-state-word" data-state="failed" title={failure.error}>
        <Icon name="warning" />
        <span className="sources-error">
          failing (since <RecentTime timestamp={failure.since} />
          ): {failure.error}
        </span>
      </span>
    );
  if (lag === null) return '–';
  const isSilent = lag > SILENCE;
  return (
    <span className="import-state-word" data-state={isSilent ? 'cancelled' : 'done'}>
      <Icon name={isSilent ? 'warning' : 'check'} />
      {isSilent ? 'not reporting' : 'working'}
    </span>
  );
}
