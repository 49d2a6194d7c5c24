/** A lightweight HTTP client: one keep-alive connection to a local server, one request at a time, no pipelining. */

import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

/** How many bytes of an error response to show. */
const SHOWN = 1_000;

type Done = (bytes: number, status: number) => void;

/** Which statuses are not errors. */
type Expected = (status: number) => boolean;

const isSuccess: Expected = (status) => status >= 200 && status <= 299;

export class Connection {
  readonly #socket: Socket;
  readonly #fail: (error: Error) => void;
  readonly #isExpected: Expected;
  #response = new ResponseReader();
  #done: Done | undefined;

  private constructor(socket: Socket, fail: (error: Error) => void, isExpected: Expected) {
    this.#socket = socket;
    this.#fail = fail;
    this.#isExpected = isExpected;
    socket.on('data', (chunk) => this.#read(chunk));
    socket.on('error', fail);
    socket.on('close', () => this.#done !== undefined && fail(new Error('the server closed the connection')));
  }

  /** `fail` is called for connection errors and for any response whose status is not expected. */
  static async open(port: number, fail: (error: Error) => void, isExpected = isSuccess): Promise<Connection> {
    const socket = connect({ port, host: '127.0.0.1', noDelay: true });
    await once(socket, 'connect');
    return new Connection(socket, fail, isExpected);
  }

  send(request: string, done: Done): void {
    this.#done = done;
    this.#response = new ResponseReader();
    this.#socket.write(request, 'latin1');
  }

  close(): void {
    this.#done = undefined;
    this.#socket.destroy();
  }

  #read(chunk: Buffer): void {
    const response = this.#response;
    if (!response.isCompleteAfter(chunk)) return;
    if (!this.#isExpected(response.status)) {
      this.#fail(new Error(`the server returned ${response.status}: ${response.errorText}`));
      return;
    }
    const done = this.#done;
    this.#done = undefined;
    done?.(response.bytes, response.status);
  }
}

/** Parses one HTTP/1.1 response as it arrives, with a Content-Length or chunked. */
class ResponseReader {
  status = 0;
  bytes = 0;
  errorText = '';
  /** Bytes read but not parsed yet: part of the head or of a line between chunks. */
  #rest: Buffer | undefined;
  #state: 'head' | 'body' | 'chunk line' | 'chunk' | 'trailers' | 'complete' = 'head';
  /** Bytes left of the body, or of the chunk and the line end after it. */
  #left = 0;

  isCompleteAfter(chunk: Buffer): boolean {
    let unread: Buffer | undefined = this.#rest === undefined ? chunk : Buffer.concat([this.#rest, chunk]);
    this.#rest = undefined;
    while (unread !== undefined && this.#state !== 'complete') unread = this.#step(unread);
    return this.#state === 'complete';
  }

  /** Returns what is left to parse; undefined if more has to arrive first. */
  #step(unread: Buffer): Buffer | undefined {
    if (this.#state === 'body' || this.#state === 'chunk') return this.#body(unread);
    const delimiter = this.#state === 'head' ? '\r\n\r\n' : '\r\n';
    const end = unread.indexOf(delimiter);
    if (end === -1) {
      this.#rest = unread;
      return undefined;
    }
    const text = unread.toString('latin1', 0, end);
    if (this.#state === 'head') this.#head(text);
    else if (this.#state === 'chunk line') this.#chunkLine(text);
    else if (text === '') this.#state = 'complete';
    return unread.subarray(end + delimiter.length);
  }

  #head(text: string): void {
    this.status = Number(text.slice(9, 12));
    const length = /\r\ncontent-length: *(\d+)/i.exec(text)?.[1];
    this.#left = Number(length ?? 0);
    if (length !== undefined) this.#state = this.#left === 0 ? 'complete' : 'body';
    else this.#state = /\r\ntransfer-encoding: *chunked/i.test(text) ? 'chunk line' : 'complete';
  }

  #chunkLine(text: string): void {
    const size = Number.parseInt(text, 16);
    this.#left = size + 2;
    this.#state = size === 0 ? 'trailers' : 'chunk';
  }

  #body(unread: Buffer): Buffer | undefined {
    const taken = Math.min(unread.length, this.#left);
    this.#left -= taken;
    this.bytes += taken;
    if (this.status > 299 && this.errorText.length < SHOWN)
      this.errorText += unread.toString('latin1', 0, Math.min(taken, SHOWN));
    if (this.#left > 0) return undefined;
    this.#state = this.#state === 'body' ? 'complete' : 'chunk line';
    return unread.subarray(taken);
  }
}
