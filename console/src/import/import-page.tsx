/** The import of a file into a resource: choosing it, what would happen, and the import itself. */

import { useEffect, useRef } from 'react';
import { Link } from 'wouter';
import { useSession } from '../session/session.ts';
import { isEditable, isReadable } from '../session/usable-resources.ts';
import { Icon } from '../ui/icon.tsx';
import { useView } from '../view/use-view.ts';
import { hrefOf, newView } from '../view/view.ts';
import { resourceTitle } from '../view/view-title.ts';
import { ChooseFile } from './choose-file.tsx';
import { ImportProgress } from './import-progress.tsx';
import { ImportReview } from './import-review.tsx';
import { isRunning, useImportState } from './import-state.tsx';
import { NoImports } from './no-imports.tsx';
import { useImportSettings } from './use-import-settings.ts';
import './import-page.css';

export default function ImportPage() {
  const { resource } = useView().view;
  const { me } = useSession();
  const [state] = useImportState();
  const { settings } = useImportSettings();
  const heading = useRef<HTMLHeadingElement>(null);
  // One import at a time: whichever it is, it is shown.
  const chosen = state.kind === 'chosen' && (state.resource === resource || isRunning(state)) ? state : undefined;
  const step = chosen === undefined ? 'choose' : (chosen.run?.kind ?? 'review');
  // biome-ignore lint/correctness/useExhaustiveDependencies: what had the focus may be gone with the step
  useEffect(() => {
    if (document.activeElement === document.body) heading.current?.focus();
  }, [step]);
  if (!isEditable(me, resource)) return <NoImports resource={resource} />;
  return (
    <main className="import-page" id="records" tabIndex={-1}>
      <div className="import-page-content">
        <header>
          {isReadable(me, resource) && (
            <Link className="import-page-back" href={hrefOf(newView(resource))}>
              <Icon name="left" />
              {resourceTitle(resource)}
            </Link>
          )}
          <h2 className="import-page-title" ref={heading} tabIndex={-1}>
            Import {(chosen?.resource ?? resource).plural}
          </h2>
        </header>
        {settings.unknown.length > 0 && (
          <p className="import-page-notice" role="alert">
            The link has parameters that an import does not have, which are ignored: {settings.unknown.join(', ')}.
          </p>
        )}
        {chosen === undefined ? (
          <ChooseFile resource={resource} />
        ) : chosen.run === undefined ? (
          <ImportReview chosen={chosen} key={chosen.id} />
        ) : (
          <ImportProgress chosen={chosen} run={chosen.run} />
        )}
      </div>
    </main>
  );
}
