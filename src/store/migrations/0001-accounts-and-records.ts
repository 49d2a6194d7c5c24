/** The first tables. */

import type { Migration } from './migration.ts';

export const accountsAndRecords: Migration = {
  number: 1,
  name: 'accounts, keys, the ledger and the first records',
  sqlite: [
    `CREATE TABLE counter (
      name TEXT PRIMARY KEY,
      value INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID`,
    `INSERT INTO counter (name, value) VALUES ('account', 0)`,
    `CREATE TABLE account (
      id INTEGER PRIMARY KEY,
      name TEXT NOT NULL UNIQUE,
      created_at TEXT NOT NULL
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
      revoked_at TEXT
    ) STRICT, WITHOUT ROWID`,
    'CREATE INDEX api_key_account ON api_key (account_id)',
    `CREATE TABLE ledger (
      account_id INTEGER NOT NULL REFERENCES account (id) ON DELETE CASCADE,
      resource TEXT NOT NULL,
      revision INTEGER NOT NULL,
      rows INTEGER NOT NULL,
      last_id INTEGER NOT NULL,
      PRIMARY KEY (account_id, resource)
    ) STRICT, WITHOUT ROWID`,
    `CREATE TABLE product (
      account_id INTEGER NOT NULL REFERENCES account (id) ON DELETE CASCADE,
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
    `INSERT INTO ledger (account_id, resource, revision, rows, last_id)
      SELECT id, 'product', 0, 0, 0 FROM account`,
    `CREATE TABLE partner (
      account_id INTEGER NOT NULL REFERENCES account (id) ON DELETE CASCADE,
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
    `INSERT INTO ledger (account_id, resource, revision, rows, last_id)
      SELECT id, 'partner', 0, 0, 0 FROM account`,
    `CREATE TABLE company (
      account_id INTEGER NOT NULL REFERENCES account (id) ON DELETE CASCADE,
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
    `INSERT INTO ledger (account_id, resource, revision, rows, last_id)
      SELECT id, 'company', 0, 0, 0 FROM account`,
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
      created_at timestamptz NOT NULL
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
      revoked_at timestamptz
    )`,
    'CREATE INDEX api_key_account ON api_key (account_id)',
    `CREATE TABLE ledger (
      account_id bigint NOT NULL REFERENCES account (id) ON DELETE CASCADE,
      resource text COLLATE "C" NOT NULL,
      revision bigint NOT NULL,
      rows bigint NOT NULL,
      last_id bigint NOT NULL,
      PRIMARY KEY (account_id, resource)
    )`,
    `CREATE TABLE product (
      account_id bigint NOT NULL REFERENCES account (id) ON DELETE CASCADE,
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
    `INSERT INTO ledger (account_id, resource, revision, rows, last_id)
      SELECT id, 'product', 0, 0, 0 FROM account`,
    `CREATE TABLE partner (
      account_id bigint NOT NULL REFERENCES account (id) ON DELETE CASCADE,
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
    `INSERT INTO ledger (account_id, resource, revision, rows, last_id)
      SELECT id, 'partner', 0, 0, 0 FROM account`,
    `CREATE TABLE company (
      account_id bigint NOT NULL REFERENCES account (id) ON DELETE CASCADE,
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
    `INSERT INTO ledger (account_id, resource, revision, rows, last_id)
      SELECT id, 'company', 0, 0, 0 FROM account`,
  ],
};
