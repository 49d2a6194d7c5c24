/** Leads to the import of the resource that is shown. */

import { Link } from 'wouter';
import { Icon } from '../ui/icon.tsx';
import { useView } from '../view/use-view.ts';
import { importHref, useImportState } from './import-state.tsx';

export interface ImportLinkProps {
  /** Among other buttons, or the one main action. */
  readonly look: 'quiet' | 'primary';
}

export function ImportLink({ look }: ImportLinkProps) {
  const { resource } = useView().view;
  const [state] = useImportState();
  return (
    <Link className={`button button-${look}`} href={importHref(state, resource)} aria-label="Import…">
      <Icon name="upload" />
      <span {...(look === 'quiet' && { className: 'toolbar-label' })}>Import…</span>
    </Link>
  );
}
