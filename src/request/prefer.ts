/** The header `Prefer` of RFC 7240, as far as we honour it: `wait=10`, `respond-async`. */

/** The longest time that a request waits for something to change, in seconds. */
export const MAX_WAIT = 60;

/** In seconds; 0 if the client does not want to wait. The first preference of a name counts. */
export function preferredWait(prefer: string | undefined): number {
  const [, seconds] = /(?:^|,)\s*wait\s*=\s*"?(\d+)"?\s*(?:[,;]|$)/i.exec(prefer ?? '') ?? [];
  return Math.min(Number(seconds ?? 0), MAX_WAIT);
}

/** Whether the client wants a response before the work is done. */
export function prefersAsync(prefer: string | undefined): boolean {
  return /(?:^|,)\s*respond-async\s*(?:[,;]|$)/i.test(prefer ?? '');
}
