/** The fields of all resources. */

import { Problem } from '../problem/problem.ts';
import { fieldsReply } from '../reply/fields.ts';
import { unlessMatched } from '../reply/reply.ts';
import { NO_PARAMETERS } from '../request/parameters.ts';
import { readQuery } from '../request/query-string.ts';
import { type Call, hasAccess, type Outcome } from './handler.ts';

export async function fields(call: Call): Promise<Outcome> {
  const { request, session, timing } = call;
  const query = readQuery(request.target.query, NO_PARAMETERS);
  if (query instanceof Problem) return query;
  timing.end('plan');
  if (!(await hasAccess(call))) return 'no access';
  timing.end('store');
  return unlessMatched(fieldsReply(session), request.headers['if-none-match']);
}
