/** PostgreSQL: every write takes its ledger row first, so records need no foreign key to their account. */

import type { Migration } from './migration.ts';

export const noForeignKeys: Migration = {
  number: 6,
  name: 'no foreign keys from records to accounts',
  sqlite: [],
  postgres: [
    `COMMENT ON TABLE ledger IS 'Taken first by every write: records need no reference to their account beside it'`,
  ],
  postgresAfterwards: [
    `DO $$ BEGIN
      FOR attempt IN 1..10 LOOP
        BEGIN
          PERFORM set_config('lock_timeout', '50ms', true);
          ALTER TABLE product DROP CONSTRAINT IF EXISTS product_account_id_fkey;
          EXIT;
        EXCEPTION
          WHEN lock_not_available THEN PERFORM pg_sleep(0.2);
          WHEN insufficient_privilege THEN EXIT;
        END;
      END LOOP;
    END $$`,
    `DO $$ BEGIN
      FOR attempt IN 1..10 LOOP
        BEGIN
          PERFORM set_config('lock_timeout', '50ms', true);
          ALTER TABLE partner DROP CONSTRAINT IF EXISTS partner_account_id_fkey;
          EXIT;
        EXCEPTION
          WHEN lock_not_available THEN PERFORM pg_sleep(0.2);
          WHEN insufficient_privilege THEN EXIT;
        END;
      END LOOP;
    END $$`,
    `DO $$ BEGIN
      FOR attempt IN 1..10 LOOP
        BEGIN
          PERFORM set_config('lock_timeout', '50ms', true);
          ALTER TABLE company DROP CONSTRAINT IF EXISTS company_account_id_fkey;
          EXIT;
        EXCEPTION
          WHEN lock_not_available THEN PERFORM pg_sleep(0.2);
          WHEN insufficient_privilege THEN EXIT;
        END;
      END LOOP;
    END $$`,
  ],
};
