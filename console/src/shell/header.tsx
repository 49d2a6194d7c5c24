/** The bar at the top: which records, whose they are, and the theme. */

import { Link } from 'wouter';
import { useSession } from '../session/session.ts';
import { usableResources } from '../session/usable-resources.ts';
import { useView } from '../view/use-view.ts';
import { hrefOf, newView } from '../view/view.ts';
import { resourceTitle } from '../view/view-title.ts';
import { AccountButton } from './account-button.tsx';
import { KeyExpiry } from './key-expiry.tsx';
import { ThemeButton } from './theme-button.tsx';
import './header.css';

export function Header() {
  const { me } = useSession();
  const { view } = useView();
  return (
    <header className="header">
      <img src="/docs/assets/icon.svg" alt="" width="22" height="22" />
      <h1 className="header-name">Stockbook</h1>
      <nav className="header-resources" aria-label="Records">
        {usableResources(me).map((resource) => (
          <Link
            className="header-resource"
            href={hrefOf({ ...newView(resource), panel: view.panel })}
            aria-current={resource === view.resource ? 'page' : undefined}
            key={resource.name}
          >
            {resourceTitle(resource)}
          </Link>
        ))}
      </nav>
      <a className="header-docs" href="/docs">
        Docs
      </a>
      <KeyExpiry />
      <ThemeButton />
      <AccountButton />
    </header>
  );
}
