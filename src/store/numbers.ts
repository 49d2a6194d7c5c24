/** What a store does, in numbers, for metrics. */

import type { HistogramNumbers } from '../histogram.ts';
import type { QueueNumbers } from '../schedule/fair-queue.ts';

export interface StoreNumbers extends EngineNumbers {
  readonly index: Omit<IndexNumbers, 'queues'>;
  /** Requests that wait for changes. */
  readonly waiters: number;
}

export interface EngineNumbers {
  /** By name. */
  readonly queues: Readonly<Record<string, QueueNumbers>>;
  /** By what the connections do. */
  readonly pools: Readonly<Record<string, PoolNumbers>>;
  /** How long writes took, including the time that they waited. */
  readonly writes: HistogramNumbers;
  /** How often a server was found that accepts writes: more than once after a failover or an outage. */
  readonly connects: number;
  /** The disk of the database, in bytes: what is free, and what is kept in reserve. Undefined if it is the server's. */
  readonly disk?: { readonly free: number; readonly reserve: number };
}

export interface PoolNumbers {
  readonly max: number;
  readonly used: number;
  /** Open, but not used. */
  readonly idle: number;
  /** Tasks that wait for a connection. */
  readonly waiting: number;
}

/** Of the columns in memory. */
export interface IndexNumbers {
  readonly queues: { readonly index_requests: QueueNumbers; readonly index_steps: QueueNumbers };
  /** How many indexes can be asked. */
  readonly indexes: number;
  readonly bytes: number;
  readonly maxBytes: number;
  /** How many slow lists and aggregates an index answered, and how many the database had to. */
  readonly hits: number;
  readonly misses: number;
}
