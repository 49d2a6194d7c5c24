/** A request as its URL. Whoever has only that, such as a spreadsheet, wants all records as CSV. */

import { endpointOf, type ListRequest, queryOf } from './list-request.ts';

export function asUrl(request: ListRequest): string {
  return `${endpointOf(request)}?${queryOf(request)}${request.scope === 'all' ? '&format=csv' : ''}`;
}
