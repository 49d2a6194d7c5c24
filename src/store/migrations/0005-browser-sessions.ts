/** Keys of browser sessions: which key, or which code of a sign-in link, they come from. */

import type { Migration } from './migration.ts';

export const browserSessions: Migration = {
  number: 5,
  name: 'browser sessions',
  sqlite: [`ALTER TABLE api_key ADD COLUMN session_of TEXT`, `CREATE INDEX api_key_session_of ON api_key (session_of)`],
  postgres: [
    `ALTER TABLE api_key ADD COLUMN session_of text COLLATE "C"`,
    `CREATE INDEX api_key_session_of ON api_key (session_of)`,
  ],
};
