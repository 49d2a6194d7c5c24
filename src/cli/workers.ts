/** Several processes that serve together on one port: this one starts them, replaces one that ends, and stops them. */

import cluster, { type Worker } from 'node:cluster';
import { once } from 'node:events';
import type { Emit } from '../events.ts';
import { nextSignal, STOP } from '../server.ts';

/** How long to wait before a process is started in the place of one that ended, in milliseconds. */
const PAUSE = 1_000;

export class Workers {
  readonly #emit: Emit;
  #isStopping = false;

  constructor(emit: Emit) {
    this.#emit = emit;
  }

  /** Resolves with the port once they listen; with nothing where the first could not, and has told why. */
  async start(count: number): Promise<number | undefined> {
    const first = cluster.fork();
    const port = await portOf(first);
    if (port === undefined) return undefined;
    this.#replaceWhenEnded(first);
    await Promise.all(Array.from({ length: count - 1 }, () => portOf(this.#fork())));
    return port;
  }

  /** Resolves once a signal came and all of them have stopped. A second signal ends them at once. */
  async run(): Promise<void> {
    const signal = await nextSignal();
    this.#emit({ kind: 'stopping', signal });
    void nextSignal().then(() => {
      for (const worker of running()) worker.process.kill('SIGKILL');
      process.exit(1);
    });
    await this.#stop();
    this.#emit({ kind: 'stopped' });
  }

  #fork(): Worker {
    const worker = cluster.fork();
    this.#replaceWhenEnded(worker);
    return worker;
  }

  #replaceWhenEnded(worker: Worker): void {
    worker.once('exit', (code, signal) => {
      if (this.#isStopping) return;
      this.#emit({ kind: 'worker ended', pid: worker.process.pid ?? 0, cause: signal ?? String(code) });
      setTimeout(() => this.#isStopping || this.#fork(), PAUSE);
    });
  }

  async #stop(): Promise<void> {
    this.#isStopping = true;
    await Promise.all(
      running().map(async (worker) => {
        const ended = once(worker, 'exit');
        worker.send(STOP);
        await ended;
      }),
    );
  }
}

function running(): readonly Worker[] {
  return Object.values(cluster.workers ?? {})
    .filter((worker) => worker !== undefined)
    .filter((worker) => worker.isConnected());
}

async function portOf(worker: Worker): Promise<number | undefined> {
  return new Promise((resolve) => {
    worker.once('listening', ({ port }) => resolve(port));
    worker.once('exit', () => resolve(undefined));
  });
}
