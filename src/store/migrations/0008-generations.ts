/** The history of the database: generations, and in which of them each ledger was written. */

import type { Migration } from './migration.ts';

export const generations: Migration = {
  number: 8,
  name: 'a history of generations',
  sqlite: [
    `CREATE TABLE generation (
      number INTEGER PRIMARY KEY,
      id INTEGER NOT NULL,
      server TEXT,
      began_at TEXT NOT NULL
    ) STRICT, WITHOUT ROWID`,
    `INSERT INTO generation (number, id, began_at)
      VALUES (1, abs(random() % 281474976710655), strftime('%Y-%m-%dT%H:%M:%fZ', 'now'))`,
    'ALTER TABLE ledger ADD COLUMN generation INTEGER NOT NULL DEFAULT 0',
    'ALTER TABLE ledger ADD COLUMN began INTEGER NOT NULL DEFAULT 0',
    'UPDATE ledger SET generation = (SELECT id FROM generation)',
    `CREATE TABLE ledger_history (
      account_id INTEGER NOT NULL,
      resource TEXT NOT NULL,
      began INTEGER NOT NULL,
      generation INTEGER NOT NULL,
      PRIMARY KEY (account_id, resource, began)
    ) STRICT, WITHOUT ROWID`,
  ],
  postgres: [
    `CREATE TABLE generation (
      number bigint PRIMARY KEY,
      id bigint NOT NULL,
      server text COLLATE "C",
      began_at timestamptz NOT NULL
    )`,
    'INSERT INTO generation (number, id, began_at) VALUES (1, (random() * 281474976710655)::bigint, now())',
    'ALTER TABLE ledger ADD COLUMN generation bigint NOT NULL DEFAULT 0',
    'ALTER TABLE ledger ADD COLUMN began bigint NOT NULL DEFAULT 0',
    'UPDATE ledger SET generation = (SELECT id FROM generation)',
    `CREATE TABLE ledger_history (
      account_id bigint NOT NULL,
      resource text COLLATE "C" NOT NULL,
      began bigint NOT NULL,
      generation bigint NOT NULL,
      PRIMARY KEY (account_id, resource, began)
    )`,
  ],
};
