/** A completed request, for listeners. */

import type { RequestCompleted } from '../../src/observe/events.ts';

export function completed(facts: Partial<RequestCompleted> = {}): RequestCompleted {
  return {
    kind: 'request completed',
    requestId: 'test',
    method: 'GET',
    route: '/api/v1/inventory/product',
    status: 200,
    problem: undefined,
    milliseconds: 1,
    latency: 1,
    address: '127.0.0.1',
    account: 'acme',
    key: 'key',
    bytes: 100,
    rows: 1,
    totalSource: undefined,
    traceId: undefined,
    parentId: undefined,
    filter: undefined,
    fullFilter: undefined,
    ...facts,
  };
}
