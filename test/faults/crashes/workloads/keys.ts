/** Keys are issued, rotated, limited and revoked, also while another process holds the lock of the database. */

import { DatabaseSync } from 'node:sqlite';
import { keyId } from '../../../support/service.ts';
import { ACCOUNT, type Operation, type Recording } from '../recording.ts';
import { sendEach, type Workload } from './workload.ts';
import { create, text } from './writes.ts';

export const keys: Workload = {
  name: 'keys are issued and revoked',
  async run(recording, key) {
    const server = await recording.serve();
    const first = await issue(recording, 'first');
    const second = await issue(recording, 'second');
    const successor = (
      await recording.command(['key', 'rotate', first], (stdout) =>
        promising(
          `rotate ${keyId(first)}`,
          `replaced_by = ${text(keyId(stdout.trim()))} AND id = ${text(keyId(first))}`,
        ),
      )
    ).trim();
    await recording.command(['key', 'limit', second, '5'], () =>
      promising('limit a key', `id = ${text(keyId(second))} AND rate_limit = 5`),
    );
    await revoke(recording, second);
    await sendEach(recording, server, key, [create('Between revocations')]);
    // It takes effect all the same, and the service writes it to the database later.
    const lock = new DatabaseSync(recording.database);
    lock.exec('BEGIN IMMEDIATE');
    await revoke(recording, successor);
    lock.close();
    await recording.command(['account', 'limit', ACCOUNT, '100', '--records', '1000'], () => ({
      name: 'limit the account',
      promised: { holds: 'EXISTS (SELECT 1 FROM account WHERE rate_limit = 100 AND record_limit = 1000)' },
    }));
    await recording.until(
      `EXISTS (SELECT 1 FROM api_key WHERE id = ${text(keyId(successor))} AND revoked_at IS NOT NULL)`,
    );
    await sendEach(recording, server, key, [create('After the revocations')]);
  },
};

async function issue(recording: Recording, name: string): Promise<string> {
  const key = await recording.command(['key', 'add', ACCOUNT, '--name', name], (stdout) =>
    promising(`issue ${name}`, `id = ${text(keyId(stdout.trim()))} AND name = ${text(name)}`),
  );
  return key.trim();
}

async function revoke(recording: Recording, key: string): Promise<void> {
  const id = text(keyId(key));
  await recording.command(['key', 'revoke', key], () => ({
    name: `revoke ${keyId(key)}`,
    promised: {
      holds: `EXISTS (SELECT 1 FROM api_key WHERE id = ${id} AND revoked_at IS NOT NULL)
        OR EXISTS (SELECT 1 FROM revoked.revocation WHERE key = ${id})`,
      isFinal: true,
    },
  }));
}

/** A key that meets a condition. */
function promising(name: string, condition: string): Operation {
  return { name, promised: { holds: `EXISTS (SELECT 1 FROM api_key WHERE ${condition})` } };
}
