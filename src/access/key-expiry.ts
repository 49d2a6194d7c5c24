/** Warns of keys that expire soon, so that nobody learns it from the first 401. */

/** How long before its end a key expires soon, in milliseconds: 14 days. */
export const NOTICE_PERIOD = 14 * 24 * 3_600_000;

/** The headers of every response to such a key, with the time as in `GET /api/v1/me`. Times are in milliseconds since the epoch. */
export function expiryNotice(expiresAt: number, now: number): Readonly<Record<string, string>> {
  return expiresSoon(expiresAt, now) ? { 'stockbook-key-expires': new Date(expiresAt).toISOString() } : NONE;
}

export function expiresSoon(expiresAt: number, now: number): boolean {
  return expiresAt - now <= NOTICE_PERIOD;
}

const NONE = {};
