/**
 * A contender is whatever the report compares: Stockbook, Stockbook at another commit, the floor, the baseline, Stockbook
 * with the reference requests, or Stockbook under attack.
 */

import type { Round } from './cases.ts';
import type { StockbookDatabase } from './databases.ts';
import type { Engine } from './engines.ts';
import type { Running } from './processes.ts';
import type { Server } from './stockbook.ts';

/** A running Stockbook: that of this checkout or of another commit. */
export interface Instance {
  readonly name: string;
  readonly program: string;
  readonly database: StockbookDatabase;
  readonly server: Server;
}

/** What all cases on one engine and one size share. */
export interface TestBed {
  readonly engine: Engine;
  readonly rows: number;
  readonly seconds: number;
  /** The first is that of this checkout. */
  readonly instances: readonly [Instance, ...Instance[]];
  /** The URL of the floor's database. Undefined if Stockbook is compared with nothing. */
  readonly floor: string | undefined;
  /** Two load generators; the second makes the noise. */
  readonly loads: readonly [Running, Running];
}

export interface Contender {
  readonly name: string;
  /** Its sample, or several with names of their own. */
  readonly measure: (round: number) => Promise<Round>;
}

export interface Contenders {
  readonly all: readonly Contender[];
  stop(): Promise<void>;
}
