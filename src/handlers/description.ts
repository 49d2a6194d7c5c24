/** The description of the API for those who have a key: with the fields that operators have added. */

import { requireScope } from '../access/authenticate.ts';
import { SCOPES } from '../catalog/scopes.ts';
import { pageReply } from '../pages/page.ts';
import { Problem } from '../problem/problem.ts';
import { optionsReply } from '../reply/reply.ts';
import { findPublicRoute } from '../request/route.ts';
import { checkRequestLine } from '../request/target.ts';
import { type Call, hasAccess, type Outcome } from './handler.ts';

export async function description(call: Call): Promise<Outcome> {
  const { request, session, service } = call;
  const route = findPublicRoute(request.method, request.target);
  if (route instanceof Problem) return route;
  const problem = requireScope(session, SCOPES) ?? checkRequestLine(request);
  if (problem !== undefined) return problem;
  if (!(await hasAccess(call))) return 'no access';
  if (route.kind === 'options') return optionsReply(route.allow);
  const page = service.descriptions.of(session.catalog);
  return pageReply({ ...page, headers: { ...page.headers, 'cache-control': 'private, no-cache' } }, request);
}
