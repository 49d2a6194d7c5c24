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

/** Its name, whether it is the first page, or what it shows: that is what is shown now. */
export type ViewChange = { readonly name: string } | { readonly isFirstPage: boolean } | 'what is shown';

export interface ViewChanges {
  /** Saves what is shown under a new id and name. */
  readonly create: (id: string, name: string, isFirstPage: boolean) => Promise<void>;
  /** Changes a view, unless somebody else has since it was shown. */
  readonly change: (saved: SavedView, change: ViewChange) => Promise<void>;
  /** Changes it in any case, and keeps what else somebody has changed. A view that was deleted is back. */
  readonly overwrite: (saved: SavedView, change: ViewChange) => Promise<void>;
  readonly remove: (saved: SavedView) => Promise<void>;
}

export function useViewChanges(): ViewChanges {
  const { stockbook } = useSession();
  const { view, adjust } = useView();
  const queries = useQueryClient();
  const save = async (id: string, body: NewView, done: string, ifMatch?: string) => {
    await stockbook.views.save(id, body, { ifMatch, retries: RETRIES });
    await readViewsAgain(queries);
    confirmDone(done);
  };
  const changed = ({ name, resource, query, isFirstPage }: SavedView, change: ViewChange): NewView => ({
    ...{ name, resource, query, isFirstPage },
    ...(change === 'what is shown' ? { query: savedQuery(view) } : change),
  });
  return {
    change: (saved, change) =>
      save(
        saved.id,
        changed(saved, change),
        confirmationOf(change),
        change === 'what is shown' ? seenTag(saved) : saved.etag,
      ),
    async overwrite(saved, change) {
      const theirs = (await stockbook.views.list()).find(({ id }) => id === saved.id);
      await save(saved.id, changed(theirs ?? saved, change), confirmationOf(change), theirs?.etag);
    },
    async create(id, name, isFirstPage) {
      await save(id, { name, resource: view.resource.name, query: savedQuery(view), isFirstPage }, 'View saved');
      adjust({ saved: id });
    },
    async remove({ id }) {
      await stockbook.views.remove(id, { retries: RETRIES }).catch(unlessGone);
      adjust({ saved: undefined });
      await readViewsAgain(queries);
      confirmDone('View deleted');
    },
  };
}

function confirmationOf(change: ViewChange): string {
  if (change === 'what is shown') return 'View saved';
  if ('name' in change) return 'View renamed';
  return change.isFirstPage ? 'Everybody sees this view first now' : 'No longer the first page';
}

/** Somebody else was faster. */
function unlessGone(error: unknown): void {
  if (!(error instanceof StockbookError) || error.code !== 'view_not_found') throw error;
}

/** Not `randomUUID`, which browsers have on secure pages only. */
export function newViewId(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(6)), (byte) => byte.toString(16).padStart(2, '0')).join('');
}
