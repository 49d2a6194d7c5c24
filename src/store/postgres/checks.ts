/** What `stockbook check` verifies on PostgreSQL only: indexes, the schema, and the search indexes. */

import type { CheckedEngine } from '../check/check.ts';
import { schema } from './schema-check.ts';
import { searchIndexes } from './search-check.ts';
import { storage } from './storage-check.ts';

export const postgresChecks: CheckedEngine['checks'] = { storage, schema, searchIndexes };
