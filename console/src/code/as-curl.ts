/** A request as a command for a POSIX shell. */

import { type ApiRequest, isLong, parametersOf, pathOf, STREAM_TYPE } from './api-request.ts';

/** What neither the shell nor the encoding of URLs changes. */
const PLAIN = /^[\w,.-]+$/;

export function asCurl(request: ApiRequest): string {
  const parameters = parametersOf(request).map(([name, value]) =>
    PLAIN.test(value) ? `-d ${name}=${value}` : `--data-urlencode ${shellQuoted(`${name}=${value}`)}`,
  );
  return [
    `curl ${isLong(request) ? '-X QUERY' : '-G'} ${shellQuoted(request.origin + pathOf(request))}`,
    '-H "Authorization: Bearer $KEY"',
    ...(request.result === 'all' ? [`-H 'Accept: ${STREAM_TYPE}'`] : []),
    ...parameters,
  ].join(' \\\n  ');
}

/** In single quotes nothing is special but the quote itself. */
function shellQuoted(text: string): string {
  return /^[\w:/.-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
