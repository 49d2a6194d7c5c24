/** What handlers use, whatever the request: the store, and what is shared among the requests of a process. */

import type { CrossOrigin } from '../access/cross-origin.ts';
import type { Sessions } from '../access/sessions.ts';
import { Computations } from '../limits/computations.ts';
import { ExportSlots } from '../limits/export-slots.ts';
import { ImportSlots } from '../limits/import-slots.ts';
import type { RateLimiter } from '../limits/rate-limiter.ts';
import type { Emit } from '../observe/events.ts';
import { Descriptions } from '../pages/descriptions.ts';
import type { ResponseCache } from '../reply/response-cache.ts';
import { LongInput } from '../request/long-input.ts';
import type { Clock } from '../schedule/clock.ts';
import type { QueueStats } from '../schedule/fair-queue.ts';
import type { Store } from '../store/store.ts';

export interface ServiceParts {
  readonly store: Store;
  readonly responses: ResponseCache;
  readonly sessions: Sessions;
  readonly crossOrigin: CrossOrigin;
  readonly limiter: RateLimiter;
  readonly maxImportSize: number;
  readonly emit: Emit;
  readonly clock: Clock;
}

export interface ServiceStats {
  readonly queues: { readonly long_queries: QueueStats; readonly computations: QueueStats };
  /** Those that are being sent. */
  readonly exports: number;
  /** Those under way. */
  readonly imports: number;
}

export class Service {
  readonly store: Store;
  readonly responses: ResponseCache;
  readonly sessions: Sessions;
  readonly crossOrigin: CrossOrigin;
  readonly limiter: RateLimiter;
  readonly emit: Emit;
  readonly clock: Clock;
  readonly computations: Computations;
  readonly exports = new ExportSlots();
  readonly imports = new ImportSlots();
  readonly longInput: LongInput;
  readonly descriptions = new Descriptions();
  /** The largest body of an import in bytes, also once it is decompressed. */
  readonly maxImportSize: number;
  #isStopping = false;

  constructor({ store, responses, sessions, crossOrigin, limiter, maxImportSize, emit, clock }: ServiceParts) {
    this.store = store;
    this.responses = responses;
    this.sessions = sessions;
    this.crossOrigin = crossOrigin;
    this.limiter = limiter;
    this.maxImportSize = maxImportSize;
    this.emit = emit;
    this.clock = clock;
    this.computations = new Computations(clock);
    this.longInput = new LongInput(clock);
  }

  stats(): ServiceStats {
    const queues = { long_queries: this.longInput.stats, computations: this.computations.stats };
    return { queues, exports: this.exports.used, imports: this.imports.used };
  }

  /** Whether nothing may wait for changes any more. */
  get isStopping(): boolean {
    return this.#isStopping;
  }

  /** Ends what waits for changes. */
  stopWaiting(): void {
    this.#isStopping = true;
    this.store.stopWaiting();
  }
}
