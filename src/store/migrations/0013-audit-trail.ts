/**
 * The audit trail: who did what, when and from where. It names accounts instead of referring to them, because entries outlive
 * them. The database itself refuses to change or remove an entry.
 */

import type { Migration } from './migration.ts';

export const auditTrail: Migration = {
  number: 13,
  name: 'audit trail',
  sqlite: [
    `CREATE TABLE audit_entry (
      id INTEGER PRIMARY KEY AUTOINCREMENT,
      at TEXT NOT NULL,
      actor TEXT NOT NULL,
      origin TEXT NOT NULL,
      action TEXT NOT NULL,
      account TEXT,
      details TEXT NOT NULL
    ) STRICT`,
    'CREATE INDEX audit_entry_account ON audit_entry (account, id)',
    `CREATE TRIGGER audit_entry_update BEFORE UPDATE ON audit_entry
      BEGIN SELECT raise(ABORT, 'The audit trail is append-only.'); END`,
    `CREATE TRIGGER audit_entry_delete BEFORE DELETE ON audit_entry
      BEGIN SELECT raise(ABORT, 'The audit trail is append-only.'); END`,
    // INSERT OR REPLACE removes a row without running the triggers of deletes.
    `CREATE TRIGGER audit_entry_replace BEFORE INSERT ON audit_entry
      WHEN EXISTS (SELECT 1 FROM audit_entry WHERE id = NEW.id)
      BEGIN SELECT raise(ABORT, 'The audit trail is append-only.'); END`,
  ],
  postgres: [
    `CREATE TABLE audit_entry (
      id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      at timestamptz NOT NULL,
      actor text COLLATE "C" NOT NULL,
      origin text COLLATE "C" NOT NULL,
      action text COLLATE "C" NOT NULL,
      account text COLLATE "C",
      details text COLLATE "C" NOT NULL
    )`,
    'CREATE INDEX audit_entry_account ON audit_entry (account, id)',
    `CREATE FUNCTION refuse_audit_change() RETURNS trigger LANGUAGE plpgsql
      AS $$ BEGIN RAISE EXCEPTION 'The audit trail is append-only.'; END $$`,
    `CREATE TRIGGER audit_entry_change BEFORE UPDATE OR DELETE OR TRUNCATE ON audit_entry
      FOR EACH STATEMENT EXECUTE FUNCTION refuse_audit_change()`,
  ],
};
