/** A connection to a service whose errors say which one it is: a mirror talks to two sides. */

import { Connection, type RequestOptions, StockbookError, type StockbookOptions } from '../../client/index.ts';
import type { Clock } from '../../schedule/clock.ts';
import { isUntrusted } from './certificates.ts';

/** A service, and a key of the account there. */
export interface ServiceOptions extends Pick<StockbookOptions, 'fetch'> {
  readonly url: string;
  readonly key: string;
  readonly onKeyExpiring?: (expiresAt: Date) => void;
  /** How often a request is repeated; the client's default if undefined. */
  readonly retries?: number;
}

/** Whose messages say which service they are from. An upload reads from another one, whose errors it passes on. */
const explained = new WeakSet<StockbookError>();

export class ServiceConnection extends Connection {
  readonly #url: string;

  constructor(options: ServiceOptions, clock: Clock) {
    super({ ...options, clock });
    this.#url = options.url;
  }

  override async repeat<Result>(
    options: RequestOptions,
    attempt: () => Promise<Result>,
    isRepeatable?: () => boolean,
  ): Promise<Result> {
    try {
      return await super.repeat(options, attempt, isRepeatable);
    } catch (error) {
      throw this.#explain(error);
    }
  }

  /** What a stream of this connection yields. It may fail after its request has succeeded. */
  async *read<Item>(stream: AsyncIterable<Item>): AsyncGenerator<Item, void> {
    try {
      yield* stream;
    } catch (error) {
      throw this.#explain(error);
    }
  }

  #explain(error: unknown): unknown {
    if (!(error instanceof StockbookError) || explained.has(error)) return error;
    explained.add(error);
    const { code, status, detail, message } = error;
    if (isUntrusted(error))
      error.message = `The certificate of ${this.#url} is not signed by an authority that is trusted here. If it is your own, name the PEM file of the authority in NODE_EXTRA_CA_CERTS.`;
    else if (code === 'connection_failed') error.message = `Stockbook cannot be reached at ${this.#url}. ${detail}`;
    // What else it says is about headers.
    else if (status === 401) error.message = `Stockbook at ${this.#url} does not accept the key. ${detail}`;
    else error.message = `Stockbook at ${this.#url}: ${message}`;
    return error;
  }
}
