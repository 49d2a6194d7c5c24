/** One import: what it is, how far, and what it did, or why it failed. */

import type { Import } from '@stockbook/client';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type KeyboardEvent, type ReactNode, useEffect, useRef } from 'react';
import { Link, useLocation } from 'wouter';
import type { Resource } from '../../../src/catalog/resource.ts';
import { describeError } from '../data/describe-error.ts';
import { formatDuration } from '../format/format-duration.ts';
import { countOf, formatExactTime, formatValue, withLocalTimes } from '../format/values.ts';
import { ImportCounts } from '../import/import-counts.tsx';
import { RowErrors } from '../import/row-errors.tsx';
import { pageCatalog } from '../session/page-catalog.ts';
import { useSession } from '../session/session.ts';
import { Button } from '../ui/button.tsx';
import { ErrorNotice } from '../ui/error-notice.tsx';
import { Icon } from '../ui/icon.tsx';
import { Notice } from '../ui/notice.tsx';
import { Progress } from '../ui/progress.tsx';
import { IMPORTS } from '../view/page.ts';
import { hrefOf, newView } from '../view/view.ts';
import { ImportStateWord } from './import-state-word.tsx';
import { IMPORTS_KEY } from './use-imports.ts';
import '../record/record-panel.css';
import './import-details.css';

export interface ImportDetailsProps {
  readonly id: string;
  /** Undefined if it is not in the list, which has the last 1,000. */
  readonly listed: Import | undefined;
}

export function ImportDetails({ id, listed }: ImportDetailsProps) {
  const { stockbook } = useSession();
  const [, navigate] = useLocation();
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => heading.current?.focus(), []);
  const { data, error, refetch } = useQuery({
    queryKey: [...IMPORTS_KEY, id],
    queryFn: async ({ signal }) => (await stockbook.imports.get(id, { signal })) ?? null,
    enabled: listed === undefined,
  });
  const found = listed ?? data;
  const state = found?.state;
  // biome-ignore lint/correctness/useExhaustiveDependencies: what had the focus may be gone with the state
  useEffect(() => {
    if (document.activeElement === document.body) heading.current?.focus();
  }, [state]);
  const close = () => navigate(IMPORTS);
  const closeOnEscape = ({ key }: KeyboardEvent) => {
    if (key === 'Escape') close();
  };
  return (
    <aside className="record-panel" aria-labelledby="import-details" onKeyDown={closeOnEscape}>
      <div className="record-panel-bar">
        <span className="record-panel-space" />
        <Button look="quiet" aria-label="Close the import" onPress={close}>
          <Icon name="remove" />
        </Button>
      </div>
      <header className="record-panel-head">
        <p className="record-panel-kind">{found ? formatValue(found.startedAt, 'timestamp') : 'import'}</p>
        <h2 className="record-panel-title" id="import-details" ref={heading} tabIndex={-1}>
          {found ? `Import of ${resourceOf(found)?.plural ?? found.resource}` : id}
        </h2>
      </header>
      <div className="record-panel-content import-details">
        {error !== null && <ErrorNotice error={error} onRetry={() => void refetch()} />}
        {found === null && (
          <Notice title="There is no such import" icon="search">
            <p>It was more than 30 days ago, or the link is for another account.</p>
          </Notice>
        )}
        {found && <Details of={found} />}
      </div>
    </aside>
  );
}

function Details({ of: one }: { readonly of: Import }) {
  const { me } = useSession();
  const resource = resourceOf(one);
  return (
    <>
      {one.state === 'running' && <Running of={one} />}
      {one.state === 'failed' && (
        <div className="import-details-problem">
          <p>{withLocalTimes(one.problem.detail)}</p>
          {one.problem.errors !== undefined && one.problem.errors.length > 0 && (
            <RowErrors errors={one.problem.errors} groups={one.problem.errorGroups} />
          )}
        </div>
      )}
      {one.state === 'done' && <ImportCounts counts={one.result} />}
      <dl className="import-details-facts">
        <Fact title="State">
          <ImportStateWord of={one} />
        </Fact>
        <Fact title="Into">
          {resource === undefined ? one.resource : <Link href={hrefOf(newView(resource))}>{resource.plural}</Link>}
        </Fact>
        <Fact title="By">{one.actor === `key ${me.key.id}` ? `this key, ${me.key.name}` : one.actor}</Fact>
        {one.file !== null && <Fact title="File">{one.file}</Fact>}
        {one.source !== null && <Fact title="Source">{one.source}</Fact>}
        <Fact title="Started">{formatExactTime(one.startedAt)}</Fact>
        {one.endedAt !== null && (
          <Fact title="Took">{formatDuration(Date.parse(one.endedAt) - Date.parse(one.startedAt))}</Fact>
        )}
        <Fact title="Rows">{countOf(one.rows, 'row', 'rows')}</Fact>
        <Fact title="Id">
          <code>{one.id}</code>
        </Fact>
      </dl>
      {one.state === 'done' && one.result.errors.length > 0 && (
        <section className="import-details-problem" aria-label="Rejected rows">
          <h3>Rejected rows</h3>
          <RowErrors errors={one.result.errors} groups={one.result.errorGroups} />
        </section>
      )}
    </>
  );
}

/** Undefined if only other versions of Stockbook know it. */
function resourceOf({ resource }: Import): Resource | undefined {
  return pageCatalog().find(resource);
}

function Running({ of: { id, rows } }: { readonly of: Import }) {
  const { stockbook } = useSession();
  const queryClient = useQueryClient();
  const { mutate, isPending, error } = useMutation({
    mutationFn: () => stockbook.imports.cancel(id),
    onSettled: () => queryClient.invalidateQueries({ queryKey: IMPORTS_KEY }),
  });
  return (
    <div className="import-details-running">
      <Progress label="Running" text={`${countOf(rows, 'row', 'rows')} so far`} share={undefined} />
      <Button isDisabled={isPending} onPress={() => mutate()}>
        {isPending ? 'Cancelling…' : 'Cancel'}
      </Button>
      {error !== null && <p role="alert">{describeError(error).detail}</p>}
    </div>
  );
}

function Fact({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  return (
    <div className="import-details-fact">
      <dt>{title}</dt>
      <dd>{children}</dd>
    </div>
  );
}
