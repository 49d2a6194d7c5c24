/**
 * Follows the log of a disk, and checks what a crash could leave at each of its calls.
 *
 * What the store reads if nothing is lost, call by call, are the commits: a database has one of them after any crash, not older than what was
 * acknowledged by then, and not newer than what was written.
 */

import { createHash } from 'node:crypto';
import { cpSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { DiskCall } from '../../support/disk-log.ts';
import type { Random } from '../../support/random.ts';
import { Disk, type DiskState, type Loss, NO_LOSS } from './disk.ts';
import { holdsIn } from './dump.ts';
import { type Extent, lossesOn } from './losses.ts';
import { ANY_FILE, type Mark, type Promised, readMark } from './mark.ts';
import { ABSENT, DATABASE, databasesIn, StateFolder, type View } from './state-folder.ts';

export interface CrashOptions {
  readonly random: Random;
  /** How much is lost at a call. */
  readonly extent: Extent;
  /** At which share of the calls. */
  readonly share: number;
  /** What may be left of the memory that connections to the database share: it is mapped, so the log does not have it. */
  readonly staleMemory?: Uint8Array | undefined;
  /** Called with each commit, and with the last one once more. The folder has its files, which may be changed. */
  readonly onCommit: (commit: OpenedCommit, folder: StateFolder) => Promise<void>;
  /** Called with each state. Resolves to whether it was given to the real program. */
  readonly onState: (state: DiskState) => Promise<boolean>;
}

export interface OpenedCommit {
  readonly view: View;
  /** What was acknowledged before. */
  readonly acknowledged: readonly Acknowledged[];
  /** Nothing follows. */
  readonly isLast: boolean;
}

export type Acknowledged = Extract<Mark, { kind: 'acknowledged' }>;

export type CrashCounts = {
  readonly calls: number;
  readonly states: number;
  readonly distinct: number;
  /** How many of them the real program has opened. */
  readonly programs: number;
  readonly commits: number;
};

export class CrashFailure extends Error {
  override readonly name = 'CrashFailure';
  readonly call: number;
  readonly loss: Loss;

  constructor(message: string, call: number, loss: Loss) {
    super(message);
    this.call = call;
    this.loss = loss;
  }
}

export class CrashCheck {
  readonly disk: Disk;
  readonly #options: CrashOptions;
  readonly #path: string;
  readonly #folder: StateFolder;
  readonly #views = new Map<string, View>();
  #isReady = false;
  #states = 0;
  #programs = 0;
  /** The key of the latest commit. */
  #latest = '';
  #commits = 0;
  /** Of each database, the last commit with each content. */
  readonly #contents = new Map<string, Map<string, number>>();
  /** Of each database, the commit before which it cannot be. */
  readonly #oldest = new Map<string, number>();
  /** The commit at which an operation began that has not ended. */
  readonly #begun = new Map<number, number>();
  /** The commits whose files are kept. */
  #kept = 0;
  readonly #acknowledged: Acknowledged[] = [];
  /** Which operation is not final although it has to be, by the view. */
  readonly #broken = new Map<string, string | undefined>();

  /** `root` is the folder of the log; in `path` is room for states. */
  constructor(root: string, path: string, options: CrashOptions) {
    this.disk = new Disk(root);
    this.#path = path;
    mkdirSync(path);
    this.#folder = new StateFolder(join(path, 'state'));
    this.#options = options;
  }

  get counts(): CrashCounts {
    return {
      calls: this.disk.calls,
      states: this.#states,
      distinct: this.#views.size,
      programs: this.#programs,
      commits: this.#commits,
    };
  }

  async follow(calls: Iterable<DiskCall>): Promise<void> {
    for (const call of calls) {
      const hasChanged = this.disk.apply(call);
      const mark = call.kind === 'mark' ? readMark(call.text) : undefined;
      this.#isReady ||= mark?.kind === 'ready';
      if (!this.#isReady) continue;
      const isSampled = hasChanged && this.#options.random.chance(this.#options.share);
      // Between two of them, a database has no more than one commit.
      const isStep = call.kind !== 'write' && call.kind !== 'truncate';
      if (isSampled || isStep) await this.#commit();
      if (mark !== undefined) await this.#mark(mark);
      if (isSampled) await this.crash();
    }
  }

  /** Throws if the databases are not what they have to be after a crash now. */
  async crash(): Promise<void> {
    const { random, extent } = this.#options;
    for (const loss of lossesOn(this.disk, random, extent)) await this.#checkLoss(loss);
  }

  /** Whether something is true of what was logged so far. */
  holds(promised: Promised): boolean {
    return isKept(this.#pathOf(this.#commits - 1), promised);
  }

  /** Nothing more was logged. */
  async end(): Promise<void> {
    const view = await this.#folder.open(this.disk.state());
    await this.#onCommit(view, true);
  }

  /** What the store reads if nothing is lost. */
  async #commit(): Promise<void> {
    const view = await this.#view(this.disk.state());
    const key = keyOf(view);
    if (key === this.#latest) return;
    this.#latest = key;
    this.#addContents(view);
    // The files may be those of another state that is equal.
    await this.#folder.open(this.disk.state());
    cpSync(this.#folder.path, this.#pathOf(this.#commits), { recursive: true });
    this.#commits += 1;
    await this.#onCommit(view, false);
  }

  async #onCommit(view: View, isLast: boolean): Promise<void> {
    try {
      await this.#options.onCommit({ view, acknowledged: this.#acknowledged, isLast }, this.#folder);
    } catch (error) {
      throw this.#failure(printed(error));
    }
  }

  #addContents(view: View): void {
    for (const name of view.keys())
      if (!this.#contents.has(name)) this.#contents.set(name, new Map([[ABSENT, this.#commits - 1]]));
    for (const [name, contents] of this.#contents) contents.set(contentOf(view, name), this.#commits);
  }

  async #mark(mark: Mark): Promise<void> {
    if (mark.kind === 'begun') this.#begun.set(mark.operation, this.#commits - 1);
    if (mark.kind === 'ended') this.#begun.delete(mark.operation);
    if (mark.kind === 'acknowledged') this.#acknowledge(mark);
    for (const oldest = Math.min(this.#commits - 1, ...this.#begun.values()); this.#kept < oldest; this.#kept += 1)
      rmSync(this.#pathOf(this.#kept), { recursive: true });
  }

  #acknowledge(mark: Acknowledged): void {
    const { database = DATABASE } = mark.promised;
    const begun = this.#begun.get(mark.operation) ?? this.#kept;
    let first = begun;
    while (first < this.#commits && !isKept(this.#pathOf(first), mark.promised)) first += 1;
    if (first === this.#commits) throw this.#failure(`"${mark.name}" was acknowledged, but is not there`);
    const half = this.#halfSince(begun, mark.promised);
    if (half !== undefined) throw this.#failure(`commit ${half} has a part of "${mark.name}" without the rest`);
    if (database !== ANY_FILE) this.#oldest.set(database, Math.max(first, this.#oldest.get(database) ?? 0));
    this.#begun.delete(mark.operation);
    this.#acknowledged.push(mark);
    this.#broken.clear();
  }

  #halfSince(first: number, { half, database = DATABASE }: Promised): number | undefined {
    if (half === undefined) return undefined;
    const commits = Array.from({ length: this.#commits - first }, (_, index) => first + index);
    return commits.find((commit) => holdsIn(join(this.#pathOf(commit), database), half));
  }

  async #checkLoss(loss: Loss): Promise<void> {
    const state = this.disk.state(loss);
    const view = await this.#view(state, loss);
    for (const [name, contents] of this.#contents) {
      const oldest = this.#oldest.get(name) ?? 0;
      const last = contents.get(contentOf(view, name));
      if (last === undefined) throw this.#failure(`${name} has a content that was never committed`, loss);
      if (last < oldest)
        throw this.#failure(`${name} is at commit ${last}, but commit ${oldest} was acknowledged`, loss);
    }
    for (const name of view.keys())
      if (!this.#contents.has(name)) throw this.#failure(`${name} has never existed`, loss);
    const broken = await this.#brokenFinal(view, state);
    if (broken !== undefined) throw this.#failure(`"${broken}" was acknowledged, and is lost`, loss);
  }

  async #brokenFinal(view: View, state: DiskState): Promise<string | undefined> {
    const key = keyOf(view);
    if (!this.#broken.has(key)) {
      const finals = this.#acknowledged.filter(({ promised }) => promised.isFinal);
      if (finals.length > 0) await this.#folder.open(state);
      this.#broken.set(key, finals.find(({ promised }) => !isKept(this.#folder.path, promised))?.name);
    }
    return this.#broken.get(key);
  }

  async #view(state: DiskState, loss: Loss = NO_LOSS): Promise<View> {
    this.#states += 1;
    const key = keyOfState(state);
    const known = this.#views.get(key);
    if (known !== undefined) return known;
    try {
      const view = await this.#folder.open(state, this.#staleMemory(key));
      this.#views.set(key, view);
      if (await this.#options.onState(state)) this.#programs += 1;
      return view;
    } catch (error) {
      throw this.#failure(printed(error), loss);
    }
  }

  /** In half of the states. */
  #staleMemory(key: string): Uint8Array | undefined {
    return key.charCodeAt(0) % 2 === 0 ? this.#options.staleMemory : undefined;
  }

  #pathOf(commit: number): string {
    return join(this.#path, String(commit));
  }

  #failure(message: string, loss: Loss = NO_LOSS): CrashFailure {
    return new CrashFailure(message, this.disk.calls, loss);
  }
}

function printed(error: unknown): string {
  return `${error instanceof Error ? error.stack : error}`;
}

function isKept(folder: string, { holds, database = DATABASE }: Promised): boolean {
  const names = database === ANY_FILE ? databasesIn(folder) : [database];
  return names.some((name) => holdsIn(join(folder, name), holds));
}

function contentOf(view: View, name: string): string {
  return view.get(name) ?? ABSENT;
}

function keyOf(view: View): string {
  return JSON.stringify([...view].toSorted());
}

function keyOfState(state: DiskState): string {
  const hashes = [...state].map(([name, { hash }]) => `${name} ${hash}`);
  return createHash('sha1').update(hashes.toSorted().join('\n')).digest('base64');
}
