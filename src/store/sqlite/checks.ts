/** What `stockbook check` verifies on SQLite only: the file, its schema, and the search index. */

import type { EngineChecks } from '../engine/engine.ts';
import { schema } from './schema-check.ts';
import { searchIndexes } from './search-check.ts';
import { storage } from './storage-check.ts';

export const sqliteChecks: EngineChecks = { storage, schema, searchIndexes };
