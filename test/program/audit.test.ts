/** `stockbook audit`, after all commands that leave an entry. */

import { writeFileSync } from 'node:fs';
import { hostname, userInfo } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { commands } from '../support/commands.ts';
import { makeFolder, serve } from '../support/program.ts';
import { send } from '../support/service.ts';
import { sharedFolder } from '../support/shared.ts';

const folder = sharedFolder();

const user = userInfo().username;
const stockbook = (...args: string[]) => commands.run(args, { folder: folder.path });
type Entry = Readonly<Record<'action' | 'account' | 'actor' | 'origin' | 'details', unknown>>;
let output = '';
let entries: readonly Entry[] = [];
const entriesOf = (action: string) => entries.filter((entry) => entry.action === action);

/** What must not be in any entry. */
const secrets = new Set<string>();
const keyFrom = async (command: Promise<{ stdout: string }>) => {
  const key = (await command).stdout.trim();
  secrets.add(key.split('_')[2] ?? '');
  return key;
};

beforeAll(async () => {
  await commands.run(['account', 'add', 'acme'], {
    folder: folder.path,
    env: { SUDO_USER: 'alice', SSH_CONNECTION: '203.0.113.7 50000 192.0.2.1 22' },
  });
  const issued = await keyFrom(stockbook('key', 'add', 'acme', '--name', 'Web \u001b[31mshop', '--scope', 'read'));
  const rotated = await keyFrom(stockbook('key', 'rotate', issued));
  await stockbook('key', 'revoke', rotated);
  writeFileSync(join(folder.path, 'partners.csv'), 'id,name\n1,A\n2,B\n');
  await stockbook('import', 'acme', 'partner', 'partners.csv');

  // The service itself acts as well: it adds a key and a sign-in link for the demo.
  const server = await serve(['--demo'], { folder: folder.path });
  const { stdout } = server.output();
  for (const [, secret = ''] of stdout.matchAll(/sbk_[a-z0-9]+_(\w+)/gi)) secrets.add(secret);
  const code = /#code=(\S+)/.exec(stdout)?.[1] ?? '';
  const { status, json } = await send(server.port, {
    method: 'POST',
    path: '/api/v1/sign-in',
    headers: { authorization: `Bearer ${code}` },
  });
  expect(status).toBe(201);
  secrets.add(String(Object(json).data.key).split('_')[2] ?? '');
  server.child.kill('SIGTERM');
  await server.finished;
  await stockbook('account', 'remove', 'demo', '--yes');

  const { code: exitCode, stdout: lines, stderr } = await stockbook('audit', '--json', '--limit', '0');
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
  output = lines;
  entries = lines
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line));
});

test('has an entry for each of them, in order', () => {
  const actions = entries.map(({ action, account }) => [action, account]);
  expect(actions).toEqual([
    ['account added', 'acme'],
    ['key issued', 'acme'],
    ['key rotated', 'acme'],
    ['key revoked', 'acme'],
    ['records imported', 'acme'],
    ['account added', 'demo'],
    ['records imported', 'demo'],
    ['records imported', 'demo'],
    ['records imported', 'demo'],
    ['key issued', 'demo'],
    ['key issued', 'demo'],
    ['sign-in link used', 'demo'],
    ['account removed', 'demo'],
  ]);
});

test('says who did it, and from where', () => {
  const [added, issued] = entries;
  expect(added).toMatchObject({
    actor: user === 'alice' || process.getuid?.() !== 0 ? user : `alice as ${user}`,
    origin: `${hostname()} from 203.0.113.7`,
    details: {},
  });
  expect(issued).toMatchObject({ actor: user, origin: hostname() });
  const [used] = entriesOf('sign-in link used');
  expect(used).toMatchObject({ actor: `key ${Object(used?.details).code}`, origin: '127.0.0.1' });
});

test('has the name of the file that was imported', () => {
  expect(entriesOf('records imported')[0]?.details).toMatchObject({ file: 'partners.csv', created: 2, revision: 1 });
});

test('has no secrets', () => {
  expect(secrets.size).toBe(5);
  for (const secret of secrets) {
    expect(secret.length).toBeGreaterThan(20);
    expect(output).not.toContain(secret);
  }
});

describe('as a table', () => {
  test('has the newest entries, the newest last, and nothing that a terminal would interpret', async () => {
    const { code, stdout, stderr } = await stockbook('audit', '--account', 'acme', '--limit', '4', '--since', '1h');
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const lines = stdout.split('\n');
    expect(lines).toHaveLength(6);
    expect(lines[0]).toMatch(/^TIME +ACTOR +ORIGIN +ACTION +ACCOUNT +DETAILS$/);
    expect(lines[1]).toMatch(
      /^\S+Z +\S.* key issued +acme +key=\w+ name="Web \\u001b\[31mshop" scopes=\["read"\] expiresAt=null limit=null$/,
    );
    expect(lines[4]).toMatch(/ records imported +acme +resource=partner file=partners\.csv source=null created=2 /);
  });

  test('is empty if nothing matches', async () => {
    expect(await stockbook('audit', '--account', 'nobody')).toEqual({
      code: 0,
      stdout: '',
      stderr: 'There are no entries.\n',
    });
  });
});

test.each([
  [['--action', 'key isued'], '--action: there is no action "key isued". Did you mean "key issued"?'],
  [['--limit', '-1'], '--limit must be a whole number, not "-1".'],
])('%j is wrong usage', async (flags, message) => {
  expect(await stockbook('audit', ...flags)).toMatchObject({ code: 2, stdout: '', stderr: `stockbook: ${message}\n` });
});

describe('an entry that another program wrote', () => {
  const crafted = makeFolder();
  afterAll(() => crafted.remove());
  const details = ['not json', '[1]', 'null', '{"a":\n"\u009b"}', '{"a":1}}\n{"action":"forged \u001b[2J"}'];

  beforeAll(async () => {
    await commands.run(['account', 'add', 'acme'], { folder: crafted.path });
    const database = new DatabaseSync(join(crafted.path, 'data/stockbook.db'));
    const insert = database.prepare(
      "INSERT INTO audit_entry (at, actor, origin, action, details) VALUES ('2999-11-16T08:00:00.000Z', 'a', 'b', 'key issued', ?)",
    );
    for (const text of details) insert.run(text);
    database.close();
  });

  test('is one line of JSON, with its details as text if they are not an object', async () => {
    const { code, stdout, stderr } = await commands.run(['audit', '--json'], { folder: crafted.path });
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).not.toContain('\u001b');
    const lines = stdout.split('\n').slice(1, -1);
    expect(lines.map((line) => JSON.parse(line).details)).toEqual(
      details.map((text) => (text === details[3] ? { a: '\u009b' } : text)),
    );
  });

  test('is one line of the table', async () => {
    const { code, stdout, stderr } = await commands.run(['audit'], { folder: crafted.path });
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const lines = stdout.split('\n').slice(2, -1);
    expect(lines.map((line) => line.replace(/^.* key issued +- +/, ''))).toEqual([
      'not json',
      '[1]',
      'null',
      'a="\\u009b"',
      String.raw`{"a":1}}\u000a{"action":"forged \u001b[2J"}`,
    ]);
  });
});
