/** Connections to one server, as the driver opens them. */

import { readFileSync } from 'node:fs';
import { connect, isIP } from 'node:net';
import postgres from 'postgres';
import type { Parameter } from '../sql/dialect.ts';
import { UnusableDatabase } from '../store-error.ts';
import type { PostgresUrl } from './url.ts';

export type Pool = ReturnType<typeof makePool>;

export type Host = PostgresUrl['hosts'][number];

export interface PoolOptions {
  readonly poolSize: number;
  /** How long a statement may run, in seconds; 0 for as long as it takes. */
  readonly statementTimeout: number;
}

/** How long a write waits for another one to the same resource of the same account, in milliseconds. */
export const LOCK_TIMEOUT = 5_000;

/** What connections are for, and how the server is to treat them. Readers wait only while a table is being changed. */
export const SESSIONS = {
  /** Reads that are answered at once: planned by their shape, whatever the values are. */
  short: { plan_cache_mode: 'force_generic_plan', lock_timeout: 1_000 },
  /**
   * Reads that take long: how much of an account a filter matches makes more of a difference than the planning. To read a
   * whole table would be to read all accounts. None takes more than one core, so that others are not held up.
   */
  long: {
    plan_cache_mode: 'force_custom_plan',
    enable_seqscan: 'off',
    max_parallel_workers_per_gather: 0,
    lock_timeout: 1_000,
  },
  /** Transactions and streams. */
  lane: { plan_cache_mode: 'force_generic_plan', lock_timeout: LOCK_TIMEOUT },
} as const;

export type Session = keyof typeof SESSIONS;

/** Rows with their cells as bytes. */
export interface Rows {
  readonly names: readonly string[];
  readonly cells: readonly (readonly Uint8Array[])[];
}

/** Sends a statement, without waiting for those before it. */
export async function ask(
  connection: Pick<Pool, 'unsafe'>,
  text: string,
  parameters: readonly Parameter[],
  prepare: boolean,
): Promise<Rows> {
  const result = await connection.unsafe(text, [...parameters], { prepare }).raw();
  return { names: (result.columns ?? []).map(({ name }) => name), cells: result };
}

export function makePool(
  { host, port }: Host,
  url: PostgresUrl,
  { poolSize, statementTimeout }: PoolOptions,
  session: Session,
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
      ...inWords({
        ...SESSIONS[session],
        TimeZone: 'UTC',
        // What is compiled for one statement would take longer than the statement.
        jit: false,
        // As many digits of a double as tell it from every other.
        extra_float_digits: 1,
        statement_timeout: statementTimeout * 1_000,
      }),
    },
  };
  return postgres(options);
}

/** The driver leaves settings out that are 0 or false, but not their words. */
function inWords(settings: Readonly<Record<string, string | number | boolean>>): Record<string, string> {
  return Object.fromEntries(Object.entries(settings).map(([name, value]) => [name, String(value)]));
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
