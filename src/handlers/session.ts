/** The session of a browser: begins when somebody signs in to the console, and ends when somebody signs out. */

import { signInLinkUsed } from '../access/authenticate.ts';
import { endedCookie, ofSession, schemeOfConsole, sessionCookie } from '../access/session-cookie.ts';
import { endSession, startSession } from '../access/sign-in.ts';
import { retryAfter } from '../limits/rate-limiter.ts';
import { Problem } from '../problem/problem.ts';
import type { Reply } from '../reply/reply.ts';
import { checkNoBody, readJsonBody } from '../request/body.ts';
import { NO_PARAMETERS } from '../request/parameters.ts';
import { readQuery } from '../request/query-string.ts';
import type { Scheme } from '../request/request.ts';
import { unlessAborted } from '../schedule/deadline.ts';
import { MAX_SIGN_INS } from '../store/store.ts';
import { type Call, hasAccess, type Outcome } from './handler.ts';

export async function startBrowserSession(call: Call): Promise<Outcome> {
  const { request, session, service, timing } = call;
  const scheme = readScheme(call);
  if (scheme instanceof Problem) return scheme;
  if (session.sessionOf !== null)
    return new Problem('wrong_kind_of_key', 'This is the key of a session, which does not begin another one.', {
      suggestion: 'Sign in with an API key or a link.',
    });
  const body = await readJsonBody(request, call.turn);
  if (body instanceof Problem) return body;
  const isRemembered = readRemember(body.json);
  if (isRemembered instanceof Problem) return isRemembered;
  timing.end('plan');
  if (!(await hasAccess(call))) return 'no access';
  const start = startSession(service.store.keys, session, request.address, service.clock.wall(), isRemembered);
  const started = await unlessAborted(start, request.deadline.signal);
  if (started === 'used') return signInLinkUsed();
  if (started === 'too many') return tooManySignIns();
  await endPrevious(call);
  timing.end('store');
  return withCookie(sessionCookie(scheme, started.key, started.remembered));
}

function tooManySignIns(): Problem {
  const detail = `At most ${MAX_SIGN_INS} sessions begin with one key within a minute.`;
  return new Problem('too_many_requests', detail, retryAfter(60_000));
}

/** The cookie is replaced, and nobody else has the key of that session. */
async function endPrevious({ request, service }: Call): Promise<void> {
  const previous = ofSession(request);
  const session = previous && (await service.sessions.find(previous));
  if (session === undefined || session.sessionOf === null) return;
  await endSession(service.store.keys, session, request.address, service.clock.wall());
}

export async function endBrowserSession(call: Call): Promise<Outcome> {
  const { request, session, service, timing } = call;
  const scheme = readScheme(call);
  if (scheme instanceof Problem) return scheme;
  if (session.sessionOf === null)
    return new Problem('wrong_kind_of_key', 'This is not the key of a session: it is not revoked by signing out.', {
      suggestion: 'An operator revokes it with stockbook key revoke.',
    });
  const problem = await checkNoBody(request);
  if (problem !== undefined) return problem;
  timing.end('plan');
  if (!(await hasAccess(call))) return 'no access';
  await unlessAborted(
    endSession(service.store.keys, session, request.address, service.clock.wall()),
    request.deadline.signal,
  );
  timing.end('store');
  return withCookie(endedCookie(scheme));
}

function readScheme({ request: { target, headers } }: Call): Scheme | Problem {
  const query = readQuery(target.query, NO_PARAMETERS);
  if (query instanceof Problem) return query;
  return (
    schemeOfConsole(headers) ??
    new Problem('not_from_console', 'The request does not come from the console on this host.')
  );
}

/** `{"remember":true}` */
function readRemember(json: unknown): boolean | Problem {
  const isObject = typeof json === 'object' && json !== null && Object.keys(json).length === 1;
  if (isObject && 'remember' in json && typeof json.remember === 'boolean') return json.remember;
  return new Problem('invalid_body', 'The body must be {"remember":true} or {"remember":false}.');
}

function withCookie(cookie: string): Reply {
  return { status: 204, headers: { 'cache-control': 'no-store', 'set-cookie': cookie } };
}
