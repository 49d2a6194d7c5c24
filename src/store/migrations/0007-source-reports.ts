/** What connectors report about their sources: when everything was imported, and what fails. */

import type { Migration } from './migration.ts';

export const sourceReports: Migration = {
  number: 7,
  name: 'source reports',
  sqlite: [
    `ALTER TABLE source ADD COLUMN checked_at TEXT`,
    `ALTER TABLE source ADD COLUMN failing_since TEXT`,
    `ALTER TABLE source ADD COLUMN error TEXT`,
  ],
  postgres: [
    `ALTER TABLE source ADD COLUMN checked_at timestamptz`,
    `ALTER TABLE source ADD COLUMN failing_since timestamptz`,
    `ALTER TABLE source ADD COLUMN error text COLLATE "C"`,
  ],
};
