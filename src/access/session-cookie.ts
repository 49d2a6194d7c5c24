/**
 * The key of a browser session, in a cookie that no script can read. It takes the place of the `Authorization` header, for the API and its description only.
 *
 * Browsers add cookies to whatever any page makes them send. So it counts only if the console has sent the request: with the header
 * `Stockbook-Console`, for which a page of another origin would need a permission that nobody gets (CORS), and if what the browser itself says
 * about the origin agrees. The value of the header is the scheme of the page, which a service behind a proxy does not know otherwise:
 * with https, the name of the cookie has a prefix with which only this host can set it, and only over https.
 */

import type { Request, RequestHeaders, Scheme } from '../request/request.ts';
import { isApiPath, isDescriptionPath } from '../request/target.ts';
import { hostName } from './host.ts';

const NAMES: Readonly<Record<Scheme, string>> = { http: 'stockbook', https: '__Host-stockbook' };

/** `seconds` is how long the browser keeps it; undefined means until it is closed. */
export function sessionCookie(scheme: Scheme, key: string, seconds?: number): string {
  return [
    `${NAMES[scheme]}=${key}`,
    'Path=/',
    'HttpOnly',
    'SameSite=Strict',
    ...(scheme === 'https' ? ['Secure'] : []),
    ...(seconds === undefined ? [] : [`Max-Age=${seconds}`]),
  ].join('; ');
}

/** Makes the browser forget it. */
export function endedCookie(scheme: Scheme): string {
  return sessionCookie(scheme, '', 0);
}

/** A request of the API, or for its description, that has no key gets that of its cookie. */
export function withSessionKey(request: Request): Request {
  const { headers, target } = request;
  if (headers.authorization !== undefined || headers.cookie === undefined) return request;
  if (!isApiPath(target) && !isDescriptionPath(target)) return request;
  return ofSession(request) ?? request;
}

/** The request with the key of its cookie. Undefined if there is no cookie that counts. */
export function ofSession(request: Request): Request | undefined {
  const { headers } = request;
  const scheme = schemeOfConsole(headers);
  const key = scheme && keyInCookie(headers.cookie ?? '', scheme);
  return key === undefined ? undefined : { ...request, sessionKey: key };
}

/** Whether there is a cookie that would count if the console had sent it. */
export function hasSessionCookie({ cookie = '' }: RequestHeaders): boolean {
  return keyInCookie(cookie, 'http') !== undefined || keyInCookie(cookie, 'https') !== undefined;
}

/** Undefined if the request does not come from the console on this host. */
export function schemeOfConsole(headers: RequestHeaders): Scheme | undefined {
  const { 'stockbook-console': scheme, 'sec-fetch-site': site = 'same-origin', origin, host = '' } = headers;
  if (scheme !== 'http' && scheme !== 'https') return undefined;
  if (site !== 'same-origin') return undefined;
  if (origin === undefined) return scheme;
  const page = URL.parse(origin);
  // Without the port: a proxy may have another one.
  return page?.protocol === `${scheme}:` && page.hostname === hostName(host) ? scheme : undefined;
}

/** Of several with the same name, one may have been set by another host of the same domain: none of them counts. */
function keyInCookie(cookie: string, scheme: Scheme): string | undefined {
  const prefix = `${NAMES[scheme]}=`;
  const values = cookie.split(/; */).flatMap((pair) => (pair.startsWith(prefix) ? [pair.slice(prefix.length)] : []));
  const [value = ''] = values;
  return values.length === 1 && /^\w+$/.test(value) ? value : undefined;
}
