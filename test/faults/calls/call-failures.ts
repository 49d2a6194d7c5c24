/** Programs whose calls fail, and what a crash could leave of what they did. */

import { join } from 'node:path';
import { DiskCalls } from '../../support/disk-calls.ts';
import type { Random } from '../../support/random.ts';
import { CommitChecks } from '../crashes/commit-checks.ts';
import { CrashCheck } from '../crashes/crash-check.ts';
import type { Promised } from '../crashes/mark.ts';
import { Recording } from '../crashes/recording.ts';
import type { Fault } from './faults.ts';

/** What is lost at the end of each case, apart from everything. */
const EXTENT = { all: 2, singles: 1, subsets: 1 };

/** Of the commits, the service is started with so many. */
const COMMITS = 0.02;

const NEVER = Number.MAX_SAFE_INTEGER;

export class CallFailures {
  readonly recording: Recording;
  readonly #calls: DiskCalls;
  readonly #check: CrashCheck;

  /** Everything is in a folder that somebody else removes. Also the calls on temporary files fail. */
  constructor(folder: string, random: Random) {
    this.#calls = new DiskCalls(join(folder, 'calls'), folder);
    this.recording = new Recording(folder, this.#calls.env);
    const checks = new CommitChecks(random, COMMITS);
    this.#check = new CrashCheck(this.recording.folder, join(folder, 'check'), {
      random,
      share: 0,
      extent: EXTENT,
      onCommit: (...commit) => checks.check(...commit),
      onState: () => Promise.resolve(false),
    });
  }

  get states(): number {
    return this.#check.counts.states;
  }

  /** Returns how many calls have failed, from the n-th on. */
  async during(fault: Fault, n: number, body: () => Promise<unknown>): Promise<number> {
    this.#calls.fail(fault.kind, n, fault.calls === NEVER ? NEVER : n + fault.calls - 1);
    await body();
    return this.#calls.recover().failed;
  }

  /** How many calls could fail. */
  async count(body: () => Promise<unknown>): Promise<number> {
    this.#calls.fail('EIO', NEVER, NEVER);
    await body();
    return this.#calls.recover().counted;
  }

  /** Throws if a crash now could leave what must not be. */
  async crash(): Promise<void> {
    await this.#check.follow(this.recording.log.readNew());
    await this.#check.crash();
  }

  /** Whether something is true of what was there at the last crash, if nothing is lost. */
  holds(promised: Promised): boolean {
    return this.#check.holds(promised);
  }

  /** What is there at the end is sound. */
  async end(): Promise<void> {
    await this.#check.end();
  }

  async close(): Promise<void> {
    await this.recording.end();
    this.#calls.close();
  }
}
