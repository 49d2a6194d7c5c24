/** SQLite: records join the search index 250 at a time. `ledger.indexed_id` is the last id in the index. */

import type { Migration } from './migration.ts';

export const searchIndexBatches: Migration = {
  number: 4,
  name: 'new records join the search index in batches',
  sqlite: [
    'ALTER TABLE ledger ADD COLUMN indexed_id INTEGER NOT NULL DEFAULT 0',
    'UPDATE ledger SET indexed_id = min(last_id, 1099511627775) WHERE account_id <= 8388607',
    'DROP TRIGGER product_search_insert',
    'DROP TRIGGER product_search_update',
    `CREATE TRIGGER product_search_insert AFTER INSERT ON product
      WHEN NEW.id <= 1099511627775
        AND NEW.account_id <= 8388607
        AND NEW.id - (SELECT indexed_id FROM ledger WHERE account_id = NEW.account_id AND resource = 'product') NOT BETWEEN 1 AND 249
      BEGIN
        INSERT INTO product_search (rowid, name_fold, default_code_fold)
          SELECT (product.account_id << 40) | product.id, product.name_fold, product.default_code_fold
          FROM product WHERE account_id = NEW.account_id AND id <= NEW.id AND id > min(NEW.id - 1, (SELECT indexed_id FROM ledger WHERE account_id = NEW.account_id AND resource = 'product'));
        UPDATE ledger SET indexed_id = NEW.id WHERE account_id = NEW.account_id AND resource = 'product' AND indexed_id < NEW.id;
      END`,
    `CREATE TRIGGER product_search_update AFTER UPDATE OF name_fold, default_code_fold ON product
      WHEN NEW.id <= (SELECT indexed_id FROM ledger WHERE account_id = NEW.account_id AND resource = 'product')
        AND (OLD.name_fold IS NOT NEW.name_fold OR OLD.default_code_fold IS NOT NEW.default_code_fold)
      BEGIN
        DELETE FROM product_search WHERE rowid = (OLD.account_id << 40) | OLD.id;
        INSERT INTO product_search (rowid, name_fold, default_code_fold)
          VALUES ((NEW.account_id << 40) | NEW.id, NEW.name_fold, NEW.default_code_fold);
      END`,
    'DROP TRIGGER partner_search_insert',
    'DROP TRIGGER partner_search_update',
    `CREATE TRIGGER partner_search_insert AFTER INSERT ON partner
      WHEN NEW.id <= 1099511627775
        AND NEW.account_id <= 8388607
        AND NEW.id - (SELECT indexed_id FROM ledger WHERE account_id = NEW.account_id AND resource = 'partner') NOT BETWEEN 1 AND 249
      BEGIN
        INSERT INTO partner_search (rowid, name_fold, email_fold)
          SELECT (partner.account_id << 40) | partner.id, partner.name_fold, partner.email_fold
          FROM partner WHERE account_id = NEW.account_id AND id <= NEW.id AND id > min(NEW.id - 1, (SELECT indexed_id FROM ledger WHERE account_id = NEW.account_id AND resource = 'partner'));
        UPDATE ledger SET indexed_id = NEW.id WHERE account_id = NEW.account_id AND resource = 'partner' AND indexed_id < NEW.id;
      END`,
    `CREATE TRIGGER partner_search_update AFTER UPDATE OF name_fold, email_fold ON partner
      WHEN NEW.id <= (SELECT indexed_id FROM ledger WHERE account_id = NEW.account_id AND resource = 'partner')
        AND (OLD.name_fold IS NOT NEW.name_fold OR OLD.email_fold IS NOT NEW.email_fold)
      BEGIN
        DELETE FROM partner_search WHERE rowid = (OLD.account_id << 40) | OLD.id;
        INSERT INTO partner_search (rowid, name_fold, email_fold)
          VALUES ((NEW.account_id << 40) | NEW.id, NEW.name_fold, NEW.email_fold);
      END`,
    'DROP TRIGGER company_search_insert',
    'DROP TRIGGER company_search_update',
    `CREATE TRIGGER company_search_insert AFTER INSERT ON company
      WHEN NEW.id <= 1099511627775
        AND NEW.account_id <= 8388607
        AND NEW.id - (SELECT indexed_id FROM ledger WHERE account_id = NEW.account_id AND resource = 'company') NOT BETWEEN 1 AND 249
      BEGIN
        INSERT INTO company_search (rowid, name_fold)
          SELECT (company.account_id << 40) | company.id, company.name_fold
          FROM company WHERE account_id = NEW.account_id AND id <= NEW.id AND id > min(NEW.id - 1, (SELECT indexed_id FROM ledger WHERE account_id = NEW.account_id AND resource = 'company'));
        UPDATE ledger SET indexed_id = NEW.id WHERE account_id = NEW.account_id AND resource = 'company' AND indexed_id < NEW.id;
      END`,
    `CREATE TRIGGER company_search_update AFTER UPDATE OF name_fold ON company
      WHEN NEW.id <= (SELECT indexed_id FROM ledger WHERE account_id = NEW.account_id AND resource = 'company')
        AND (OLD.name_fold IS NOT NEW.name_fold)
      BEGIN
        DELETE FROM company_search WHERE rowid = (OLD.account_id << 40) | OLD.id;
        INSERT INTO company_search (rowid, name_fold)
          VALUES ((NEW.account_id << 40) | NEW.id, NEW.name_fold);
      END`,
  ],
  postgres: [],
};
