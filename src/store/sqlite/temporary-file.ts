/**
 * A file that is made beside another and takes its place once it is complete. If the process ends before, it is removed; if
 * the process is killed, the next one that makes a file for the same place removes it.
 */

import { closeSync, existsSync, fsyncSync, linkSync, openSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { isRunning } from '../process-number.ts';

/** What SQLite keeps beside a file. */
const COMPANIONS = ['-wal', '-shm', '-journal'] as const;

/** Those that exist. */
export function companionsOf(path: string): readonly string[] {
  return COMPANIONS.map((suffix) => path + suffix).filter((companion) => existsSync(companion));
}

export class TemporaryFile {
  readonly path: string;
  readonly #target: string;
  readonly #onExit = () => this.remove();

  /** Only its owner may read it. */
  constructor(target: string) {
    this.#target = target;
    this.path = `${target}.partial-${process.pid}`;
    removeAbandoned(target);
    closeSync(openSync(this.path, 'wx', 0o600));
    process.once('exit', this.#onExit);
  }

  remove(): void {
    process.off('exit', this.#onExit);
    for (const suffix of ['', ...COMPANIONS]) rmSync(this.path + suffix, { force: true });
  }

  /**
   * It is on the disk, under its final name, when this returns. False if there is a file, or the log of one, and it must not be
   * replaced.
   */
  place({ replace }: { readonly replace: boolean }): boolean {
    sync(this.path);
    // SQLite would take the log of another file for the log of this one.
    if (replace) {
      for (const path of companionsOf(this.#target)) rmSync(path, { force: true });
      renameSync(this.path, this.#target);
    } else if (companionsOf(this.#target).length > 0 || !linkNew(this.path, this.#target)) return false;
    this.remove();
    sync(dirname(this.#target));
    return true;
  }
}

/** Gives a file a second name. False if the name is taken. */
export function linkNew(path: string, name: string): boolean {
  try {
    linkSync(path, name);
    return true;
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false;
    // Not all file systems have links.
    if (existsSync(name)) return false;
    renameSync(path, name);
    return true;
  }
}

/** A file, or the names of those in a folder. */
export function sync(path: string): void {
  const descriptor = openSync(path, 'r');
  try {
    fsyncSync(descriptor);
  } catch (error) {
    // Windows does not sync directories, nor files that are open for reading.
    if (process.platform !== 'win32') throw error;
  } finally {
    closeSync(descriptor);
  }
}

function removeAbandoned(target: string): void {
  const prefix = `${basename(target)}.partial-`;
  for (const name of readdirSync(dirname(target))) {
    const [pid] = /^\d+(?=$|-)/.exec(name.startsWith(prefix) ? name.slice(prefix.length) : '') ?? [];
    if (pid !== undefined && !isRunning(Number(pid))) rmSync(join(dirname(target), name), { force: true });
  }
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined;
}
