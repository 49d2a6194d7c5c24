/** The bar at the top: which records, whose they are, and the theme. */

import { Link } from 'wouter';
import { useSession } from '../session/session.ts';
import { editableResources, usableResources } from '../session/usable-resources.ts';
import { ShortcutsButton } from '../shortcuts/shortcuts-button.tsx';
import { loadLater } from '../ui/load-later.tsx';
import { usePage } from '../view/use-page.ts';
import { useView } from '../view/use-view.ts';
import { hrefOf, newView } from '../view/view.ts';
import { resourceTitle } from '../view/view-title.ts';
import { AccountButton } from './account-button.tsx';
import { ImportsLink } from './imports-link.tsx';
import { ThemeButton } from './theme-button.tsx';
import './header.css';

const KeyExpiry = loadLater(() => import('./key-expiry.tsx'));

export function Header() {
  const { me } = useSession();
  const { view } = useView();
  const page = usePage();
  return (
    <header className="header">
      <img src="/docs/assets/icon.svg" alt="" width="22" height="22" />
      <h1 className="header-name">Stockbook</h1>
      <nav className="header-resources" aria-label="Main">
        {usableResources(me).map((resource) => (
          <Link
            className="header-resource"
            href={hrefOf({ ...newView(resource), panel: view.panel })}
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
      <KeyExpiry />
      <ShortcutsButton />
      <ThemeButton />
      <AccountButton />
    </header>
  );
}
