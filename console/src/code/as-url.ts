/** A request as its URL, for programs that take nothing else. Such a program, a spreadsheet for example, wants all records as CSV. */

import { endpointOf, type ListRequest, queryOf } from './list-request.ts';

export function asUrl(request: ListRequest): string {
  return `${endpointOf(request)}?${queryOf(request)}${request.scope === 'all' ? '&format=csv' : ''}`;
}
