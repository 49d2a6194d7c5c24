/**
 * Writes the log without delaying requests. Lines are collected and written together, on a thread of Node's pool. If
 * nobody reads the log, for example because a pipe is full, lines are dropped and counted: the service neither waits nor
 * collects them without bound.
 */

import { write, writeSync } from 'node:fs';

/** How long a line that is not urgent may wait for others, in milliseconds. */
const COLLECT_TIME = 50;

/** The collected lines are written at once if they have this many characters. */
const CHUNK = 64 * 1024;

/** The most characters that wait to be written; further lines are dropped. */
export const MAX_WAITING = 4 * 1024 * 1024;

/** A write that takes longer, in milliseconds, is stuck: it would not help to wait for it. */
const STUCK = 1_000;

/** How long to wait for a terminal or a pipe that does not take anything for the moment, in milliseconds. */
const RETRY_PAUSE = 20;

interface Writing {
  rest: Buffer;
  readonly lines: number;
  /** On the clock of `performance.now()`. */
  readonly since: number;
}

export class LogWriter {
  readonly #fd: number;
  /** The line that says how many were dropped. */
  readonly #droppedLine: (count: number) => string;
  #waiting = '';
  #waitingLines = 0;
  #dropped = 0;
  #writing: Writing | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(fd: number, droppedLine: (count: number) => string) {
    this.#fd = fd;
    this.#droppedLine = droppedLine;
  }

  /** `line` ends with a line break. An urgent one is written at once, together with those before it. */
  write(line: string, isUrgent: boolean): void {
    if (this.#waiting.length + line.length > MAX_WAITING) {
      this.#dropped += 1;
      return;
    }
    this.#waiting += line;
    this.#waitingLines += 1;
    if (isUrgent || this.#waiting.length >= CHUNK) this.#start();
    else this.#timer ??= setTimeout(() => this.#start(), COLLECT_TIME).unref();
  }

  /** Whether nobody reads what is being written. */
  get isStuck(): boolean {
    return this.#writing !== undefined && performance.now() - this.#writing.since > STUCK;
  }

  /** For the end of the process, when nothing asynchronous is possible any more. */
  writeRest(): void {
    if (this.isStuck) return;
    let rest = Buffer.from(this.#take());
    try {
      while (rest.length > 0) rest = rest.subarray(writeSync(this.#fd, rest));
    } catch {
      // Nobody can be told.
    }
  }

  #take(): string {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const text = this.#dropped === 0 ? this.#waiting : this.#waiting + this.#droppedLine(this.#dropped);
    this.#waiting = '';
    this.#waitingLines = 0;
    this.#dropped = 0;
    return text;
  }

  #start(): void {
    if (this.#writing !== undefined || this.#waitingLines + this.#dropped === 0) return;
    const lines = this.#waitingLines + this.#dropped;
    this.#writing = { rest: Buffer.from(this.#take()), lines, since: performance.now() };
    this.#continue(this.#writing);
  }

  #continue(writing: Writing): void {
    write(this.#fd, writing.rest, (error, written) => {
      if (error?.code === 'EAGAIN') {
        setTimeout(() => this.#continue(writing), RETRY_PAUSE);
        return;
      }
      if (error === null && written < writing.rest.length) {
        writing.rest = writing.rest.subarray(written);
        this.#continue(writing);
        return;
      }
      this.#writing = undefined;
      // The reader has gone, or the disk is full: the next lines may be written again.
      if (error === null) this.#start();
      else this.#dropped += writing.lines;
    });
  }
}
