/**
 * A disk, as a log of calls has left it, and what could be on it if the machine crashed now: what was not synchronized is there or not, in
 * any combination. A file gets its name for good when its folder is synchronized, and its content when it is synchronized itself.
 */

import { createHash } from 'node:crypto';
import { dirname } from 'node:path';
import type { DiskCall } from '../../support/disk-log.ts';

/** What a crash leaves of a call that was not synchronized: nothing, or a part of the bytes of a write. */
export type Remains = 'nothing' | { readonly from: number; readonly to: number };

/** By the numbers of calls. Of those that are not mentioned, everything is left. */
export type Loss = ReadonlyMap<number, Remains>;

export const NO_LOSS: Loss = new Map();

/** The contents of files by their paths. */
export type DiskState = ReadonlyMap<string, Content>;

/** The bytes of a file. */
export interface Content {
  readonly bytes: Uint8Array;
  readonly hash: string;
}

interface Pending {
  readonly number: number;
  readonly file?: DiskFile;
  readonly change: Change;
  /** It was synchronized, but something before it was not, and never will be. */
  isDurable: boolean;
  /** A file could not be synchronized. The kernel does not try again: nobody knows whether what was written until then is there. */
  isStuck: boolean;
}

type Change =
  | { readonly kind: 'write'; readonly offset: number; readonly bytes: Uint8Array }
  | { readonly kind: 'truncate'; readonly length: number }
  | {
      readonly kind: 'names';
      readonly folder: string;
      readonly names: readonly (readonly [string, Entry | undefined])[];
    };

type Entry = DiskFile | 'folder';

class DiskFile {
  /** What is certain to be there. */
  readonly durable = new GrowingBytes();
  /** What is there while the machine runs. */
  readonly current = new GrowingBytes();
}

export class Disk {
  readonly #root: string;
  /** By the number that they have now. */
  readonly #files = new Map<number, DiskFile>();
  readonly #durableNames = new Map<string, Entry>();
  readonly #names = new Map<string, Entry>();
  #pending: Pending[] = [];
  #calls = 0;

  /** A state is what is in the root, with paths relative to it. Only what the root is in has always been there. */
  constructor(root: string) {
    this.#root = root;
  }

  /** How many calls it has seen, which is the number of the last one. */
  get calls(): number {
    return this.#calls;
  }

  /** The numbers of the calls of which a crash could leave nothing, in their order. */
  get losable(): readonly number[] {
    return this.#pending.filter(({ isDurable }) => !isDurable).map(({ number }) => number);
  }

  /** Where the bytes of a write that could be lost are in their file; undefined if it is another call. */
  extentOf(call: number): { readonly offset: number; readonly length: number } | undefined {
    const change = this.#pending.find(({ number, isDurable }) => number === call && !isDurable)?.change;
    return change?.kind === 'write' ? { offset: change.offset, length: change.bytes.length } : undefined;
  }

  /** Returns whether something that a crash could leave has changed. */
  apply(call: DiskCall): boolean {
    this.#calls += 1;
    switch (call.kind) {
      case 'create': {
        const file = new DiskFile();
        this.#files.set(call.file, file);
        return this.#rename([[call.path, file]]);
      }
      case 'link':
        return this.#rename([[call.path, this.#fileOf(call.file)]]);
      case 'rename':
        return this.#rename([
          [call.from, undefined],
          [call.path, this.#fileOf(call.file)],
        ]);
      case 'unlink':
        return this.#rename([[call.path, undefined]]);
      case 'make folder':
        return this.#rename([[call.path, 'folder']]);
      case 'write':
        return this.#change(this.#fileOf(call.file), { kind: 'write', offset: call.offset, bytes: call.bytes });
      case 'truncate':
        return this.#change(this.#fileOf(call.file), { kind: 'truncate', length: call.length });
      case 'sync':
        return this.#synchronize(({ file }) => file === this.#fileOf(call.file));
      case 'sync folder':
        return this.#synchronize(({ change }) => change.kind === 'names' && change.folder === call.path);
      case 'failed sync':
        for (const pending of this.#pending) if (pending.file === this.#fileOf(call.file)) pending.isStuck = true;
        return false;
      case 'mark':
        return false;
    }
  }

  /** What is in the folder after a crash, if that is lost. */
  state(loss: Loss = NO_LOSS): DiskState {
    const isRunning = loss.size === 0;
    const names = new Map(isRunning ? this.#names : this.#durableNames);
    const contents = new Map<DiskFile, GrowingBytes>();
    const contentOf = (file: DiskFile) => contents.get(file) ?? (isRunning ? file.current : file.durable);
    for (const { number, file, change } of isRunning ? [] : this.#pending) {
      const remains = loss.get(number);
      if (remains === 'nothing') continue;
      if (change.kind === 'names') {
        for (const [path, entry] of change.names) setName(names, path, entry);
      } else if (file !== undefined) {
        const content = contents.get(file) ?? file.durable.clone();
        contents.set(file, content);
        content.apply(change, remains);
      }
    }
    const state = new Map<string, Content>();
    for (const [path, entry] of names) {
      if (entry === 'folder' || !path.startsWith(`${this.#root}/`) || !this.#isReachable(path, names)) continue;
      state.set(path.slice(this.#root.length + 1), contentOf(entry));
    }
    return state;
  }

  #isReachable(path: string, names: ReadonlyMap<string, Entry>): boolean {
    return path === this.#root ? names.has(path) : this.#isReachable(dirname(path), names);
  }

  #fileOf(number: number): DiskFile {
    const file = this.#files.get(number) ?? new DiskFile();
    this.#files.set(number, file);
    return file;
  }

  #rename(names: readonly (readonly [string, Entry | undefined])[]): boolean {
    const [[path] = ['']] = names;
    for (const [name, entry] of names) setName(this.#names, name, entry);
    this.#add({ change: { kind: 'names', folder: dirname(path), names } });
    return true;
  }

  #change(file: DiskFile, change: Change): boolean {
    file.current.apply(change);
    this.#add({ file, change });
    return true;
  }

  #add(pending: Pick<Pending, 'file' | 'change'>): void {
    this.#pending.push({ ...pending, number: this.#calls, isDurable: false, isStuck: false });
  }

  #synchronize(isAffected: (pending: Pending) => boolean): boolean {
    const affected = this.#pending.filter(isAffected);
    for (const pending of affected) pending.isDurable ||= !pending.isStuck;
    // What is stuck, and was written again since, does not matter any more.
    const remaining = affected.filter((pending, index) => !isCovered(pending, affected.slice(index + 1)));
    const firstStuck = remaining.findIndex(({ isStuck }) => isStuck);
    const settled = firstStuck === -1 ? remaining : remaining.slice(0, firstStuck);
    for (const { file, change } of settled) {
      if (change.kind === 'names') for (const [path, entry] of change.names) setName(this.#durableNames, path, entry);
      else file?.durable.apply(change);
    }
    const kept = new Set(remaining.slice(settled.length));
    this.#pending = this.#pending.filter((pending) => !isAffected(pending) || kept.has(pending));
    return affected.length > 0;
  }
}

/** Whether it is stuck, and everything that it wrote was written again, durably. */
function isCovered({ change, isStuck }: Pending, later: readonly Pending[]): boolean {
  if (!isStuck || change.kind !== 'write') return false;
  return later.some(
    ({ change: other, isDurable }) =>
      isDurable &&
      other.kind === 'write' &&
      other.offset <= change.offset &&
      other.offset + other.bytes.length >= change.offset + change.bytes.length,
  );
}

function setName(names: Map<string, Entry>, path: string, entry: Entry | undefined): void {
  if (entry === undefined) names.delete(path);
  else names.set(path, entry);
}

class GrowingBytes implements Content {
  #buffer = Buffer.alloc(0);
  #length = 0;
  #hash: string | undefined;

  get bytes(): Uint8Array {
    return this.#buffer.subarray(0, this.#length);
  }

  get hash(): string {
    this.#hash ??= createHash('sha1').update(this.bytes).digest('base64');
    return this.#hash;
  }

  clone(): GrowingBytes {
    const clone = new GrowingBytes();
    clone.#buffer = Buffer.from(this.bytes);
    clone.#length = this.#length;
    return clone;
  }

  apply(change: Change, remains: Exclude<Remains, 'nothing'> | undefined = undefined): void {
    this.#hash = undefined;
    if (change.kind === 'truncate') this.#resize(change.length);
    if (change.kind !== 'write') return;
    const { from, to } = remains ?? { from: 0, to: change.bytes.length };
    if (change.offset + to > this.#length) this.#resize(change.offset + to);
    this.#buffer.set(change.bytes.subarray(from, to), change.offset + from);
  }

  /** What is new is zeros. */
  #resize(length: number): void {
    if (length > this.#buffer.length) {
      const larger = Buffer.alloc(2 * length);
      larger.set(this.bytes);
      this.#buffer = larger;
    } else if (length < this.#length) this.#buffer.fill(0, length, this.#length);
    this.#length = length;
  }
}
