/**
 * The network between a connector and a host. It loses requests and responses, is slow, and has bad times in which a host is away; and it writes down every
 * request.
 */

import type { Random } from '../../support/random.ts';
import { MINUTE, SECOND, type SimulatedTime } from './time.ts';

export interface HostRequest {
  readonly method: string;
  readonly path: string;
  /** Names in lowercase. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array<ArrayBuffer>;
}

export interface HostReply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array<ArrayBuffer>;
}

/** The signal aborts if the client leaves. */
export type Host = (request: HostRequest, signal?: AbortSignal) => Promise<HostReply>;

/** In which ways the network fails. */
export const NETWORK_FAULTS = [
  /** Nobody listens. */
  'refused',
  /** The connection is closed before the request has arrived, */
  'lost request',
  /** or after it was handled, */
  'lost answer',
  /** or within the response. */
  'cut answer',
  /** The request arrives late: the client may have given up, and sent it again. */
  'late request',
  'slow answer',
  /** The host, or a proxy before it, responds with an error, without looking at the request. */
  'error',
  /** The same after the request was handled. */
  'error after',
] as const;

export type NetworkFault = (typeof NETWORK_FAULTS)[number];

/** One request that was sent. */
export interface Sent {
  readonly host: string;
  readonly path: string;
  /** Which start of the connector has sent it. */
  readonly instance: number;
  /** When, on the clock that never goes back. */
  readonly at: number;
  /** Undefined if nothing failed. */
  fault: NetworkFault | 'down' | undefined;
  /** What a fault asked the client to wait, in milliseconds. */
  retryAfter: number;
  /** When the response, or an error, has reached the client. */
  ended: number | undefined;
}

export interface HostOptions {
  readonly name: string;
  readonly host: Host;
  /** Errors with which it responds. */
  readonly errors: readonly ErrorReply[];
}

export interface ErrorReply {
  readonly status: number;
  readonly type: string;
  readonly text: string;
  /** Whether it comes with `Retry-After`. */
  readonly isTimed?: boolean;
}

/** The longest that a request or a response takes if it is slow, in milliseconds: longer than a client waits. */
const LONGEST_DELAY = 4 * MINUTE;

/** The longest pause that an error asks for, in seconds. */
const LONGEST_RETRY_AFTER = 90;

export class SimulatedNetwork {
  readonly #time: SimulatedTime;
  readonly #random: Random;
  readonly #downUntil = new Map<string, number>();
  readonly sent: Sent[] = [];
  readonly counts = new Map<string, number>();
  /** Which share of the requests fails. */
  failing = 0;

  constructor(time: SimulatedTime, random: Random) {
    this.#time = time;
    this.#random = random;
  }

  /** A host is away for a while. */
  takeDown(host: string, milliseconds: number): void {
    this.#downUntil.set(host, this.#time.now + milliseconds);
  }

  recover(): void {
    this.failing = 0;
    this.#downUntil.clear();
  }

  /** Sends requests of one start of a connector. Once that has been killed, nothing reaches it any more. */
  fetchTo(options: HostOptions, instance: number, isDead: () => boolean): typeof fetch {
    return async (input, init = {}) => {
      const { signal } = init;
      const path = String(input).replace(/^https?:\/\/[^/]+/, '');
      const sent: Sent = {
        host: options.name,
        path,
        instance,
        at: this.#time.now,
        fault: undefined,
        retryAfter: 0,
        ended: undefined,
      };
      if (isDead()) return never();
      this.sent.push(sent);
      try {
        return await this.#send(options, sent, await requestOf(path, init), signal ?? undefined);
      } finally {
        sent.ended = this.#time.now;
        if (isDead()) await never();
      }
    };
  }

  async #send(
    { name, host, errors }: HostOptions,
    sent: Sent,
    request: HostRequest,
    signal: AbortSignal | undefined,
  ): Promise<Response> {
    const random = this.#random;
    const isDown = (this.#downUntil.get(name) ?? 0) > this.#time.now;
    const fault = isDown ? 'down' : random.chance(this.failing) ? random.pick(NETWORK_FAULTS) : undefined;
    sent.fault = fault;
    this.counts.set(fault ?? 'none', (this.counts.get(fault ?? 'none') ?? 0) + 1);
    const travel = async (milliseconds: number) => {
      await this.#time.clock.pause(milliseconds, signal);
      signal?.throwIfAborted();
    };
    await travel(random.between(5, 200));
    switch (fault) {
      case undefined:
        break;
      case 'down':
      case 'refused':
        throw failure('connect ECONNREFUSED');
      case 'lost request':
        throw failure('other side closed');
      case 'lost answer':
        await host(request);
        await travel(random.between(5, 200));
        throw failure('other side closed');
      case 'cut answer':
        return cut(await host(request));
      case 'late request': {
        const delay = random.below(LONGEST_DELAY);
        const arrived = this.#time.clock.pause(delay).then(() => host(request));
        await travel(delay);
        return responseOf(await arrived);
      }
      case 'slow answer': {
        const reply = await host(request);
        await travel(random.below(LONGEST_DELAY));
        return responseOf(reply);
      }
      case 'error after':
        await host(request);
        return this.#error(errors, sent);
      case 'error':
        return this.#error(errors, sent);
    }
    const reply = await host(request, signal);
    await travel(random.between(5, 200));
    return responseOf(reply);
  }

  #error(errors: readonly ErrorReply[], sent: Sent): Response {
    const { status, type, text, isTimed } = this.#random.pick(errors);
    const seconds = isTimed ? this.#random.between(0, LONGEST_RETRY_AFTER) : 0;
    sent.retryAfter = seconds * SECOND;
    const headers = { 'content-type': type, ...(isTimed && { 'retry-after': String(seconds) }) };
    return new Response(text, { status, headers });
  }
}

async function requestOf(path: string, { method, headers, body }: RequestInit): Promise<HostRequest> {
  const bytes = body === undefined || body === null ? new ArrayBuffer() : await new Response(body).arrayBuffer();
  return {
    method: method ?? 'GET',
    path,
    headers: Object.fromEntries(new Headers(headers)),
    body: new Uint8Array(bytes),
  };
}

function responseOf({ status, headers, body }: HostReply): Response {
  return new Response(status === 204 || status === 304 ? null : body, { status, headers });
}

/** The connection is closed in the middle of the body. */
function cut({ status, headers, body }: HostReply): Response {
  if (status === 204 || status === 304) throw failure('other side closed');
  const stream = new ReadableStream<Uint8Array>({
    pull(controller) {
      controller.enqueue(body.subarray(0, body.length / 2));
      controller.error(new TypeError('terminated', { cause: new Error('other side closed') }));
    },
  });
  return new Response(stream, { status, headers });
}

/** As `fetch` reports it. */
function failure(reason: string): TypeError {
  return new TypeError('fetch failed', { cause: new Error(reason) });
}

function never(): Promise<never> {
  return new Promise(() => {});
}
