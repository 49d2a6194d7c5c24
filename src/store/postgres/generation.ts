/**
 * Begins a generation when a database is first written on a server, after a failover, after a dump was loaded, or after a
 * restart of the server, which may have lost commits or have been given an older copy of the data.
 */

import type { Generation } from '../engine/engine.ts';
import { integerOf } from '../sql/row.ts';
import type { Connection } from './connection.ts';
import { SERVER_IDENTITY } from './server-identity.ts';

const INSERT = `INSERT INTO generation (number, id, server, began_at)
  SELECT coalesce(max(number), 0) + 1, $1::bigint, ${SERVER_IDENTITY} || '/' || pg_current_xact_id()::xid::text, now() FROM generation`;

/**
 * Of several connections that do so at the same time, one succeeds, and the others find the generation it began. The row
 * names the transaction that inserted it; if another one did, it comes from a dump.
 */
export async function beginGenerationIfNew(connection: Connection, id: number): Promise<void> {
  await connection.query(
    `${INSERT}
      HAVING (SELECT server = ${SERVER_IDENTITY} || '/' || xmin::text FROM generation ORDER BY number DESC LIMIT 1) IS NOT TRUE
      ON CONFLICT (number) DO NOTHING`,
    [id],
  );
}

/** Begins one in any case. If another connection does so at the same time, one of them tries again. */
export async function beginGeneration(connection: Connection, id: number): Promise<Generation> {
  for (;;) {
    const [row] = await connection.query(`${INSERT} ON CONFLICT (number) DO NOTHING RETURNING number`, [id]);
    if (row !== undefined) return { number: integerOf(row, 'number'), id };
  }
}
