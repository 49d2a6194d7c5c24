/** Accounts are added, and removed with more records than one transaction removes. */

import { ACCOUNT, type Recording } from '../recording.ts';
import { sendEach, times, type Workload } from './workload.ts';
import { create, importRows, text } from './writes.ts';

export const accounts: Workload = {
  name: 'accounts are added and removed',
  async run(recording, key) {
    const server = await recording.serve();
    await add(recording, 'globex');
    const other = await recording.command(
      ['key', 'add', 'globex', '--name', 'test', '--scope', 'read,edit'],
      (stdout) => ({
        name: 'issue a key of another account',
        promised: { holds: `EXISTS (SELECT 1 FROM api_key WHERE instr(${text(stdout)}, id) > 0)` },
      }),
    );
    const { request, operation } = importRows(
      'product',
      times(600, (n) => ({ id: n, name: `Product ${n}` })),
      '0',
    );
    await recording.send(server, other.trim(), {
      request,
      operation: (reply) => ({ ...operation(reply), promised: { holds: ofGlobex('600') } }),
    });
    await sendEach(recording, server, key, [create('Before the removal')]);
    await remove(recording, 'globex');
    await sendEach(recording, server, key, [create('After the removal', 'after')]);
    await add(recording, 'initech');
    await recording.stop(server);
    // Nobody serves requests, so the command does all of it.
    await remove(recording, ACCOUNT);
  },
};

function ofGlobex(count: string): string {
  return `(SELECT count(*) FROM product WHERE account_id = (SELECT id FROM account WHERE name = 'globex')) = ${count}`;
}

async function add(recording: Recording, name: string): Promise<void> {
  await recording.command(['account', 'add', name], () => ({
    name: `add ${name}`,
    promised: { holds: `EXISTS (SELECT 1 FROM account WHERE name = ${text(name)})` },
  }));
}

async function remove(recording: Recording, name: string): Promise<void> {
  await recording.command(['account', 'remove', name, '--yes'], () => ({
    name: `remove ${name}`,
    promised: { holds: `NOT EXISTS (SELECT 1 FROM account WHERE name = ${text(name)})`, isFinal: true },
  }));
}
