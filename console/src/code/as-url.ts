/** A request as its URL, for programs that take nothing else. Such a program, a spreadsheet for example, wants all records as CSV. */

import { type ApiRequest, pathOf, queryOf } from './api-request.ts';

export function asUrl(request: ApiRequest): string {
  return `${request.origin}${pathOf(request)}?${queryOf(request)}${request.result === 'all' ? '&format=csv' : ''}`;
}
