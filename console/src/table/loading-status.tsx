/** That the rows are being loaded, and why it takes longer than usual. */

import type { UseQueryResult } from '@tanstack/react-query';
import { describeError } from '../data/describe-error.ts';
import { retryDelay } from '../data/query-client.ts';
import type { ListedPage } from '../data/use-list.ts';
import { Icon } from '../ui/icon.tsx';
import { useCountdown } from './use-countdown.ts';
import './loading-status.css';

export function LoadingStatus({ list }: { readonly list: UseQueryResult<ListedPage> }) {
  const { fetchStatus, failureCount, failureReason, data } = list;
  const isRetrying = fetchStatus === 'fetching' && failureReason !== null;
  const seconds = useCountdown(isRetrying ? retryDelay(failureCount - 1, failureReason) : undefined, failureCount);
  if (fetchStatus === 'paused')
    return (
      <p className="loading-status" role="status">
        <Icon name="offline" />
        <strong>You are offline.</strong>{' '}
        {data === undefined ? 'The records are loaded when you are back.' : 'These records may have changed.'}
      </p>
    );
  if (isRetrying) {
    const { title, icon } = describeError(failureReason);
    return (
      <p className="loading-status" role="status">
        <Icon name={icon} />
        <strong>{title}.</strong>
        {/* Every second would be too often for those who listen. */}
        <span aria-hidden="true">{seconds > 0 ? `Trying again in ${seconds} s.` : 'Trying again…'}</span>
        <span className="visually-hidden">Trying again soon.</span>
      </p>
    );
  }
  return (
    <div className="loading-status-bar" data-active={fetchStatus === 'fetching' || undefined} aria-hidden="true" />
  );
}
