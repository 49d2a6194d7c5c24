/** A problem as RFC 9457 writes it. */

import { PROBLEMS_PATH } from '../problem/page.ts';
import { Problem } from '../problem/problem.ts';
import { registry } from '../problem/registry.ts';
import { LIST_PARAMETERS } from '../request/parameters.ts';
import { encode } from '../request/percent-encoding.ts';
import { readQuery } from '../request/query-string.ts';
import { splitTarget } from '../request/target.ts';
import type { Reply } from './reply.ts';

export interface Asked {
  readonly requestId: string;
  /** As the request line has it. */
  readonly target: string;
}

export function problemReply(
  { code, detail, circumstances }: Problem,
  { requestId, target }: Asked,
): Reply & { readonly body: string } {
  const { status, title, hint } = registry[code];
  const { parameter, position, suggestion = hint, repaired, headers } = circumstances;
  const body = {
    type: `${PROBLEMS_PATH}/${code}`,
    title,
    status,
    detail,
    code,
    parameter,
    position,
    suggestion: repaired === undefined ? suggestion : `${suggestion} Try ${repairedTarget(target, repaired)}`,
    requestId,
  };
  return {
    status,
    headers: { 'content-type': 'application/problem+json', 'cache-control': 'no-store', ...headers },
    body: JSON.stringify(body),
  };
}

/** The request again, with some parameters replaced. */
function repairedTarget(target: string, repaired: Readonly<Record<string, string>>): string {
  const { path, query } = splitTarget(target);
  const given = readQuery(query, LIST_PARAMETERS);
  const values = given instanceof Problem ? repaired : { ...given.values, ...repaired };
  return `${path}?${Object.entries(values)
    .map(([name, value]) => `${name}=${encode(value)}`)
    .join('&')}`;
}
