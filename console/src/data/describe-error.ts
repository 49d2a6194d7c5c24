/** Errors as people read them: what happened, and whether trying again helps. */

import { StockbookError } from '@stockbook/client';
import type { IconName } from '../ui/icon.tsx';

export interface ErrorDescription {
  readonly title: string;
  readonly detail: string;
  readonly icon: IconName;
  /** What to tell whoever runs the service. */
  readonly requestId: string | undefined;
}

export function describeError(error: unknown): ErrorDescription {
  if (!(error instanceof StockbookError))
    return { title: 'The console failed', detail: String(error), icon: 'warning', requestId: undefined };
  const { code, status, title = 'Something went wrong', message: detail, requestId } = error;
  switch (code) {
    case 'connection_failed':
    case 'timeout':
      return {
        title: navigator.onLine ? 'The service does not respond' : 'You are offline',
        detail: navigator.onLine ? detail : 'The view is loaded again when you are back online.',
        icon: 'offline',
        requestId,
      };
    default:
      return { title: status === 429 ? 'Too many requests' : title, detail, icon: 'warning', requestId };
  }
}
