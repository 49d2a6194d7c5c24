/**
 * Writes the log without delaying requests. Lines are collected and written together, on a thread of Node's pool. If
 * nobody reads the log, for example because a pipe is full, lines are dropped and counted: the service neither waits nor
 * collects them without bound. Lines of several processes that write to the same pipe are not mixed.
 */

import { fstatSync, write, writeSync } from 'node:fs';
import { type CancelTimer, type Clock, systemClock } from '../schedule/clock.ts';
import { MAX_LINE } from './log-line.ts';

/** How long a line that is not urgent may wait for others, in milliseconds. */
const COLLECT_TIME = 50;

/** The collected lines are written at once if they have this many characters. */
const CHUNK = 512 * 1024;

/** The maximum number of characters that wait to be written; further lines are dropped. */
export const MAX_WAITING = 4 * 1024 * 1024;

/** Writing that takes longer, in milliseconds, is stuck: it would not help to wait for it. */
const STUCK = 1_000;

/** How long to wait for a terminal or a pipe that does not take anything for the moment, in milliseconds. */
const RETRY_PAUSE = 20;

/** Complete lines that are written by one call. Only a single line that is too long makes a group exceed its limit. */
interface Group {
  text: string;
  lines: number;
  bytes: number;
}

interface Writing {
  /** Of the group that is being written. */
  rest: Buffer;
  lines: number;
  /** Whether a thread is writing, rather than a pause before the next attempt. */
  isUnderWay: boolean;
  /** Those after it. */
  readonly groups: Group[];
  /** A monotonic time. */
  readonly since: number;
}

const NOTHING: Omit<Writing, 'groups'> & { readonly groups: readonly Group[] } = {
  rest: Buffer.alloc(0),
  lines: 0,
  isUnderWay: false,
  groups: [],
  since: 0,
};

export class LogWriter {
  readonly #fd: number;
  readonly #clock: Clock;
  /** The line that says how many were dropped. */
  readonly #droppedLine: (count: number) => string;
  /** The maximum number of bytes of a group. A write to a file is never mixed with another, whatever its size. */
  readonly #maxGroup: number;
  #waiting: Group[] = [];
  #waitingLength = 0;
  #dropped = 0;
  #writing: Writing | undefined;
  #cancelTimer: CancelTimer | undefined;

  constructor(fd: number, droppedLine: (count: number) => string, clock: Clock = systemClock) {
    this.#fd = fd;
    this.#clock = clock;
    this.#droppedLine = droppedLine;
    this.#maxGroup = isFile(fd) ? CHUNK : MAX_LINE;
  }

  /** `line` ends with a line break. An urgent one is written at once, together with those before it. */
  write(line: string, isUrgent: boolean): void {
    if (this.#waitingLength + line.length > MAX_WAITING) {
      this.#dropped += 1;
      return;
    }
    this.#add(line);
    if (isUrgent || this.#waitingLength >= CHUNK) this.#start();
    else this.#cancelTimer ??= this.#clock.after(COLLECT_TIME, () => this.#start());
  }

  /** Whether nobody reads what is being written. */
  get isStuck(): boolean {
    return this.#writing !== undefined && this.#clock.monotonic() - this.#writing.since > STUCK;
  }

  /** For the end of the process, when nothing asynchronous is possible any more. */
  writeRest(): void {
    if (this.isStuck) return;
    const deadline = this.#clock.monotonic() + STUCK;
    const { rest, isUnderWay, groups } = this.#writing ?? NOTHING;
    try {
      // A write that is under way completes by itself: the process waits for its thread.
      if (!isUnderWay) this.#writeNow(rest, deadline);
      for (const { text } of [...groups, ...this.#take()]) this.#writeNow(Buffer.from(text), deadline);
    } catch {
      // Nobody can be told.
    }
  }

  #writeNow(bytes: Buffer, deadline: number): void {
    for (let rest = bytes; rest.length > 0; ) {
      try {
        rest = rest.subarray(writeSync(this.#fd, rest));
      } catch (error) {
        if (!isFull(error) || this.#clock.monotonic() > deadline) throw error;
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, RETRY_PAUSE);
      }
    }
  }

  #add(line: string): void {
    const bytes = Buffer.byteLength(line);
    const last = this.#waiting.at(-1);
    if (last !== undefined && last.bytes + bytes <= this.#maxGroup) {
      last.text += line;
      last.lines += 1;
      last.bytes += bytes;
    } else this.#waiting.push({ text: line, lines: 1, bytes });
    this.#waitingLength += line.length;
  }

  #take(): Group[] {
    this.#cancelTimer?.();
    this.#cancelTimer = undefined;
    if (this.#dropped > 0) this.#add(this.#droppedLine(this.#dropped));
    const groups = this.#waiting;
    this.#waiting = [];
    this.#waitingLength = 0;
    this.#dropped = 0;
    return groups;
  }

  #start(): void {
    if (this.#writing !== undefined || this.#waiting.length + this.#dropped === 0) return;
    this.#writing = { ...NOTHING, groups: this.#take(), since: this.#clock.monotonic() };
    this.#continue(this.#writing);
  }

  #continue(writing: Writing): void {
    if (writing.rest.length === 0) {
      const next = writing.groups.shift();
      if (next === undefined) {
        this.#writing = undefined;
        this.#start();
        return;
      }
      writing.rest = Buffer.from(next.text);
      writing.lines = next.lines;
    }
    writing.isUnderWay = true;
    write(this.#fd, writing.rest, (error, written) => {
      writing.isUnderWay = false;
      if (isFull(error)) {
        // Keeps the process alive: what is being written is complete before it ends.
        void this.#clock.pause(RETRY_PAUSE).then(() => this.#continue(writing));
      } else if (error === null) {
        writing.rest = writing.rest.subarray(written);
        this.#continue(writing);
      } else {
        // The reader has gone, or the disk is full: the next lines may be written again.
        this.#writing = undefined;
        this.#dropped += writing.groups.reduce((sum, { lines }) => sum + lines, writing.lines);
      }
    });
  }
}

function isFile(fd: number): boolean {
  try {
    return fstatSync(fd).isFile();
  } catch {
    // A process may be started without a stderr.
    return false;
  }
}

/** Whether a terminal or a pipe does not take anything for the moment. */
function isFull(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'EAGAIN';
}
