/** A folder in which states of a disk are opened, one after another, by the code of the store. */

import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { openStore } from '../../../src/store/open.ts';
import type { Store } from '../../../src/store/store.ts';
import { UnusableDatabase } from '../../../src/store/store-error.ts';
import type { DiskState } from './disk.ts';
import { dumpOf, NO_REVOCATIONS, revocationsIn } from './dump.ts';

/** The database that the service uses, in each folder. Others are copies of it, and what is beside it. */
export const DATABASE = 'stockbook.db';

/** What the content of each database is, by its name. None has the content of another file. */
export type View = ReadonlyMap<string, string>;

export const ABSENT = 'absent';

export class StateFolder {
  readonly path: string;
  /** What files contain, by the hash of their bytes. */
  readonly #dumps = new Map<string, string>();

  constructor(path: string) {
    this.path = path;
    mkdirSync(path);
  }

  get database(): string {
    return join(this.path, DATABASE);
  }

  /** Leaves every database as one file, without a log. */
  async open(state: DiskState, staleMemory?: Uint8Array): Promise<View> {
    writeState(this.path, state);
    if (staleMemory !== undefined) writeFileSync(`${this.database}-shm`, staleMemory);
    const view = new Map<string, string>();
    const content = await this.#openDatabase();
    for (const name of [...databasesIn(this.path), ...revocationsBeside(this.path)]) {
      const path = join(this.path, name);
      if (name !== DATABASE) recover(path);
      const content = this.#contentOf(path);
      if (!isRevocations(path) || content !== NO_REVOCATIONS) view.set(name, content);
    }
    if (content !== undefined) view.set(DATABASE, content);
    return view;
  }

  openStore(): Promise<Store> {
    return openStore(
      { kind: 'sqlite', path: this.database },
      { create: false, serves: true, poolSize: 1, statementTimeout: 0 },
    );
  }

  /** Undefined if it could be opened. */
  async #openDatabase(): Promise<string | undefined> {
    try {
      const store = await this.openStore();
      await store.close();
      return undefined;
    } catch (error) {
      if (!(error instanceof UnusableDatabase)) throw error;
      const isAbsent = !existsSync(this.database) && !existsSync(`${this.database}-wal`);
      return isAbsent ? ABSENT : `unusable: ${error.message}`;
    }
  }

  #contentOf(path: string): string {
    const hash = createHash('sha1').update(readFileSync(path)).digest('base64');
    const known = this.#dumps.get(hash);
    if (known !== undefined) return known;
    const dump = isRevocations(path) ? revocationsIn(path) : dumpOf(path);
    this.#dumps.set(hash, dump);
    return dump;
  }
}

/** Files that a command had not finished, and that the next one removes, do not count. */
export function databasesIn(folder: string): readonly string[] {
  return readdirSync(folder).filter((name) => /\.db(?:\.before-restore-\w+)?$/.test(name));
}

function revocationsBeside(folder: string): readonly string[] {
  return readdirSync(folder).filter(isRevocations);
}

function isRevocations(path: string): boolean {
  return path.endsWith('.db-revoked');
}

/** Nothing else is in the folder afterwards. */
export function writeState(folder: string, state: DiskState): void {
  for (const name of readdirSync(folder)) rmSync(join(folder, name), { recursive: true });
  for (const [name, { bytes }] of state) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), bytes);
  }
}

/** As the first connection does. The last one leaves one file. */
function recover(path: string): void {
  const file = new DatabaseSync(path);
  file.prepare('SELECT count(*) FROM sqlite_schema').get();
  file.close();
}
