/**
 * Begins a generation when a database is first written on a server, after a failover, after a dump was loaded, or after a
 * restart of the server, which may have lost commits or have been given an older copy of the data.
 */

import type { Connection } from './connection.ts';

/** Identifies the server, its timeline, its last start, and the database. */
const SERVER = `(SELECT system_identifier FROM pg_control_system())::text
  || '/' || left(pg_walfile_name(pg_current_wal_lsn()), 8)
  || '/' || extract(epoch FROM pg_postmaster_start_time())::text
  || '/' || (SELECT oid FROM pg_database WHERE datname = current_database())::text`;

/**
 * Of several connections that do so at the same time, one succeeds, and the others find the generation it began. The row
 * names the transaction that inserted it; if another one did, it comes from a dump.
 */
export async function beginGenerationIfNew(connection: Connection, id: number): Promise<void> {
  await connection.query(
    `INSERT INTO generation (number, id, server, began_at)
      SELECT coalesce(max(number), 0) + 1, $1::bigint, ${SERVER} || '/' || pg_current_xact_id()::xid::text, now() FROM generation
      HAVING (SELECT server = ${SERVER} || '/' || xmin::text FROM generation ORDER BY number DESC LIMIT 1) IS NOT TRUE
      ON CONFLICT (number) DO NOTHING`,
    [id],
  );
}
