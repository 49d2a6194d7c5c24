/** An invalid database address: no command uses it, shows it or logs it. */

import { readdirSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { commands } from '../support/commands.ts';
import { sharedFolder } from '../support/shared.ts';

const folder = sharedFolder();

describe.each([
  [' postgres://u:s3cret@127.0.0.1:1/x', 'starts with a space'],
  ['"postgres://u:s3cret@127.0.0.1:1/x"', 'starts with a quote'],
  ['postgres://u:s3cret@127.0.0.1:1/x\n', 'contains a line break'],
  ['mysql://u:s3cret@127.0.0.1/x', 'names a scheme other than'],
  ['Postgres ://u:s3cret@127.0.0.1/x', 'names a scheme other than'],
  ['postgres://u:s3/cret@127.0.0.1/x', 'is not a valid PostgreSQL URL'],
])('%j', (address, flaw) => {
  test.each([
    ['serve', ['serve', '--port', '0']],
    ['account add', ['account', 'add', 'acme']],
    ['config', ['config']],
  ])('%s', async (_, args) => {
    for (const [name, finished] of [
      ['STOCKBOOK_DATABASE', await commands.run(args, { folder: folder.path, env: { STOCKBOOK_DATABASE: address } })],
      ['--database', await commands.run([...args, '--database', address], { folder: folder.path })],
    ] as const) {
      expect(finished).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining(`${name} ${flaw}`) });
      expect(finished.stderr).not.toMatch(/s3|cret/);
    }
    expect(readdirSync(folder.path)).toEqual([]);
  });
});
