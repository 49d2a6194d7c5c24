/** Single calls of programs that fail: the N-th one that changes a file in a folder, and those that follow if told so. */

import { closeSync, openSync, readSync, writeSync } from 'node:fs';
import { constants } from 'node:os';

export type CallFault = 'EIO' | 'ENOSPC' | 'EINTR' | 'short write';

/** In `struct calls` of disk-faults.c. */
const [FAIL, SHORTEN] = [1, 2];
const MEMBERS = 6;
const SIZE = 8 * MEMBERS;

export class DiskCalls {
  readonly #path: string;
  readonly #folder: string;
  readonly #file: number;

  /** `folder` has an absolute path without links. */
  constructor(path: string, folder: string) {
    this.#path = path;
    this.#folder = folder;
    this.#file = openSync(path, 'w+');
    this.#set([]);
  }

  /** The environment of a program that has the library of `preloaded`. */
  get env(): Readonly<Record<string, string>> {
    return { DISK_CALLS: this.#path, DISK_CALLS_FOLDER: this.#folder };
  }

  /** From now on, counted from 1. */
  fail(fault: CallFault, first: number, last: number): void {
    const [kind, error] = fault === 'short write' ? [SHORTEN, 0] : [FAIL, constants.errno[fault]];
    this.#set([kind, error, first, last]);
  }

  /** Returns how many calls there were since, and how many of them have failed. */
  recover(): { readonly counted: number; readonly failed: number } {
    const members = Buffer.alloc(SIZE);
    readSync(this.#file, members, 0, SIZE, 0);
    this.#set([0, 0, 0, 0]);
    return { counted: Number(members.readBigInt64LE(SIZE - 16)), failed: Number(members.readBigInt64LE(SIZE - 8)) };
  }

  close(): void {
    closeSync(this.#file);
  }

  /** The first one, which switches it, comes last. */
  #set(given: readonly number[]): void {
    const members = Buffer.alloc(SIZE);
    for (const [index, value] of given.entries()) members.writeBigInt64LE(BigInt(value), 8 * index);
    writeSync(this.#file, Buffer.alloc(8), 0, 8, 0);
    writeSync(this.#file, members, 8, SIZE - 8, 8);
    writeSync(this.#file, members, 0, 8, 0);
  }
}
