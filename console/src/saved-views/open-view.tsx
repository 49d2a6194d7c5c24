/** The link to a saved view: leads to the view as it is now, or says that it does not exist any more. */

import { Link, Redirect, useLocation } from 'wouter';
import { useSession } from '../session/session.ts';
import { usableResources } from '../session/usable-resources.ts';
import { ErrorNotice } from '../ui/error-notice.tsx';
import { Notice } from '../ui/notice.tsx';
import { VIEWS, withoutLastSlash } from '../view/page.ts';
import { hrefOf, newView } from '../view/view.ts';
import { openedView } from './saved-query.ts';
import { useSavedViews } from './use-saved-views.ts';

export default function OpenView() {
  const [path] = useLocation();
  const { me } = useSession();
  const { data, error, refetch } = useSavedViews();
  const saved = data?.find(({ id }) => withoutLastSlash(path) === `${VIEWS}${id}`);
  const opened = saved && openedView(saved);
  if (opened !== undefined) return <Redirect to={hrefOf(opened)} replace />;
  return (
    <main className="workspace-records" id="records" tabIndex={-1}>
      {error !== null && data === undefined && <ErrorNotice error={error} onRetry={() => void refetch()} />}
      {data !== undefined && (
        <Notice
          title="This view does not exist"
          icon="warning"
          actions={usableResources(me).map((resource) => (
            <Link href={hrefOf(newView(resource))} key={resource.name}>
              All {resource.plural}
            </Link>
          ))}
        >
          <p>Somebody has deleted it, or the link is not complete.</p>
        </Notice>
      )}
    </main>
  );
}
