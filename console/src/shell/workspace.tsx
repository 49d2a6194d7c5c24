/** The account, once somebody is signed in: what is asked for above, the records below, and beside them what follows from them. */

import { useEffect } from 'react';
import { useList } from '../data/use-list.ts';
import { QueryBar } from '../query/query-bar.tsx';
import { RecordTable } from '../table/record-table.tsx';
import { loadLater, loadTheRest } from '../ui/load-later.tsx';
import { useView } from '../view/use-view.ts';
import { viewTitle } from '../view/view-title.ts';
import { Header } from './header.tsx';
import { SidePanel } from './side-panel.tsx';
import { Toolbar } from './toolbar.tsx';
import './workspace.css';

const RecordPanel = loadLater(() => import('../record/record-panel.tsx'));

export function Workspace() {
  const { view } = useView();
  const { isLoading } = useList();
  useEffect(() => {
    if (!isLoading) loadTheRest();
  }, [isLoading]);
  const title = viewTitle(view);
  useEffect(() => {
    const before = document.title;
    document.title = title;
    return () => {
      document.title = before;
    };
  }, [title]);
  return (
    <div className="workspace">
      <a className="workspace-skip" href="#records">
        Skip to the records
      </a>
      <Header />
      {/* Nothing that was typed for one resource makes sense for another. */}
      <div className="workspace-body" key={view.resource.name}>
        <section className="workspace-query" aria-label="Filter">
          <QueryBar />
        </section>
        <main className="workspace-records" id="records" tabIndex={-1}>
          <Toolbar />
          <RecordTable />
        </main>
        <SidePanel />
        {view.record !== undefined && <RecordPanel id={view.record} />}
      </div>
    </div>
  );
}
