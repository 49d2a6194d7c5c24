/**
 * The header `If-Match` of RFC 9110: `*`, or entity tags separated by commas. `W/` is left out, although the RFC requires the strong
 * comparison: all our tags are strong, and a proxy that compresses makes them weak on their way to the client.
 */

/** Undefined if the request has none. */
export function readIfMatch(header: string | undefined): '*' | readonly string[] | undefined {
  if (header === undefined) return undefined;
  return header.trim() === '*' ? '*' : header.split(',').map((item) => item.trim().replace(/^W\//, ''));
}
