/** A query string as people read it: without the encoding of characters that do not need it in the query of a URL. */

export function readableQuery(query: string): string {
  return query.replaceAll(/%(2C|3A|2A|3C|3E|21|5B|5D|7C|28|29|3D)/g, decodeURIComponent);
}
