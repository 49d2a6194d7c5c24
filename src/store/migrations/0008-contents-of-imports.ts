/** What was imported, as a hash, so that the same rows are not added a second time without a question. */

import type { Migration } from './migration.ts';

export const contentsOfImports: Migration = {
  number: 8,
  name: 'contents of imports',
  sqlite: [
    `ALTER TABLE import ADD COLUMN content_hash TEXT`,
    `CREATE INDEX import_content_hash ON import (account_id, content_hash)`,
  ],
  postgres: [
    `ALTER TABLE import ADD COLUMN content_hash text COLLATE "C"`,
    `CREATE INDEX import_content_hash ON import (account_id, content_hash)`,
  ],
};
