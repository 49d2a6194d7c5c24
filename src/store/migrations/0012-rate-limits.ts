/** Individual rate limits of accounts and keys, in requests per second. Null where the setting applies, 0 for unlimited. */

import type { Migration } from './migration.ts';

export const rateLimits: Migration = {
  number: 12,
  name: 'rate limits',
  sqlite: ['ALTER TABLE account ADD COLUMN rate_limit INTEGER', 'ALTER TABLE api_key ADD COLUMN rate_limit INTEGER'],
  postgres: ['ALTER TABLE account ADD COLUMN rate_limit bigint', 'ALTER TABLE api_key ADD COLUMN rate_limit bigint'],
};
