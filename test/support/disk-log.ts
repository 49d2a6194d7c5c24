/** The log of what programs do to the files in a folder, in the order in which they did it. Tests add marks of their own. */

import {
  appendFileSync,
  closeSync,
  type Dirent,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';

/** A file is the number of its inode: its name may change. */
export type DiskCall =
  | { readonly kind: 'create'; readonly file: number; readonly path: string }
  | { readonly kind: 'write'; readonly file: number; readonly offset: number; readonly bytes: Buffer }
  | { readonly kind: 'truncate'; readonly file: number; readonly length: number }
  | { readonly kind: 'sync' | 'failed sync'; readonly file: number }
  | { readonly kind: 'sync folder'; readonly path: string }
  | { readonly kind: 'link'; readonly file: number; readonly path: string }
  | { readonly kind: 'rename'; readonly file: number; readonly from: string; readonly path: string }
  | { readonly kind: 'unlink' | 'make folder'; readonly path: string }
  | { readonly kind: 'mark'; readonly text: string };

/** In the order of their numbers in disk-faults.c, from 1. */
const KINDS = [
  'create',
  'write',
  'truncate',
  'sync',
  'failed sync',
  'sync folder',
  'link',
  'rename',
  'unlink',
  'make folder',
  'mark',
] as const satisfies readonly DiskCall['kind'][];

/** The length of `struct record` in disk-faults.c. */
const HEADER = 32;

export class DiskLog {
  readonly path: string;
  readonly #folder: string;
  #read = 0;

  /** `folder` has an absolute path without links, and so has everything in the log. */
  constructor(path: string, folder: string) {
    this.path = path;
    this.#folder = folder;
    writeFileSync(path, '');
  }

  /** The environment of a program that has the library of `preloaded`. */
  get env(): Readonly<Record<string, string>> {
    return { DISK_LOG: this.path, DISK_LOG_FOLDER: this.#folder };
  }

  /** What is in the folder before programs are logged, as if it had been written and synchronized now. */
  addFiles(folder = this.#folder): void {
    for (const entry of readdirSync(folder, { withFileTypes: true })) this.#addEntry(entry);
    this.#append('sync folder', { path: folder });
  }

  #addEntry(entry: Dirent): void {
    const path = join(entry.parentPath, entry.name);
    if (entry.isDirectory()) {
      this.#append('make folder', { path });
      this.addFiles(path);
      return;
    }
    const file = statSync(path).ino;
    this.#append('create', { file, path });
    this.#append('write', { file, bytes: readFileSync(path) });
    this.#append('sync', { file });
  }

  mark(text: string): void {
    this.#append('mark', { path: text });
  }

  #append(
    kind: (typeof KINDS)[number],
    { file = 0, path = '', bytes = Buffer.alloc(0) }: { file?: number; path?: string; bytes?: Buffer },
  ): void {
    const name = Buffer.from(path);
    const header = Buffer.alloc(HEADER);
    header.writeUInt32LE(HEADER + name.length + bytes.length, 0);
    header.writeUInt32LE(KINDS.indexOf(kind) + 1, 4);
    header.writeBigUInt64LE(BigInt(file), 8);
    header.writeUInt32LE(name.length, 24);
    appendFileSync(this.path, Buffer.concat([header, name, bytes]));
  }

  /** What was added since this was called before. */
  readNew(): readonly DiskCall[] {
    const bytes = Buffer.alloc(statSync(this.path).size - this.#read);
    const file = openSync(this.path, 'r');
    readSync(file, bytes, 0, bytes.length, this.#read);
    closeSync(file);
    this.#read += bytes.length;
    return [...diskCalls(bytes)];
  }
}

export function* diskCalls(log: Buffer): Generator<DiskCall> {
  for (let at = 0; at < log.length; ) {
    const record = log.subarray(at, at + log.readUInt32LE(at));
    yield diskCall(record);
    at += record.length;
  }
}

function diskCall(record: Buffer): DiskCall {
  const kind: DiskCall['kind'] | undefined = KINDS[record.readUInt32LE(4) - 1];
  const file = Number(record.readBigUInt64LE(8));
  const offset = Number(record.readBigUInt64LE(16));
  const pathEnd = HEADER + record.readUInt32LE(24);
  const otherEnd = pathEnd + record.readUInt32LE(28);
  const path = record.toString('utf8', HEADER, pathEnd);
  switch (kind) {
    case 'create':
    case 'link':
      return { kind, file, path };
    case 'write':
      return { kind, file, offset, bytes: record.subarray(otherEnd) };
    case 'truncate':
      return { kind, file, length: offset };
    case 'sync':
    case 'failed sync':
      return { kind, file };
    case 'rename':
      return { kind, file, from: path, path: record.toString('utf8', pathEnd, otherEnd) };
    case 'sync folder':
    case 'unlink':
    case 'make folder':
      return { kind, path };
    case 'mark':
      return { kind, text: path };
    case undefined:
      throw new Error('the log has a call of an unknown kind');
  }
}
