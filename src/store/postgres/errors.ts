/** PostgreSQL's errors by SQLSTATE, and the driver's own. */

import pg from 'pg';
import type { FoundServer } from '../server-agreement.ts';
import { OutdatedFields, StatementRejected, StoreUnavailable, UnusableDatabase } from '../store-error.ts';
import { haveCommonOrigin } from './server-identity.ts';

/** The connection ended before the result of the statement arrived, or could not be opened. */
export class ConnectionLost extends Error {
  override readonly name = 'ConnectionLost';
}

/** The server did not respond for too long, so the connection was closed. */
export class ServerSilent extends ConnectionLost {}

/** Two servers accept writes, so nobody knows which of them is right. */
export class TwoHistories extends UnusableDatabase {
  constructor(one: FoundServer, other: FoundServer) {
    const advice = haveCommonOrigin(one, other)
      ? 'Each has writes that the other lacks, or will have: stop the one that was replaced'
      : 'They are different databases: name one server and its standbys in --database';
    super(`PostgreSQL accepts writes on ${one.address} and on ${other.address}. ${advice}.`);
  }
}

/** What an error means to the caller. Any other error is returned unchanged. */
export function translateError(error: unknown): unknown {
  if (isCertificateError(error)) {
    return new UnusableDatabase(
      `PostgreSQL's certificate is not accepted: ${messageOf(error)}. Name the certificates to trust with sslrootcert in --database.`,
    );
  }
  const state = error instanceof pg.DatabaseError ? error.code : undefined;
  switch (state) {
    case '57014':
    // The statement before it in the pipeline was cancelled while it prepared this one.
    case '26000':
      return unavailable('too slow', error);
    case '55P03':
      return new StoreUnavailable(
        'busy',
        'Timed out waiting for a lock: another process is writing to the account. Nothing was changed; try again later.',
        { cause: error },
      );
    case '40001':
    case '40P01':
      return unavailable('busy', error);
    case '53100':
    case '53200':
    case TOO_MANY_CONNECTIONS:
    case '53400':
      return unavailable('exhausted', error);
    case READ_ONLY:
      return unavailable('not writable', error);
    case '28000':
    case '28P01':
      return new UnusableDatabase('PostgreSQL rejects the user name or password. Check them in --database.');
    case '55000':
      return unavailable('unreachable', error);
    case UNDEFINED_COLUMN:
      return new OutdatedFields(messageOf(error), { cause: error });
    case '3D000':
      return new UnusableDatabase(
        'The PostgreSQL database does not exist. Create it with "CREATE DATABASE", or name another in --database.',
      );
    case '42501':
      return new UnusableDatabase(
        `PostgreSQL denies permission (${messageOf(error)}). docs/postgresql.md lists the permissions that Stockbook needs.`,
      );
    default:
      if (isUnplannable(error)) return new UnusableDatabase(DISTRIBUTED_MEANWHILE);
      if (isShardMoving(error)) return unavailable('busy', error);
      if (isWorkerNodeLost(error)) return workerNodeUnavailable(error);
      if (isConnectionLost(error)) return unavailable('unreachable', error);
      // Class 22 is invalid data, class 23 a violated constraint, class 54 too much of something, such as a row of too many short texts.
      return /^(?:2[23]|54)/.test(state ?? '') ? new StatementRejected(messageOf(error), { cause: error }) : error;
  }
}

/** Whether the connection can no longer be used. */
export function isConnectionLost(error: unknown): boolean {
  if (error instanceof ConnectionLost) return true;
  // The server has no room for another connection, but those that exist still work.
  if (!(error instanceof pg.DatabaseError) || error.code === TOO_MANY_CONNECTIONS) return false;
  return error.severity === 'FATAL' || error.severity === 'PANIC';
}

/**
 * A node of a cluster has lost the worker node that has the records. The connection to the node itself still works: if that is lost, the severity is
 * FATAL, or there is no error from the server at all.
 */
export function isWorkerNodeLost(error: unknown): boolean {
  if (!(error instanceof pg.DatabaseError) || error.severity !== 'ERROR') return false;
  return /^(?:080|57P0)/.test(error.code ?? '') || WITHOUT_CODE.test(error.message);
}

/** Citus gives these errors no code of their own. */
const WITHOUT_CODE =
  /^(?:failure on connection marked as essential|could not commit transaction (?:for shard|on)|failed to COPY to shard)/;

/** No table can be distributed while a shard is being moved. Citus gives this error no code of its own either. */
function isShardMoving(error: unknown): boolean {
  return (
    error instanceof pg.DatabaseError && error.message.startsWith('could not acquire the lock required to colocate')
  );
}

/** A shard, or its table, is not there any more: it was moved or split. */
export function isShardGone(error: unknown): boolean {
  if (!(error instanceof pg.DatabaseError)) return false;
  return error.code === UNDEFINED_TABLE || error.message.startsWith('could not find valid entry for shard');
}

const UNDEFINED_TABLE = '42P01';
const UNDEFINED_COLUMN = '42703';

/** Citus cannot plan a statement as it is sent to a single server. */
export function isUnplannable(error: unknown): boolean {
  return error instanceof pg.DatabaseError && error.code === '0A000' && error.message.includes('distributed');
}

const DISTRIBUTED_MEANWHILE =
  'The tables were distributed with Citus while this process was running. Restart it to use the cluster.';

export function workerNodeUnavailable(error: unknown): StoreUnavailable {
  return unavailable('partly unreachable', error);
}

/** Of a connection to a worker node: without it, only a part of the database is missing. */
export function translateWorkerNodeError(error: unknown): unknown {
  const translated = translateError(error);
  return translated instanceof StoreUnavailable && translated.reason === 'unreachable'
    ? new StoreUnavailable('partly unreachable', translated.message, { cause: translated.cause })
    : translated;
}

/** Whether the server, or this connection to it, does not accept writes. */
export function isReadOnly(error: unknown): boolean {
  return error instanceof pg.DatabaseError && error.code === READ_ONLY;
}

const TOO_MANY_CONNECTIONS = '53300';

/** The server has become a standby, or its operator has stopped all writes. */
const READ_ONLY = '25006';

function isCertificateError(error: unknown): boolean {
  const cause = error instanceof ConnectionLost ? error.cause : undefined;
  return cause instanceof Error && 'code' in cause && /CERT|TLS|SSL|SIGNATURE/.test(String(cause.code));
}

/** The first line of the cause: others repeat it, or give advice. */
function unavailable(reason: StoreUnavailable['reason'], cause: unknown): StoreUnavailable {
  const [first] = messageOf(cause).split('\n');
  return new StoreUnavailable(reason, `PostgreSQL: ${first}`, { cause });
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
