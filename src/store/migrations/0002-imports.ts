/** Imports and the positions of connectors; idempotency keys of requests that create no record. */

import type { Migration } from './migration.ts';

export const imports: Migration = {
  number: 2,
  name: 'imports',
  sqlite: [
    `CREATE TABLE import (
      account_id INTEGER NOT NULL,
      id TEXT NOT NULL,
      resource TEXT NOT NULL,
      state TEXT NOT NULL,
      rows INTEGER NOT NULL,
      actor TEXT NOT NULL,
      file TEXT,
      source TEXT,
      started_at TEXT NOT NULL,
      expires_at TEXT NOT NULL,
      ended_at TEXT,
      result TEXT,
      PRIMARY KEY (account_id, id)
    ) STRICT, WITHOUT ROWID`,
    `CREATE INDEX import_started_at ON import (started_at)`,
    `CREATE TABLE source (
      account_id INTEGER NOT NULL,
      name TEXT NOT NULL,
      resource TEXT NOT NULL,
      position TEXT NOT NULL,
      saved_at TEXT NOT NULL,
      PRIMARY KEY (account_id, name)
    ) STRICT, WITHOUT ROWID`,
    `ALTER TABLE idempotency_key ADD COLUMN result TEXT`,
  ],
  postgres: [
    `CREATE TABLE import (
      account_id bigint NOT NULL,
      id text COLLATE "C" NOT NULL,
      resource text COLLATE "C" NOT NULL,
      state text COLLATE "C" NOT NULL,
      rows bigint NOT NULL,
      actor text COLLATE "C" NOT NULL,
      file text COLLATE "C",
      source text COLLATE "C",
      started_at timestamptz NOT NULL,
      expires_at timestamptz NOT NULL,
      ended_at timestamptz,
      result text COLLATE "C",
      PRIMARY KEY (account_id, id)
    )`,
    `CREATE INDEX import_started_at ON import (started_at)`,
    `CREATE TABLE source (
      account_id bigint NOT NULL,
      name text COLLATE "C" NOT NULL,
      resource text COLLATE "C" NOT NULL,
      position text COLLATE "C" NOT NULL,
      saved_at timestamptz NOT NULL,
      PRIMARY KEY (account_id, name)
    )`,
    `ALTER TABLE idempotency_key ADD COLUMN result text COLLATE "C"`,
  ],
};
