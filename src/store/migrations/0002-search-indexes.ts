/** Trigram indexes for `contains`. On PostgreSQL they need two extensions; without them, searches read all records. */

import type { Migration } from './migration.ts';

export const searchIndexes: Migration = {
  number: 2,
  name: 'trigram indexes for searching text',
  sqlite: [
    `CREATE VIRTUAL TABLE product_search USING fts5 (
      name_fold, default_code_fold,
      content = '', contentless_delete = 1, tokenize = 'trigram case_sensitive 1'
    )`,
    `INSERT INTO product_search (rowid, name_fold, default_code_fold)
      SELECT (product.account_id << 40) | product.id, product.name_fold, product.default_code_fold
      FROM product WHERE product.id <= 1099511627775 AND product.account_id <= 8388607`,
    `CREATE TRIGGER product_search_insert AFTER INSERT ON product
      WHEN NEW.id <= 1099511627775
        AND NEW.account_id <= 8388607
      BEGIN
        INSERT INTO product_search (rowid, name_fold, default_code_fold)
          VALUES ((NEW.account_id << 40) | NEW.id, NEW.name_fold, NEW.default_code_fold);
      END`,
    `CREATE TRIGGER product_search_delete AFTER DELETE ON product
      WHEN OLD.id <= 1099511627775
        AND OLD.account_id <= 8388607
      BEGIN
        DELETE FROM product_search WHERE rowid = (OLD.account_id << 40) | OLD.id;
      END`,
    `CREATE TRIGGER product_search_update AFTER UPDATE OF name_fold, default_code_fold ON product
      WHEN NEW.id <= 1099511627775
        AND NEW.account_id <= 8388607
        AND (OLD.name_fold IS NOT NEW.name_fold OR OLD.default_code_fold IS NOT NEW.default_code_fold)
      BEGIN
        DELETE FROM product_search WHERE rowid = (OLD.account_id << 40) | OLD.id;
        INSERT INTO product_search (rowid, name_fold, default_code_fold)
          VALUES ((NEW.account_id << 40) | NEW.id, NEW.name_fold, NEW.default_code_fold);
      END`,
    `CREATE VIRTUAL TABLE partner_search USING fts5 (
      name_fold, email_fold,
      content = '', contentless_delete = 1, tokenize = 'trigram case_sensitive 1'
    )`,
    `INSERT INTO partner_search (rowid, name_fold, email_fold)
      SELECT (partner.account_id << 40) | partner.id, partner.name_fold, partner.email_fold
      FROM partner WHERE partner.id <= 1099511627775 AND partner.account_id <= 8388607`,
    `CREATE TRIGGER partner_search_insert AFTER INSERT ON partner
      WHEN NEW.id <= 1099511627775
        AND NEW.account_id <= 8388607
      BEGIN
        INSERT INTO partner_search (rowid, name_fold, email_fold)
          VALUES ((NEW.account_id << 40) | NEW.id, NEW.name_fold, NEW.email_fold);
      END`,
    `CREATE TRIGGER partner_search_delete AFTER DELETE ON partner
      WHEN OLD.id <= 1099511627775
        AND OLD.account_id <= 8388607
      BEGIN
        DELETE FROM partner_search WHERE rowid = (OLD.account_id << 40) | OLD.id;
      END`,
    `CREATE TRIGGER partner_search_update AFTER UPDATE OF name_fold, email_fold ON partner
      WHEN NEW.id <= 1099511627775
        AND NEW.account_id <= 8388607
        AND (OLD.name_fold IS NOT NEW.name_fold OR OLD.email_fold IS NOT NEW.email_fold)
      BEGIN
        DELETE FROM partner_search WHERE rowid = (OLD.account_id << 40) | OLD.id;
        INSERT INTO partner_search (rowid, name_fold, email_fold)
          VALUES ((NEW.account_id << 40) | NEW.id, NEW.name_fold, NEW.email_fold);
      END`,
    `CREATE VIRTUAL TABLE company_search USING fts5 (
      name_fold,
      content = '', contentless_delete = 1, tokenize = 'trigram case_sensitive 1'
    )`,
    `INSERT INTO company_search (rowid, name_fold)
      SELECT (company.account_id << 40) | company.id, company.name_fold
      FROM company WHERE company.id <= 1099511627775 AND company.account_id <= 8388607`,
    `CREATE TRIGGER company_search_insert AFTER INSERT ON company
      WHEN NEW.id <= 1099511627775
        AND NEW.account_id <= 8388607
      BEGIN
        INSERT INTO company_search (rowid, name_fold)
          VALUES ((NEW.account_id << 40) | NEW.id, NEW.name_fold);
      END`,
    `CREATE TRIGGER company_search_delete AFTER DELETE ON company
      WHEN OLD.id <= 1099511627775
        AND OLD.account_id <= 8388607
      BEGIN
        DELETE FROM company_search WHERE rowid = (OLD.account_id << 40) | OLD.id;
      END`,
    `CREATE TRIGGER company_search_update AFTER UPDATE OF name_fold ON company
      WHEN NEW.id <= 1099511627775
        AND NEW.account_id <= 8388607
        AND (OLD.name_fold IS NOT NEW.name_fold)
      BEGIN
        DELETE FROM company_search WHERE rowid = (OLD.account_id << 40) | OLD.id;
        INSERT INTO company_search (rowid, name_fold)
          VALUES ((NEW.account_id << 40) | NEW.id, NEW.name_fold);
      END`,
  ],
  postgres: [
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
