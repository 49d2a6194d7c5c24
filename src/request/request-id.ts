/** The id that links a request to its log lines: the caller's own if it is well-formed, otherwise a new one. */

import { randomUUID } from 'node:crypto';

/** Cannot break a log line or a header, is no longer than a person would paste, and has no key, which no log may contain. */
const WELL_FORMED = /^[\w.:/+=@-]{1,128}$/;

/** A key, or what is left of it without its prefix or its end. */
const LIKE_KEY = /sbk_|[0-9a-z]{12}_[0-9a-z]{32}/i;

export function requestId(sent: string | readonly string[] | undefined): string {
  return typeof sent === 'string' && WELL_FORMED.test(sent) && !LIKE_KEY.test(sent) ? sent : randomUUID();
}
