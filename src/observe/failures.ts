/** Requests that failed. The cause goes to the log, never to the client: as an outage, as damage of an account, or as a bug. */

import type { Session } from '../access/authenticate.ts';
import type { Clock } from '../schedule/clock.ts';
import type { Store } from '../store/store.ts';
import { DamagedLedger, StoreUnavailable, UnusableDatabase } from '../store/store-error.ts';
import { Damage } from './damage.ts';
import type { Emit } from './events.ts';
import type { Outage } from './outage.ts';

export class Failures {
  readonly #store: Pick<Store, 'version'>;
  readonly #outage: Outage;
  readonly #damage: Damage;
  readonly #emit: Emit;

  constructor(store: Pick<Store, 'version'>, outage: Outage, emit: Emit, clock: Clock) {
    this.#store = store;
    this.#outage = outage;
    this.#damage = new Damage(emit, clock);
    this.#emit = emit;
  }

  /** Why the store is unavailable; undefined if the request failed because of a bug. */
  async report(
    thrown: unknown,
    requestId: string,
    session: Session | undefined,
  ): Promise<StoreUnavailable | undefined> {
    const error = isOutage(thrown) || session === undefined ? thrown : await this.#causeOf(thrown, session);
    if (!isOutage(error)) {
      this.#emit({ kind: 'request failed', requestId, error });
      return undefined;
    }
    if (error instanceof DamagedLedger && session !== undefined) this.#damage.add(session.account.name, error);
    this.#outage.add(error);
    return error instanceof StoreUnavailable ? error : new StoreUnavailable('unreachable', error.message);
  }

  /** If a ledger cannot be read, statements fail in many ways. */
  async #causeOf(error: unknown, { account }: Session): Promise<unknown> {
    try {
      await this.#store.version(account.id);
    } catch (cause) {
      if (cause instanceof DamagedLedger) return cause;
    }
    return error;
  }
}

function isOutage(error: unknown): error is StoreUnavailable | UnusableDatabase {
  return error instanceof StoreUnavailable || error instanceof UnusableDatabase;
}
