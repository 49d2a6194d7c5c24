/**
 * A thread that reads what takes long: single statements, and streams. Each stream has a connection of its own, on which
 * one snapshot stays open from its first row to its last. Streams take turns, a piece each.
 */

import type { Piece } from '../sql/engine.ts';
import type { Row } from '../sql/row.ts';
import type { Statement } from '../sql/statement.ts';
import { Connection } from './connection.ts';
import { type Host, hostThread } from './thread-host.ts';

export type ReadOrder =
  | { readonly kind: 'read'; readonly statement: Statement }
  | { readonly kind: 'open'; readonly head: Statement; readonly lines: Statement }
  | { readonly kind: 'next'; readonly stream: number }
  | { readonly kind: 'close'; readonly stream: number };

export type ReadResult =
  | { readonly kind: 'rows'; readonly rows: readonly Row[] }
  | { readonly kind: 'opened'; readonly stream: number; readonly head: readonly Row[] }
  /** Nothing when the stream is at its end. */
  | { readonly kind: 'piece'; readonly piece: Piece | undefined }
  | { readonly kind: 'closed' };

/** How large a piece is, about, in characters. */
const PIECE = 128 * 1024;

interface Stream {
  readonly connection: Connection;
  readonly lines: Iterator<string>;
}

class ReaderHost implements Host<ReadOrder, ReadResult> {
  readonly #path: string;
  readonly #streams = new Map<number, Stream>();
  #opened = 0;
  /** For statements that are read as a whole. */
  #own: Connection | undefined;

  constructor(path: string) {
    this.#path = path;
  }

  take(order: ReadOrder, answer: (body: () => ReadResult) => void): void {
    switch (order.kind) {
      case 'read':
        answer(() => ({ kind: 'rows', rows: this.#connection().read(order.statement) }));
        break;
      case 'open':
        answer(() => this.#open(order.head, order.lines));
        break;
      case 'next':
        answer(() => ({ kind: 'piece', piece: this.#next(order.stream) }));
        break;
      case 'close':
        answer(() => this.#end(order.stream));
        break;
    }
  }

  #connection(): Connection {
    this.#own ??= new Connection(this.#path, { isMapped: true });
    return this.#own;
  }

  close(): void {
    this.#own?.close();
    for (const stream of this.#streams.keys()) this.#end(stream);
  }

  #open(head: Statement, lines: Statement): ReadResult {
    const connection = new Connection(this.#path, { isMapped: true });
    try {
      // The first statement takes the snapshot, and the others see the same.
      connection.execute('BEGIN');
      const rows = connection.read(head);
      this.#opened += 1;
      this.#streams.set(this.#opened, { connection, lines: connection.lines(lines) });
      return { kind: 'opened', stream: this.#opened, head: rows };
    } catch (error) {
      connection.close();
      throw error;
    }
  }

  #next(number: number): Piece | undefined {
    const stream = this.#streams.get(number);
    if (stream === undefined) throw new Error('there is no such stream');
    let text = '';
    let lines = 0;
    while (text.length < PIECE) {
      const { done, value } = stream.lines.next();
      if (done) break;
      text += value;
      lines += 1;
    }
    return lines === 0 ? undefined : { bytes: Buffer.from(text), lines };
  }

  #end(number: number): ReadResult {
    const stream = this.#streams.get(number);
    this.#streams.delete(number);
    stream?.connection.close();
    return { kind: 'closed' };
  }
}

hostThread((path) => new ReaderHost(path));
