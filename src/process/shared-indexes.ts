/**
 * The indexes in memory of a node with several workers. The primary process holds them, once, and workers ask it. Its queues see the requests of
 * all workers, so the limits of an account hold for the node. A request that is cancelled, or whose worker is gone, is cancelled here as well.
 *
 * A primary that does not respond is not waited for: until it does, the database answers.
 */

import cluster from 'node:cluster';
import { type CancelTimer, type Clock, systemClock } from '../schedule/clock.ts';
import { Cancelled, Deadline } from '../schedule/deadline.ts';
import { Overloaded } from '../schedule/fair-queue.ts';
import type { AccountId } from '../store/account-id.ts';
import type { IndexHolder, IndexRequest } from '../store/column-index/index-holder.ts';
import type { ColumnResult } from '../store/column-index/thread/commands.ts';
import { type Channel, channelTo, type IndexReply } from './channel.ts';

/** How often a worker that waits for a response checks whether the primary responds at all, in milliseconds. */
const CHECK_INTERVAL = 2_000;

/** Called in the primary process, before it starts workers. */
export function shareIndexes(holder: IndexHolder): void {
  cluster.on('fork', (worker) => serveIndexes(channelTo(worker), holder));
}

/** For one worker. */
export function serveIndexes(worker: Channel, holder: IndexHolder, clock: Clock = systemClock): void {
  worker.handle('ask index', async ({ request, remaining }, signal) => {
    const deadline = new Deadline(remaining, clock);
    signal.addEventListener('abort', () => deadline.cancel('disconnected'), { once: true });
    try {
      return await replyOf(holder, request, deadline);
    } finally {
      deadline.end();
    }
  });
  worker.handle('forget index', ({ account, resource }) => {
    holder.forget(account, resource);
    return null;
  });
  worker.handle('ping', () => null);
}

async function replyOf(holder: IndexHolder, request: IndexRequest, deadline: Deadline): Promise<IndexReply> {
  try {
    return { kind: 'answered', answer: await holder.ask(request, deadline) };
  } catch (error) {
    if (error instanceof Overloaded)
      return { kind: 'overloaded', message: error.message, retryAfter: error.retryAfter };
    // The worker has the same deadline, and knows what to do then.
    if (error instanceof Cancelled) throw error;
    return { kind: 'failed', message: error instanceof Error ? error.message : String(error) };
  }
}

/** Called in a worker. */
export function primaryIndexes(primary: Channel, clock: Clock = systemClock): IndexHolder {
  return new PrimaryIndexes(primary, clock);
}

class PrimaryIndexes implements IndexHolder {
  readonly #primary: Channel;
  readonly #clock: Clock;
  /** Requests that wait, each of which is told if the primary does not respond. */
  readonly #waiting = new Set<() => void>();
  #endChecks: CancelTimer | undefined;
  #isPinged = false;
  #isSilent = false;

  constructor(primary: Channel, clock: Clock) {
    this.#primary = primary;
    this.#clock = clock;
  }

  async ask(request: IndexRequest, deadline: Deadline): Promise<ColumnResult | undefined> {
    const { signal } = deadline;
    if (signal.aborted) throw signal.reason;
    if (this.#isSilent) return undefined;
    const ended = new AbortController();
    const end = () => ended.abort(signal.reason);
    this.#await(end);
    signal.addEventListener('abort', end, { once: true });
    try {
      const call = { request, remaining: deadline.remaining };
      const reply = await this.#primary.request('ask index', call, ended.signal).catch((error: unknown) => {
        // Otherwise the primary does not respond, or is gone.
        if (signal.aborted) throw error;
        return undefined;
      });
      return reply && answerOf(reply);
    } finally {
      this.#waiting.delete(end);
      signal.removeEventListener('abort', end);
    }
  }

  forget(account: AccountId, resource: string): void {
    // If the primary is gone, so is the index.
    this.#primary.request('forget index', { account, resource }).catch(() => undefined);
  }

  #await(end: () => void): void {
    this.#waiting.add(end);
    this.#endChecks ??= this.#clock.every(CHECK_INTERVAL, () => this.#check());
  }

  /** Whether the primary has responded since the last check; then it is asked again. */
  #check(): void {
    this.#isSilent = this.#isPinged;
    if (this.#isSilent) for (const end of this.#waiting) end();
    if (this.#isPinged) return;
    if (this.#waiting.size === 0) {
      this.#endChecks?.();
      this.#endChecks = undefined;
      return;
    }
    this.#isPinged = true;
    this.#primary.request('ping', null).then(
      () => {
        this.#isPinged = false;
        this.#isSilent = false;
      },
      // It is gone, and this process is about to stop.
      () => undefined,
    );
  }
}

function answerOf(reply: IndexReply): ColumnResult | undefined {
  switch (reply.kind) {
    case 'answered':
      return reply.answer;
    case 'overloaded':
      throw new Overloaded(reply.message, reply.retryAfter * 1_000);
    case 'failed':
      throw new Error(reply.message);
  }
}
