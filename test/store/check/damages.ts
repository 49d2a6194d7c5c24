/** Damage that `stockbook check` finds and repairs. */

import { expect } from 'vitest';
import type { Finding } from '../../../src/store/check/findings.ts';
import { NOW } from '../../support/fixture.ts';

/** What is done behind the program's back, and what the check finds. `of` is acme's number. */
export interface Damage {
  readonly what: string;
  readonly check: string;
  readonly on?: 'SQLite' | 'PostgreSQL';
  /** It cannot be done on a cluster. */
  readonly isOnOneServer?: true;
  damage(of: number): string | readonly string[];
  /** An index that is not told about it. */
  readonly unmaintained?: string;
  readonly found: readonly Partial<Finding>[] | number;
}

const acme = { account: 'acme', resource: 'product' };

export const damages: readonly Damage[] = [
  {
    what: 'a ledger with too many rows',
    check: 'ledger rows',
    damage: (of) => `UPDATE ledger SET rows = rows + 5 WHERE account_id = ${of} AND resource = 'product'`,
    found: [{ ...acme, detail: 'has rows 18 in the ledger; the number of records is 13' }],
  },
  {
    what: 'a record that was removed in SQL',
    check: 'ledger rows',
    damage: (of) => `DELETE FROM product WHERE account_id = ${of} AND id = 15`,
    found: [{ ...acme, detail: 'has rows 13 in the ledger; the number of records is 12' }],
  },
  {
    what: 'a ledger whose last id is too small',
    check: 'ledger last ids',
    damage: (of) => `UPDATE ledger SET last_id = 3 WHERE account_id = ${of} AND resource = 'product'`,
    found: [{ ...acme, detail: 'has last_id 3 in the ledger; the largest id of a record or tombstone is 400' }],
  },
  {
    what: 'a record from the future',
    check: 'ledger revisions',
    damage: (of) => `UPDATE product SET revision = 1000 WHERE account_id = ${of} AND id = 2`,
    found: [{ ...acme, detail: expect.stringMatching(/^has revision \d+ in the ledger; .* is 1000$/) }],
  },
  {
    what: 'an account without a ledger',
    check: 'ledgers',
    damage: (of) => `DELETE FROM ledger WHERE account_id = ${of} AND resource = 'product'`,
    found: [{ ...acme, detail: 'has no ledger row' }],
  },
  {
    what: 'an account without a ledger, but with a history',
    check: 'ledgers',
    damage: (of) => [
      `INSERT INTO ledger_history (account_id, resource, began, generation)
        SELECT account_id, resource, revision + 7, generation FROM ledger WHERE account_id = ${of} AND resource = 'product'`,
      `DELETE FROM ledger WHERE account_id = ${of} AND resource = 'product'`,
    ],
    found: [{ ...acme, detail: 'has no ledger row' }],
  },
  {
    what: 'an account without a ledger, which had assigned ids to records that are gone',
    check: 'ledgers',
    damage: (of) => [
      `INSERT INTO idempotency_key (account_id, resource, key_hash, fingerprint, record_id, created_at)
        VALUES (${of}, 'product', 'lost', 'lost', 100000, '${NOW}')`,
      `DELETE FROM ledger WHERE account_id = ${of} AND resource = 'product'`,
    ],
    found: [{ ...acme, detail: 'has no ledger row' }],
  },
  {
    what: 'a generation that never was',
    check: 'generations',
    damage: (of) => `UPDATE ledger SET generation = 12345 WHERE account_id = ${of} AND resource = 'product'`,
    found: [{ ...acme, detail: 'is in a generation that the database does not know' }],
  },
  {
    what: 'a history that does not reach back to the oldest record',
    check: 'generations',
    damage: (of) =>
      `DELETE FROM ledger_history WHERE account_id = ${of} AND resource = 'product';
       UPDATE ledger SET began = revision + 1 WHERE account_id = ${of} AND resource = 'product'`,
    found: [{ ...acme, detail: 'has records from before its history' }],
  },
  {
    what: 'folded text that is wrong',
    check: 'folded text',
    damage: (of) =>
      `UPDATE product SET name_fold = 'wrong', default_code_fold = NULL WHERE account_id = ${of} AND id IN (1, 2)`,
    found: [1, 2].map((id) => ({ ...acme, id, detail: 'has a wrong folded form of name, default_code' })),
  },
  {
    what: 'a search index that lacks a record',
    check: 'search indexes',
    on: 'SQLite',
    damage: (of) => `DELETE FROM product_search WHERE rowid = (${of} << 40) | 2`,
    found: [{ ...acme, id: 2, detail: 'is not in the search index with its text' }],
  },
  {
    what: 'a search index that has another text of a record',
    check: 'search indexes',
    on: 'SQLite',
    damage: (of) =>
      `DELETE FROM product_search WHERE rowid = (${of} << 40) | 2;
       INSERT INTO product_search (rowid, name_fold, default_code_fold) VALUES ((${of} << 40) | 2, 'other', 'text')`,
    found: [{ ...acme, id: 2, detail: 'is not in the search index with its text' }],
  },
  {
    what: 'a search index that has another text of the same length',
    check: 'search indexes',
    on: 'SQLite',
    damage: (of) =>
      `DELETE FROM product_search WHERE rowid = (${of} << 40) | 2;
       INSERT INTO product_search (rowid, name_fold, default_code_fold) VALUES ((${of} << 40) | 2, 'steel sofa', 'dsk-1')`,
    found: [{ ...acme, id: 2, detail: 'is not in the search index with its text' }],
  },
  {
    what: 'a search index that has a record which does not exist',
    check: 'search indexes',
    on: 'SQLite',
    damage: (of) =>
      `INSERT INTO product_search (rowid, name_fold, default_code_fold) VALUES ((${of} << 40) | 999, 'other', 'text')`,
    found: [{ ...acme, id: 999, detail: 'is in the search index, and should not be' }],
  },
  {
    what: 'a search index that was not maintained',
    check: 'search indexes',
    on: 'PostgreSQL',
    damage: (of) =>
      `UPDATE product SET name = 'Velvet Sofa', name_fold = 'velvet sofa' WHERE account_id = ${of} AND id = 2`,
    unmaintained: 'product_name_fold_search',
    found: [{ ...acme, id: 2, detail: 'is not found by its name in the search index' }],
  },
  {
    what: 'a tombstone of a record that exists',
    check: 'tombstones',
    damage: (of) => `INSERT INTO tombstone VALUES (${of}, 'product', 2, 1, '${NOW}')`,
    found: [{ ...acme, id: 2, detail: 'exists, and has a tombstone' }],
  },
  {
    what: 'a tombstone without a revision',
    check: 'tombstones',
    damage: (of) => `INSERT INTO tombstone VALUES (${of}, 'product', 8, 0, '${NOW}')`,
    found: [{ ...acme, id: 8, detail: 'has a tombstone without a valid revision' }],
  },
  {
    what: 'idempotency keys of records that were never created',
    check: 'idempotency keys',
    damage: (of) =>
      `INSERT INTO idempotency_key (account_id, resource, key_hash, fingerprint, record_id, created_at)
        VALUES (${of}, 'product', 'a', 'f', 9999, '${NOW}'), (${of}, 'product', 'b', 'f', -1, '${NOW}')`,
    found: [-1, 9999].map((id) => ({ ...acme, id, detail: 'is named by an idempotency key, but was never assigned' })),
  },
  {
    what: 'rows of an account that does not exist',
    check: 'orphans',
    damage: () =>
      `INSERT INTO tombstone VALUES (777, 'product', 1, 1, '${NOW}');
       INSERT INTO tombstone VALUES (777, 'product', 2, 1, '${NOW}');
       INSERT INTO ledger_history VALUES (778, 'product', 1, 1)`,
    found: 3,
  },
  {
    what: 'an index that is missing',
    check: 'schema',
    damage: () => 'DROP INDEX product_default_code',
    found: [{ detail: expect.stringMatching(/^index product_default_code is missing/) }],
  },
  {
    what: 'an audit trail without protection',
    check: 'schema',
    on: 'SQLite',
    damage: () => 'DROP TRIGGER audit_entry_delete',
    found: [{ detail: 'trigger audit_entry_delete is missing' }],
  },
  {
    what: 'a trigger that does something else',
    check: 'schema',
    on: 'SQLite',
    damage: () =>
      'DROP TRIGGER company_search_delete; CREATE TRIGGER company_search_delete AFTER DELETE ON company BEGIN SELECT 1; END',
    found: [{ detail: 'trigger company_search_delete is not what it should be' }],
  },
  {
    what: 'triggers and views of somebody else',
    check: 'schema',
    on: 'SQLite',
    damage: () =>
      `CREATE TRIGGER zz_silence BEFORE INSERT ON audit_entry BEGIN SELECT raise(ignore); END;
       CREATE VIEW "of ""keys" AS SELECT * FROM api_key`,
    found: [
      { detail: 'trigger zz_silence is not part of the schema' },
      { detail: 'view of "keys is not part of the schema' },
    ],
  },
  {
    what: 'a trigger of somebody else',
    check: 'schema',
    on: 'PostgreSQL',
    damage: () => [
      'CREATE FUNCTION silence() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NULL; END $$',
      'CREATE TRIGGER "zz ""silence" BEFORE INSERT ON audit_entry FOR EACH ROW EXECUTE FUNCTION silence()',
    ],
    found: [{ detail: 'trigger zz "silence on audit_entry is not part of the schema' }],
  },
  {
    what: 'an audit trail without protection',
    check: 'schema',
    on: 'PostgreSQL',
    damage: () => 'DROP TRIGGER audit_entry_change ON audit_entry',
    found: [{ detail: 'trigger audit_entry_change is missing or not valid' }],
  },
  ...[
    ['is disabled', 'ALTER TABLE audit_entry DISABLE TRIGGER audit_entry_change'],
    ['only works on replicas', 'ALTER TABLE audit_entry ENABLE REPLICA TRIGGER audit_entry_change'],
  ].map(
    ([what, statement = '']): Damage => ({
      what: `an audit trail whose protection ${what}`,
      check: 'schema',
      on: 'PostgreSQL',
      damage: () => statement,
      found: [{ detail: 'trigger audit_entry_change is missing or not valid' }],
    }),
  ),
  {
    what: 'an audit trail whose protection protects another table',
    check: 'schema',
    on: 'PostgreSQL',
    isOnOneServer: true,
    damage: () =>
      `DROP TRIGGER audit_entry_change ON audit_entry;
       CREATE TRIGGER audit_entry_change BEFORE TRUNCATE ON migration EXECUTE FUNCTION refuse_audit_change()`,
    found: [
      { detail: 'trigger audit_entry_change is missing or not valid' },
      { detail: 'trigger audit_entry_change on migration is not part of the schema' },
    ],
  },
  {
    what: 'a search index that is missing',
    check: 'schema',
    on: 'PostgreSQL',
    damage: () => 'DROP INDEX partner_email_fold_search',
    found: [{ detail: 'index partner_email_fold_search is missing or not valid' }],
  },
  {
    what: 'an index that lacks an entry, counted',
    check: 'storage',
    on: 'PostgreSQL',
    damage: (of) => `UPDATE product SET categ_id = 99 WHERE account_id = ${of} AND id = 3;
      UPDATE ledger SET bytes = bytes + 8 WHERE account_id = ${of} AND resource = 'product'`,
    unmaintained: 'product_default_code',
    found: [{ detail: 'index product_default_code: has 12 entries for the 13 rows of product' }],
  },
  {
    what: 'an index that lacks an entry, with amcheck',
    check: 'storage',
    on: 'PostgreSQL',
    isOnOneServer: true,
    damage: (of) => `CREATE EXTENSION amcheck; UPDATE product SET categ_id = 98 WHERE account_id = ${of} AND id = 3`,
    unmaintained: 'product_default_code',
    found: [{ detail: expect.stringMatching(/^index product_default_code: heap tuple .* lacks matching index tuple/) }],
  },
];
