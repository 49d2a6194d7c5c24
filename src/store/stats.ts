/** What a store does, in numbers, for metrics. */

import type { QueueStats } from '../schedule/fair-queue.ts';
import type { HistogramStats } from '../schedule/histogram.ts';

export interface StoreStats extends EngineStats {
  readonly index: IndexCounts;
  /** Undefined if another process holds the indexes. */
  readonly held: IndexStats | undefined;
  /** Requests that wait for changes. */
  readonly waiters: number;
}

export interface EngineStats {
  /** By name. */
  readonly queues: Readonly<Record<string, QueueStats>>;
  /** By what the connections do. */
  readonly pools: Readonly<Record<string, PoolStats>>;
  /** How long writes took, including the time that they waited. */
  readonly writes: HistogramStats;
  /** How often a server was found that accepts writes: more than once after a failover or an outage. */
  readonly connects: number;
  /** The disks of the database and of temporary files, in bytes: what is free, and what is kept in reserve on both. Undefined if it is the server's. */
  readonly disk?: { readonly free: number; readonly temporaryFree: number; readonly reserve: number };
  /** The length of SQLite's write-ahead log, in bytes. */
  readonly logBytes?: number;
}

export interface PoolStats {
  readonly max: number;
  readonly used: number;
  /** Open, but not used. */
  readonly idle: number;
  /** Tasks that wait for a connection. */
  readonly waiting: number;
}

/** How many slow lists and aggregates an index in memory answered, and how many the database had to. */
export interface IndexCounts {
  readonly hits: number;
  readonly misses: number;
}

/** Of the process that holds the indexes of a node. */
export interface IndexStats {
  /** Those that wait or are under way. */
  readonly requests: QueueStats;
  /** How many indexes can be asked. */
  readonly indexes: number;
  readonly bytes: number;
  readonly maxBytes: number;
}
