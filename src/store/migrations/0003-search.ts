import type { Migration } from './migration.ts';

export const search: Migration = {
  number: 3,
  name: 'search',
  sqlite: [
    `DROP TABLE IF EXISTS product_search`,
    `DROP TRIGGER IF EXISTS product_search_insert`,
    `DROP TRIGGER IF EXISTS product_search_delete`,
    `DROP TRIGGER IF EXISTS product_search_update`,
    `UPDATE ledger SET indexed_id = 0 WHERE resource = 'product'`,
    `CREATE VIRTUAL TABLE product_search USING fts5 (
      name_fold, default_code_fold, default_code_compact,
      content = '', contentless_delete = 1, tokenize = 'trigram case_sensitive 1'
    )`,
    `CREATE TRIGGER product_search_insert AFTER INSERT ON product
      WHEN NEW.id <= (SELECT indexed_id FROM ledger WHERE account_id = NEW.account_id AND resource = 'product')
      BEGIN
        INSERT INTO product_search (rowid, name_fold, default_code_fold, default_code_compact) VALUES ((NEW.account_id << 40) | NEW.id, NEW.name_fold, NEW.default_code_fold, replace(replace(replace(replace(NEW.default_code_fold, '-', ''), '/', ''), '.', ''), ' ', ''));
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
        INSERT INTO product_search (rowid, name_fold, default_code_fold, default_code_compact) VALUES ((NEW.account_id << 40) | NEW.id, NEW.name_fold, NEW.default_code_fold, replace(replace(replace(replace(NEW.default_code_fold, '-', ''), '/', ''), '.', ''), ' ', ''));
      END`,
    `DROP TABLE IF EXISTS partner_search`,
    `DROP TRIGGER IF EXISTS partner_search_insert`,
    `DROP TRIGGER IF EXISTS partner_search_delete`,
    `DROP TRIGGER IF EXISTS partner_search_update`,
    `UPDATE ledger SET indexed_id = 0 WHERE resource = 'partner'`,
    `CREATE VIRTUAL TABLE partner_search USING fts5 (
      name_fold, ref_fold, ref_compact, email_fold,
      content = '', contentless_delete = 1, tokenize = 'trigram case_sensitive 1'
    )`,
    `CREATE TRIGGER partner_search_insert AFTER INSERT ON partner
      WHEN NEW.id <= (SELECT indexed_id FROM ledger WHERE account_id = NEW.account_id AND resource = 'partner')
      BEGIN
        INSERT INTO partner_search (rowid, name_fold, ref_fold, ref_compact, email_fold) VALUES ((NEW.account_id << 40) | NEW.id, NEW.name_fold, NEW.ref_fold, replace(replace(replace(replace(NEW.ref_fold, '-', ''), '/', ''), '.', ''), ' ', ''), NEW.email_fold);
      END`,
    `CREATE TRIGGER partner_search_delete AFTER DELETE ON partner
      WHEN OLD.id <= 1099511627775 AND OLD.account_id <= 8388607
      BEGIN
        DELETE FROM partner_search WHERE rowid = (OLD.account_id << 40) | OLD.id;
      END`,
    `CREATE TRIGGER partner_search_update AFTER UPDATE OF name_fold, ref_fold, email_fold ON partner
      WHEN NEW.id <= (SELECT indexed_id FROM ledger WHERE account_id = NEW.account_id AND resource = 'partner')
        AND (OLD.name_fold IS NOT NEW.name_fold OR OLD.ref_fold IS NOT NEW.ref_fold OR OLD.email_fold IS NOT NEW.email_fold)
      BEGIN
        DELETE FROM partner_search WHERE rowid = (OLD.account_id << 40) | OLD.id;
        INSERT INTO partner_search (rowid, name_fold, ref_fold, ref_compact, email_fold) VALUES ((NEW.account_id << 40) | NEW.id, NEW.name_fold, NEW.ref_fold, replace(replace(replace(replace(NEW.ref_fold, '-', ''), '/', ''), '.', ''), ' ', ''), NEW.email_fold);
      END`,
    `DROP TABLE IF EXISTS company_search`,
    `DROP TRIGGER IF EXISTS company_search_insert`,
    `DROP TRIGGER IF EXISTS company_search_delete`,
    `DROP TRIGGER IF EXISTS company_search_update`,
    `UPDATE ledger SET indexed_id = 0 WHERE resource = 'company'`,
    `CREATE VIRTUAL TABLE company_search USING fts5 (
      name_fold, company_code_fold, company_code_compact,
      content = '', contentless_delete = 1, tokenize = 'trigram case_sensitive 1'
    )`,
    `CREATE TRIGGER company_search_insert AFTER INSERT ON company
      WHEN NEW.id <= (SELECT indexed_id FROM ledger WHERE account_id = NEW.account_id AND resource = 'company')
      BEGIN
        INSERT INTO company_search (rowid, name_fold, company_code_fold, company_code_compact) VALUES ((NEW.account_id << 40) | NEW.id, NEW.name_fold, NEW.company_code_fold, replace(replace(replace(replace(NEW.company_code_fold, '-', ''), '/', ''), '.', ''), ' ', ''));
      END`,
    `CREATE TRIGGER company_search_delete AFTER DELETE ON company
      WHEN OLD.id <= 1099511627775 AND OLD.account_id <= 8388607
      BEGIN
        DELETE FROM company_search WHERE rowid = (OLD.account_id << 40) | OLD.id;
      END`,
    `CREATE TRIGGER company_search_update AFTER UPDATE OF name_fold, company_code_fold ON company
      WHEN NEW.id <= (SELECT indexed_id FROM ledger WHERE account_id = NEW.account_id AND resource = 'company')
        AND (OLD.name_fold IS NOT NEW.name_fold OR OLD.company_code_fold IS NOT NEW.company_code_fold)
      BEGIN
        DELETE FROM company_search WHERE rowid = (OLD.account_id << 40) | OLD.id;
        INSERT INTO company_search (rowid, name_fold, company_code_fold, company_code_compact) VALUES ((NEW.account_id << 40) | NEW.id, NEW.name_fold, NEW.company_code_fold, replace(replace(replace(replace(NEW.company_code_fold, '-', ''), '/', ''), '.', ''), ' ', ''));
      END`,
  ],
  postgres: [
    `DO $$ DECLARE place name; BEGIN
      CREATE EXTENSION IF NOT EXISTS pg_trgm;
      CREATE EXTENSION IF NOT EXISTS btree_gin;
      SELECT nspname INTO place FROM pg_extension JOIN pg_namespace ON pg_namespace.oid = extnamespace WHERE extname = 'pg_trgm';
      EXECUTE format('CREATE INDEX product_default_code_compact_search ON product USING gin (account_id, (replace(replace(replace(replace(default_code_fold, ''-'', ''''), ''/'', ''''), ''.'', ''''), '' '', '''')) %I.gin_trgm_ops)', place);
      EXECUTE format('CREATE INDEX partner_ref_fold_search ON partner USING gin (account_id, (ref_fold) %I.gin_trgm_ops)', place);
      EXECUTE format('CREATE INDEX partner_ref_compact_search ON partner USING gin (account_id, (replace(replace(replace(replace(ref_fold, ''-'', ''''), ''/'', ''''), ''.'', ''''), '' '', '''')) %I.gin_trgm_ops)', place);
      EXECUTE format('CREATE INDEX company_company_code_fold_search ON company USING gin (account_id, (company_code_fold) %I.gin_trgm_ops)', place);
      EXECUTE format('CREATE INDEX company_company_code_compact_search ON company USING gin (account_id, (replace(replace(replace(replace(company_code_fold, ''-'', ''''), ''/'', ''''), ''.'', ''''), '' '', '''')) %I.gin_trgm_ops)', place);
    EXCEPTION WHEN insufficient_privilege OR feature_not_supported OR undefined_file OR undefined_object THEN
      RAISE NOTICE 'pg_trgm and btree_gin are not available';
    END $$`,
  ],
};
