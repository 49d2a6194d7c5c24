/** The idempotency keys of create requests, each with the record that it created. */

import type { Migration } from './migration.ts';

export const idempotencyKeys: Migration = {
  number: 10,
  name: 'idempotency keys',
  sqlite: [
    `CREATE TABLE idempotency_key (
      account_id INTEGER NOT NULL,
      resource TEXT NOT NULL,
      key_hash TEXT NOT NULL,
      fingerprint TEXT NOT NULL,
      record_id INTEGER NOT NULL,
      created_at TEXT NOT NULL,
      PRIMARY KEY (account_id, resource, key_hash)
    ) STRICT, WITHOUT ROWID`,
  ],
  postgres: [
    `CREATE TABLE idempotency_key (
      account_id bigint NOT NULL,
      resource text COLLATE "C" NOT NULL,
      key_hash text COLLATE "C" NOT NULL,
      fingerprint text COLLATE "C" NOT NULL,
      record_id bigint NOT NULL,
      created_at timestamptz NOT NULL,
      PRIMARY KEY (account_id, resource, key_hash)
    )`,
  ],
};
