/** What the serving thread knows about the database file: whether it was replaced or removed, and whether it is damaged. */

import { openIteration } from '../engine/loop-iteration.ts';
import { type Defect, UnusableDatabase } from '../store-error.ts';
import type { Connection } from './connection.ts';
import { translateError } from './errors.ts';
import type { FileGuard, FileIdentity } from './file-guard.ts';

/** Called once, and not again before the file has been put back. */
export type OnReplaced = (error: Error) => void;

export class FileHealth {
  readonly #guard: FileGuard;
  readonly #mapped: Connection;
  readonly #onReplaced: OnReplaced | undefined;
  #isReplaced = false;
  /** The iteration of the event loop in which the file was last verified. */
  #verifiedIn: number | undefined;
  /** If one page is damaged, others may be as well, so this is remembered until the process restarts. */
  #damage: UnusableDatabase | undefined;

  constructor(guard: FileGuard, mapped: Connection, onReplaced?: OnReplaced) {
    this.#guard = guard;
    this.#mapped = mapped;
    this.#onReplaced = onReplaced;
  }

  get identity(): FileIdentity {
    return this.#guard.identity;
  }

  /**
   * Throws if the file was replaced or removed. Whatever was read in this iteration of the event loop, which takes a few
   * milliseconds at most, shares the result.
   */
  verify(): void {
    const iteration = openIteration();
    if (iteration !== undefined && iteration === this.#verifiedIn) return;
    this.#verify(this.#isReplaced);
    this.#verifiedIn = iteration;
  }

  /** Throws as well if a file next to it was replaced or removed, or if any part of the file is known to be damaged. */
  verifyAll(): void {
    this.#verify(true);
    if (this.#damage !== undefined) throw this.#damage;
  }

  #verify(all: boolean): void {
    try {
      if (all) this.#guard.verifyAll(this.#mapped);
      else this.#guard.verify(this.#mapped);
    } catch (error) {
      throw this.#note(error);
    }
    this.#isReplaced = false;
  }

  /** What an error of an executor means. If the file was replaced, that is the cause of all others. */
  explain(error: unknown): unknown {
    try {
      if (!hasDefect(error, 'replaced')) this.#verify(this.#isReplaced);
    } catch (cause) {
      return cause;
    }
    return this.#note(error);
  }

  #note(cause: unknown): unknown {
    // Those of threads are translated already, and on the serving thread nothing but temporary files is written.
    const error = translateError(cause, this.identity.path, 'temporary files');
    if (hasDefect(error, 'damaged')) this.#damage ??= error;
    if (hasDefect(error, 'replaced') && !this.#isReplaced) {
      this.#isReplaced = true;
      this.#onReplaced?.(error);
    }
    return error;
  }
}

function hasDefect(error: unknown, defect: Defect): error is UnusableDatabase {
  return error instanceof UnusableDatabase && error.defect === defect;
}
