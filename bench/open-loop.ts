/**
 * The load generator of `npm run bench:overload`, in a process of its own. In the closed loop, every connection sends its next
 * request when it has a response. In the open loop, requests are due at random times, whether or not earlier ones have been answered;
 * their latency counts from when they were due, so what has to wait for a connection is not left out (coordinated omission).
 */

import { Connection } from './connection.ts';
import { listsOf100, type RequestStream, records, variedLists } from './requests.ts';

/** What the heavy account sends: requests that the service has to work little for, and some that it has to work more for. */
export const streams = { 'varied-lists': variedLists, 'lists-of-100': listsOf100 } as const;

export interface OpenLoopJob {
  readonly requests: keyof typeof streams;
  readonly port: number;
  readonly rows: number;
  /** The account that sends most requests, and its neighbour. */
  readonly keys: { readonly heavy: string; readonly quiet: string };
  /** Requests per second of the heavy account; undefined for the closed loop, without the neighbour. */
  readonly rate: number | undefined;
  readonly seconds: number;
  readonly round: number;
}

/** Latencies are in milliseconds. */
export interface Answers {
  readonly admitted: readonly number[];
  readonly refused: readonly number[];
  /** Requests that were not answered within `PATIENCE`. */
  readonly unanswered: number;
}

export interface OpenLoopResult {
  /** How many requests were answered with a success per second. */
  readonly rate: number;
  readonly heavy: Answers;
  readonly quiet: Answers;
}

const CLOSED_CONNECTIONS = 64;

/** So many that a request hardly ever waits for one of them while the service keeps up. */
const OPEN_CONNECTIONS = 512;

const QUIET_CONNECTIONS = 8;

/** Requests per second of the neighbour. */
const QUIET_RATE = 50;

/** How long requests are waited for after the last was sent, in milliseconds. */
const PATIENCE = 10_000;

const isExpected = (status: number) => status === 200 || status === 503 || status === 429;

class Lane {
  readonly admitted: number[] = [];
  readonly refused: number[] = [];
  /** Called when a connection is free. */
  onFree: (() => void) | undefined;
  readonly #key: string;
  readonly #stream: RequestStream;
  readonly #free: Connection[];
  readonly #all: readonly Connection[];
  /** When the requests that wait for a connection were due. */
  readonly #due: number[] = [];
  #sent = 0;

  constructor(key: string, stream: RequestStream, connections: readonly Connection[]) {
    this.#key = key;
    this.#stream = stream;
    this.#all = connections;
    this.#free = [...connections];
  }

  get unanswered(): number {
    return this.#due.length + this.#all.length - this.#free.length;
  }

  add(due: number): void {
    this.#due.push(due);
    this.#sendNext();
  }

  answers(): Answers {
    const { admitted, refused, unanswered } = this;
    return { admitted, refused, unanswered };
  }

  close(): void {
    for (const connection of this.#all) connection.close();
  }

  #sendNext(): void {
    const connection = this.#due.length > 0 ? this.#free.pop() : undefined;
    const due = connection && this.#due.shift();
    if (connection === undefined || due === undefined) return;
    const path = this.#stream.request(this.#sent)?.path;
    this.#sent += 1;
    const text = `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${this.#key}\r\n\r\n`;
    connection.send(text, (_, status) => {
      (status === 200 ? this.admitted : this.refused).push(performance.now() - due);
      this.#free.push(connection);
      this.onFree?.();
      this.#sendNext();
    });
  }
}

process.on('message', (job: OpenLoopJob) => {
  run(job).then(
    (result) => process.send?.(result),
    (error: unknown) => process.send?.({ error: String(error) }),
  );
});
process.on('disconnect', () => process.exit());

async function run(job: OpenLoopJob): Promise<OpenLoopResult> {
  const { port, rows, keys, rate, seconds, round } = job;
  const failure = Promise.withResolvers<never>();
  const open = (count: number) =>
    Promise.all(Array.from({ length: count }, () => Connection.open(port, failure.reject, isExpected)));
  const heavy = new Lane(
    keys.heavy,
    streams[job.requests](round, rows),
    await open(rate === undefined ? CLOSED_CONNECTIONS : OPEN_CONNECTIONS),
  );
  const quiet = new Lane(keys.quiet, records(round, rows), await open(QUIET_CONNECTIONS));
  const began = performance.now();
  const end = began + seconds * 1_000;
  const sending =
    rate === undefined
      ? closedLoop(heavy, end)
      : Promise.all([openLoop(heavy, rate, end), openLoop(quiet, QUIET_RATE, end)]);
  try {
    await Promise.race([failure.promise, sending]);
    await Promise.race([failure.promise, drained([heavy, quiet])]);
    const elapsed = (performance.now() - began) / 1_000;
    return { rate: heavy.admitted.length / elapsed, heavy: heavy.answers(), quiet: quiet.answers() };
  } finally {
    heavy.close();
    quiet.close();
  }
}

/** As many requests are in progress as there are connections. */
async function closedLoop(lane: Lane, end: number): Promise<void> {
  lane.onFree = () => {
    if (performance.now() < end) lane.add(performance.now());
  };
  for (let n = 0; n < CLOSED_CONNECTIONS; n += 1) lane.onFree();
  while (performance.now() < end) await nextIteration();
}

/** A Poisson process. */
async function openLoop(lane: Lane, rate: number, end: number): Promise<void> {
  let due = performance.now();
  for (;;) {
    due += (-Math.log(1 - Math.random()) * 1_000) / rate;
    if (due > end) return;
    while (performance.now() < due) await nextIteration();
    lane.add(due);
  }
}

async function drained(lanes: readonly Lane[]): Promise<void> {
  const latest = performance.now() + PATIENCE;
  while (lanes.some(({ unanswered }) => unanswered > 0) && performance.now() < latest) await nextIteration();
}

/** Not a busy loop: on a small machine, it would take time from the service. */
function nextIteration(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 1));
}
