/** `stockbook account add --file`: accounts with their limits and keys, all of them or none. */

import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { hashSecret, readKey } from '../../src/access/key.ts';
import type { Store } from '../../src/store/store.ts';
import { commands } from '../support/commands.ts';
import { engines, openDatabase, type TestDatabase } from '../support/engines.ts';
import { rounds } from '../support/rounds.ts';
import { sharedFolder } from '../support/shared.ts';

const MANY = rounds(300, 10_000);

const folder = sharedFolder();

function file(name: string, content: string): string {
  writeFileSync(join(folder.path, name), content);
  return name;
}

const read = (name: string) => readFileSync(join(folder.path, name), 'utf8');

describe.each(engines)('on $name', (engine) => {
  let database: TestDatabase;
  let store: Store;
  beforeAll(async () => {
    database = await engine.makeMigrated();
    store = await openDatabase(database.url);
  });
  afterAll(async () => {
    await store.close();
    await database.drop();
  });

  const add = (...args: string[]) =>
    commands.run(['account', 'add', ...args, '--database', database.url], { folder: folder.path });

  /** What the database has about a key that was printed. */
  const stored = async (text: string | undefined) => {
    const key = readKey(text ?? '');
    const found = key && (await store.keys.find(key.id));
    expect(found?.key.secretHash).toBe(hashSecret(key?.secret ?? ''));
    return found;
  };

  test('a CSV file: accounts without keys, with one, and with several', async () => {
    const content = [
      'account;limit;key;scopes;expires;key_limit',
      'alba;100;Shop;read,write;90d;',
      'alba;;"BI; reports";read;2099-12-31;20',
      'boreas;unlimited;;;;',
      'corvus;;Shop;;;unlimited',
    ];
    const { code, stdout, stderr } = await add('--file', file('accounts.csv', content.join('\n')));
    expect({ code, stderr }).toEqual({ code: 0, stderr: 'Added 3 accounts with 3 keys.\n' });
    const [header, ...lines] = stdout.trim().split('\n');
    expect(header).toBe('account,name,key');
    const [shop, reports, other] = lines.map((line) => line.split(',').at(-1));
    expect(lines).toEqual([`alba,Shop,${shop}`, `alba,"BI; reports",${reports}`, `corvus,Shop,${other}`]);
    expect(await stored(shop)).toMatchObject({
      account: { name: 'alba', rateLimit: 100 },
      key: { name: 'Shop', scopes: ['read', 'write'], rateLimit: null, expiresAt: expect.any(String) },
    });
    expect(await stored(reports)).toMatchObject({
      account: { name: 'alba' },
      key: { name: 'BI; reports', scopes: ['read'], rateLimit: 20, expiresAt: '2099-12-31T00:00:00.000Z' },
    });
    expect(await stored(other)).toMatchObject({
      account: { name: 'corvus', rateLimit: null },
      key: { scopes: ['read', 'write'], rateLimit: 0, expiresAt: null },
    });
    expect(await store.accounts.find('boreas')).toMatchObject({ rateLimit: null });
    const entries: object[] = [];
    for await (const batch of store.audit.entries({}))
      for (const { action, account, details } of batch) entries.push({ action, account, ...JSON.parse(details) });
    expect(entries.slice(-7)).toMatchObject([
      { action: 'account added', account: 'alba' },
      { action: 'account added', account: 'boreas' },
      { action: 'account added', account: 'corvus' },
      { action: 'account limit changed', account: 'alba', limit: 'requests per second', from: null, to: 100 },
      ...Array(3).fill({ action: 'key issued' }),
    ]);
    expect(entries).toContainEqual({
      action: 'key issued',
      account: 'alba',
      key: readKey(reports ?? '')?.id,
      name: 'BI; reports',
      scopes: ['read'],
      expiresAt: '2099-12-31T00:00:00.000Z',
      limit: 20,
    });
    expect((await store.check({ repair: false })).filter(({ found }) => found.count > 0)).toEqual([]);
  });

  test('an NDJSON file, and a file for the keys that only its owner can read', async () => {
    const content = [
      { account: 'delta', limit: 5, key: 'Shop', scopes: ['product:read', 'partner:write'], key_limit: 3 },
      { account: 'echo', key: 'Quote "x"' },
      { account: 'foxtrot', limit: null },
    ];
    const lines = content.map((row) => JSON.stringify(row)).join('\n');
    expect(await add('--file', file('accounts.ndjson', lines), '--output', `keys-${engine.name}.ndjson`)).toEqual({
      code: 0,
      stdout: `Added 3 accounts with 2 keys. The keys are in keys-${engine.name}.ndjson.\n`,
      stderr: '',
    });
    const written = join(folder.path, `keys-${engine.name}.ndjson`);
    expect(statSync(written).mode & 0o777).toBe(0o600);
    const keys = read(`keys-${engine.name}.ndjson`)
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(keys).toMatchObject([
      { account: 'delta', name: 'Shop' },
      { account: 'echo', name: 'Quote "x"' },
    ]);
    expect(await stored(keys[0].key)).toMatchObject({
      account: { rateLimit: 5 },
      key: { scopes: ['product:read', 'partner:write'], rateLimit: 3 },
    });
  });

  test('a name that is taken adds none, and leaves no keys', async () => {
    await store.accounts.add('taken', '2026-03-01T12:00:00.000Z');
    const rows = 'account,key\ngolf,Shop\ntaken,Shop\nhotel,Shop\n';
    expect(await add('--file', file('taken.csv', rows), '--output', 'never.csv')).toEqual({
      code: 1,
      stdout: '',
      stderr:
        'stockbook: 1 error in the file:\nline 3, account: the account taken already exists\nNothing was added.\n',
    });
    expect(existsSync(join(folder.path, 'never.csv'))).toBe(false);
    expect(await store.accounts.find('golf')).toBeUndefined();
    // Its number was not used up either.
    const before = await store.accounts.find('taken');
    await add('india');
    expect((await store.accounts.find('india'))?.id).toBe((before?.id ?? 0) + 1);
  });

  test(`${MANY} accounts are one transaction`, async () => {
    const rows = Array.from({ length: MANY }, (_, n) => `many-${n},${n % 2 ? 7 : ''},Shop`);
    const name = file('many.csv', ['account,limit,key', ...rows].join('\n'));
    const { code, stdout } = await add('--file', name);
    expect(code).toBe(0);
    expect(stdout.trim().split('\n')).toHaveLength(MANY + 1);
    const accounts = (await store.accounts.list()).filter(({ name: each }) => each.startsWith('many-'));
    expect(accounts).toHaveLength(MANY);
    expect(accounts.filter(({ rateLimit }) => rateLimit === 7)).toHaveLength(MANY / 2);
    expect(await database.count('audit_entry', "account LIKE 'many-%'")).toBe(MANY * 2.5);
  });
});

describe('what is wrong with a file', () => {
  const options = { folder: folder.path };
  const add = (...args: string[]) => commands.run(['account', 'add', ...args, '--database', 'wrong.db'], options);

  test.each([
    ['account\nAcme', 'line 2, account: "Acme" is not a valid account name.'],
    ['account\na\na', 'line 3, account: duplicate, first in line 2'],
    ['account,key\na,K\na,K', 'line 3, key: duplicate, first in line 2'],
    ['account,limit,key\na,5,K\na,6,L', 'line 3, limit: the account has another one, first in line 2'],
    ['account,limit\na,many', 'line 2, limit: must be a whole number of requests per second, or unlimited, not "many"'],
    ['account,scopes\na,read', 'line 2, scopes: belongs to a key, but the row has none'],
    ['account,key,scopes\na,K,reed', 'line 2, scopes: There is no scope "reed". Did you mean read?'],
    ['account,key,scopes\na,K,"read,product:read"', 'line 2, scopes: has both read and product:read'],
    ['account,key,expires\na,K,soon', 'line 2, expires: must be a duration such as 90d, or a time'],
    ['account,key,expires\na,K,2020-01-01', 'line 2, expires: must be in the future, not "2020-01-01"'],
    ['account,key,expires\na,K,0d', 'line 2, expires: must be in the future, not "0d"'],
    ['account,key,key_limit\na,K,0', 'line 2, key_limit: must be at least 1'],
    ['account,limits\na,5', '2 rows, limits: there is no such column; did you mean limit? (lines 1, 2)'],
    ['limit\n5', '2 rows, account: missing (lines 1, 2)'],
    ['account,limit\n,5', 'line 2, account: missing'],
    ['account,limit\na', 'line 2: the row has 1 cells, but the first line names 2 columns'],
    ['account', 'wrong.csv has no accounts.'],
  ])('%j', async (content, message) => {
    const { code, stdout, stderr } = await add('--file', file('wrong.csv', content));
    expect({ code, stdout, stderr }).toEqual({ code: 1, stdout: '', stderr: expect.stringContaining(message) });
    expect(stderr).toContain('Nothing was added.');
    expect(existsSync(join(folder.path, 'wrong.db'))).toBe(false);
  });

  test.each([
    ['{"account":"a","limit":{}}', 'line 1, limit: must be a text, a number, or a list of texts'],
    ['{"account":"a"}\nnot json', 'line 2: not valid JSON'],
  ])('%j', async (content, message) => {
    const { code, stderr } = await add('--file', file('wrong.ndjson', content));
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining(message) });
  });

  test('all rows are checked', async () => {
    const { stderr } = await add('--file', file('wrong.csv', 'account,limit\nA,x\nb,y\nc,3'));
    expect(stderr.match(/^line/gm)).toHaveLength(3);
  });

  test.each([
    [['acme', '--file', 'a.csv'], 'Give either a name or --file.'],
    [[], 'Give the name of the account, or --file.'],
    [['acme', '--output', 'keys.csv'], '--format and --output require --file.'],
    [['--file', 'a.txt'], 'The format of a.txt cannot be inferred from its extension. Use --format csv|ndjson.'],
    [['--file', 'a.csv', '--format', 'json'], '--format must be one of csv, ndjson, not "json".'],
  ])('%j is incorrect usage', async (args, message) => {
    expect(await add(...args)).toEqual({ code: 2, stdout: '', stderr: `stockbook: ${message}\n` });
  });

  test('a file that does not exist, and one for keys that does', async () => {
    expect(await add('--file', 'missing.csv')).toMatchObject({
      code: 1,
      stderr: 'stockbook: missing.csv cannot be read: no such file or directory (ENOENT). Nothing was added.\n',
    });
    file('precious.csv', 'precious');
    expect(await add('--file', file('a.csv', 'account,key\na,K'), '--output', 'precious.csv')).toMatchObject({
      code: 1,
      stderr: 'stockbook: precious.csv exists. Choose another file. Nothing was added.\n',
    });
    expect(read('precious.csv')).toBe('precious');
  });

  test('standard input', async () => {
    const args = ['account', 'add', '--file', '-', '--format', 'csv', '--database', 'stdin.db'];
    expect(await commands.run(args, { ...options, input: 'account\nacme\n' })).toEqual({
      code: 0,
      stdout: 'Added 1 account with 0 keys.\n',
      stderr: '',
    });
  });
});
