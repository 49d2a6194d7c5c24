/**
 * The addresses in `X-Forwarded-For` and in `Forwarded` (RFC 7239), and the schemes in `X-Forwarded-Proto` and in `Forwarded`. Every proxy appends the address of the one that sent it
 * the request, so they are read from the right: what a client has written itself is on the left, and may be anything.
 *
 *     203.0.113.7, 10.0.0.2                                   10.0.0.2, 203.0.113.7
 *     for=203.0.113.7;proto=https, for="[2001:db8::1]:4711"   2001:db8::1, 203.0.113.7
 */

import { isIP, SocketAddress } from 'node:net';
import type { Scheme } from './request.ts';

/** The one that was appended last comes first. Undefined stands for anything but an address, such as `unknown`. */
export type ForwardedAddresses = Iterable<string | undefined>;

export function* readForwardedFor(header: string): ForwardedAddresses {
  for (const node of fromRight(header, ',')) yield readNode(node);
}

export function* readForwarded(header: string): ForwardedAddresses {
  for (const element of fromRight(header, ',')) {
    const nodes = [...fromRight(element, ';')].flatMap((pair) => /^for=(.*)$/is.exec(pair)?.[1] ?? []);
    const [node = ''] = nodes;
    yield nodes.length === 1 ? readNode(node) : undefined;
  }
}

/** `X-Forwarded-Proto`: `https`. Of several, the one that was appended last. */
export function readScheme(header: string): Scheme | undefined {
  const [last = ''] = fromRight(header, ',');
  return SCHEMES.find((scheme) => scheme === last.toLowerCase());
}

export function readForwardedScheme(header: string): Scheme | undefined {
  const [last = ''] = fromRight(header, ',');
  const schemes = [...fromRight(last, ';')].flatMap((pair) => /^proto="?(\w+)"?$/i.exec(pair)?.[1] ?? []);
  return schemes.length === 1 ? readScheme(schemes[0] ?? '') : undefined;
}

const SCHEMES: readonly Scheme[] = ['https', 'http'];

/** The parts between separators that are not in quotes, without the spaces around them. */
function* fromRight(text: string, separator: ',' | ';'): Iterable<string> {
  let end = text.length;
  let isQuoted = false;
  for (let at = end - 1; at >= 0; at -= 1) {
    if (text[at] === '"') isQuoted = !isQuoted;
    if (isQuoted || text[at] !== separator) continue;
    yield text.slice(at + 1, end).trim();
    end = at;
  }
  yield text.slice(0, end).trim();
}

/** The longest node: an IPv6 address that ends like an IPv4 address, in brackets and quotes, and a port. */
const MAX_NODE = 64;

/** `192.0.2.7`, `192.0.2.7:4711`, `2001:db8::1`, `[2001:db8::1]` or `[2001:db8::1]:4711`, in quotes or not. */
function readNode(text: string): string | undefined {
  if (text.length > MAX_NODE) return undefined;
  const [, node = text] = /^"([^"\\]*)"$/.exec(text) ?? [];
  const [, address = node] = /^\[([\da-f:.]+)\](?::\d{1,5})?$/i.exec(node) ?? /^([\d.]+):\d{1,5}$/.exec(node) ?? [];
  return canonicalAddress(address);
}

/**
 * The one form of an address; undefined if it is none.
 *
 *     2001:DB8:0:0::1      2001:db8::1
 *     ::ffff:192.0.2.7     192.0.2.7
 */
export function canonicalAddress(address: string): string | undefined {
  switch (isIP(address)) {
    case 4:
      return address;
    case 6:
      // A zone is a name on the machine that has it.
      return address.includes('%')
        ? undefined
        : new SocketAddress({ address, family: 'ipv6' }).address.replace(/^::ffff:(?=\d+\.)/, '');
    default:
      return undefined;
  }
}
