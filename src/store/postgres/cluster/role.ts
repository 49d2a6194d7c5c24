/** Finds out what a server is. */

import { textOf } from '../../sql/row.ts';
import { UnusableDatabase } from '../../store-error.ts';
import type { Connection } from '../connection.ts';
import type { NodeRole } from './node.ts';

/** The oldest version of Citus that was tested. */
const MIN_VERSION = 13.2;

export async function findRole(connection: Connection): Promise<NodeRole> {
  const [extension] = await connection.query("SELECT extversion FROM pg_extension WHERE extname = 'citus'");
  if (extension === undefined) return 'single';
  const version = textOf(extension, 'extversion');
  // Older ones ignore the isolation level on worker nodes, so the statements of a request would not have one snapshot.
  if (Number.parseFloat(version) < MIN_VERSION)
    throw new UnusableDatabase(`The database has Citus ${version}. Stockbook needs ${MIN_VERSION} or later.`);
  const [group] = await connection.query('SELECT groupid FROM pg_dist_local_group');
  return group?.['groupid'] === '0' ? 'coordinator' : 'worker node';
}
