/** In place of a page that does not exist: what was probably meant, and where to go on. */

import { Link, useLocation } from 'wouter';
import type { Resource } from '../../../src/catalog/resource.ts';
import { nearest } from '../../../src/problem/nearest.ts';
import { quoted } from '../../../src/problem/quoted.ts';
import { useSession } from '../session/session.ts';
import { usableResources } from '../session/usable-resources.ts';
import { Notice } from '../ui/notice.tsx';
import { hrefOf, newView } from '../view/view.ts';
import { resourceTitle } from '../view/view-title.ts';

export default function UnknownPage() {
  const [path] = useLocation();
  const { me } = useSession();
  const usable = usableResources(me);
  const meant = meantBy(path, usable);
  const record = meant && recordIn(path);
  return (
    <main className="workspace-records" id="records" tabIndex={-1}>
      <Notice
        title="There is no page here"
        icon="search"
        actions={usable.map((resource) => (
          <Link
            className={resource === meant ? 'button button-primary' : 'button button-plain'}
            href={hrefOf(newView(resource))}
            key={resource.name}
          >
            {resourceTitle(resource)}
          </Link>
        ))}
      >
        <p>
          Nothing is at {quoted(path)}. {meant !== undefined && record === undefined && `Did you mean ${meant.plural}?`}
          {meant !== undefined && record !== undefined && (
            <>
              Did you mean{' '}
              <Link href={hrefOf({ ...newView(meant), record })}>
                {meant.name} {record}
              </Link>
              ?
            </>
          )}
        </p>
        <p>
          How the console works is in the <a href="/docs/guides/console">guide</a>.
        </p>
      </Notice>
    </main>
  );
}

/** The id in `products/17`. */
function recordIn(path: string): number | undefined {
  const [, id] = /\/([1-9]\d{0,14})\/?$/.exec(path) ?? [];
  return id === undefined ? undefined : Number(id);
}

/** Any part of the path may name it, such as `product/17`. */
function meantBy(path: string, resources: readonly Resource[]): Resource | undefined {
  const names = resources.flatMap(({ name, plural }) => [name, plural]);
  const found = path
    .split('/')
    .map((part) => nearest(part, names))
    .find((name) => name !== undefined);
  return resources.find(({ name, plural }) => name === found || plural === found);
}
