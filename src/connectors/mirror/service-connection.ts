/** A connection to a service whose errors say which one it is: a mirror talks to two sides. */

import { Connection, type RequestOptions, StockbookError } from '../../client/index.ts';

/** A service, and a key of the account there. */
export interface ServiceOptions {
  readonly url: string;
  readonly key: string;
  readonly onKeyExpiring?: (expiresAt: Date) => void;
  /** How often a request is repeated; the client's default if undefined. */
  readonly retries?: number;
}

export class ServiceConnection extends Connection {
  readonly #url: string;

  constructor(options: ServiceOptions) {
    super(options);
    this.#url = options.url;
  }

  /** Every request comes through here. */
  override async repeat<Result>(
    options: RequestOptions,
    attempt: () => Promise<Result>,
    isRepeatable?: () => boolean,
  ): Promise<Result> {
    try {
      return await super.repeat(options, attempt, isRepeatable);
    } catch (error) {
      if (error instanceof StockbookError) error.message = this.#explained(error);
      throw error;
    }
  }

  #explained({ code, status, detail, message }: StockbookError): string {
    if (code === 'connection_failed') return `Stockbook cannot be reached at ${this.#url}. ${detail}`;
    // What else it says is about headers.
    if (status === 401) return `Stockbook at ${this.#url} does not accept the key. ${detail}`;
    return `Stockbook at ${this.#url}: ${message}`;
  }
}
