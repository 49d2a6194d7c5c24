/** The sources that connectors import from, and the imports of the last 30 days: who has imported what, and what became of it. */

import type { Import } from '@stockbook/client';
import { useEffect, useState } from 'react';
import { Link, useSearch } from 'wouter';
import { formatValue } from '../format/values.ts';
import { useSession } from '../session/session.ts';
import { editableResources } from '../session/usable-resources.ts';
import { Button } from '../ui/button.tsx';
import { ErrorNotice } from '../ui/error-notice.tsx';
import { Icon } from '../ui/icon.tsx';
import { loadTheRest } from '../ui/load-later.tsx';
import { Notice } from '../ui/notice.tsx';
import { Placeholder } from '../ui/placeholder.tsx';
import { IMPORTS, importPath } from '../view/page.ts';
import { ImportDetails } from './import-details.tsx';
import { ImportStateWord } from './import-state-word.tsx';
import { originOf, outcomeOf } from './import-words.ts';
import { SourcesTable } from './sources-table.tsx';
import { useImports } from './use-imports.ts';
import './imports-page.css';

/** How many are shown at first, and how many more at a time. */
const SHOWN = 100;

export default function ImportsPage() {
  const { me } = useSession();
  const { data, error, refetch, isFetching } = useImports();
  const id = new URLSearchParams(useSearch()).get('import');
  useEffect(loadTheRest, []);
  const editable = editableResources(me);
  return (
    <>
      <main className="imports-page" id="records" tabIndex={-1} aria-busy={isFetching}>
        <header className="imports-page-head">
          <h2>Imports</h2>
          <p className="imports-page-scope">of the last 30 days</p>
          <div className="imports-page-actions">
            {editable.map((resource) => (
              <Link className="button button-plain" href={importPath(resource)} key={resource.name}>
                <Icon name="upload" />
                Import {resource.plural}…
              </Link>
            ))}
          </div>
        </header>
        {editable.length > 0 && <SourcesTable />}
        {editable.length === 0 ? (
          <Notice title="This key may not import anything" icon="key">
            <p>It sees the imports of the resources that it may edit.</p>
          </Notice>
        ) : error !== null && data === undefined ? (
          <ErrorNotice error={error} onRetry={() => void refetch()} />
        ) : data === undefined ? (
          <Loading />
        ) : data.length === 0 ? (
          <Notice title="Nothing was imported in the last 30 days" icon="upload">
            <p>Imports of files, of programs and of the command line are listed here.</p>
          </Notice>
        ) : (
          <ImportsTable imports={data} shown={id} />
        )}
      </main>
      {id !== null && editable.length > 0 && (
        <ImportDetails id={id} listed={data?.find((one) => one.id === id)} key={id} />
      )}
    </>
  );
}

function Loading() {
  return (
    <div className="imports-page-loading" role="status">
      <span className="visually-hidden">Loading…</span>
      {[1, 2, 3, 4].map((line) => (
        <Placeholder key={line} />
      ))}
    </div>
  );
}

interface ImportsTableProps {
  readonly imports: readonly Import[];
  /** The id of the one whose details are shown. */
  readonly shown: string | null;
}

function ImportsTable({ imports, shown }: ImportsTableProps) {
  const { me } = useSession();
  const [limit, setLimit] = useState(SHOWN);
  return (
    <div className="imports-page-scroll">
      <table className="imports-table">
        <thead>
          <tr>
            <th scope="col">Started</th>
            <th scope="col">Into</th>
            <th scope="col">State</th>
            <th scope="col">Result</th>
            <th scope="col">From</th>
            <th scope="col">By</th>
          </tr>
        </thead>
        <tbody>
          {imports.slice(0, limit).map((one) => (
            <tr data-shown={one.id === shown || undefined} key={one.id}>
              <th scope="row">
                <Link className="imports-table-link" href={`${IMPORTS}?import=${encodeURIComponent(one.id)}`}>
                  {formatValue(one.startedAt, 'timestamp')}
                </Link>
              </th>
              <td>{one.resource}</td>
              <td>
                <ImportStateWord of={one} />
              </td>
              <td className="imports-table-result">{outcomeOf(one)}</td>
              <td className="imports-table-text">{originOf(one)}</td>
              <td className="imports-table-text">{one.actor === `key ${me.key.id}` ? 'this key' : one.actor}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {imports.length > limit && <Button onPress={() => setLimit(limit + SHOWN)}>Show more</Button>}
    </div>
  );
}
