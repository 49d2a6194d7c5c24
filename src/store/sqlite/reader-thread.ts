/**
 * A thread for slow reads and streams. Each stream has its own connection, on which one snapshot stays open from the first
 * row to the last. Streams take turns, a chunk each.
 */

import { CHUNK_BYTES, type Chunk } from '../engine/engine.ts';
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
  /** Undefined at the end of the stream. */
  | { readonly kind: 'chunk'; readonly chunk: Chunk | undefined }
  | { readonly kind: 'closed' };

interface Stream {
  readonly connection: Connection;
  readonly lines: Iterator<string>;
}

class ReaderHost implements Host<ReadOrder, ReadResult> {
  readonly #path: string;
  readonly #streams = new Map<number, Stream>();
  #opened = 0;
  /** For statements that are not streams. */
  #connection: Connection | undefined;

  constructor(path: string) {
    this.#path = path;
  }

  execute(order: ReadOrder): ReadResult {
    switch (order.kind) {
      case 'read':
        this.#connection ??= new Connection(this.#path, { isMapped: true });
        return { kind: 'rows', rows: this.#connection.read(order.statement) };
      case 'open':
        return this.#open(order.head, order.lines);
      case 'next':
        return { kind: 'chunk', chunk: this.#next(order.stream) };
      case 'close':
        return this.#end(order.stream);
    }
  }

  close(): void {
    this.#connection?.close();
    for (const stream of this.#streams.keys()) this.#end(stream);
  }

  #open(head: Statement, lines: Statement): ReadResult {
    const connection = new Connection(this.#path, { isMapped: true });
    try {
      // The first statement takes the snapshot that the others see.
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

  #next(number: number): Chunk | undefined {
    const stream = this.#streams.get(number);
    if (stream === undefined) throw new Error('there is no such stream');
    let text = '';
    let lines = 0;
    while (text.length < CHUNK_BYTES) {
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
