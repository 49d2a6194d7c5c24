/** Which account a host name claims. */

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
