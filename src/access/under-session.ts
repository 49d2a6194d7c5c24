/**
 * Handles a request under the session it was granted before, or, if that no longer holds, again under a new one. A result was
 * verified by the statement that it came from; a problem or an error was not, and is verified here, so nothing derived from an
 * outdated session is ever sent.
 */

import { resources } from '../catalog/catalog.ts';
import type { Timing } from '../observe/timing.ts';
import { Problem } from '../problem/problem.ts';
import type { Request } from '../request/request.ts';
import type { NoAccess, Store } from '../store/store.ts';
import { DamagedLedger, isUnreachable, OutdatedFields, StoreUnavailable } from '../store/store-error.ts';
import type { Session } from './authenticate.ts';
import type { Sessions } from './sessions.ts';

export interface Access {
  readonly sessions: Sessions;
  readonly store: Pick<Store, 'version'>;
}

/** What a handler returns. Without access, the request is authenticated and handled again. */
export type Handled<Result> = Result | Problem | NoAccess;

export async function underSession<Result>(
  access: Access,
  request: Request,
  timing: Timing,
  handle: (session: Session) => Promise<Handled<Result>>,
): Promise<Result | Problem> {
  const { sessions } = access;
  const cached = sessions.cached(request);
  timing.end('access');
  if (cached !== undefined) {
    let handled: Handled<Result>;
    try {
      handled = await handle(cached);
    } catch (error) {
      if (!(error instanceof OutdatedFields)) return refusalAfter(error, sessions, request);
      handled = 'no access';
    }
    if (handled !== 'no access' && (!(handled instanceof Problem) || (await isCurrent(access, cached)))) return handled;
  }
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
    const session = await sessions.grant(request);
    timing.end('access');
    if (session instanceof Problem) return session;
    const handled = await handle(session).catch((error: unknown) => {
      if (error instanceof OutdatedFields) return 'no access' as const;
      throw error;
    });
    if (handled !== 'no access') return handled;
    await requireLedgers(access, session);
  }
  throw new StoreUnavailable('busy', 'The access to the account keeps changing.');
}

/**
 * How often a request is handled, if the access to the account changes meanwhile: somebody signs in or out, or a key is revoked. All attempts
 * together have the deadline of the request, and sign-ins are limited.
 */
const MAX_ATTEMPTS = 20;

/** Whether nothing about the access to the account has changed since the session was granted. */
export async function isCurrent({ store }: Pick<Access, 'store'>, session: Session): Promise<boolean> {
  return (await store.version(session.account.id))?.access === session.access;
}

/**
 * Only a caller who has access learns about an error. The request is not handled again: it may be a create that was
 * stored although its connection was lost.
 */
async function refusalAfter(error: unknown, sessions: Sessions, request: Request): Promise<Problem> {
  const session = isUnreachable(error) ? undefined : await sessions.grant(request);
  if (session instanceof Problem) return session;
  throw error;
}

/** Without a ledger, nobody seems to have access. */
async function requireLedgers({ store }: Access, { account, access }: Session): Promise<void> {
  const version = await store.version(account.id);
  if (version?.access === access && resources.some(({ name }) => !version.ledger.has(name)))
    throw new DamagedLedger(account.id);
}
