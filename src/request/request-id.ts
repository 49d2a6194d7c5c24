/** The id that links a request to its log lines: the caller's own if it is well-formed, otherwise a new one. */

import { randomUUID } from 'node:crypto';

/** Cannot break a log line or a header, is no longer than a person would paste, and is not a key, which no log may contain. */
const WELL_FORMED = /^(?!.*sbk_)[\w.:/+=@-]{1,128}$/i;

export function requestId(sent: string | readonly string[] | undefined): string {
  return typeof sent === 'string' && WELL_FORMED.test(sent) ? sent : randomUUID();
}
