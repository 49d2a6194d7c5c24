/** PostgreSQL's errors, told apart by their SQLSTATE, and the driver's by their code. */

import { StoreUnavailable, UnusableDatabase } from '../store-error.ts';

/** What an error means to whoever asked; an error that is a fault of the program stays what it is. */
export function translated(error: unknown): unknown {
  const code = codeOf(error);
  if (code === undefined) return error;
  if (isConnectionLost(error)) return unavailable('unreachable', error);
  if (/CERT|TLS|SSL|SIGNATURE/.test(code)) {
    return new UnusableDatabase(
      `The certificate of PostgreSQL is not accepted: ${messageOf(error)}. Name the one to trust with sslrootcert in --database.`,
    );
  }
  switch (code) {
    case '57014':
      return unavailable('too slow', error);
    case '55P03':
    case '40001':
    case '40P01':
    // Too many connections.
    case '53300':
      return unavailable('busy', error);
    case '53100':
    case '53200':
    case '53400':
      return unavailable('exhausted', error);
    case '28000':
    case '28P01':
      return new UnusableDatabase('PostgreSQL does not accept this user and password. Check them in --database.');
    case '55000':
      return unavailable('unreachable', error);
    case '3D000':
      return new UnusableDatabase(
        'PostgreSQL has no such database. Make it with "CREATE DATABASE", or name another in --database.',
      );
    case '42501':
      return new UnusableDatabase(
        `PostgreSQL does not allow this user to do that (${messageOf(error)}). docs/postgresql.md says what it needs.`,
      );
    default:
      return error;
  }
}

/** SQLSTATE classes and codes, Node's and the driver's own, that mean the connection is no good any more. */
const LOST = /^(08|57P0|25006|CONNECT|E(CONN|HOSTUNREACH|NETUNREACH|PIPE|TIMEDOUT|NOTFOUND|AI_AGAIN))/;

export function connectionLost(): Error {
  return Object.assign(new Error('the connection was lost'), { code: 'CONNECTION_CLOSED' });
}

export function isConnectionLost(error: unknown): boolean {
  return LOST.test(codeOf(error) ?? '');
}

/** The code of an error that the server itself told; nothing for errors on the way there. */
export function sqlState(error: unknown): string | undefined {
  const code = codeOf(error);
  return code !== undefined && /^[0-9A-Z]{5}$/.test(code) ? code : undefined;
}

function unavailable(reason: StoreUnavailable['reason'], cause: unknown): StoreUnavailable {
  return new StoreUnavailable(reason, `PostgreSQL: ${messageOf(cause)}`, { cause });
}

function codeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
