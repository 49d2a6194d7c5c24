/**
 * Basic authentication (RFC 7617): the key as the password, whatever the user name is. It is for programs that cannot send another header, such as
 * spreadsheets, so it reads and nothing else.
 *
 * A browser that has used it once sends it with whatever any page makes it request. So it does not count if the browser says that another
 * page does, and browsers are never asked for it: without a challenge, they have no password to send.
 */

import { Problem } from '../problem/problem.ts';
import { registry } from '../problem/registry.ts';
import type { Request, RequestHeaders } from '../request/request.ts';
import { isApiPath, isDescriptionPath, isMcpPath } from '../request/target.ts';
import { hostName } from './host.ts';
import { hasSessionCookie } from './session-cookie.ts';

const SCHEME = /^Basic(?: +|$)/i;

/** RFC 7617, section 2.1: user names and passwords are UTF-8. */
const CHALLENGE = 'Basic realm="stockbook", charset="UTF-8"';

/** Undefined if the credentials are of another scheme. */
export function basicPassword({ authorization = '' }: RequestHeaders): string | undefined {
  if (!SCHEME.test(authorization)) return undefined;
  const text = Buffer.from(authorization.replace(SCHEME, ''), 'base64').toString();
  return text.slice(text.indexOf(':') + 1).trim();
}

/** Whether the scheme may be used for this request. Which key it is, is decided later. */
export function checkBasic({
  method,
  headers,
  target,
}: Pick<Request, 'method' | 'headers' | 'target'>): Problem | undefined {
  const needsKey = isApiPath(target) || isMcpPath(target) || isDescriptionPath(target);
  if (!needsKey || !SCHEME.test(headers.authorization ?? '')) return undefined;
  if (!isRead(method)) return refused(`Basic authentication is accepted for GET and HEAD, not for ${method}.`);
  return isOfAnotherPage(headers)
    ? refused('A page of another origin has made the browser send this request.')
    : undefined;
}

function isRead(method: string): boolean {
  return method === 'GET' || method === 'HEAD';
}

function isOfAnotherPage({ 'sec-fetch-site': site, origin, host = '' }: RequestHeaders): boolean {
  if (site === 'cross-site' || site === 'same-site') return true;
  // Without the port: a proxy may have another one.
  return origin !== undefined && URL.parse(origin)?.hostname !== hostName(host);
}

function refused(detail: string): Problem {
  return new Problem('basic_not_accepted', detail, { headers: { 'www-authenticate': 'Bearer realm="stockbook"' } });
}

/** Programs that can read with it learn so from a 401. */
export function withBasicChallenge(problem: Problem, { method, headers, target }: Request): Problem {
  const { code, detail, context } = problem;
  const isOffered = registry[code].status === 401 && code !== 'basic_not_accepted' && isRead(method);
  if (!isOffered || isBrowser(headers) || !(isApiPath(target) || isDescriptionPath(target))) return problem;
  const challenge = [CHALLENGE, context.headers?.['www-authenticate']].filter((part) => part !== undefined).join(', ');
  return new Problem(code, detail, { ...context, headers: { ...context.headers, 'www-authenticate': challenge } });
}

/** A browser would show a dialog, also for a request of a script. On plain HTTP it does not send `Sec-Fetch-…`. */
function isBrowser(headers: RequestHeaders): boolean {
  const { 'sec-fetch-site': site, 'sec-fetch-mode': mode, 'sec-fetch-dest': destination, accept = '' } = headers;
  const says = [site, mode, destination, headers.origin, headers['stockbook-console']];
  return says.some((value) => value !== undefined) || hasSessionCookie(headers) || accept.includes('text/html');
}
