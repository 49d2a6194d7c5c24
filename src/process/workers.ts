/** Several processes that serve on one port. This one starts them, replaces one that exits, and stops them. */

import cluster, { type Worker } from 'node:cluster';
import { setImmediate } from 'node:timers/promises';
import type { Emit } from '../observe/events.ts';
import { type Clock, systemClock } from '../schedule/clock.ts';
import { channelTo } from './channel.ts';
import { EARLY_CLOSE_PERIOD, forceExitAfter, GRACE_PERIOD, type Stop } from './shutdown.ts';

/** How long to wait before a worker that exited is replaced, in milliseconds. */
const RESTART_DELAY = 1_000;

export class Workers {
  readonly #emit: Emit;
  readonly #clock: Clock;
  readonly #stopped: Promise<void>;
  readonly #listening = new Set<Worker>();
  #port: number | undefined;
  #isStopping = false;

  /** They stop when the process is told to. */
  constructor(emit: Emit, stop: Stop, clock: Clock = systemClock) {
    this.#emit = emit;
    this.#clock = clock;
    this.#stopped = stop.requested.then(() => this.stop());
    cluster.on('exit', (worker) => this.#listening.delete(worker));
    // What Node itself sends to a worker that is gone has no other place for its error. That it exits is noticed.
    cluster.on('fork', (worker) => worker.on('error', () => {}));
  }

  /** Those that have not exited. */
  get running(): readonly Worker[] {
    return Object.values(cluster.workers ?? {})
      .filter((worker) => worker !== undefined)
      .filter((worker) => !worker.isDead());
  }

  /** Of these, the ones that accept connections. */
  get listening(): readonly Worker[] {
    return this.running.filter((worker) => worker.isConnected() && this.#listening.has(worker));
  }

  /** The port on which all of them listen; undefined until the first one does. */
  get port(): number | undefined {
    return this.#port;
  }

  /**
   * Resolves to true once all workers are listening, or have stopped because they were told to. If the first one fails, it says why, and no other is
   * started.
   */
  async start(count: number): Promise<boolean> {
    if (this.#isStopping) return true;
    // What an index finds has bytes in it, and numbers that JSON lacks.
    cluster.setupPrimary({ serialization: 'advanced' });
    const first = cluster.fork();
    if (!(await this.#isListening(first))) {
      // If all processes of the group have got the signal, this one may not have handled it yet.
      await setImmediate();
      return this.#isStopping;
    }
    if (this.#isStopping) return true;
    this.#replaceOnExit(first);
    await Promise.all(Array.from({ length: count - 1 }, () => this.#isListening(this.#fork())));
    return true;
  }

  /** Resolves once the process has been told to stop, and all workers have. */
  async runUntilStopped(): Promise<void> {
    await this.#stopped;
    forceExitAfter(EARLY_CLOSE_PERIOD, this.#emit, this.#clock);
  }

  #fork(): Worker {
    const worker = cluster.fork();
    this.#replaceOnExit(worker);
    return worker;
  }

  #replaceOnExit(worker: Worker): void {
    worker.once('exit', (code, signal) => {
      if (this.#isStopping) return;
      const { pid = 0 } = worker.process;
      this.#emit({ kind: 'worker exited', worker: pid, cause: signal ?? `exit code ${code}` });
      const exited = this.#clock.monotonic();
      this.#clock.after(RESTART_DELAY, () => this.#isStopping || void this.#replace(pid, exited));
    });
  }

  /** `exited` is a monotonic time. If the new worker fails, that is reported as its exit. */
  async #replace(pid: number, exited: number): Promise<void> {
    const worker = this.#fork();
    if (!(await this.#isListening(worker))) return;
    const milliseconds = Math.round(this.#clock.monotonic() - exited);
    this.#emit({ kind: 'worker replaced', worker: worker.process.pid ?? 0, replaces: pid, milliseconds });
  }

  /** Whether it has said that it accepts connections, and has not exited before. Called at once, so that it is heard. */
  #isListening(worker: Worker): Promise<boolean> {
    return new Promise((resolve) => {
      channelTo(worker).handle('join', () => this.#port ?? null);
      channelTo(worker).handle('listening', (port) => {
        this.#listening.add(worker);
        this.#port = port;
        resolve(true);
        return null;
      });
      worker.once('exit', () => resolve(false));
    });
  }

  /** Resolves once all workers have exited. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    await Promise.all(
      this.running.map(async (worker) => {
        // Not `once`, which rejects if something could not be sent to it.
        const exited = new Promise((resolve) => worker.once('exit', resolve));
        const cancelTimer = this.#clock.after(GRACE_PERIOD, () => worker.process.kill('SIGKILL'));
        // One that is gone already needs no request.
        channelTo(worker)
          .request('stop', null)
          .catch(() => undefined);
        await exited;
        cancelTimer();
      }),
    );
  }
}
