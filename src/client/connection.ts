/**
 * Requests and their responses: sends the key, limits the time, and repeats what failed for a while.
 *
 * Everything the client sends can be repeated: GET and QUERY requests, writes, which have an `Idempotency-Key`, and signing in
 * and cancelling an import, which have no effect the second time. Only rows that the caller has once cannot be sent twice.
 */

import { type Clock, systemClock } from './clock.ts';
import { checkOptions, type NamesOf, type RequestOptions } from './options.ts';
import { errorOf, parseJson, StockbookError } from './stockbook-error.ts';
import { LONGEST_TIMER, TimeLimit } from './time-limit.ts';

export interface StockbookOptions extends Pick<RequestOptions, 'timeout' | 'retries'> {
  /** Where the account is served, such as `https://acme.example.com`. */
  readonly url: string;
  /** Can be left out behind a proxy that adds the `Authorization` header. */
  readonly key?: string | undefined;
  /** Sent with every request. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /**
   * Called once if the key expires within 14 days, with the time of its end: to log it, or to tell an operator, who issues
   * another one.
   */
  readonly onKeyExpiring?: ((expiresAt: Date) => void) | undefined;
  /** Sends the requests, in place of the global `fetch`: to record them, or to send them another way. */
  readonly fetch?: typeof fetch | undefined;
}

export interface ConnectionOptions extends StockbookOptions {
  /** The time, and its pauses: for tests, which turn it. */
  readonly clock?: Clock | undefined;
}

export const CONNECTION_OPTIONS: NamesOf<StockbookOptions> = {
  url: 1,
  key: 1,
  headers: 1,
  onKeyExpiring: 1,
  fetch: 1,
  timeout: 1,
  retries: 1,
};

export interface Call extends RequestOptions {
  /** Below `/api/v1/`. */
  readonly path: string;
  readonly query?: URLSearchParams;
  readonly headers?: Readonly<Record<string, string>>;
  /** GET by default, or POST if there is a body. */
  readonly method?: 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Sent as JSON. With POST and PATCH, needs an `Idempotency-Key` among the headers. */
  readonly body?: unknown;
  /** Sent as it is, in place of a JSON body. The limit applies while the service has to take the next part of it. */
  readonly content?: (limit: TimeLimit) => Uint8Array<ArrayBuffer> | Blob | ReadableStream<Uint8Array<ArrayBuffer>>;
  /** How long the service may wait before it responds, in seconds. */
  readonly wait?: number;
}

export const DEFAULT_TIMEOUT = 30_000;
export const DEFAULT_RETRIES = 4;

/** The longest pause before the first retry, in milliseconds. It doubles with every retry, up to the limit. */
const FIRST_PAUSE = 250;
const LONGEST_PAUSE = 30_000;

/** A longer query string, in characters, is sent in the body, with the method `QUERY` of RFC 10008. */
export const LONGEST_QUERY = 4_000;

/** A request that waits its turn adds a random pause: up to the time that it was told to wait, and at least up to this many milliseconds. */
const SHORTEST_WAIT = 1_000;

/** If the service asks for a longer pause, in milliseconds, the error is left to a caller who does not wait forever. */
const LONGEST_RETRY_AFTER = 60_000;

/**
 * Node sends a stream only with `duplex`. Unless it can neither be redirected nor ask somebody for a password, which needs a
 * window, it clones the request before, and has all of the stream in memory at the end.
 */
const STREAMED = { duplex: 'half', redirect: 'error', window: null } as const;

export interface JsonResponse<Body> {
  readonly body: Body | undefined;
  readonly headers: Headers;
}

export class Connection {
  readonly #options: StockbookOptions;
  readonly #clock: Clock;
  #isExpiryReported = false;
  readonly #base: string;

  constructor({ clock = systemClock, ...options }: ConnectionOptions) {
    checkOptions('Stockbook', options, CONNECTION_OPTIONS);
    this.#options = options;
    this.#clock = clock;
    this.#base = `${String(options.url).replace(/\/+$/, '')}/api/v1/`;
    try {
      // In a browser the URL may be relative.
      new Request(this.#base);
    } catch (cause) {
      throw new TypeError(`url must be an address such as https://acme.example.com, not ${options.url}`, { cause });
    }
  }

  /** How often failed requests are repeated, if that was set for all of them. */
  get retries(): number | undefined {
    return this.#options.retries;
  }

  /** The parsed body and the headers. The body is undefined if the response is a 204 or 304. */
  async json<Body>(call: Call): Promise<JsonResponse<Body>> {
    const sent = this.#headers(call);
    return this.repeat(call, () => this.#attempt(call, sent));
  }

  /** The same without retries. */
  async once<Body>(call: Call): Promise<JsonResponse<Body>> {
    return this.#attempt(call, this.#headers(call));
  }

  async #attempt<Body>(call: Call, sent: Headers): Promise<JsonResponse<Body>> {
    const limit = this.#limit(call);
    try {
      const response = await this.#send(call, sent, limit);
      const { status, headers } = response;
      const text = await response.text();
      return { body: status === 304 || status === 204 ? undefined : parseJson<Body>(text), headers };
    } catch (error) {
      throw limit.reason ?? asStockbookError(error);
    } finally {
      limit.end();
    }
  }

  /** The parsed body of a response that has one. */
  async body<Body>(call: Call): Promise<Body> {
    const { body } = await this.json<Body>(call);
    if (body !== undefined) return body;
    throw new StockbookError('unexpected_response', { detail: 'The response has no body.' });
  }

  /** The member `data` of its parsed body. */
  async data<Data>(call: Call): Promise<Data> {
    return (await this.body<{ readonly data: Data }>(call)).data;
  }

  /** The headers of a stream, and its bytes as they arrive. Leaving the loop over them disconnects. */
  async stream(call: Call): Promise<{ readonly headers: Headers; readonly bytes: AsyncGenerator<Uint8Array> }> {
    const sent = this.#headers(call);
    return this.repeat(call, async () => {
      const limit = this.#limit(call);
      try {
        const response = await this.#send(call, sent, limit);
        limit.stop();
        return { headers: response.headers, bytes: bytesOf(response, limit) };
      } catch (error) {
        limit.end();
        throw limit.reason ?? asStockbookError(error);
      }
    });
  }

  /** Throws if a value cannot be sent in a header: no attempt would change that. */
  #headers({ headers, body, wait = 0 }: Call): Headers {
    const { key, headers: always } = this.#options;
    return new Headers({
      ...always,
      ...(key !== undefined && { authorization: `Bearer ${key}` }),
      ...(wait > 0 && { prefer: `wait=${wait}` }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...headers,
    });
  }

  #limit({ signal, timeout = this.#options.timeout ?? DEFAULT_TIMEOUT, wait = 0 }: Call): TimeLimit {
    return new TimeLimit(timeout + wait * 1_000, signal, this.#clock);
  }

  async #send(call: Call, headers: Headers, limit: TimeLimit): Promise<Response> {
    const { path, query, body, content, method = body === undefined && !content ? undefined : 'POST', wait = 0 } = call;
    const search = String(query ?? '');
    const isLong = method === undefined && search.length > LONGEST_QUERY;
    const bytes = content?.(limit);
    // Not as a method: a browser's `fetch` must not be called on another object.
    const { fetch: send = fetch } = this.#options;
    const response = await send(this.#base + path + (isLong || search === '' ? '' : `?${search}`), {
      headers,
      signal: limit.signal,
      ...(method && { method }),
      ...(body !== undefined && { body: JSON.stringify(body) }),
      ...(bytes && { body: bytes }),
      ...(bytes instanceof ReadableStream && STREAMED),
      // While a request waits, a browser would hold back others of the same URL, for its cache.
      ...(wait > 0 && { cache: 'no-store' }),
      // `fetch` adds the Content-Type.
      ...(isLong && { method: 'QUERY', body: query }),
    });
    this.#reportExpiry(response.headers.get('stockbook-key-expires'));
    if (response.ok || response.status === 304) return response;
    throw await errorOf(response, this.#clock);
  }

  #reportExpiry(time: string | null): void {
    if (time === null || this.#isExpiryReported) return;
    this.#isExpiryReported = true;
    this.#options.onKeyExpiring?.(new Date(time));
  }

  /** Repeats an attempt that fails for a while, if it can be repeated. */
  async repeat<Result>(
    { signal, retries = this.#options.retries ?? DEFAULT_RETRIES }: RequestOptions,
    attempt: () => Promise<Result>,
    isRepeatable: () => boolean = () => true,
  ): Promise<Result> {
    for (let failures = 0; ; ) {
      signal?.throwIfAborted();
      try {
        return await attempt();
      } catch (error) {
        if (!(error instanceof StockbookError) || !error.isTemporary || !isRepeatable()) throw error;
        const { retryAfter = 0, isQueued } = error;
        if (isQueued ? retries === 0 : failures >= retries) throw error;
        if (retryAfter > LONGEST_RETRY_AFTER && Number.isFinite(retries)) throw error;
        const longest = isQueued
          ? Math.max(retryAfter, SHORTEST_WAIT)
          : Math.min(FIRST_PAUSE * 2 ** failures, LONGEST_PAUSE);
        if (!isQueued) failures += 1;
        // Random, so that clients that were turned away together do not return together.
        await this.pause(Math.min(retryAfter + this.#clock.jitter() * longest, LONGEST_TIMER), signal);
      }
    }
  }

  /**
   * Ends early, without an error, if the signal aborts.
   * @internal
   */
  pause(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
    return this.#clock.pause(milliseconds, signal);
  }
}

async function* bytesOf({ body }: Response, limit: TimeLimit): AsyncGenerator<Uint8Array> {
  const reader = body?.getReader();
  try {
    for (;;) {
      limit.start();
      const part = await reader?.read();
      // The time that the caller takes does not count.
      limit.stop();
      if (part?.value === undefined) return;
      yield part.value;
    }
  } catch (error) {
    throw limit.reason ?? new StockbookError('incomplete_stream', { detail: 'The connection was lost.', cause: error });
  } finally {
    limit.end();
    // Fails if the stream has failed, which the caller knows.
    await reader?.cancel().catch(() => undefined);
  }
}

/** `fetch` rejects with a TypeError if there is no response. */
function asStockbookError(error: unknown): unknown {
  if (!(error instanceof TypeError)) return error;
  const { cause } = error;
  const reason = cause instanceof Error ? cause.message : error.message;
  return new StockbookError('connection_failed', { detail: `There is no response: ${reason}.`, cause: error });
}
