/** Changes in the order in which they were made: an index on revisions, and a tombstone for each record that was removed. */

import type { Migration } from './migration.ts';

export const changes: Migration = {
  number: 11,
  name: 'changes in the order of revisions',
  sqlite: [
    'CREATE INDEX product_revision ON product (account_id, revision, id)',
    'CREATE INDEX partner_revision ON partner (account_id, revision, id)',
    'CREATE INDEX company_revision ON company (account_id, revision, id)',
    "INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES ('product', 'product_revision', '1000000 100000 100 1')",
    "INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES ('partner', 'partner_revision', '1000000 100000 100 1')",
    "INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES ('company', 'company_revision', '1000000 100000 100 1')",
    `CREATE TABLE tombstone (
      account_id INTEGER NOT NULL,
      resource TEXT NOT NULL,
      id INTEGER NOT NULL,
      revision INTEGER NOT NULL,
      removed_at TEXT NOT NULL,
      PRIMARY KEY (account_id, resource, id)
    ) STRICT, WITHOUT ROWID`,
    'CREATE INDEX tombstone_revision ON tombstone (account_id, resource, revision)',
    'CREATE INDEX tombstone_removed_at ON tombstone (removed_at)',
    'ALTER TABLE ledger ADD COLUMN pruned INTEGER NOT NULL DEFAULT 0',
  ],
  postgres: [
    'CREATE INDEX product_revision ON product (account_id, revision, id)',
    'CREATE INDEX partner_revision ON partner (account_id, revision, id)',
    'CREATE INDEX company_revision ON company (account_id, revision, id)',
    `CREATE TABLE tombstone (
      account_id bigint NOT NULL,
      resource text COLLATE "C" NOT NULL,
      id bigint NOT NULL,
      revision bigint NOT NULL,
      removed_at timestamptz NOT NULL,
      PRIMARY KEY (account_id, resource, id)
    )`,
    'CREATE INDEX tombstone_revision ON tombstone (account_id, resource, revision, id)',
    'CREATE INDEX tombstone_removed_at ON tombstone (removed_at)',
    'ALTER TABLE ledger ADD COLUMN pruned bigint NOT NULL DEFAULT 0',
  ],
};
