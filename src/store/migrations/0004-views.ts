/** Saved views, and the currency of an account. */

import type { Migration } from './migration.ts';

export const views: Migration = {
  number: 4,
  name: 'views',
  sqlite: [
    `CREATE TABLE view_list (
      account_id INTEGER PRIMARY KEY REFERENCES account (id) ON DELETE CASCADE,
      version INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID`,
    `CREATE TABLE saved_view (
      account_id INTEGER NOT NULL REFERENCES account (id) ON DELETE CASCADE,
      id TEXT NOT NULL,
      resource TEXT NOT NULL,
      name TEXT NOT NULL,
      query TEXT NOT NULL,
      is_first_page INTEGER NOT NULL,
      version INTEGER NOT NULL,
      saved_at TEXT NOT NULL,
      PRIMARY KEY (account_id, id)
    ) STRICT, WITHOUT ROWID`,
    `ALTER TABLE account ADD COLUMN currency TEXT`,
  ],
  postgres: [
    `CREATE TABLE view_list (
      account_id bigint PRIMARY KEY REFERENCES account (id) ON DELETE CASCADE,
      version bigint NOT NULL
    )`,
    `CREATE TABLE saved_view (
      account_id bigint NOT NULL REFERENCES account (id) ON DELETE CASCADE,
      id text COLLATE "C" NOT NULL,
      resource text COLLATE "C" NOT NULL,
      name text COLLATE "C" NOT NULL,
      query text COLLATE "C" NOT NULL,
      is_first_page boolean NOT NULL,
      version bigint NOT NULL,
      saved_at timestamptz NOT NULL,
      PRIMARY KEY (account_id, id)
    )`,
    `ALTER TABLE account ADD COLUMN currency text COLLATE "C"`,
  ],
};
