/** What differs in SQL on a cluster. */

import type { Dialect } from '../../sql/dialect.ts';
import { postgresDialect } from '../dialect.ts';

/** A statement that writes in several `WITH` clauses would be sent to every worker node, and committed in two phases on all of them. */
export const clusterDialect: Dialect = {
  ...postgresDialect,
  writesInWith: false,
  entryOrder: ['at', 'id'],
  // Shards of tables that refer to `account`, which every node has a copy of, cannot be changed in parallel with it.
  beforeTableChange: [...postgresDialect.beforeTableChange, `SET LOCAL citus.multi_shard_modify_mode = 'sequential'`],
};
