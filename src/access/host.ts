/** Which account a host name claims, and how clients address it. */

import type { Request } from '../request/request.ts';

export type HostClaim =
  /** `acme.<domain>` claims the account `acme`, whether or not it exists. */
  | { readonly kind: 'account'; readonly name: string }
  /** Under the local domain, any other host is accepted: the key decides which account it is. */
  | { readonly kind: 'any' }
  /** A host outside the domain belongs to no account. */
  | { readonly kind: 'foreign' };

/** The default domain, for local use: hosts such as `127.0.0.1` are accepted as well. */
export const LOCAL_DOMAIN = 'localhost';

export function accountInHost(host: string | undefined, domain: string): HostClaim {
  const name = hostName(host ?? '');
  const suffix = `.${domain.toLowerCase()}`;
  if (name.endsWith(suffix)) return { kind: 'account', name: name.slice(0, -suffix.length) };
  return { kind: domain === LOCAL_DOMAIN ? 'any' : 'foreign' };
}

/** `Acme.Example.com.:8080` is `acme.example.com`. */
export function hostName(host: string): string {
  return host.toLowerCase().replace(/:\d*$/, '').replace(/\.$/, '');
}

/** A host with or without a port, and nothing that would mean something else in an address. */
const PLAIN_HOST = /^(?:[\w.-]+|\[[\da-f:.]+\])(?::\d{1,5})?$/i;

/**
 * How clients address the service: `https://acme.example.com`. Undefined if that is not known. Unless a trusted proxy says something else, an
 * account has its host over https, on the usual port.
 */
export function originOf(
  { headers: { host = '' }, scheme }: Pick<Request, 'headers' | 'scheme'>,
  domain: string,
): string | undefined {
  if (!PLAIN_HOST.test(host)) return undefined;
  const isOfAccount = accountInHost(host, domain).kind === 'account' && domain !== LOCAL_DOMAIN && !host.includes(':');
  const known = scheme ?? (isOfAccount ? 'https' : undefined);
  return known && `${known}://${host}`;
}
