/**
 * Whether a request may be answered on the admin address. A web page can make a browser resolve the page's own host name to
 * this machine (DNS rebinding), and would then read what is meant for operators. So the host of a request has to be an IP
 * address, localhost, or the name that was configured.
 */

import { isIP } from 'node:net';

/** `host` is the Host header, `configured` the setting `admin-host`. */
export function isAllowedHost(host: string | undefined, configured: string): boolean {
  // Browsers always send one; HTTP/1.0 health checks may not.
  if (host === undefined) return true;
  const name = hostName(host);
  return name === 'localhost' || isIP(name) !== 0 || name === configured.toLowerCase();
}

/** Without its port and, for an IPv6 address, without its brackets. */
function hostName(host: string): string {
  const [, address, name = ''] = /^(?:\[([^\]]*)\]|([^:]*))(?::\d*)?$/.exec(host) ?? [];
  return (address ?? name).toLowerCase();
}
