/** An import that is listed while it runs: it reports how far it is, and learns whether it was cancelled. */

import { type Problem, problemMembers } from '../problem/problem.ts';
import { type CancelTimer, type Clock, systemClock } from '../schedule/clock.ts';
import { type AccountId, type Imports, type NewImport, newImportId } from '../store/store.ts';

/** How often it reports, in milliseconds. */
const REPORT_INTERVAL = 2_000;

export class RunningImport {
  readonly id: string;
  /** Resolves when it is listed. On SQLite, that may have to wait for another write. */
  readonly begun: Promise<void>;
  readonly #imports: Imports;
  readonly #account: AccountId;
  readonly #cancelTimer: CancelTimer;
  #rows = 0;
  #isCancelled = false;
  #isReporting = false;

  constructor(imports: Imports, account: AccountId, entry: NewImport, clock: Clock = systemClock) {
    this.id = newImportId(clock.wall());
    this.#imports = imports;
    this.#account = account;
    this.begun = imports.begin(account, this.id, entry);
    // Callers that await it get the error; for the others, it must not be an unhandled rejection.
    this.begun.catch(() => undefined);
    // If the store is unavailable, the import itself will fail.
    this.#cancelTimer = clock.every(REPORT_INTERVAL, () => void this.#reportUnlessBusy());
  }

  /** Whether somebody has cancelled it, or it was taken for dead. */
  get isCancelled(): boolean {
    return this.#isCancelled;
  }

  /** How many rows have been read. */
  set rows(rows: number) {
    this.#rows = rows;
  }

  /** A report may have to wait for another write. */
  async #reportUnlessBusy(): Promise<void> {
    if (this.#isReporting) return;
    this.#isReporting = true;
    await this.report().catch(() => undefined);
    this.#isReporting = false;
  }

  async report(): Promise<void> {
    await this.begun;
    this.#isCancelled ||= !(await this.#imports.report(this.#account, this.id, this.#rows));
  }

  /** Reports no more. */
  end(): void {
    this.#cancelTimer();
  }

  /** It has failed, and nothing of it is visible. */
  async fail(problem: Problem): Promise<void> {
    this.end();
    await this.begun;
    await this.#imports.fail(this.#account, this.id, JSON.stringify(problemMembers(problem)));
  }

  /** It was none: another request has done the same. */
  async discard(): Promise<void> {
    this.end();
    await this.begun;
    await this.#imports.discard(this.#account, this.id);
  }
}
