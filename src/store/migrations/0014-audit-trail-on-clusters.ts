/**
 * The audit trail of a Citus cluster. Nodes assign ids from ranges of their own there, so its entries are in the order of their times. And a trigger runs where
 * the rows are only if it runs for each row.
 */

import type { Migration } from './migration.ts';

export const auditTrailOnClusters: Migration = {
  number: 14,
  name: 'audit trail on clusters',
  sqlite: [],
  postgres: [
    'CREATE INDEX audit_entry_at ON audit_entry (at, id)',
    'DROP TRIGGER audit_entry_change ON audit_entry',
    `CREATE TRIGGER audit_entry_change BEFORE UPDATE OR DELETE ON audit_entry
      FOR EACH ROW EXECUTE FUNCTION refuse_audit_change()`,
    `CREATE TRIGGER audit_entry_truncate BEFORE TRUNCATE ON audit_entry
      FOR EACH STATEMENT EXECUTE FUNCTION refuse_audit_change()`,
  ],
};
