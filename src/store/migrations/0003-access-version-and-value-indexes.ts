/** `account.access` changes with the keys of an account. Value indexes start with the account and end with the id. */

import type { Migration } from './migration.ts';

export const accessVersionAndValueIndexes: Migration = {
  number: 3,
  name: 'an access version per account, and indexes on exact values',
  sqlite: [
    'ALTER TABLE account ADD COLUMN access INTEGER NOT NULL DEFAULT 0',
    'CREATE INDEX product_default_code ON product (account_id, default_code, id)',
    'CREATE INDEX product_list_price ON product (account_id, list_price, id)',
    'CREATE INDEX product_qty_available ON product (account_id, qty_available, id)',
    'CREATE INDEX product_categ_id ON product (account_id, categ_id, id)',
    'CREATE INDEX product_product_tmpl_id ON product (account_id, product_tmpl_id, id)',
    'CREATE INDEX partner_ref ON partner (account_id, ref, id)',
    'CREATE INDEX partner_email ON partner (account_id, email, id)',
    'CREATE INDEX partner_vat ON partner (account_id, vat, id)',
    'ANALYZE sqlite_schema',
    `INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES ('product', 'product', '1000000 100000 1')`,
    `INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES ('partner', 'partner', '1000000 100000 1')`,
    `INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES ('product', 'product_default_code', '1000000 100000 100 1')`,
    `INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES ('product', 'product_list_price', '1000000 100000 100 1')`,
    `INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES ('product', 'product_qty_available', '1000000 100000 100 1')`,
    `INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES ('product', 'product_categ_id', '1000000 100000 100 1')`,
    `INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES ('product', 'product_product_tmpl_id', '1000000 100000 100 1')`,
    `INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES ('partner', 'partner_ref', '1000000 100000 100 1')`,
    `INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES ('partner', 'partner_email', '1000000 100000 100 1')`,
    `INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES ('partner', 'partner_vat', '1000000 100000 100 1')`,
    'ANALYZE sqlite_schema',
  ],
  postgres: [
    'ALTER TABLE account ADD COLUMN access bigint NOT NULL DEFAULT 0',
    'CREATE INDEX product_default_code ON product (account_id, default_code, id)',
    'CREATE INDEX product_list_price ON product (account_id, list_price, id)',
    'CREATE INDEX product_qty_available ON product (account_id, qty_available, id)',
    'CREATE INDEX product_categ_id ON product (account_id, categ_id, id)',
    'CREATE INDEX product_product_tmpl_id ON product (account_id, product_tmpl_id, id)',
    'CREATE INDEX partner_ref ON partner (account_id, ref, id)',
    'CREATE INDEX partner_email ON partner (account_id, email, id)',
    'CREATE INDEX partner_vat ON partner (account_id, vat, id)',
  ],
};
