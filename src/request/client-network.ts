/**
 * The part of an address that one client has to itself: all of an IPv4 address, or the first 64 bits of an IPv6 address.
 *
 *     192.0.2.7            192.0.2.7
 *     ::ffff:192.0.2.7     192.0.2.7
 *     2001:db8::1:2:3      2001:db8:0:0
 */

export function clientNetwork(address: string): string {
  const [, v4] = /^(?:::ffff:)?(\d+\.\d+\.\d+\.\d+)$/i.exec(address) ?? [];
  if (v4 !== undefined) return v4;
  const [before = [], after] = address.split('::').map((part) => part.split(':').filter(Boolean));
  const zeros = after === undefined ? 0 : 8 - before.length - after.length;
  return [...before, ...Array<string>(zeros).fill('0'), ...(after ?? [])].slice(0, 4).join(':');
}
