/** What distinguishes a server from any other, even from a copy of it, and from itself before it was restarted. */

import type { FoundServer } from '../server-agreement.ts';

/** The server, its timeline, its last start, and the database. Fails on a standby. */
export const SERVER_IDENTITY = `(SELECT system_identifier FROM pg_control_system())::text
  || '/' || left(pg_walfile_name(pg_current_wal_lsn()), 8)
  || '/' || extract(epoch FROM pg_postmaster_start_time())::text
  || '/' || (SELECT oid FROM pg_database WHERE datname = current_database())::text`;

/** Whether one is a copy of the other: a standby that was promoted, or made from a backup. */
export function haveCommonOrigin(one: FoundServer, other: FoundServer): boolean {
  return systemOf(one) === systemOf(other);
}

function systemOf({ identity }: FoundServer): string | undefined {
  return identity.split('/', 1)[0];
}
