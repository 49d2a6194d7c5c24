/** A request as its URL. A URL stands for a page: streams are requested with a header. */

import { endpointOf, type ListRequest, queryOf } from './list-request.ts';

export function asUrl(request: ListRequest): string {
  return `${endpointOf(request)}?${queryOf(request)}`;
}
