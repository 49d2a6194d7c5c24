/** The header `If-Match` of RFC 9110: `*`, or entity tags separated by commas. */

/** Undefined if the request has none. */
export function readIfMatch(header: string | undefined): '*' | readonly string[] | undefined {
  if (header === undefined) return undefined;
  return header.trim() === '*' ? '*' : header.split(',').map((item) => item.trim());
}
