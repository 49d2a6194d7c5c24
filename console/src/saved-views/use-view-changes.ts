/** Saving and deleting views, and showing the result. */

import { type NewView, type View as SavedView, StockbookError } from '@stockbook/client';
import { useQueryClient } from '@tanstack/react-query';
import { RETRIES } from '../data/attempts.ts';
import { useSession } from '../session/session.ts';
import { confirmDone } from '../ui/confirmation.ts';
import { useView } from '../view/use-view.ts';
import { savedQuery } from './saved-query.ts';
import { seenTag } from './seen-tags.ts';
import { readViewsAgain } from './use-saved-views.ts';

export interface ViewChanges {
  /** Saves what is shown under a new id and name. */
  readonly create: (id: string, name: string, isFirstPage: boolean) => Promise<void>;
  /** Saves what is shown in place of what the view had. */
  readonly saveShown: (saved: SavedView, isForced?: boolean) => Promise<void>;
  /** Changes the name of a view, or whether it is the first page. */
  readonly change: (saved: SavedView, changed: Partial<NewView>) => Promise<void>;
  readonly remove: (saved: SavedView) => Promise<void>;
}

export function useViewChanges(): ViewChanges {
  const { stockbook } = useSession();
  const { view, adjust } = useView();
  const queries = useQueryClient();
  const save = async (id: string, body: NewView, ifMatch?: string) => {
    await stockbook.views.save(id, body, { ifMatch, retries: RETRIES });
    await readViewsAgain(queries);
    confirmDone('View saved');
  };
  const change = ({ id, name, resource, query, isFirstPage, etag }: SavedView, changed: Partial<NewView>) =>
    save(id, { name, resource, query, isFirstPage, ...changed }, etag);
  return {
    change,
    async create(id, name, isFirstPage) {
      await save(id, { name, resource: view.resource.name, query: savedQuery(view), isFirstPage });
      adjust({ saved: id });
    },
    async saveShown(saved, isForced = false) {
      const { id, name, resource, isFirstPage } = saved;
      await save(id, { name, resource, query: savedQuery(view), isFirstPage }, isForced ? undefined : seenTag(saved));
    },
    async remove({ id }) {
      await stockbook.views.remove(id, { retries: RETRIES }).catch(unlessGone);
      adjust({ saved: undefined });
      await readViewsAgain(queries);
      confirmDone('View deleted');
    },
  };
}

/** Somebody else was faster. */
function unlessGone(error: unknown): void {
  if (!(error instanceof StockbookError) || error.code !== 'view_not_found') throw error;
}

/** Not `randomUUID`, which browsers have on secure pages only. */
export function newViewId(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(6)), (byte) => byte.toString(16).padStart(2, '0')).join('');
}
