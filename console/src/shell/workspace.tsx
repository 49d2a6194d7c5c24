/** The account, once somebody is signed in: what is asked for above, the records below, and beside them what follows from them. */

import { useEffect } from 'react';
import { Redirect, useLocation, useSearch } from 'wouter';
import { useList } from '../data/use-list.ts';
import { MarksProvider } from '../format/marked-text.tsx';
import { QueryBar } from '../query/query-bar.tsx';
import { useSession } from '../session/session.ts';
import { isEditable, isReadable, usableResources } from '../session/usable-resources.ts';
import { RecordTable } from '../table/record-table.tsx';
import { loadLater, loadTheRest } from '../ui/load-later.tsx';
import { readLink } from '../view/read-link.ts';
import { usePage } from '../view/use-page.ts';
import { useView } from '../view/use-view.ts';
import { hrefOf, newView } from '../view/view.ts';
import { pageTitle } from '../view/view-title.ts';
import { Header } from './header.tsx';
import { SidePanel } from './side-panel.tsx';
import { Toolbar } from './toolbar.tsx';
import './workspace.css';

const Confirmations = loadLater(() => import('../ui/confirmations.tsx'));
const ImportPage = loadLater(() => import('../import/import-page.tsx'));
const ImportsPage = loadLater(() => import('../imports/imports-page.tsx'));
const ImportDrop = loadLater(() => import('../import/import-drop.tsx'));
const LinkNotice = loadLater(() => import('../view/link-notice.tsx'));
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
  const title = pageTitle(page, view);
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
        ) : page === 'unknown' ? (
          <UnknownPage />
        ) : isReadable(me, view.resource) ? (
          <Records />
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

function Records() {
  const { view } = useView();
  const { isLoading } = useList();
  const [path] = useLocation();
  const hasProblems = readLink(path, useSearch()).problems.length > 0;
  useEffect(() => {
    if (!isLoading) loadTheRest();
  }, [isLoading]);
  return (
    <MarksProvider>
      <section className="workspace-query" aria-label="Search and filter">
        <QueryBar />
      </section>
      <main className="workspace-records" id="records" tabIndex={-1}>
        {hasProblems && <LinkNotice />}
        <Toolbar />
        <RecordTable />
      </main>
      <SidePanel />
      {view.record !== undefined && <RecordPanel id={view.record} />}
    </MarksProvider>
  );
}
