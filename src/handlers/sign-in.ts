/** The code of a sign-in link, exchanged for a key. */

import { signInLinkUsed } from '../access/authenticate.ts';
import { exchangeSignInCode } from '../access/sign-in.ts';
import { Problem } from '../problem/problem.ts';
import { jsonReply } from '../reply/reply.ts';
import { checkNoBody } from '../request/body.ts';
import { NO_PARAMETERS } from '../request/parameters.ts';
import { readQuery } from '../request/query-string.ts';
import { unlessAborted } from '../schedule/deadline.ts';
import type { Call, Outcome } from './handler.ts';

export async function signIn({ request, session, service, timing }: Call): Promise<Outcome> {
  const query = readQuery(request.target.query, NO_PARAMETERS);
  if (query instanceof Problem) return query;
  const problem = await checkNoBody(request);
  if (problem !== undefined) return problem;
  timing.end('plan');
  const exchange = exchangeSignInCode(service.store.keys, session, request.address, service.clock.wall());
  const key = await unlessAborted(exchange, request.deadline.signal);
  timing.end('store');
  if (key === undefined) return signInLinkUsed();
  return jsonReply(201, { 'cache-control': 'no-store' }, JSON.stringify({ data: { key } }));
}
