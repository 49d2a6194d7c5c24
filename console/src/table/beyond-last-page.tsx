/** Shown for a page number past the end of the list. */

import type { ListedPage } from '../data/use-list.ts';
import { countOf, formatCount } from '../format/values.ts';
import { Notice } from '../ui/notice.tsx';
import { ViewLink } from '../ui/view-link.tsx';
import { isNarrowed } from '../view/view.ts';

export default function BeyondLastPage({ page }: { readonly page: ListedPage }) {
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
        {isNarrowed(of) ? countOf(meta.total, 'match', 'matches') : countOf(meta.total, name, plural)} on{' '}
        {countOf(last, 'page', 'pages')}.
      </p>
    </Notice>
  );
}
