/** The header `Origin`, which browsers send and programs do not. */

import { Problem } from '../problem/problem.ts';
import { quoted } from '../problem/quoted.ts';
import type { RequestHeaders } from './request.ts';

/** Addresses that only this machine has, so that no domain can be rebound to them. */
const LOCAL_HOST = /^(?:(?:.+\.)?localhost|127(?:\.\d+){3}|\[::1\])$/;

/** MCP requires this, so that no web page can talk to a local server by rebinding its own domain. */
export function checkOrigin({ origin }: RequestHeaders, isAllowed: (origin: string) => boolean): Problem | undefined {
  if (origin === undefined || LOCAL_HOST.test(URL.parse(origin)?.hostname ?? '') || isAllowed(origin)) return undefined;
  return new Problem('origin_not_allowed', `The request comes from a web page at ${quoted(origin)}.`);
}
