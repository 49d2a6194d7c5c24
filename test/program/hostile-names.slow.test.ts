/** Names in a database that somebody else made: no command lets them control the terminal, or forge a line. */

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { commands } from '../support/commands.ts';
import { makeFolder } from '../support/program.ts';

/** Clears the screen, ends its line, is a command for some terminals, and reverses what follows. */
const HOSTILE = 'evil\x1b[2J\r\nforged\x7f\x9b31m\u2028\u202e\u2066';
const SHOWN = String.raw`evil\u001b[2J\u000d\u000aforged\u007f\u009b31m\u2028\u202e\u2066`;

const [source, folder] = [makeFolder(), makeFolder()];
const original = (...args: string[]) => commands.run(args, { folder: source.path });
const stockbook = (...args: string[]) => commands.run(args, { folder: folder.path });
let key = '';

beforeAll(async () => {
  await original('account', 'add', 'acme');
  const issued = await original('key', 'add', 'acme', '--name', 'shop');
  key = issued.stdout.slice('sbk_'.length, 'sbk_'.length + 12);
  const file = join(source.path, 'backup.db');
  await original('backup', file);
  const backup = new DatabaseSync(file);
  backup.prepare('UPDATE account SET name = ?').run(HOSTILE);
  backup.prepare('UPDATE api_key SET name = ?').run(HOSTILE);
  backup.exec('UPDATE ledger SET last_id = -1');
  backup
    .prepare("INSERT INTO audit_entry (at, actor, origin, action, account, details) VALUES ('now', ?, ?, ?, ?, ?)")
    .run(HOSTILE, HOSTILE, HOSTILE, HOSTILE, JSON.stringify({ [HOSTILE]: HOSTILE }));
  backup.close();
  expect(await stockbook('restore', file, '--database', 'stockbook.db')).toMatchObject({ code: 0 });
  writeFileSync(join(folder.path, 'rows.csv'), `id,name,${HOSTILE.replace('\r\n', '')}\n1,x,y\n`);
});
afterAll(async () => {
  source.remove();
  folder.remove();
});

test.each<[string, () => readonly string[]]>([
  ['account list', () => ['account', 'list']],
  ['account limit', () => ['account', 'limit', HOSTILE, '5']],
  ['account remove', () => ['account', 'remove', HOSTILE]],
  ['an account that is similar', () => ['account', 'limit', `${HOSTILE}x`, '5']],
  ['key list', () => ['key', 'list', HOSTILE]],
  ['key limit', () => ['key', 'limit', key, '5']],
  ['audit', () => ['audit']],
  ['audit --json', () => ['audit', '--json']],
  ['check', () => ['check']],
  ['import of a file with such a column', () => ['import', HOSTILE, 'product', 'rows.csv']],
  ['import of such a file', () => ['import', HOSTILE, 'product', `${HOSTILE}.csv`]],
  ['export', () => ['export', HOSTILE, 'product']],
  ['restore of such a file', () => ['restore', HOSTILE]],
  ['backup to such a file', () => ['backup', HOSTILE]],
])('%s prints nothing that a terminal obeys', async (_, args) => {
  const { stdout, stderr } = await stockbook(...args(), '--database', 'stockbook.db');
  const lines = `${stdout}${stderr}`.split('\n');
  expect(lines).toContainEqual(expect.stringMatching(/evil\\u001b\[2J.*\\u2066/));
  for (const line of lines) {
    expect(line).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u);
    expect(line).not.toMatch(/^forged/);
  }
  if (stdout.startsWith('{')) for (const line of stdout.trimEnd().split('\n')) JSON.parse(line);
});

test('what is escaped in JSON is the same text', async () => {
  const { stdout } = await stockbook('audit', '--json', '--limit', '0', '--database', 'stockbook.db');
  const entries = stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(entries.find(({ actor }) => actor === HOSTILE)).toMatchObject({ details: { [HOSTILE]: HOSTILE } });
  expect(stdout).toContain(String.raw`\u202e`);
  expect((await stockbook('account', 'list', '--database', 'stockbook.db')).stdout).toContain(`\n${SHOWN} `);
});
