/**
 * A key with a time of revocation is revoked, whatever the time is. A key that was rotated and still works expires instead.
 * Such a key is recognized by its successor, which has the same name and scopes and was created a number of whole minutes
 * before the key ends. Any other key with a time in the future was revoked by a machine whose clock was ahead.
 */

import type { Migration } from './migration.ts';

export const revocationIsAState: Migration = {
  number: 9,
  name: 'revocation is a state',
  sqlite: [
    'ALTER TABLE api_key ADD COLUMN replaced_by TEXT',
    `UPDATE api_key SET replaced_by = (
      SELECT min(successor.id) FROM api_key AS successor
      WHERE successor.account_id = api_key.account_id AND successor.id <> api_key.id
        AND successor.name = api_key.name AND successor.scopes = api_key.scopes
        AND successor.created_at >= api_key.created_at AND successor.created_at < api_key.revoked_at
        AND substr(successor.created_at, 18) = substr(api_key.revoked_at, 18)
    ) WHERE revoked_at > strftime('%Y-%m-%dT%H:%M:%fZ', 'now')`,
    `UPDATE api_key SET expires_at = min(revoked_at, coalesce(expires_at, revoked_at)), revoked_at = NULL
      WHERE replaced_by IS NOT NULL`,
  ],
  postgres: [
    'ALTER TABLE api_key ADD COLUMN replaced_by text COLLATE "C"',
    `UPDATE api_key SET replaced_by = (
      SELECT min(successor.id) FROM api_key AS successor
      WHERE successor.account_id = api_key.account_id AND successor.id <> api_key.id
        AND successor.name = api_key.name AND successor.scopes = api_key.scopes
        AND successor.created_at >= api_key.created_at AND successor.created_at < api_key.revoked_at
        AND to_char(successor.created_at, 'SS.MS') = to_char(api_key.revoked_at, 'SS.MS')
    ) WHERE revoked_at > now()`,
    `UPDATE api_key SET expires_at = least(revoked_at, expires_at), revoked_at = NULL
      WHERE replaced_by IS NOT NULL`,
  ],
};
