/** What the checks that each engine has on its own have in common. */

import type { CheckDescription } from './findings.ts';

export const storageCheck: CheckDescription = {
  name: 'storage',
  verifies:
    'SQLite: the pages of the file are intact, and its indexes agree with the tables; PostgreSQL: the indexes agree with the tables',
  repairs: 'builds indexes anew; if pages of tables are damaged, restore a backup',
};

export const schemaCheck: CheckDescription = {
  name: 'schema',
  verifies:
    'the tables, indexes and triggers of the migrations exist, and are enabled, among them those that protect the audit trail; there are no other triggers, and on SQLite nothing else at all',
  repairs:
    'creates indexes and triggers, and drops other triggers and views; if a table is missing or different, restore a backup',
};

export const searchIndexCheck: CheckDescription = {
  name: 'search indexes',
  verifies:
    'records are found by their text: a sample of each resource of each account; on SQLite also that every record has an entry of its size',
  repairs: 'builds the index anew',
};
