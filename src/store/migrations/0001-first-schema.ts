/** The schema of the first release. */

import type { Migration } from './migration.ts';

export const firstSchema: Migration = {
  number: 1,
  name: 'first schema',
  sqlite: [
    `CREATE TABLE counter (
      name TEXT PRIMARY KEY,
      value INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID`,
    `INSERT INTO counter (name, value) VALUES ('account', 0)`,
    `CREATE TABLE account (
      id INTEGER PRIMARY KEY,
      name TEXT NOT NULL UNIQUE,
      created_at TEXT NOT NULL,
      access INTEGER NOT NULL,
      rate_limit INTEGER,
      record_limit INTEGER,
      byte_limit INTEGER
    ) STRICT, WITHOUT ROWID`,
    `CREATE TABLE api_key (
      id TEXT PRIMARY KEY,
      account_id INTEGER NOT NULL REFERENCES account (id) ON DELETE CASCADE,
      name TEXT NOT NULL,
      secret_hash TEXT NOT NULL,
      scopes TEXT NOT NULL,
      created_at TEXT NOT NULL,
      expires_at TEXT,
      last_used_at TEXT,
      revoked_at TEXT,
      replaced_by TEXT,
      rate_limit INTEGER
    ) STRICT, WITHOUT ROWID`,
    `CREATE INDEX api_key_account ON api_key (account_id)`,
    `CREATE TABLE generation (
      number INTEGER PRIMARY KEY,
      id INTEGER NOT NULL,
      server TEXT,
      began_at TEXT NOT NULL
    ) STRICT, WITHOUT ROWID`,
    `INSERT INTO generation (number, id, began_at)
      VALUES (1, abs(random() % 281474976710655), strftime('%Y-%m-%dT%H:%M:%fZ', 'now'))`,
    `CREATE TABLE ledger (
      account_id INTEGER NOT NULL REFERENCES account (id) ON DELETE CASCADE,
      resource TEXT NOT NULL,
      revision INTEGER NOT NULL,
      rows INTEGER NOT NULL,
      bytes INTEGER NOT NULL DEFAULT 0,
      last_id INTEGER NOT NULL,
      indexed_id INTEGER NOT NULL DEFAULT 0,
      generation INTEGER NOT NULL,
      began INTEGER NOT NULL,
      pruned INTEGER NOT NULL DEFAULT 0,
      PRIMARY KEY (account_id, resource)
    ) STRICT, WITHOUT ROWID`,
    `CREATE TABLE ledger_history (
      account_id INTEGER NOT NULL,
      resource TEXT NOT NULL,
      began INTEGER NOT NULL,
      generation INTEGER NOT NULL,
      PRIMARY KEY (account_id, resource, began)
    ) STRICT, WITHOUT ROWID`,
    `CREATE TABLE tombstone (
      account_id INTEGER NOT NULL,
      resource TEXT NOT NULL,
      id INTEGER NOT NULL,
      revision INTEGER NOT NULL,
      removed_at TEXT NOT NULL,
      PRIMARY KEY (account_id, resource, id)
    ) STRICT, WITHOUT ROWID`,
    `CREATE INDEX tombstone_revision ON tombstone (account_id, resource, revision)`,
    `CREATE INDEX tombstone_removed_at ON tombstone (removed_at)`,
    `CREATE TABLE idempotency_key (
      account_id INTEGER NOT NULL,
      resource TEXT NOT NULL,
      key_hash TEXT NOT NULL,
      fingerprint TEXT NOT NULL,
      record_id INTEGER NOT NULL,
      created_at TEXT NOT NULL,
      PRIMARY KEY (account_id, resource, key_hash)
    ) STRICT, WITHOUT ROWID`,
    `CREATE TABLE removal (
      account_id INTEGER PRIMARY KEY,
      began_at TEXT NOT NULL
    ) STRICT, WITHOUT ROWID`,
    `CREATE TABLE audit_entry (
      id INTEGER PRIMARY KEY AUTOINCREMENT,
      at TEXT NOT NULL,
      actor TEXT NOT NULL,
      origin TEXT NOT NULL,
      action TEXT NOT NULL,
      account TEXT,
      details TEXT NOT NULL
    ) STRICT`,
    `CREATE INDEX audit_entry_account ON audit_entry (account, id)`,
    `CREATE TRIGGER audit_entry_update BEFORE UPDATE ON audit_entry
      BEGIN SELECT raise(ABORT, 'The audit trail is append-only.'); END`,
    `CREATE TRIGGER audit_entry_delete BEFORE DELETE ON audit_entry
      BEGIN SELECT raise(ABORT, 'The audit trail is append-only.'); END`,
    // INSERT OR REPLACE removes a row without running the triggers of deletes.
    `CREATE TRIGGER audit_entry_replace BEFORE INSERT ON audit_entry
      WHEN EXISTS (SELECT 1 FROM audit_entry WHERE id = NEW.id)
      BEGIN SELECT raise(ABORT, 'The audit trail is append-only.'); END`,
    // What the planner is to expect: a large account in a large table, and some records per value.
    `ANALYZE sqlite_schema`,
    `CREATE TABLE product (
      account_id INTEGER NOT NULL,
      id INTEGER NOT NULL,
      name TEXT NOT NULL,
      name_fold TEXT NOT NULL,
      default_code TEXT,
      default_code_fold TEXT,
      list_price REAL NOT NULL,
      qty_available REAL NOT NULL,
      active INTEGER NOT NULL,
      categ_id INTEGER,
      product_tmpl_id INTEGER,
      is_rsd_product INTEGER,
      create_date TEXT NOT NULL,
      write_date TEXT NOT NULL,
      revision INTEGER NOT NULL,
      PRIMARY KEY (account_id, id)
    ) STRICT, WITHOUT ROWID`,
    `CREATE INDEX product_revision ON product (account_id, revision, id)`,
    `CREATE INDEX product_default_code ON product (account_id, default_code, id)`,
    `CREATE INDEX product_list_price ON product (account_id, list_price, id)`,
    `CREATE INDEX product_qty_available ON product (account_id, qty_available, id)`,
    `CREATE INDEX product_categ_id ON product (account_id, categ_id, id)`,
    `CREATE INDEX product_product_tmpl_id ON product (account_id, product_tmpl_id, id)`,
    `CREATE VIRTUAL TABLE product_search USING fts5 (
      name_fold, default_code_fold,
      content = '', contentless_delete = 1, tokenize = 'trigram case_sensitive 1'
    )`,
    `CREATE TRIGGER product_search_insert AFTER INSERT ON product
      WHEN NEW.id <= (SELECT indexed_id FROM ledger WHERE account_id = NEW.account_id AND resource = 'product')
      BEGIN
        INSERT INTO product_search (rowid, name_fold, default_code_fold) VALUES ((NEW.account_id << 40) | NEW.id, NEW.name_fold, NEW.default_code_fold);
      END`,
    `CREATE TRIGGER product_search_delete AFTER DELETE ON product
      WHEN OLD.id <= 1099511627775 AND OLD.account_id <= 8388607
      BEGIN
        DELETE FROM product_search WHERE rowid = (OLD.account_id << 40) | OLD.id;
      END`,
    `CREATE TRIGGER product_search_update AFTER UPDATE OF name_fold, default_code_fold ON product
      WHEN NEW.id <= (SELECT indexed_id FROM ledger WHERE account_id = NEW.account_id AND resource = 'product')
        AND (OLD.name_fold IS NOT NEW.name_fold OR OLD.default_code_fold IS NOT NEW.default_code_fold)
      BEGIN
        DELETE FROM product_search WHERE rowid = (OLD.account_id << 40) | OLD.id;
        INSERT INTO product_search (rowid, name_fold, default_code_fold) VALUES ((NEW.account_id << 40) | NEW.id, NEW.name_fold, NEW.default_code_fold);
      END`,
    `CREATE TABLE partner (
      account_id INTEGER NOT NULL,
      id INTEGER NOT NULL,
      name TEXT NOT NULL,
      name_fold TEXT NOT NULL,
      is_company INTEGER NOT NULL,
      is_patient INTEGER NOT NULL,
      active INTEGER NOT NULL,
      is_customer INTEGER NOT NULL,
      is_vendor INTEGER NOT NULL,
      is_employee INTEGER NOT NULL,
      ref TEXT,
      ref_fold TEXT,
      email TEXT,
      email_fold TEXT,
      phone TEXT,
      phone_fold TEXT,
      vat TEXT,
      vat_fold TEXT,
      street TEXT,
      street_fold TEXT,
      city TEXT,
      city_fold TEXT,
      zip TEXT,
      zip_fold TEXT,
      country_code TEXT,
      country_code_fold TEXT,
      create_date TEXT NOT NULL,
      write_date TEXT NOT NULL,
      revision INTEGER NOT NULL,
      PRIMARY KEY (account_id, id)
    ) STRICT, WITHOUT ROWID`,
    `CREATE INDEX partner_revision ON partner (account_id, revision, id)`,
    `CREATE INDEX partner_ref ON partner (account_id, ref, id)`,
    `CREATE INDEX partner_email ON partner (account_id, email, id)`,
    `CREATE INDEX partner_vat ON partner (account_id, vat, id)`,
    `CREATE VIRTUAL TABLE partner_search USING fts5 (
      name_fold, email_fold,
      content = '', contentless_delete = 1, tokenize = 'trigram case_sensitive 1'
    )`,
    `CREATE TRIGGER partner_search_insert AFTER INSERT ON partner
      WHEN NEW.id <= (SELECT indexed_id FROM ledger WHERE account_id = NEW.account_id AND resource = 'partner')
      BEGIN
        INSERT INTO partner_search (rowid, name_fold, email_fold) VALUES ((NEW.account_id << 40) | NEW.id, NEW.name_fold, NEW.email_fold);
      END`,
    `CREATE TRIGGER partner_search_delete AFTER DELETE ON partner
      WHEN OLD.id <= 1099511627775 AND OLD.account_id <= 8388607
      BEGIN
        DELETE FROM partner_search WHERE rowid = (OLD.account_id << 40) | OLD.id;
      END`,
    `CREATE TRIGGER partner_search_update AFTER UPDATE OF name_fold, email_fold ON partner
      WHEN NEW.id <= (SELECT indexed_id FROM ledger WHERE account_id = NEW.account_id AND resource = 'partner')
        AND (OLD.name_fold IS NOT NEW.name_fold OR OLD.email_fold IS NOT NEW.email_fold)
      BEGIN
        DELETE FROM partner_search WHERE rowid = (OLD.account_id << 40) | OLD.id;
        INSERT INTO partner_search (rowid, name_fold, email_fold) VALUES ((NEW.account_id << 40) | NEW.id, NEW.name_fold, NEW.email_fold);
      END`,
    `CREATE TABLE company (
      account_id INTEGER NOT NULL,
      id INTEGER NOT NULL,
      name TEXT NOT NULL,
      name_fold TEXT NOT NULL,
      company_code TEXT,
      company_code_fold TEXT,
      branch_user TEXT NOT NULL,
      branch_user_fold TEXT NOT NULL,
      create_date TEXT NOT NULL,
      write_date TEXT NOT NULL,
      revision INTEGER NOT NULL,
      PRIMARY KEY (account_id, id)
    ) STRICT, WITHOUT ROWID`,
    `CREATE INDEX company_revision ON company (account_id, revision, id)`,
    `CREATE VIRTUAL TABLE company_search USING fts5 (
      name_fold,
      content = '', contentless_delete = 1, tokenize = 'trigram case_sensitive 1'
    )`,
    `CREATE TRIGGER company_search_insert AFTER INSERT ON company
      WHEN NEW.id <= (SELECT indexed_id FROM ledger WHERE account_id = NEW.account_id AND resource = 'company')
      BEGIN
        INSERT INTO company_search (rowid, name_fold) VALUES ((NEW.account_id << 40) | NEW.id, NEW.name_fold);
      END`,
    `CREATE TRIGGER company_search_delete AFTER DELETE ON company
      WHEN OLD.id <= 1099511627775 AND OLD.account_id <= 8388607
      BEGIN
        DELETE FROM company_search WHERE rowid = (OLD.account_id << 40) | OLD.id;
      END`,
    `CREATE TRIGGER company_search_update AFTER UPDATE OF name_fold ON company
      WHEN NEW.id <= (SELECT indexed_id FROM ledger WHERE account_id = NEW.account_id AND resource = 'company')
        AND (OLD.name_fold IS NOT NEW.name_fold)
      BEGIN
        DELETE FROM company_search WHERE rowid = (OLD.account_id << 40) | OLD.id;
        INSERT INTO company_search (rowid, name_fold) VALUES ((NEW.account_id << 40) | NEW.id, NEW.name_fold);
      END`,
    `INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES ('product', 'product', '1000000 100000 1')`,
    `INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES ('product', 'product_revision', '1000000 100000 100 1')`,
    `INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES ('product', 'product_default_code', '1000000 100000 100 1')`,
    `INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES ('product', 'product_list_price', '1000000 100000 100 1')`,
    `INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES ('product', 'product_qty_available', '1000000 100000 100 1')`,
    `INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES ('product', 'product_categ_id', '1000000 100000 100 1')`,
    `INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES ('product', 'product_product_tmpl_id', '1000000 100000 100 1')`,
    `INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES ('partner', 'partner', '1000000 100000 1')`,
    `INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES ('partner', 'partner_revision', '1000000 100000 100 1')`,
    `INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES ('partner', 'partner_ref', '1000000 100000 100 1')`,
    `INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES ('partner', 'partner_email', '1000000 100000 100 1')`,
    `INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES ('partner', 'partner_vat', '1000000 100000 100 1')`,
    `INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES ('company', 'company', '1000000 100000 1')`,
    `INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES ('company', 'company_revision', '1000000 100000 100 1')`,
    `ANALYZE sqlite_schema`,
  ],
  postgres: [
    `CREATE TABLE counter (
      name text COLLATE "C" PRIMARY KEY,
      value bigint NOT NULL
    )`,
    `INSERT INTO counter (name, value) VALUES ('account', 0)`,
    `CREATE TABLE account (
      id bigint PRIMARY KEY,
      name text COLLATE "C" NOT NULL UNIQUE,
      created_at timestamptz NOT NULL,
      access bigint NOT NULL,
      rate_limit bigint,
      record_limit bigint,
      byte_limit bigint
    )`,
    `CREATE TABLE api_key (
      id text COLLATE "C" PRIMARY KEY,
      account_id bigint NOT NULL REFERENCES account (id) ON DELETE CASCADE,
      name text COLLATE "C" NOT NULL,
      secret_hash text COLLATE "C" NOT NULL,
      scopes text COLLATE "C" NOT NULL,
      created_at timestamptz NOT NULL,
      expires_at timestamptz,
      last_used_at timestamptz,
      revoked_at timestamptz,
      replaced_by text COLLATE "C",
      rate_limit bigint
    )`,
    `CREATE INDEX api_key_account ON api_key (account_id)`,
    `CREATE TABLE generation (
      number bigint PRIMARY KEY,
      id bigint NOT NULL,
      server text COLLATE "C",
      began_at timestamptz NOT NULL
    )`,
    `INSERT INTO generation (number, id, began_at) VALUES (1, (random() * 281474976710655)::bigint, now())`,
    `CREATE TABLE ledger (
      account_id bigint NOT NULL REFERENCES account (id) ON DELETE CASCADE,
      resource text COLLATE "C" NOT NULL,
      revision bigint NOT NULL,
      rows bigint NOT NULL,
      bytes bigint NOT NULL DEFAULT 0,
      last_id bigint NOT NULL,
      generation bigint NOT NULL,
      began bigint NOT NULL,
      pruned bigint NOT NULL DEFAULT 0,
      PRIMARY KEY (account_id, resource)
    )`,
    `CREATE TABLE ledger_history (
      account_id bigint NOT NULL,
      resource text COLLATE "C" NOT NULL,
      began bigint NOT NULL,
      generation bigint NOT NULL,
      PRIMARY KEY (account_id, resource, began)
    )`,
    `CREATE TABLE tombstone (
      account_id bigint NOT NULL,
      resource text COLLATE "C" NOT NULL,
      id bigint NOT NULL,
      revision bigint NOT NULL,
      removed_at timestamptz NOT NULL,
      PRIMARY KEY (account_id, resource, id)
    )`,
    `CREATE INDEX tombstone_revision ON tombstone (account_id, resource, revision, id)`,
    `CREATE INDEX tombstone_removed_at ON tombstone (removed_at)`,
    `CREATE TABLE idempotency_key (
      account_id bigint NOT NULL,
      resource text COLLATE "C" NOT NULL,
      key_hash text COLLATE "C" NOT NULL,
      fingerprint text COLLATE "C" NOT NULL,
      record_id bigint NOT NULL,
      created_at timestamptz NOT NULL,
      PRIMARY KEY (account_id, resource, key_hash)
    )`,
    `CREATE TABLE removal (
      account_id bigint PRIMARY KEY,
      began_at timestamptz NOT NULL
    )`,
    `CREATE TABLE audit_entry (
      id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      at timestamptz NOT NULL,
      actor text COLLATE "C" NOT NULL,
      origin text COLLATE "C" NOT NULL,
      action text COLLATE "C" NOT NULL,
      account text COLLATE "C",
      details text COLLATE "C" NOT NULL
    )`,
    `CREATE INDEX audit_entry_account ON audit_entry (account, id)`,
    // Nodes of a cluster assign ids from ranges of their own, so entries are in the order of their times.
    `CREATE INDEX audit_entry_at ON audit_entry (at, id)`,
    `CREATE FUNCTION refuse_audit_change() RETURNS trigger LANGUAGE plpgsql
      AS $$ BEGIN RAISE EXCEPTION 'The audit trail is append-only.'; END $$`,
    // On a cluster, a trigger runs where the rows are only if it runs for each row.
    `CREATE TRIGGER audit_entry_change BEFORE UPDATE OR DELETE ON audit_entry
      FOR EACH ROW EXECUTE FUNCTION refuse_audit_change()`,
    `CREATE TRIGGER audit_entry_truncate BEFORE TRUNCATE ON audit_entry
      FOR EACH STATEMENT EXECUTE FUNCTION refuse_audit_change()`,
    `CREATE TABLE product (
      account_id bigint NOT NULL,
      id bigint NOT NULL,
      name text COLLATE "C" NOT NULL,
      name_fold text COLLATE "C" NOT NULL,
      default_code text COLLATE "C",
      default_code_fold text COLLATE "C",
      list_price double precision NOT NULL,
      qty_available double precision NOT NULL,
      active boolean NOT NULL,
      categ_id bigint,
      product_tmpl_id bigint,
      is_rsd_product boolean,
      create_date timestamptz NOT NULL,
      write_date timestamptz NOT NULL,
      revision bigint NOT NULL,
      PRIMARY KEY (account_id, id)
    )`,
    `CREATE INDEX product_revision ON product (account_id, revision, id)`,
    `CREATE INDEX product_default_code ON product (account_id, default_code, id)`,
    // Filters on numbers and booleans are counted by index-only scans.
    `CREATE INDEX product_list_price_covering ON product (account_id, list_price, id)
      INCLUDE (qty_available, active, is_rsd_product)`,
    `CREATE INDEX product_qty_available_covering ON product (account_id, qty_available, id)
      INCLUDE (list_price, active, is_rsd_product)`,
    `CREATE INDEX product_categ_id ON product (account_id, categ_id, id)`,
    `CREATE INDEX product_product_tmpl_id ON product (account_id, product_tmpl_id, id)`,
    `CREATE TABLE partner (
      account_id bigint NOT NULL,
      id bigint NOT NULL,
      name text COLLATE "C" NOT NULL,
      name_fold text COLLATE "C" NOT NULL,
      is_company boolean NOT NULL,
      is_patient boolean NOT NULL,
      active boolean NOT NULL,
      is_customer boolean NOT NULL,
      is_vendor boolean NOT NULL,
      is_employee boolean NOT NULL,
      ref text COLLATE "C",
      ref_fold text COLLATE "C",
      email text COLLATE "C",
      email_fold text COLLATE "C",
      phone text COLLATE "C",
      phone_fold text COLLATE "C",
      vat text COLLATE "C",
      vat_fold text COLLATE "C",
      street text COLLATE "C",
      street_fold text COLLATE "C",
      city text COLLATE "C",
      city_fold text COLLATE "C",
      zip text COLLATE "C",
      zip_fold text COLLATE "C",
      country_code text COLLATE "C",
      country_code_fold text COLLATE "C",
      create_date timestamptz NOT NULL,
      write_date timestamptz NOT NULL,
      revision bigint NOT NULL,
      PRIMARY KEY (account_id, id)
    )`,
    `CREATE INDEX partner_revision ON partner (account_id, revision, id)`,
    `CREATE INDEX partner_ref ON partner (account_id, ref, id)`,
    `CREATE INDEX partner_email ON partner (account_id, email, id)`,
    `CREATE INDEX partner_vat ON partner (account_id, vat, id)`,
    `CREATE TABLE company (
      account_id bigint NOT NULL,
      id bigint NOT NULL,
      name text COLLATE "C" NOT NULL,
      name_fold text COLLATE "C" NOT NULL,
      company_code text COLLATE "C",
      company_code_fold text COLLATE "C",
      branch_user text COLLATE "C" NOT NULL,
      branch_user_fold text COLLATE "C" NOT NULL,
      create_date timestamptz NOT NULL,
      write_date timestamptz NOT NULL,
      revision bigint NOT NULL,
      PRIMARY KEY (account_id, id)
    )`,
    `CREATE INDEX company_revision ON company (account_id, revision, id)`,
    `DO $$ DECLARE place name; BEGIN
      CREATE EXTENSION IF NOT EXISTS pg_trgm;
      CREATE EXTENSION IF NOT EXISTS btree_gin;
      SELECT nspname INTO place FROM pg_extension JOIN pg_namespace ON pg_namespace.oid = extnamespace WHERE extname = 'pg_trgm';
      EXECUTE format('CREATE INDEX product_name_fold_search ON product USING gin (account_id, name_fold %I.gin_trgm_ops)', place);
      EXECUTE format('CREATE INDEX product_default_code_fold_search ON product USING gin (account_id, default_code_fold %I.gin_trgm_ops)', place);
      EXECUTE format('CREATE INDEX partner_name_fold_search ON partner USING gin (account_id, name_fold %I.gin_trgm_ops)', place);
      EXECUTE format('CREATE INDEX partner_email_fold_search ON partner USING gin (account_id, email_fold %I.gin_trgm_ops)', place);
      EXECUTE format('CREATE INDEX company_name_fold_search ON company USING gin (account_id, name_fold %I.gin_trgm_ops)', place);
    EXCEPTION WHEN insufficient_privilege OR feature_not_supported OR undefined_file OR undefined_object THEN
      RAISE NOTICE 'pg_trgm and btree_gin are not available';
    END $$`,
  ],
};
