/** A keep-alive connection to a server on this machine that costs little itself: one request at a time, no pipelining. */

import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

/** How much of an answer that is no success is kept, to be shown. */
const KEPT = 1_000;

type Done = (bytes: number) => void;

export class Connection {
  readonly #socket: Socket;
  readonly #fail: (error: Error) => void;
  #answer = new Answer();
  #done: Done | undefined;

  private constructor(socket: Socket, fail: (error: Error) => void) {
    this.#socket = socket;
    this.#fail = fail;
    socket.on('data', (chunk) => this.#read(chunk));
    socket.on('error', fail);
    socket.on('close', () => this.#done !== undefined && fail(new Error('the server closed the connection')));
  }

  /** `fail` hears of everything that is not an answer of success. */
  static async open(port: number, fail: (error: Error) => void): Promise<Connection> {
    const socket = connect({ port, host: '127.0.0.1', noDelay: true });
    await once(socket, 'connect');
    return new Connection(socket, fail);
  }

  send(request: string, done: Done): void {
    this.#done = done;
    this.#answer = new Answer();
    this.#socket.write(request, 'latin1');
  }

  close(): void {
    this.#done = undefined;
    this.#socket.destroy();
  }

  #read(chunk: Buffer): void {
    const answer = this.#answer;
    if (!answer.isWholeWith(chunk)) return;
    if (answer.status < 200 || answer.status > 299) {
      this.#fail(new Error(`answered with ${answer.status}: ${answer.kept}`));
      return;
    }
    const done = this.#done;
    this.#done = undefined;
    done?.(answer.bytes);
  }
}

/** One HTTP/1.1 answer, with a length or in chunks, as its bytes come in. */
class Answer {
  status = 0;
  bytes = 0;
  kept = '';
  /** What was read and not yet understood: a part of the head, or of a line between chunks. */
  #rest: Buffer | undefined;
  #part: 'head' | 'body' | 'chunk line' | 'chunk' | 'trailers' | 'whole' = 'head';
  /** Bytes to come of the body, or of the chunk and its line end. */
  #left = 0;

  isWholeWith(chunk: Buffer): boolean {
    let unread: Buffer | undefined = this.#rest === undefined ? chunk : Buffer.concat([this.#rest, chunk]);
    this.#rest = undefined;
    while (unread !== undefined && this.#part !== 'whole') unread = this.#step(unread);
    return this.#part === 'whole';
  }

  /** Gives what is left to read; undefined where more has to come first. */
  #step(unread: Buffer): Buffer | undefined {
    if (this.#part === 'body' || this.#part === 'chunk') return this.#body(unread);
    const mark = this.#part === 'head' ? '\r\n\r\n' : '\r\n';
    const end = unread.indexOf(mark);
    if (end === -1) {
      this.#rest = unread;
      return undefined;
    }
    const text = unread.toString('latin1', 0, end);
    if (this.#part === 'head') this.#head(text);
    else if (this.#part === 'chunk line') this.#chunkLine(text);
    else if (text === '') this.#part = 'whole';
    return unread.subarray(end + mark.length);
  }

  #head(text: string): void {
    this.status = Number(text.slice(9, 12));
    const length = /\r\ncontent-length: *(\d+)/i.exec(text)?.[1];
    this.#left = Number(length ?? 0);
    if (length !== undefined) this.#part = this.#left === 0 ? 'whole' : 'body';
    else this.#part = /\r\ntransfer-encoding: *chunked/i.test(text) ? 'chunk line' : 'whole';
  }

  #chunkLine(text: string): void {
    const size = Number.parseInt(text, 16);
    this.#left = size + 2;
    this.#part = size === 0 ? 'trailers' : 'chunk';
  }

  #body(unread: Buffer): Buffer | undefined {
    const taken = Math.min(unread.length, this.#left);
    this.#left -= taken;
    this.bytes += taken;
    if (this.status > 299 && this.kept.length < KEPT) this.kept += unread.toString('latin1', 0, Math.min(taken, KEPT));
    if (this.#left > 0) return undefined;
    this.#part = this.#part === 'body' ? 'whole' : 'chunk line';
    return unread.subarray(taken);
  }
}
