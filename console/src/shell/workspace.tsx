/** The account, once somebody is signed in: what is asked for above, the records below, and beside them what follows from them. */

import { useEffect } from 'react';
import { Redirect, useLocation, useSearch } from 'wouter';
import { useList } from '../data/use-list.ts';
import { MarksProvider } from '../format/marked-text.tsx';
import { QueryBar } from '../query/query-bar.tsx';
import { openedView } from '../saved-views/saved-query.ts';
import { firstPageOf, useOpenedView, useSavedViews } from '../saved-views/use-saved-views.ts';
import { ViewsButton } from '../saved-views/views-button.tsx';
import { useSession } from '../session/session.ts';
import { isEditable, isReadable, usableResources } from '../session/usable-resources.ts';
import { RecordTable } from '../table/record-table.tsx';
import { loadLater, loadTheRest } from '../ui/load-later.tsx';
import { readLink } from '../view/read-link.ts';
import { remember, remembered } from '../view/remembered.ts';
import { usePage } from '../view/use-page.ts';
import { useView } from '../view/use-view.ts';
import { hrefOf, newView } from '../view/view.ts';
import { pageTitle } from '../view/view-title.ts';
import { Header } from './header.tsx';
import { SidePanel } from './side-panel.tsx';
import { Toolbar } from './toolbar.tsx';
import './workspace.css';

const Confirmations = loadLater(() => import('../ui/confirmations.tsx'));
const GroupTable = loadLater(() => import('../groups/group-table.tsx'));
const ImportPage = loadLater(() => import('../import/import-page.tsx'));
const ImportsPage = loadLater(() => import('../imports/imports-page.tsx'));
const ImportDrop = loadLater(() => import('../import/import-drop.tsx'));
const LinkNotice = loadLater(() => import('../view/link-notice.tsx'));
const OpenView = loadLater(() => import('../saved-views/open-view.tsx'));
const RecordPanel = loadLater(() => import('../record/record-panel.tsx'));
const RemovalNotices = loadLater(() => import('../record/removal-notices.tsx'));
const UnknownPage = loadLater(() => import('./unknown-page.tsx'));
const Unreadable = loadLater(() => import('./unreadable.tsx'));

export function Workspace() {
  const { view } = useView();
  const page = usePage();
  const { me } = useSession();
  const usable = usableResources(me);
  const [first] = usable;
  const title = pageTitle(page, view, useOpenedView()?.name);
  useEffect(() => {
    const before = document.title;
    document.title = title;
    return () => {
      document.title = before;
    };
  }, [title]);
  // Without a path, nothing in particular was asked for.
  if (!usable.includes(view.resource) && first !== undefined && location.pathname === '/')
    return <Redirect to={hrefOf(newView(first))} replace />;
  return (
    <div className="workspace">
      <a className="workspace-skip" href="#records">
        Skip to the {page === 'unknown' ? 'page' : page}
      </a>
      <Header />
      {/* Nothing that was typed for one resource makes sense for another. */}
      <div className="workspace-body" key={`${page} ${view.resource.name}`}>
        {page === 'imports' ? (
          <ImportsPage />
        ) : page === 'import' ? (
          <ImportPage />
        ) : page === 'view' ? (
          <OpenView />
        ) : page === 'unknown' ? (
          <UnknownPage />
        ) : isReadable(me, view.resource) ? (
          <FirstPage />
        ) : (
          <main className="workspace-records" id="records" tabIndex={-1}>
            <Unreadable />
          </main>
        )}
      </div>
      {(page === 'records' || page === 'import') && isEditable(me, view.resource) && <ImportDrop />}
      <Confirmations>{usable.some((resource) => isEditable(me, resource)) && <RemovalNotices />}</Confirmations>
    </div>
  );
}

/** The first visit to a resource without a query shows the view that is its first page. */
function FirstPage() {
  const { view } = useView();
  const { account } = useSession().me;
  const isAsked = useSearch() !== '';
  const { data, isPending, failureCount } = useSavedViews();
  if (isAsked || remembered(account.name, view.resource) !== undefined) return <Records />;
  // If the views cannot be read, the records may be.
  if (isPending && failureCount === 0) return null;
  const first = firstPageOf(view.resource, data);
  const opened = first && openedView(first);
  return opened === undefined ? <Records /> : <Redirect to={hrefOf(opened)} replace />;
}

function Records() {
  const { view } = useView();
  const { account } = useSession().me;
  const { isLoading } = useList();
  const [path] = useLocation();
  const isGone = useOpenedView() === null;
  const hasProblems = readLink(path, useSearch()).problems.length > 0 || isGone;
  useEffect(() => remember(account.name, view), [account.name, view]);
  useEffect(() => {
    if (!isLoading) loadTheRest();
  }, [isLoading]);
  return (
    <MarksProvider>
      <section className="workspace-query" aria-label="Search and filter">
        <ViewsButton />
        <QueryBar />
      </section>
      <main className="workspace-records" id="records" tabIndex={-1}>
        {hasProblems && <LinkNotice isGone={isGone} />}
        <Toolbar />
        {view.group === undefined ? <RecordTable /> : <GroupTable text={view.group} />}
      </main>
      <SidePanel />
      {view.record !== undefined && <RecordPanel id={view.record} />}
    </MarksProvider>
  );
}
