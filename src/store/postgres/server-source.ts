/** Something that finds a server, and runs tasks on it. */

import type { PoolStats } from '../stats.ts';
import type { ClusterNode } from './cluster/node.ts';
import type { Server } from './server.ts';

export interface ServerSource {
  /** Undefined if statements have to be as for a single server. */
  readonly node: ClusterNode | undefined;
  /** Translates errors. If the connection is lost, the next task has another. */
  run<Result>(task: (server: Server) => Promise<Result>): Promise<Result>;
  /** How often a server was found. */
  readonly connects: number;
  readonly pools: Readonly<Record<string, PoolStats>>;
  close(): Promise<void>;
}
