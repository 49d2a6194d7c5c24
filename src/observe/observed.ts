/** What is learned about a request while it is handled, for the log and other listeners. */

import type { Session } from '../access/authenticate.ts';
import type { Resource } from '../catalog/resource.ts';
import type { Filter } from '../filter/ast.ts';
import type { TotalSource } from '../store/store.ts';

export class Observed {
  /** Under which it was handled last. */
  session: Session | undefined;
  totalSource: TotalSource | 'response cache' | undefined;
  /** How long the request waited for changes, as its client had asked, in milliseconds. */
  waited = 0;
  /** What was requested of a resource. */
  query: ResourceQuery | undefined;
  /** Its filter, once the request has been planned. */
  filter: Filter | undefined;
  /** The same as the log shows it, if the response was cached. */
  loggedFilter: string | undefined;
}

export interface ResourceQuery {
  readonly resource: Resource;
  /** A query string, wherever it came from: the target, the body of a `QUERY`, or the arguments of a tool. */
  readonly text: string;
}
