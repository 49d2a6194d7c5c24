/** Which account a host name speaks of. */

export type HostClaim =
  /** `acme.<domain>` speaks of the account `acme`, whether or not there is one. */
  | { readonly kind: 'account'; readonly name: string }
  /** A host outside the domain on a machine of one's own: the key decides. */
  | { readonly kind: 'open' }
  /** A host outside a real domain speaks of no account. */
  | { readonly kind: 'foreign' };

/** The domain of a machine of one's own, where `127.0.0.1` and the like are answered too. */
export const LOCAL_DOMAIN = 'localhost';

export function claimOf(host: string | undefined, domain: string): HostClaim {
  const name = hostName(host ?? '');
  const suffix = `.${domain.toLowerCase()}`;
  if (name.endsWith(suffix)) return { kind: 'account', name: name.slice(0, -suffix.length) };
  return { kind: domain === LOCAL_DOMAIN ? 'open' : 'foreign' };
}

/** `Acme.Example.com.:8080` is `acme.example.com`. */
function hostName(host: string): string {
  return host.toLowerCase().replace(/:\d*$/, '').replace(/\.$/, '');
}
