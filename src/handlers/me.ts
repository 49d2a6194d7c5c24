/** What the key of a request is and may do. */

import { Problem } from '../problem/problem.ts';
import { meReply } from '../reply/me.ts';
import { NO_PARAMETERS } from '../request/parameters.ts';
import { readQuery } from '../request/query-string.ts';
import { type Call, hasAccess, type Outcome } from './handler.ts';

export async function me(call: Call): Promise<Outcome> {
  const { request, session, service, timing } = call;
  const query = readQuery(request.target.query, NO_PARAMETERS);
  if (query instanceof Problem) return query;
  timing.end('plan');
  if (!(await hasAccess(call))) return 'no access';
  const storage = await service.store.accounts.storage(session.account.id);
  if (storage === undefined) return 'no access';
  timing.end('store');
  const { account, keyId: id, keyName: name, scopes, keyCreatedAt: createdAt, expiresAt } = session;
  return meReply({
    account,
    key: { id, name, scopes, createdAt, expiresAt },
    rateLimits: service.limiter.limitsOf(session),
    storage,
  });
}
