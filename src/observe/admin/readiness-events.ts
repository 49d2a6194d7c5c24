/** Events when the service becomes not ready, and when it is ready again, however often that is checked. */

import type { Emit } from '../events.ts';
import { type Readiness, STARTING, STOPPING } from './processes.ts';

export class ReadinessEvents {
  readonly #emit: Emit;
  /** When it was first found not to be ready, on the clock of `performance.now()`. */
  #since: number | undefined;

  constructor(emit: Emit) {
    this.#emit = emit;
  }

  add({ ready, workers, reason }: Readiness): void {
    // There are events for that.
    if (reason === STARTING || reason === STOPPING) return;
    if (ready === 0 && this.#since === undefined) {
      this.#since = performance.now();
      this.#emit({ kind: 'not ready', workers, reason });
    } else if (ready > 0 && this.#since !== undefined) {
      this.#emit({ kind: 'ready again', milliseconds: Math.round(performance.now() - this.#since) });
      this.#since = undefined;
    }
  }
}
