/** A page that the list does not have, or no longer has. */

import type { ListedPage } from '../data/use-list.ts';
import { countOf, formatCount } from '../format/values.ts';
import { Notice } from '../ui/notice.tsx';
import { ViewLink } from '../ui/view-link.tsx';

export function BeyondLastPage({ page }: { readonly page: ListedPage }) {
  const { meta, pagination, of } = page;
  const last = pagination.totalPages;
  const { name, plural } = of.resource;
  return (
    <Notice
      title={`There is no page ${formatCount(of.page)}`}
      icon="search"
      actions={<ViewLink change={{ page: last }}>Go to page {formatCount(last)}</ViewLink>}
    >
      <p>
        {countOf(meta.total, name, plural)} {of.filter === '' ? '' : 'match, which '}
        {meta.total === 1 ? 'is' : 'are'} on {countOf(last, 'page', 'pages')}.
      </p>
    </Notice>
  );
}
