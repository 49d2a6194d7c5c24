/** The id under which a request is found again in the log: the caller's own where it is sane, else a fresh one. */

import { randomUUID } from 'node:crypto';

/** Nothing that could break a log line or a header, and no more than a person would paste. */
const SANE = /^[\w.:/+=@-]{1,128}$/;

export function requestId(given: string | readonly string[] | undefined): string {
  return typeof given === 'string' && SANE.test(given) ? given : randomUUID();
}
