/**
 * A thread that reads. A snapshot is a transaction on a connection of its own, which stays open from its first statement to
 * its last; in between, others get their turn.
 */

import { constants, setPriority } from 'node:os';
import type { CommandHandler } from '../../threads/run-thread.ts';
import { CHUNK_BYTES, type Chunk, MAX_TEXT_BYTES } from '../engine/engine.ts';
import type { Row } from '../sql/row.ts';
import type { Statement } from '../sql/statement.ts';
import type { Connection } from './connection.ts';
import type { FileGuard } from './file-guard.ts';
import { runFileThread } from './file-thread.ts';

export type ReadCommand =
  /** The first read of a snapshot opens it, under a number that identifies it in later commands. */
  | {
      readonly kind: 'read';
      readonly snapshot: number;
      readonly isFirst: boolean;
      readonly account: number;
      readonly statement: Statement;
    }
  /** The first one has the statement, whose lines the others continue. */
  | { readonly kind: 'next'; readonly snapshot: number; readonly statement?: Statement }
  /** The connection of a stream is not used again: it may have been closed at any point. */
  | { readonly kind: 'close'; readonly snapshot: number; readonly isStream: boolean };

export type ReadResult =
  | { readonly kind: 'rows'; readonly rows: readonly Row[] }
  /** Undefined at the end of the lines. */
  | { readonly kind: 'chunk'; readonly chunk: Chunk | undefined }
  | { readonly kind: 'done' };

interface Snapshot {
  readonly connection: Connection;
  lines?: Iterator<string>;
}

const encoder = new TextEncoder();

/** The maximum number of connections that stay open when no snapshot uses them. */
const MAX_IDLE = 4;

class ReaderHandler implements CommandHandler<ReadCommand, ReadResult> {
  readonly #file: FileGuard;
  readonly #snapshots = new Map<number, Snapshot>();
  readonly #idle: Connection[] = [];

  constructor(file: FileGuard) {
    this.#file = file;
  }

  execute(command: ReadCommand): ReadResult {
    switch (command.kind) {
      case 'read':
        if (command.isFirst) this.#open(command.snapshot);
        return { kind: 'rows', rows: this.#read(command.snapshot, command.statement, command.account) };
      case 'next':
        return { kind: 'chunk', chunk: this.#next(command.snapshot, command.statement) };
      case 'close':
        return this.#end(command.snapshot, command.isStream);
    }
  }

  transferred(result: ReadResult): readonly ArrayBuffer[] {
    return result.kind === 'chunk' && result.chunk !== undefined ? [result.chunk.bytes.buffer] : [];
  }

  close(): void {
    for (const { connection } of this.#snapshots.values()) connection.close();
    for (const connection of this.#idle) connection.close();
  }

  #open(number: number): void {
    const connection = this.#idle.pop() ?? this.#file.open({ isMapped: true, maxTextBytes: MAX_TEXT_BYTES });
    connection.execute('BEGIN');
    this.#snapshots.set(number, { connection });
  }

  #snapshot(number: number): Snapshot {
    const snapshot = this.#snapshots.get(number);
    if (snapshot === undefined) throw new Error('there is no such snapshot');
    return snapshot;
  }

  #read(number: number, statement: Statement, account: number): readonly Row[] {
    const { connection } = this.#snapshot(number);
    const rows = connection.read(statement, account);
    this.#file.verify(connection);
    return rows;
  }

  #next(number: number, statement: Statement | undefined): Chunk | undefined {
    const snapshot = this.#snapshot(number);
    if (statement !== undefined) snapshot.lines = snapshot.connection.lines(statement);
    let text = '';
    let lines = 0;
    while (text.length < CHUNK_BYTES) {
      const { done, value } = snapshot.lines?.next() ?? { done: true };
      if (done) break;
      text += value;
      lines += 1;
    }
    this.#file.verify(snapshot.connection);
    return lines === 0 ? undefined : { bytes: encoder.encode(text), lines };
  }

  #end(number: number, isStream: boolean): ReadResult {
    const snapshot = this.#snapshots.get(number);
    this.#snapshots.delete(number);
    if (snapshot === undefined) return { kind: 'done' };
    const { connection, lines } = snapshot;
    // A statement that may be in the middle of its rows ends with its connection.
    if (!isStream && lines === undefined && this.#idle.length < MAX_IDLE) {
      connection.execute('COMMIT');
      this.#idle.push(connection);
    } else {
      connection.close();
    }
    return { kind: 'done' };
  }
}

// Requests that are served at once come first. On Linux, a thread has a priority of its own.
if (process.platform === 'linux') setPriority(constants.priority.PRIORITY_BELOW_NORMAL);
// It sorts in temporary files, and writes nothing else.
runFileThread((file) => new ReaderHandler(file), 'temporary files');
