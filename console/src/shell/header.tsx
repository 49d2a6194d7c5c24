/** The bar at the top: which records, whose they are, and the theme. */

import { Link } from 'wouter';
import type { Resource } from '../../../src/catalog/resource.ts';
import { openedView } from '../saved-views/saved-query.ts';
import { firstPageOf, useSavedViews } from '../saved-views/use-saved-views.ts';
import { useSession } from '../session/session.ts';
import { editableResources, usableResources } from '../session/usable-resources.ts';
import { ShortcutsButton } from '../shortcuts/shortcuts-button.tsx';
import { loadLater } from '../ui/load-later.tsx';
import { remembered } from '../view/remembered.ts';
import { usePage } from '../view/use-page.ts';
import { useView } from '../view/use-view.ts';
import { hrefOf, newView, type View } from '../view/view.ts';
import { resourceTitle } from '../view/view-title.ts';
import { AccountButton } from './account-button.tsx';
import { ImportsLink } from './imports-link.tsx';
import { ThemeButton } from './theme-button.tsx';
import './header.css';

const KeyExpiry = loadLater(() => import('./key-expiry.tsx'));

export function Header() {
  const { me, keyExpiry } = useSession();
  const { view } = useView();
  const page = usePage();
  const { data: savedViews } = useSavedViews();
  /** What was shown last of another resource; of this one, its first page. */
  const targetOf = (resource: Resource): View => {
    const isShown = page === 'records' && resource === view.resource;
    const last = isShown ? undefined : remembered(me.account.name, resource);
    // The panel is part of a saved view.
    if (last !== undefined) return { ...last, panel: last.saved === undefined ? view.panel : last.panel };
    const first = firstPageOf(resource, savedViews);
    return (first && openedView(first)) ?? { ...newView(resource), panel: view.panel };
  };
  return (
    <header className="header">
      <img src="/docs/assets/icon.svg" alt="" width="22" height="22" />
      <h1 className="header-name">Stockbook</h1>
      <nav className="header-resources" aria-label="Main">
        {usableResources(me).map((resource) => (
          <Link
            className="header-resource"
            href={hrefOf(targetOf(resource))}
            aria-current={(page === 'records' || page === 'import') && resource === view.resource ? 'page' : undefined}
            key={resource.name}
          >
            {resourceTitle(resource)}
          </Link>
        ))}
        {editableResources(me).length > 0 && <ImportsLink />}
      </nav>
      <a className="header-docs" href="/docs">
        Docs
      </a>
      {keyExpiry() && <KeyExpiry />}
      <ShortcutsButton />
      <ThemeButton />
      <AccountButton />
    </header>
  );
}
