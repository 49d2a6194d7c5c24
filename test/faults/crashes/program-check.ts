/** What a crash has left is given to the real program: it has to find nothing wrong, to start, to read and to write. */

import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { makeKey } from '../../support/account-key.ts';
import { kill, run, serve } from '../../support/program.ts';
import { createPartner, PARTNERS } from '../../support/rows.ts';
import { bearer, send } from '../../support/service.ts';
import type { DiskState } from './disk.ts';
import { DATABASE, writeState } from './state-folder.ts';

/** The state has a database. `folder` is one in which nothing else is. */
export async function checkProgram(folder: string, state: DiskState): Promise<void> {
  const path = join(folder, 'program');
  mkdirSync(path, { recursive: true });
  writeState(path, state);
  const options = {
    folder: path,
    env: { STOCKBOOK_DATABASE: join(path, DATABASE), STOCKBOOK_MIN_FREE_DISK: '0' },
  };
  // It may have to build the index of a field.
  expect(await run(['check', '--repair'], options)).toMatchObject({ code: 0 });
  const key = await makeKey(options.env.STOCKBOOK_DATABASE, { name: 'probe' });
  const server = await serve([], options);
  try {
    expect(await send(server.port, createPartner('Probe', bearer(key)))).toMatchObject({ status: 201 });
    const listed = await send(server.port, { path: PARTNERS, headers: bearer(key) });
    expect(listed.json).toMatchObject({ data: [{ name: 'Probe' }] });
  } finally {
    await kill(server);
  }
}
