/** What `stockbook check` verifies on PostgreSQL only: indexes, the schema, and the search indexes. */

import type { EngineChecks } from '../engine/engine.ts';
import { schema } from './schema-check.ts';
import { searchIndexes } from './search-check.ts';
import { storage } from './storage-check.ts';

export const postgresChecks: EngineChecks = { storage, schema, searchIndexes };
