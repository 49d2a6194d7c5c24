/**
 * The proxies that may name the client's address, and the scheme of the address that it has requested. Any other peer that sends `Forwarded`,
 * `X-Forwarded-For` or `X-Forwarded-Proto` is the client, whatever these headers say. Other forwarded headers are never read: the host is that
 * of `Host`.
 */

import { BlockList, isIP } from 'node:net';
import {
  canonicalAddress,
  type ForwardedAddresses,
  readForwarded,
  readForwardedFor,
  readForwardedScheme,
  readScheme,
} from './forwarded.ts';
import type { RequestHeaders, Scheme } from './request.ts';

/** The maximum number of proxies in a row. The last of them is taken for the client. */
const MAX_PROXIES = 20;

export class TrustedProxies {
  readonly #trusted: BlockList;

  constructor(trusted = new BlockList()) {
    this.#trusted = trusted;
  }

  /** Addresses and ranges, `10.0.0.0/8, 2001:db8::/32`. Undefined if the text is not valid. */
  static read(text: string): TrustedProxies | undefined {
    const trusted = new BlockList();
    const ranges = text.trim() === '' ? [] : text.split(',').map((range) => range.trim());
    return ranges.every((range) => addRange(trusted, range)) ? new TrustedProxies(trusted) : undefined;
  }

  has(address: string): boolean {
    const canonical = canonicalAddress(address);
    return canonical !== undefined && this.#hasCanonical(canonical);
  }

  /** `peer` is the address at the other end of the connection. */
  clientOf(peer: string, headers: Pick<RequestHeaders, 'forwarded' | 'x-forwarded-for'>): string {
    const { forwarded, 'x-forwarded-for': forwardedFor } = headers;
    if (forwarded === undefined && forwardedFor === undefined) return peer;
    if (!this.has(peer)) return peer;
    const claims = [
      ...(forwarded === undefined ? [] : [this.#client(peer, readForwarded(forwarded))]),
      ...(forwardedFor === undefined ? [] : [this.#client(peer, readForwardedFor(forwardedFor))]),
    ];
    const [client = peer] = claims;
    // A proxy writes one of them, and may pass on the other as the client has sent it.
    return claims.every((claim) => claim === client) ? client : peer;
  }

  /** Undefined unless a trusted peer says it, and says it once. */
  schemeOf(peer: string, headers: Pick<RequestHeaders, 'forwarded' | 'x-forwarded-proto'>): Scheme | undefined {
    const { forwarded, 'x-forwarded-proto': forwardedProto } = headers;
    if ((forwarded === undefined && forwardedProto === undefined) || !this.has(peer)) return undefined;
    const claims = [
      ...(forwarded === undefined ? [] : [readForwardedScheme(forwarded)]),
      ...(forwardedProto === undefined ? [] : [readScheme(String(forwardedProto))]),
    ];
    const [scheme, ...others] = claims.filter((claim) => claim !== undefined);
    return others.every((other) => other === scheme) ? scheme : undefined;
  }

  /** The last address that a trusted proxy has vouched for. */
  #client(peer: string, addresses: ForwardedAddresses): string {
    let [client, proxies] = [peer, 0];
    for (const address of addresses) {
      if (address === undefined) return client;
      client = address;
      proxies += 1;
      if (proxies === MAX_PROXIES || !this.#hasCanonical(address)) return client;
    }
    return client;
  }

  #hasCanonical(address: string): boolean {
    return this.#trusted.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4');
  }
}

/** False if the text is neither an address nor a range. */
function addRange(trusted: BlockList, text: string): boolean {
  const [, address = '', bits] = /^([^/]*)(?:\/(\d{1,3}))?$/.exec(text) ?? [];
  const version = isIP(address);
  if (version === 0 || address.includes('%')) return false;
  const family = version === 6 ? 'ipv6' : 'ipv4';
  const width = version === 6 ? 128 : 32;
  const prefix = bits === undefined ? width : Number(bits);
  if (prefix > width) return false;
  trusted.addSubnet(address, prefix, family);
  return true;
}
