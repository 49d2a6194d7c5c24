/** A request as the bytes that are sent. */

import { type ApiRequest, isLong, pathOf, queryOf, STREAM_TYPE } from './api-request.ts';

export function asHttp(request: ApiRequest): string {
  const path = pathOf(request);
  const query = queryOf(request);
  const headers = [
    `Host: ${new URL(request.origin).host}`,
    'Authorization: Bearer $KEY',
    `Accept: ${request.result === 'all' ? STREAM_TYPE : 'application/json'}`,
    'Connection: close',
  ];
  if (!isLong(request)) return lines([`GET ${path}?${query} HTTP/1.1`, ...headers]);
  // An encoded query is ASCII.
  const body = ['Content-Type: application/x-www-form-urlencoded', `Content-Length: ${query.length}`];
  return lines([`QUERY ${path} HTTP/1.1`, ...headers, ...body]) + query;
}

function lines(head: readonly string[]): string {
  return [...head, '', ''].join('\r\n');
}
