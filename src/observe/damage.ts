/** Reports that ledgers are damaged: an event for each account, and again if it still is after a minute. */

import { type Clock, systemClock } from '../schedule/clock.ts';
import type { DamagedLedger } from '../store/store-error.ts';
import type { Emit } from './events.ts';

/** The shortest time between two events about an account, in milliseconds. */
const EVENT_INTERVAL = 60_000;

export class Damage {
  readonly #emit: Emit;
  readonly #clock: Clock;
  /** By account: when it was reported. */
  readonly #reported = new Map<number, number>();

  constructor(emit: Emit, clock: Clock = systemClock) {
    this.#emit = emit;
    this.#clock = clock;
  }

  /** A request of the account with this name has failed. */
  add(name: string, error: DamagedLedger): void {
    const now = this.#clock.monotonic();
    for (const [account, at] of this.#reported) if (now - at >= EVENT_INTERVAL) this.#reported.delete(account);
    if (this.#reported.has(error.account)) return;
    this.#reported.set(error.account, now);
    this.#emit({ kind: 'ledger damaged', account: name, error });
  }
}
