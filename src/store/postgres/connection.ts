/** One connection to a PostgreSQL server. If it is lost, all pending statements fail immediately. */

import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import pg from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import { type CancelTimer, type Clock, systemClock } from '../../schedule/clock.ts';
import { type Owner, StatementCache } from '../engine/statement-cache.ts';
import type { Parameter } from '../sql/dialect.ts';
import type { Row } from '../sql/row.ts';
import type { ConnectionProfile } from './connection-profiles.ts';
import { ConnectionLost, ServerSilent } from './errors.ts';
import { type SessionOptions, settingsOf } from './session-settings.ts';
import { tlsOptions } from './tls.ts';
import type { Host, PostgresUrl } from './url.ts';

/** How often silence is checked for, in milliseconds. */
const WATCH_INTERVAL = 1_000;

/** The maximum number of prepared statements on a connection. Each takes tens of kilobytes on the server. */
const MAX_PREPARED = 200;

export interface ConnectionOptions extends SessionOptions {
  readonly url: PostgresUrl;
  readonly onLost: () => void;
  readonly clock?: Clock | undefined;
}

export interface QueryOptions {
  /** The account whose statement it is, or all if they share it. It is not prepared if this is undefined. */
  readonly preparedFor?: Owner;
}

export class Connection {
  readonly #client: pg.Client;
  /** Names of prepared statements. A name is never used for a second text. */
  readonly #statements: StatementCache<string>;
  #prepared = 0;
  /** How long a server may take to respond before it counts as lost, in milliseconds. */
  readonly #maxSilence: number;
  readonly #clock: Clock;
  readonly #endWatch: CancelTimer;
  readonly #onLost: () => void;
  #pending = 0;
  #isLost = false;
  #isSilent = false;
  #isClosing = false;
  #isCorked = false;
  #bytesRead = 0;
  #lastRead: number;

  private constructor(client: pg.Client, maxSilence: number, clock: Clock, onLost: () => void) {
    this.#client = client;
    this.#clock = clock;
    this.#lastRead = clock.monotonic();
    this.#maxSilence = maxSilence;
    this.#onLost = onLost;
    this.#statements = new StatementCache({
      max: MAX_PREPARED,
      prepare: () => `s${++this.#prepared}`,
      drop: (name) => this.#deallocate(name),
    });
    this.#endWatch = clock.every(WATCH_INTERVAL, () => this.#checkSilence());
    client.on('error', () => this.#lose());
    client.on('end', () => this.#lose());
  }

  static async open({ host, port }: Host, profile: ConnectionProfile, options: ConnectionOptions): Promise<Connection> {
    const { url, statementTimeout, topology, onLost, clock = systemClock } = options;
    const settings = settingsOf(profile, options);
    const config: pg.ClientConfig = {
      host,
      port,
      user: url.user,
      password: url.password,
      database: url.database,
      application_name: 'stockbook',
      connectionTimeoutMillis: url.connectTimeout * 1_000,
      options: Object.entries(settings)
        .map(([name, value]) => `-c ${name}=${value}`)
        .join(' '),
      // Statements are sent without waiting for the results of earlier ones.
      pipeline: profile !== 'load' && profile !== 'stream' && profile !== 'migration',
      // Every value arrives as the text that PostgreSQL printed.
      types: { getTypeParser: () => (value: string) => value },
      ssl: tlsOptions(url),
    };
    const { client, hasFailed } = await connect(config, url);
    // Statements are small, and waiting to fill a packet would delay them.
    if ('setNoDelay' in client.connection.stream && typeof client.connection.stream.setNoDelay === 'function')
      client.connection.stream.setNoDelay(true);
    // A fast read is cancelled much earlier, but not if the server is busy.
    const longest = profile === 'fast' ? statementTimeout * 1_000 : Number(settings['statement_timeout']);
    const maxSilence = longest === 0 ? Number.POSITIVE_INFINITY : longest + url.connectTimeout * 1_000;
    const connection = new Connection(client, topology.maxSilence(profile) ?? maxSilence, clock, onLost);
    // From here on, the connection itself listens to the client.
    if (!hasFailed()) return connection;
    connection.#lose();
    throw new ConnectionLost('the connection was lost');
  }

  get isLost(): boolean {
    return this.#isLost;
  }

  query(
    text: string,
    parameters: readonly Parameter[] = [],
    { preparedFor }: QueryOptions = {},
  ): Promise<readonly Row[]> {
    if (this.#isLost) return Promise.reject(new ConnectionLost('the connection was lost'));
    this.#cork();
    const name = preparedFor === undefined ? undefined : this.#statements.get(text, preparedFor);
    return this.#track(
      new Promise((resolve, reject) => {
        this.#client.query({ text, name, values: [...parameters] }, (error, result) =>
          error ? reject(error) : resolve(result.rows),
        );
      }),
    );
  }

  copyInto(table: string, texts: AsyncIterable<Uint8Array>): Promise<void> {
    if (this.#isLost) return Promise.reject(new ConnectionLost('the connection was lost'));
    return this.#track(pipeline(Readable.from(texts), this.#client.query(copyFrom(`COPY ${table} FROM STDIN`))));
  }

  /** Closes it at once. A server that is running a statement notices and cancels it. */
  abandon(): void {
    this.#isClosing = true;
    this.#endWatch();
    if (this.#pending === 0) void this.#client.end().catch(() => undefined);
    else this.#client.connection.stream.destroy();
  }

  /** Pending statements are completed first, unless the server has fallen silent. */
  async close(): Promise<void> {
    this.#isClosing = true;
    await this.#client.end();
  }

  async #track<Result>(result: Promise<Result>): Promise<Result> {
    if (this.#pending === 0) this.#lastRead = this.#clock.monotonic();
    this.#pending += 1;
    try {
      return await result;
    } catch (error) {
      // The driver's own errors have no code, but it fails pending statements only if the connection is gone.
      const isFromServer = error instanceof pg.DatabaseError || !(this.#isLost || this.#isClosing);
      if (isFromServer) throw error;
      const LostError = this.#isSilent ? ServerSilent : ConnectionLost;
      throw new LostError('the connection was lost', { cause: error });
    } finally {
      this.#pending -= 1;
    }
  }

  /** Sends what is queried in one iteration of the event loop in one packet. */
  #cork(): void {
    if (this.#isCorked) return;
    this.#isCorked = true;
    const { stream } = this.#client.connection;
    stream.cork();
    process.nextTick(() => {
      this.#isCorked = false;
      stream.uncork();
    });
  }

  #deallocate(name: string): void {
    const { connection } = this.#client;
    // Unlike DEALLOCATE, this message cannot fail, not even in a transaction that has failed.
    connection.close({ type: 'S', name }, true);
    // The driver remembers the text of every statement it prepared.
    if ('parsedStatements' in connection && connection.parsedStatements instanceof Object)
      Reflect.deleteProperty(connection.parsedStatements, name);
  }

  /** A server that vanished without closing the connection would never respond. */
  #checkSilence(): void {
    const { stream } = this.#client.connection;
    const bytesRead = 'bytesRead' in stream ? Number(stream.bytesRead) : 0;
    if (bytesRead !== this.#bytesRead || this.#pending === 0) this.#lastRead = this.#clock.monotonic();
    this.#bytesRead = bytesRead;
    if (this.#clock.monotonic() - this.#lastRead <= this.#maxSilence) return;
    this.#isSilent = true;
    stream.destroy(new Error('the server does not respond'));
  }

  #lose(): void {
    if (this.#isLost) return;
    this.#isLost = true;
    this.#endWatch();
    if (!this.#isClosing) this.#onLost();
  }
}

interface Connected {
  readonly client: pg.Client;
  /** Whether it failed after it was connected. */
  hasFailed(): boolean;
}

async function connect(config: pg.ClientConfig, url: PostgresUrl): Promise<Connected> {
  const client = new pg.Client(config);
  let hasFailed = false;
  const fail = () => {
    hasFailed = true;
  };
  // Errors while connecting reject `connect`; the listener keeps later ones from ending the process.
  client.on('error', fail).on('end', fail);
  try {
    return { client: await client.connect(), hasFailed: () => hasFailed };
  } catch (error) {
    void client.end().catch(() => undefined);
    if (error instanceof pg.DatabaseError) throw error;
    // A server without TLS refuses it before anything else is said.
    if (url.sslMode === 'prefer' && config.ssl !== false && isTlsRefused(error))
      return connect({ ...config, ssl: false }, url);
    throw new ConnectionLost(messageOf(error), { cause: error });
  }
}

function isTlsRefused(error: unknown): boolean {
  return error instanceof Error && !('code' in error);
}

/** Several addresses that all fail are one error without a message of its own. */
function messageOf(error: unknown): string {
  const first = error instanceof AggregateError ? error.errors[0] : error;
  return first instanceof Error ? first.message : String(first);
}
