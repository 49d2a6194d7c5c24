/** The records of the view, or why there are none. */

import { useList } from '../data/use-list.ts';
import { ErrorNotice } from '../ui/error-notice.tsx';
import { loadLater } from '../ui/load-later.tsx';
import { checkFilter } from '../view/check-filter.ts';
import { useView } from '../view/use-view.ts';
import { isNarrowed } from '../view/view.ts';
import { InvalidFilter } from './invalid-filter.tsx';
import { LoadingStatus } from './loading-status.tsx';
import { RecordGrid } from './record-grid.tsx';
import { TableSkeleton } from './table-skeleton.tsx';

const BeyondLastPage = loadLater(() => import('./beyond-last-page.tsx'));
const EmptyAccount = loadLater(() => import('./empty-account.tsx'));
const WhyNoRows = loadLater(() => import('../query/why-no-rows.tsx'));

export function RecordTable() {
  const { view } = useView();
  const list = useList();
  const { data, error, refetch, isPlaceholderData, isError } = list;
  const isInvalid = checkFilter(view.resource, view.filter).kind === 'invalid';
  if (isError && !isInvalid) return <ErrorNotice error={error} onRetry={() => void refetch()} />;
  return (
    <>
      <LoadingStatus list={list} />
      {data === undefined ? (
        isInvalid ? (
          <InvalidFilter />
        ) : (
          <TableSkeleton />
        )
      ) : data.data.length > 0 ? (
        <RecordGrid page={data} isOutdated={isPlaceholderData || isInvalid} />
      ) : data.meta.total > 0 ? (
        <BeyondLastPage page={data} />
      ) : isNarrowed(data.of) ? (
        <WhyNoRows view={data.of} />
      ) : (
        <EmptyAccount />
      )}
    </>
  );
}
