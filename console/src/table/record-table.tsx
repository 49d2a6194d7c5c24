/** The records of the view, one row each. Only rows that can be seen are in the document. */

import { useList } from '../data/use-list.ts';
import { ErrorNotice } from '../ui/error-notice.tsx';

export function RecordTable() {
  const { data, error, refetch } = useList();
  if (error !== null) return <ErrorNotice error={error} onRetry={refetch} />;
  return <pre>{JSON.stringify(data?.data.slice(0, 5), undefined, 1)}</pre>;
}
