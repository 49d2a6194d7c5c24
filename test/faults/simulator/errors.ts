/** Errors with which Stockbook, or a proxy before it, responds. */

import type { ErrorReply } from './network.ts';

export const STOCKBOOK_ERRORS: readonly ErrorReply[] = [
  { ...problem(429, 'too_many_requests'), isTimed: true },
  { ...problem(503, 'store_busy'), isTimed: true },
  { ...problem(503, 'store_unreachable'), isTimed: true },
  { ...problem(503, 'service_overloaded'), isTimed: true },
  problem(500, 'internal_error'),
  { status: 502, type: 'text/html', text: '<h1>Bad Gateway</h1>' },
  { status: 503, type: 'text/html', text: '<h1>Service Unavailable</h1>' },
  { status: 504, type: 'text/html', text: '<h1>Gateway Timeout</h1>' },
];

function problem(status: number, code: string): ErrorReply {
  const text = JSON.stringify({ type: `/errors/${code}`, title: code, status, code, detail: 'Simulated.' });
  return { status, type: 'application/problem+json', text };
}
