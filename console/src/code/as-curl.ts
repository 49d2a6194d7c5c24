/** A request as a command for a POSIX shell. */

import { endpointOf, isLong, type ListRequest, parametersOf, STREAM_TYPE } from './list-request.ts';

/** What neither the shell nor the encoding of URLs changes. */
const PLAIN = /^[\w,.-]+$/;

export function asCurl(request: ListRequest): string {
  const parameters = parametersOf(request).map(([name, value]) =>
    PLAIN.test(value) ? `-d ${name}=${value}` : `--data-urlencode ${shellQuoted(`${name}=${value}`)}`,
  );
  return [
    `curl ${isLong(request) ? '-X QUERY' : '-G'} ${shellQuoted(endpointOf(request))}`,
    '-H "Authorization: Bearer $KEY"',
    ...(request.scope === 'all' ? [`-H 'Accept: ${STREAM_TYPE}'`] : []),
    ...parameters,
  ].join(' \\\n  ');
}

/** In single quotes nothing is special but the quote itself. */
function shellQuoted(text: string): string {
  return /^[\w:/.-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
