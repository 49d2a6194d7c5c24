/** The first command creates a database, in a folder that does not exist. */

import { rmdirSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Workload } from './workload.ts';
import { create } from './writes.ts';

export const firstDatabase: Workload = {
  name: 'a database is created',
  async prepare(path) {
    rmdirSync(dirname(path));
    return '';
  },
  async run(recording) {
    await recording.command(['account', 'add', 'acme'], () => ({
      name: 'add acme',
      promised: { holds: "EXISTS (SELECT 1 FROM account WHERE name = 'acme')" },
    }));
    const key = await recording.command(['key', 'add', 'acme', '--name', 'test']);
    const server = await recording.serve();
    await recording.send(server, key.trim(), create('First', 'first'));
  },
};
