/** Several processes that serve together on one port: this one starts them, replaces one that ends, and stops them. */

import cluster, { type Worker } from 'node:cluster';
import { once } from 'node:events';
import { createServer } from 'node:net';
import type { Emit } from '../events.ts';
import { nextSignal, STOP, secondSignal } from '../server.ts';

/** How long to wait before a process is started in the place of one that ended, in milliseconds. */
const PAUSE = 1_000;

export class Workers {
  readonly #emit: Emit;
  #isStopping = false;

  constructor(emit: Emit) {
    this.#emit = emit;
  }

  /** Resolves once they listen, with whether they do: where the first cannot, it tells why, and no other is started. */
  async start(count: number, port: number): Promise<boolean> {
    cluster.setupPrimary({ args: [...process.argv.slice(2), '--port', String(port)] });
    const first = cluster.fork();
    if (!(await listens(first))) return false;
    this.#replaceWhenEnded(first);
    await Promise.all(Array.from({ length: count - 1 }, () => listens(this.#fork())));
    return true;
  }

  /** Resolves once a signal came and all of them have stopped. A second signal ends them at once. */
  async run(): Promise<void> {
    const signal = await nextSignal();
    this.#emit({ kind: 'stopping', signal });
    void secondSignal().then(() => {
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

function listens(worker: Worker): Promise<boolean> {
  return new Promise((resolve) => {
    worker.once('listening', () => resolve(true));
    worker.once('exit', () => resolve(false));
  });
}

/** One that nobody listens on: processes that come later have to listen on the same. */
export async function freePort(host: string): Promise<number> {
  const server = createServer().listen(0, host);
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  return typeof address === 'object' && address !== null ? address.port : 0;
}
