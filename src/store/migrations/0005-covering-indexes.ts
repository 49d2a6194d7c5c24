/** PostgreSQL: filters on numbers and booleans are counted by index-only scans. */

import type { Migration } from './migration.ts';

export const coveringIndexes: Migration = {
  number: 5,
  name: 'covering indexes on numbers',
  sqlite: [],
  postgres: [
    `CREATE INDEX product_list_price_covering ON product (account_id, list_price, id)
      INCLUDE (qty_available, active, is_rsd_product)`,
    `CREATE INDEX product_qty_available_covering ON product (account_id, qty_available, id)
      INCLUDE (list_price, active, is_rsd_product)`,
  ],
  postgresAfterwards: [
    'DROP INDEX CONCURRENTLY IF EXISTS product_list_price',
    'DROP INDEX CONCURRENTLY IF EXISTS product_qty_available',
  ],
};
