/** Something that finds a server, and runs tasks on it. */

import type { PoolStats } from '../stats.ts';
import type { Server } from './server.ts';
import type { Topology } from './topology.ts';

export interface ServerSource {
  readonly topology: Topology;
  /** Translates errors. If the connection is lost, the next task has another. */
  run<Result>(task: (server: Server) => Promise<Result>): Promise<Result>;
  /** How often a server was found. */
  readonly connects: number;
  readonly pools: Readonly<Record<string, PoolStats>>;
  close(): Promise<void>;
}
