/** Progress while rows are loading, and the reason for a delay. */

import { type UseQueryResult, useQueryClient } from '@tanstack/react-query';
import { describeError } from '../data/describe-error.ts';
import { shortestPause } from '../data/query-client.ts';
import { tryNow } from '../data/try-now.ts';
import type { ListedPage } from '../data/use-list.ts';
import { Button } from '../ui/button.tsx';
import { Icon } from '../ui/icon.tsx';
import { useCountdown } from './use-countdown.ts';
import './loading-status.css';

export function LoadingStatus({ list }: { readonly list: UseQueryResult<ListedPage> }) {
  const { fetchStatus, failureCount, failureReason, data } = list;
  const isRetrying = fetchStatus === 'fetching' && failureReason !== null;
  const seconds = useCountdown(isRetrying ? shortestPause(failureCount - 1, failureReason) : undefined, failureCount);
  if (fetchStatus === 'paused')
    return (
      <p className="loading-status" role="status">
        <Icon name="offline" />
        <strong>You are offline.</strong>{' '}
        {data === undefined ? 'Records will load when you are back online.' : 'These records may be out of date.'}
        <TryNow />
      </p>
    );
  if (isRetrying) {
    const { title, icon } = describeError(failureReason);
    return (
      <p className="loading-status" role="status">
        <Icon name={icon} />
        <strong>{title}.</strong>
        {/* A screen reader would announce every second. */}
        <span aria-hidden="true">{seconds > 0 ? `Trying again in ${seconds} s.` : 'Trying again…'}</span>
        <span className="visually-hidden">Trying again soon.</span>
        <TryNow />
      </p>
    );
  }
  return (
    <div className="loading-status-bar" data-active={fetchStatus === 'fetching' || undefined} aria-hidden="true" />
  );
}

function TryNow() {
  const client = useQueryClient();
  return <Button onPress={() => void tryNow(client)}>Try now</Button>;
}
