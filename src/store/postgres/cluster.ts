/** The servers of a database address, and the pool of connections to the one that takes writes. */

import { readFileSync } from 'node:fs';
import { connect, isIP } from 'node:net';
import postgres from 'postgres';
import { StoreUnavailable } from '../store-error.ts';
import { isConnectionLost, translated } from './errors.ts';
import type { PostgresUrl } from './url.ts';

export type Pool = ReturnType<typeof makePool>;

export interface PoolOptions {
  readonly poolSize: number;
  /** How long a statement may run, in seconds; 0 for as long as it takes. */
  readonly statementTimeout: number;
}

/** How long a write waits for another one to the same resource of the same account, in milliseconds. */
const LOCK_TIMEOUT = 5_000;

export class Cluster {
  readonly #url: PostgresUrl;
  readonly #options: PoolOptions;
  #pool: Promise<Pool> | undefined;
  /** The host that the pool is connected to. */
  #writable: PostgresUrl['hosts'][number] | undefined;

  constructor(url: PostgresUrl, options: PoolOptions) {
    this.#url = url;
    this.#options = options;
  }

  /** Connects where there is no pool. Whoever asks meanwhile waits for the same attempt. */
  pool(): Promise<Pool> {
    this.#pool ??= this.#connect().catch((error: unknown) => {
      this.#pool = undefined;
      throw error;
    });
    return this.#pool;
  }

  /** One connection apart from the pool, for what may take long. Whoever asked for it ends it. */
  async connection(): Promise<Pool> {
    await this.pool();
    if (this.#writable === undefined) throw new Error('there is a pool without a host');
    return makePool(this.#writable, this.#url, { ...this.#options, poolSize: 1 });
  }

  /** To be told of every error: where the connection was lost, the servers are looked through again. */
  async failed(pool: Pool, error: unknown): Promise<void> {
    if (!isConnectionLost(error) || (await this.#pool) !== pool) return;
    this.#pool = undefined;
    void pool.end({ timeout: 0 });
  }

  /** A server that vanished without a word never answers, and never says so: this gives up on it in the end. */
  async inTime<Result>(answer: Promise<Result>): Promise<Result> {
    const { statementTimeout } = this.#options;
    if (statementTimeout === 0) return answer;
    let timer: NodeJS.Timeout | undefined;
    const patience = statementTimeout * 1_000 + this.#url.connectTimeout * 1_000 + LOCK_TIMEOUT;
    const timeout = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(Object.assign(new Error('no answer in time'), { code: 'ETIMEDOUT' })), patience);
    });
    return Promise.race([answer, timeout]).finally(() => clearTimeout(timer));
  }

  async close(): Promise<void> {
    const pool = await this.#pool?.catch(() => undefined);
    await pool?.end({ timeout: 5 });
  }

  /** All hosts are asked at once, and the first that takes writes is taken. */
  async #connect(): Promise<Pool> {
    const pools = this.#url.hosts.map((host) => makePool(host, this.#url, this.#options));
    const attempts = pools.map(async (pool) => {
      const [state] = await pool.unsafe('SHOW transaction_read_only');
      if (state?.['transaction_read_only'] !== 'off')
        throw new StoreUnavailable('unreachable', 'PostgreSQL takes no writes: the server is a standby');
      return pool;
    });
    const writable = await Promise.any(attempts).catch(() => undefined);
    for (const pool of pools) if (pool !== writable) void pool.end({ timeout: 0 });
    if (writable !== undefined) {
      this.#writable = this.#url.hosts[pools.indexOf(writable)];
      return writable;
    }
    const [failure] = await Promise.allSettled(attempts);
    throw translated(failure?.status === 'rejected' ? failure.reason : new Error('no host is named'));
  }
}

function makePool(
  { host, port }: PostgresUrl['hosts'][number],
  url: PostgresUrl,
  { poolSize, statementTimeout }: PoolOptions,
) {
  const options = {
    host,
    port,
    user: url.user,
    password: url.password,
    database: url.database,
    // Without waiting to fill a packet: statements are small, and others follow before the first is answered. (The driver
    // takes this option, though its types do not know it.)
    socket: () => connect({ host, port, noDelay: true }),
    ssl: tlsOptions(host, url),
    max: poolSize,
    connect_timeout: url.connectTimeout,
    // Whether a server is back is seen by trying; waiting longer and longer would keep requests from being answered.
    backoff: false,
    prepare: true,
    fetch_types: false,
    onnotice: () => {},
    // Parameters are written by the dialect, in the form in which PostgreSQL reads them.
    types: { boolean: asWritten(16), timestamptz: asWritten(1184) },
    connection: {
      application_name: 'stockbook',
      // A statement is planned once, by its shape. Planned for its values, it would be planned each time, and could take an
      // index across accounts where it seems cheaper.
      plan_cache_mode: 'force_generic_plan',
      TimeZone: 'UTC',
      statement_timeout: statementTimeout * 1_000,
      lock_timeout: LOCK_TIMEOUT,
    },
  };
  return postgres(options);
}

function asWritten(oid: number) {
  return { to: oid, from: [oid], serialize: (value: string) => value, parse: (value: string) => value };
}

function tlsOptions(host: string, { sslMode, sslRootCert }: PostgresUrl) {
  if (sslMode === 'disable') return false;
  if (sslMode === 'prefer' || sslMode === 'require') return sslMode;
  return {
    // By one of these the name on the certificate is checked; an address is no server name.
    ...(isIP(host) === 0 ? { servername: host } : { host }),
    rejectUnauthorized: true,
    ...(sslRootCert !== undefined && { ca: readFileSync(sslRootCert) }),
    // verify-ca trusts the certificate whatever name is on it.
    ...(sslMode === 'verify-ca' && { checkServerIdentity: () => undefined }),
  };
}
