/** The workers as the admin address sees them. */

import type { Worker } from 'node:cluster';
import {
  type Processes,
  type Readiness,
  type Reports,
  STARTING,
  STOPPING,
  toReadiness,
} from '../observe/admin/processes.ts';
import { combineReports, type ProcessReport, type ProcessReporter } from '../observe/metrics/process-report.ts';
import { combine, type Samples } from '../observe/metrics/samples.ts';
import { countersOf } from '../observe/metrics/service-samples.ts';
import { type Clock, systemClock } from '../schedule/clock.ts';
import { channelTo } from './channel.ts';
import type { Workers } from './workers.ts';

/** How long the first worker may take to report, in milliseconds. */
const REPORT_TIMEOUT = 1_000;

/** How long the first worker may take to say whether it is ready, in milliseconds: a check takes up to 3 seconds. */
const READY_TIMEOUT = 3_500;

/** Once one worker has responded, how long the others may take, in milliseconds: one that hangs must not hide them. */
const REMAINING_TIME = 500;

const NO_WORKERS = 'all workers have exited, and are being replaced';
const NO_RESPONSE = 'no worker has responded in time';

export class WorkerProcesses implements Processes {
  /** This process, which serves no requests. */
  readonly #own: ProcessReporter;
  readonly #workers: Pick<Workers, 'running' | 'listening' | 'port'>;
  readonly #clock: Clock;
  /** What each worker reported last. */
  readonly #last = new Map<Worker, ProcessReport>();
  /** The counters of workers that have exited. */
  #departed: Samples = {};

  constructor(
    own: ProcessReporter,
    workers: Pick<Workers, 'running' | 'listening' | 'port'>,
    clock: Clock = systemClock,
  ) {
    this.#own = own;
    this.#workers = workers;
    this.#clock = clock;
  }

  async reports(): Promise<Reports> {
    // One that is starting has nothing to report, and would not answer.
    const workers = this.#workers.listening;
    const [own, answers] = await Promise.all([this.#own.report(), this.#ask(workers, 'report', REPORT_TIMEOUT)]);
    for (const [worker, report] of answers) this.#last.set(worker, report);
    this.#forgetExited();
    const silent = workers.filter((worker) => !answers.has(worker));
    const report = combineReports([own, ...answers.values()]);
    const unheard = [...this.#last].filter(([worker]) => !answers.has(worker));
    const counters = [this.#departed, ...unheard.map(([, { samples }]) => countersOf(samples))];
    return {
      report: { ...report, samples: combine([report.samples, ...counters]) },
      unresponsive: silent.length,
    };
  }

  async readiness(): Promise<Readiness> {
    const { listening, port } = this.#workers;
    const workers = this.#workers.running.length;
    if (this.#own.isStopping) return { ready: 0, workers, reason: STOPPING };
    if (listening.length === 0) return { ready: 0, workers, reason: port === undefined ? STARTING : NO_WORKERS };
    const answers = await this.#ask(listening, 'readiness', READY_TIMEOUT);
    if (answers.size === 0) return { ready: 0, workers, reason: NO_RESPONSE };
    return toReadiness([...answers.values()], workers);
  }

  #forgetExited(): void {
    for (const [worker, { samples }] of this.#last) {
      if (!worker.isDead()) continue;
      this.#last.delete(worker);
      this.#departed = combine([this.#departed, countersOf(samples)]);
    }
  }

  /** The responses that arrive in time, in milliseconds. */
  async #ask<Asked extends 'report' | 'readiness'>(workers: readonly Worker[], kind: Asked, timeout: number) {
    const ended = new AbortController();
    const endAfter = (milliseconds: number) => this.#clock.after(milliseconds, () => ended.abort());
    let cancelTimer = endAfter(timeout);
    const asked = workers.map(async (worker) => {
      const response = await channelTo(worker).request(kind, null, ended.signal);
      cancelTimer();
      cancelTimer = endAfter(REMAINING_TIME);
      return [worker, response] as const;
    });
    const settled = await Promise.allSettled(asked);
    cancelTimer();
    return new Map(settled.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : [])));
  }
}
