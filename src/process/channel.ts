/**
 * The channel between the primary process and a worker: numbered requests and their responses, in both directions. Each side
 * has one listener. How long to wait for a response is up to the caller.
 */

import type { Worker } from 'node:cluster';
import type { BucketCall } from '../limits/limit-buckets.ts';
import type { BucketLevels } from '../limits/token-buckets.ts';
import type { ProcessReadiness } from '../observe/admin/processes.ts';
import type { ProcessReport } from '../observe/metrics/process-report.ts';
import type { AccountId } from '../store/account-id.ts';
import type { IndexRequest } from '../store/column-index/index-holder.ts';
import type { ColumnResult } from '../store/column-index/thread/commands.ts';
import type { FoundServer } from '../store/server-agreement.ts';

/** Something in a worker is going to use a PostgreSQL server. */
interface ServerClaim {
  /** Numbered by the worker. */
  readonly holder: number;
  readonly server: FoundServer;
}

/** What the primary requests of a worker, then what a worker requests of the primary. */
interface Requests {
  readonly report: null;
  /** Whether the worker can serve requests. */
  readonly readiness: null;
  /** The worker is to finish its requests and exit. */
  readonly stop: null;
  /** The number of something that has connections to a server: it must release the server, unless that still accepts writes. */
  readonly 'verify server': number;
  readonly join: null;
  /** The port on which the worker accepts connections. */
  readonly listening: number;
  readonly buckets: readonly BucketCall[];
  readonly 'claim server': ServerClaim;
  readonly 'release server': number;
  readonly 'ask index': IndexCall;
  readonly 'forget index': { readonly account: AccountId; readonly resource: string };
  /** Whether the primary process responds. */
  readonly ping: null;
}

export interface IndexCall {
  readonly request: IndexRequest;
  /** The milliseconds until the deadline. */
  readonly remaining: number;
}

export type IndexReply =
  | { readonly kind: 'answered'; readonly answer: ColumnResult | undefined }
  | { readonly kind: 'overloaded'; readonly message: string; readonly retryAfter: number }
  | { readonly kind: 'failed'; readonly message: string };

interface Responses {
  readonly report: ProcessReport;
  readonly readiness: ProcessReadiness;
  readonly stop: null;
  readonly 'verify server': null;
  /** The port on which other workers listen; null for the first one. */
  readonly join: number | null;
  readonly listening: null;
  readonly buckets: readonly BucketLevels[];
  /** The server that is used instead; null if the claimed one may be used. */
  readonly 'claim server': FoundServer | null;
  readonly 'release server': null;
  readonly 'ask index': IndexReply;
  readonly 'forget index': null;
  readonly ping: null;
}

type Kind = keyof Requests;

interface RequestMessage<Requested extends Kind> {
  readonly kind: Requested;
  readonly number: number;
  readonly request: Requests[Requested];
}

interface ResponseMessage<Requested extends Kind> {
  readonly kind: 'response';
  readonly number: number;
  readonly response: Responses[Requested];
}

/** Nobody waits for the response to a request any more. */
interface CancelMessage {
  readonly kind: 'cancel';
  readonly number: number;
}

/** Sends a message to the other process. If that fails, `onError` is called. */
type Send = (
  message: RequestMessage<Kind> | ResponseMessage<Kind> | CancelMessage,
  onError: (error: Error) => void,
) => void;

export class Channel {
  readonly #send: Send;
  readonly #handlers = new Map<string, (message: unknown) => void>();
  /** By the number of the request. */
  readonly #pending = new Map<
    number,
    { readonly take: (message: unknown) => void; readonly fail: (error: unknown) => void }
  >();
  /** Requests of the other process that are being handled, by their number. */
  readonly #handled = new Map<number, AbortController>();
  #lastNumber = 0;

  constructor(send: Send) {
    this.#send = send;
  }

  /** Rejects if the other process is gone, or the signal is aborted first. Otherwise waits for as long as it takes. */
  request<Requested extends Kind>(
    kind: Requested,
    request: Requests[Requested],
    signal?: AbortSignal,
  ): Promise<Responses[Requested]> {
    this.#lastNumber += 1;
    const number = this.#lastNumber;
    const { promise, resolve, reject } = Promise.withResolvers<Responses[Requested]>();
    const fail = (error: unknown) => {
      signal?.removeEventListener('abort', cancel);
      this.#pending.delete(number);
      reject(error);
    };
    const cancel = () => {
      fail(signal?.reason);
      this.#send({ kind: 'cancel', number }, () => undefined);
    };
    const take = (message: unknown) => {
      signal?.removeEventListener('abort', cancel);
      if (isResponse<Requested>(message)) resolve(message.response);
    };
    if (signal?.aborted) return Promise.reject(signal.reason);
    this.#pending.set(number, { take, fail });
    signal?.addEventListener('abort', cancel, { once: true });
    this.#send({ kind, number, request }, fail);
    return promise;
  }

  /**
   * There is one handler for each kind. If it fails, or if there is none, there is no response. The signal aborts when nobody waits for the response
   * any more.
   */
  handle<Requested extends Kind>(
    kind: Requested,
    handler: (
      request: Requests[Requested],
      signal: AbortSignal,
    ) => Responses[Requested] | Promise<Responses[Requested]>,
  ): void {
    const respond = async (message: unknown) => {
      if (!isRequest(message, kind)) return;
      const { number, request } = message;
      const cancelled = new AbortController();
      this.#handled.set(number, cancelled);
      try {
        const response = await handler(request, cancelled.signal);
        // A process that is gone needs no response.
        if (!cancelled.signal.aborted) this.#send({ kind: 'response', number, response }, () => undefined);
      } finally {
        this.#handled.delete(number);
      }
    };
    this.#handlers.set(kind, (message) => void respond(message).catch(() => undefined));
  }

  /** Takes a message of the other process. */
  receive(message: unknown): void {
    if (!isMessage(message)) return;
    if (message.kind === 'cancel') {
      this.#handled.get(message.number)?.abort();
      return;
    }
    if (message.kind !== 'response') {
      this.#handlers.get(message.kind)?.(message);
      return;
    }
    const pending = this.#pending.get(message.number);
    this.#pending.delete(message.number);
    pending?.take(message);
  }

  /** The other process is gone. */
  close(): void {
    for (const { fail } of this.#pending.values()) fail(new Error('the other process is gone'));
    for (const cancelled of this.#handled.values()) cancelled.abort();
  }
}

const toWorkers = new WeakMap<Worker, Channel>();

/** Called in the primary process. */
export function channelTo(worker: Worker): Channel {
  const known = toWorkers.get(worker);
  if (known !== undefined) return known;
  const channel = new Channel((message, onError) => worker.send(message, (error) => error && onError(error)));
  toWorkers.set(worker, channel);
  worker.on('message', (message: unknown) => channel.receive(message));
  worker.once('disconnect', () => channel.close());
  return channel;
}

let toPrimary: Channel | undefined;

/** Called in a worker. */
export function channelToPrimary(): Channel {
  if (toPrimary !== undefined) return toPrimary;
  const channel = new Channel((message, onError) => {
    // The callback gets the error that would end the process otherwise.
    process.send?.(message, undefined, undefined, (error) => error && onError(error));
  });
  toPrimary = channel;
  process.on('message', (message: unknown) => channel.receive(message));
  process.once('disconnect', () => channel.close());
  return channel;
}

function isMessage(message: unknown): message is { readonly kind: string; readonly number: number } {
  if (typeof message !== 'object' || message === null || !('kind' in message && 'number' in message)) return false;
  return typeof message.kind === 'string' && typeof message.number === 'number';
}

/** Both sides are the same program, so a request of a kind has what that kind has. */
function isRequest<Requested extends Kind>(message: unknown, kind: Requested): message is RequestMessage<Requested> {
  return isMessage(message) && message.kind === kind;
}

/** Likewise for the response to a request. */
function isResponse<Requested extends Kind>(message: unknown): message is ResponseMessage<Requested> {
  return isMessage(message) && message.kind === 'response';
}
