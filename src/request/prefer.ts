/** The header `Prefer` of RFC 7240, as far as we honour it: `wait=10`, `respond-async`, `wording=client`. */

/** The longest time that a request waits for something to change, in seconds. */
const MAX_WAIT = 60;

/** In seconds; 0 if the client does not want to wait. The first preference of a name counts. */
export function preferredWait(prefer: string | undefined): number {
  const [, seconds] = /(?:^|,)\s*wait\s*=\s*"?(\d+)"?\s*(?:[,;]|$)/i.exec(prefer ?? '') ?? [];
  return Math.min(Number(seconds ?? 0), MAX_WAIT);
}

/** Whether messages are for callers of the client in JavaScript, and name its options in place of parameters. */
export function prefersClientWords(prefer: string | undefined): boolean {
  return /(?:^|,)\s*wording\s*=\s*"?client"?\s*(?:[,;]|$)/i.test(prefer ?? '');
}

/** Whether the client wants a response before the work is done. */
export function prefersAsync(prefer: string | undefined): boolean {
  return /(?:^|,)\s*respond-async\s*(?:[,;]|$)/i.test(prefer ?? '');
}
