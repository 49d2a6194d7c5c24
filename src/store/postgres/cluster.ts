/** The servers of a database address, and the pool of connections to the one that takes writes. */

import { readFileSync } from 'node:fs';
import { connect, isIP } from 'node:net';
import postgres from 'postgres';
import { StoreUnavailable, UnusableDatabase } from '../store-error.ts';
import { isConnectionLost, translated } from './errors.ts';
import { Lane } from './lane.ts';
import type { PostgresUrl } from './url.ts';

export type Pool = ReturnType<typeof makePool>;

export interface PoolOptions {
  readonly poolSize: number;
  /** How long a statement may run, in seconds; 0 for as long as it takes. */
  readonly statementTimeout: number;
}

/** How long a write waits for another one to the same resource of the same account, in milliseconds. */
const LOCK_TIMEOUT = 5_000;

/** The server that takes writes, and the pool of connections to it. */
interface Server {
  readonly host: Host;
  readonly pool: Pool;
}

type Host = PostgresUrl['hosts'][number];

export class Cluster {
  readonly #url: PostgresUrl;
  readonly #options: PoolOptions;
  #server: Promise<Server> | undefined;
  #epoch = 0;

  constructor(url: PostgresUrl, options: PoolOptions) {
    this.#url = url;
    this.#options = options;
  }

  /** Which search for the server it was that found the one in use. */
  get epoch(): number {
    return this.#epoch;
  }

  async pool(): Promise<Pool> {
    return (await this.#connected()).pool;
  }

  /** A connection of its own. Whoever asked for it closes it. */
  async lane(): Promise<Lane> {
    const { host } = await this.#connected();
    const options = { ...this.#options, poolSize: 1 };
    return this.#withinConnectTimeout(Lane.open((onClose) => makePool(host, this.#url, options, onClose)));
  }

  /** Throws where the server does not answer in the time that connecting may take. */
  async check(): Promise<void> {
    const pool = await this.pool();
    try {
      await this.#withinConnectTimeout(pool.unsafe('SELECT 1'));
    } catch (error) {
      this.failed(pool, error);
      throw translated(error);
    }
  }

  /** To be told of every error: where the connection was lost, the servers are looked through again. */
  failed(pool: Pool, error: unknown): void {
    if (isConnectionLost(error)) this.#forget(pool);
  }

  async laneFailed(error: unknown): Promise<void> {
    if (!isConnectionLost(error)) return;
    const server = await this.#server?.catch(() => undefined);
    if (server !== undefined) this.#forget(server.pool);
  }

  /** A server that vanished without a word never answers, and never says so: this gives up on it in the end. */
  async inTime<Result>(answer: Promise<Result>): Promise<Result> {
    const { statementTimeout } = this.#options;
    return statementTimeout === 0 ? answer : within(this.#patience, answer);
  }

  async close(): Promise<void> {
    const server = await this.#server?.catch(() => undefined);
    await server?.pool.end({ timeout: 5 });
  }

  /** In seconds: a statement is ended by the server first. */
  get #patience(): number {
    return this.#options.statementTimeout + this.#url.connectTimeout + LOCK_TIMEOUT / 1_000;
  }

  /** Connects where nothing is. Whoever asks meanwhile waits for the same attempt. */
  #connected(): Promise<Server> {
    this.#server ??= this.#connect().catch((error: unknown) => {
      this.#server = undefined;
      throw error;
    });
    return this.#server;
  }

  /** What is under way on other connections of the pool may come to its end. */
  #forget(pool: Pool): void {
    const current = this.#server;
    const forget = (server: Server) => {
      if (server.pool !== pool || this.#server !== current) return;
      this.#server = undefined;
      void pool.end({ timeout: this.#patience });
    };
    // An attempt to connect that failed is forgotten already.
    current?.then(forget, () => undefined);
  }

  /** All hosts are asked at once, and the first that takes writes is taken. */
  async #connect(): Promise<Server> {
    this.#epoch += 1;
    const servers = this.#url.hosts.map((host): Server => {
      // A connection that closes by itself may mean that another server takes the writes by now.
      const pool: Pool = makePool(host, this.#url, this.#options, () => this.#forget(pool));
      return { host, pool };
    });
    const attempts = servers.map(async (server) => {
      const [state] = await this.#withinConnectTimeout(server.pool.unsafe('SHOW transaction_read_only'));
      if (state?.['transaction_read_only'] !== 'off')
        throw new StoreUnavailable('unreachable', 'PostgreSQL takes no writes: the server is a standby');
      return server;
    });
    const writable = await Promise.any(attempts).catch(() => undefined);
    for (const server of servers) if (server !== writable) void server.pool.end({ timeout: 0 });
    if (writable !== undefined) return writable;
    const [failure] = await Promise.allSettled(attempts);
    throw translated(failure?.status === 'rejected' ? failure.reason : new Error('no host is named'));
  }

  #withinConnectTimeout<Result>(answer: Promise<Result>): Promise<Result> {
    return within(this.#url.connectTimeout, answer);
  }
}

/** In seconds. */
async function within<Result>(time: number, answer: Promise<Result>): Promise<Result> {
  const { promise: timeout, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(
    () => reject(Object.assign(new Error('no answer in time'), { code: 'ETIMEDOUT' })),
    time * 1_000,
  );
  return Promise.race([answer, timeout]).finally(() => clearTimeout(timer));
}

function makePool(
  { host, port }: Host,
  url: PostgresUrl,
  { poolSize, statementTimeout }: PoolOptions,
  onClose: () => void,
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
    // Connections stay: one that closes means something.
    max_lifetime: null,
    onclose: onClose,
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
      // As many digits of a double as tell it from every other.
      extra_float_digits: 1,
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
    ...(sslRootCert !== undefined && { ca: readCertificates(sslRootCert) }),
    // verify-ca trusts the certificate whatever name is on it.
    ...(sslMode === 'verify-ca' && { checkServerIdentity: () => undefined }),
  };
}

function readCertificates(path: string): Buffer {
  try {
    return readFileSync(path);
  } catch (error) {
    const reason = error instanceof Error && 'code' in error ? String(error.code) : String(error);
    throw new UnusableDatabase(
      `The certificates in ${path} cannot be read (${reason}). Check sslrootcert in --database.`,
    );
  }
}
