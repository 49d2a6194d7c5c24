/** The commands of the real program: `account`, `key`, `import` and help. */

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { commands } from '../support/commands.ts';
import { hasTerminals, run, startInTerminal } from '../support/program.ts';
import { COMPANIES, PRODUCTS } from '../support/rows.ts';
import { send } from '../support/service.ts';
import { folderPerTest, sharedFolder } from '../support/shared.ts';

const folder = folderPerTest();

/** An account for commands that fail: nothing changes it. */
const untouched = sharedFolder();
beforeAll(() => commands.run(['account', 'add', 'acme'], { folder: untouched.path }));

const stockbook = (...args: string[]) => commands.run(args, { folder: folder.path });
const failing = (...args: string[]) => commands.run(args, { folder: untouched.path });
const file = (name: string, content: string, where: { readonly path: string } = folder) => {
  writeFileSync(join(where.path, name), content);
  return name;
};

describe('account', () => {
  test('add, list, remove', async () => {
    expect(await stockbook('account', 'add', 'acme')).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('Added the account acme.'),
    });
    expect(await stockbook('account', 'add', 'acme')).toMatchObject({
      code: 1,
      stdout: '',
      stderr: 'stockbook: The account acme already exists.\n',
    });
    expect((await stockbook('account', 'list')).stdout).toMatch(
      /^ACCOUNT +PRODUCTS +PARTNERS +COMPANIES +SIZE +CREATED +LIMIT +RECORDS +STORAGE +CURRENCY\nacme +0 +0 +0 +0 bytes +\d{4}-/,
    );
    expect(await stockbook('account', 'remove', 'acmee')).toMatchObject({
      code: 1,
      stderr: 'stockbook: There is no account acmee. Did you mean acme?\n',
    });
    expect(await stockbook('account', 'remove', 'acme')).toEqual({
      code: 1,
      stdout: '',
      stderr:
        'stockbook: This would permanently remove the account acme with 0 products, 0 partners, 0 companies, and all its keys. Nothing was removed. Add --yes to confirm.\n',
    });
    expect((await stockbook('account', 'list')).stdout).toContain('acme');
    expect(await stockbook('account', 'remove', 'acme', '--yes')).toMatchObject({
      code: 0,
      stdout: 'Removed the account acme with 0 products, 0 partners, 0 companies.\n',
    });
    expect(await stockbook('account', 'list')).toMatchObject({
      code: 0,
      stdout: '',
      stderr: expect.stringContaining('There are no accounts.'),
    });
  });

  test.each(['Acme', 'a.b', '-a', 'a-', 'ä', 'a b', '', 'x'.repeat(64)])(
    '%j is not a valid account name',
    async (name) => {
      expect(await stockbook('account', 'add', '--', name)).toMatchObject({
        code: 2,
        stderr: expect.stringContaining(`"${name}" is not a valid account name.`),
      });
    },
  );

  test.skipIf(!hasTerminals)('remove does not ask for confirmation on a terminal either', async () => {
    await stockbook('account', 'add', 'acme');
    const program = startInTerminal(['account', 'remove', 'acme'], { folder: folder.path });
    expect(await program.finished).toMatchObject({ code: 1, stdout: expect.stringContaining('Add --yes to confirm.') });
    expect((await stockbook('account', 'list')).stdout).toContain('acme');
  });

  test('listing does not create a database', async () => {
    expect(await stockbook('account', 'list')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('There is no database file data/stockbook.db.'),
    });
  });
});

describe('account link', () => {
  const link = (stdout: string) => /^(\S+)\/#code=(sbk_\w+)\n$/.exec(stdout) ?? [];

  test('prints a link that signs in to a running service, once', async () => {
    await stockbook('account', 'add', 'acme');
    const server = await folder.serve();
    const printed = await stockbook(
      'account',
      'link',
      'acme',
      '--scope',
      'read,product:edit',
      '--port',
      String(server.port),
    );
    expect(printed).toMatchObject({
      code: 0,
      stderr: expect.stringMatching(/^It signs in to acme once, until \d{4}-/),
    });
    const [, origin, code = ''] = link(printed.stdout);
    expect(origin).toBe(`http://127.0.0.1:${server.port}`);
    const start = () =>
      send(server.port, {
        method: 'POST',
        path: '/api/v1/session',
        headers: {
          ...{ authorization: `Bearer ${code}`, 'stockbook-console': 'http', 'content-type': 'application/json' },
        },
        body: '{"remember":true}',
      });
    const replies = [await start(), await start()];
    expect(replies.map(({ status }) => status)).toEqual([204, 401]);
    const cookie = replies[0]?.headers['set-cookie']?.split(';')[0] ?? '';
    const session = cookie.split('_')[1] ?? '';
    const headers = { cookie, 'stockbook-console': 'http' };
    expect((await send(server.port, { path: '/api/v1/me', headers })).json).toMatchObject({
      data: { account: { name: 'acme' }, key: { id: session, name: 'console', scopes: ['read', 'product:edit'] } },
    });
    const listed = (await stockbook('key', 'list', 'acme')).stdout;
    expect(listed).toMatch(/sign-in link +sign-in,read,product:edit +used \d{4}-/);
    expect(listed).toMatch(
      new RegExp(`^${session} +console +read,product:edit +active until .* ${code.split('_')[1]}$`, 'm'),
    );
    expect(await stockbook('key', 'rotate', session)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('is the key of a browser session'),
    });
    expect(await send(server.port, { method: 'DELETE', path: '/api/v1/session', headers })).toRespond(204);
    expect((await stockbook('key', 'list', 'acme')).stdout).not.toContain(`\n${session}`);
    const { stdout } = await stockbook('audit', '--account', 'acme');
    expect(stdout.match(/key issued|sign-in link used|signed out/g)).toEqual([
      'key issued',
      'sign-in link used',
      'signed out',
    ]);
    expect(stdout).not.toContain(code);
  });

  test('leads to where people reach the account', async () => {
    await stockbook('account', 'add', 'acme');
    const originWith = async (...flags: string[]) =>
      link((await stockbook('account', 'link', 'acme', ...flags)).stdout)[1];
    expect(await originWith()).toBe('http://127.0.0.1:8080');
    expect(await originWith('--domain', 'example.com')).toBe('https://acme.example.com');
    expect(await originWith('--url', 'https://stock.acme.test:8443/')).toBe('https://stock.acme.test:8443');
  });

  test.each([
    ['an account that does not exist', ['nobody'], 1, 'There is no account nobody.'],
    ['an unknown scope', ['acme', '--scope', 'raed'], 2, 'There is no scope "raed". Did you mean read?'],
    ['a link for nothing', ['acme', '--scope', 'sign-in'], 2, 'There is no scope "sign-in".'],
    ['no time', ['acme', '--expires', '0m'], 2, '--expires must be at least 1m and at most 7d, not "0m".'],
    ['too much time', ['acme', '--expires', '8d'], 2, '--expires must be at least 1m and at most 7d, not "8d".'],
    ['a path', ['acme', '--url', 'https://x.test/y'], 2, '--url must be an address such as https://acme.example.com'],
    ['no address', ['acme', '--url', 'acme'], 2, '--url must be an address such as https://acme.example.com'],
  ])('%s', async (_, args, code, message) => {
    expect(await failing('account', 'link', ...args)).toMatchObject({
      code,
      stdout: '',
      stderr: expect.stringContaining(message),
    });
  });
});

describe('key', () => {
  const withAccount = () => stockbook('account', 'add', 'acme');

  test('add prints nothing but the key on stdout', async () => {
    await withAccount();
    const { code, stdout, stderr } = await stockbook('key', 'add', 'acme', '--name', 'shop');
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toMatch(/^sbk_\w+\n$/);
  });

  test('a running server accepts a key until it is revoked', async () => {
    await withAccount();
    const key = (await stockbook('key', 'add', 'acme', '--name', 'shop')).stdout.trim();
    const server = await folder.serve();
    const status = async (bearer: string) =>
      (await send(server.port, { path: PRODUCTS, headers: { authorization: `Bearer ${bearer}` } })).status;
    expect(await status(key)).toBe(200);

    const rotated = (await stockbook('key', 'rotate', key, '--overlap', '1h')).stdout.trim();
    expect([await status(key), await status(rotated)]).toEqual([200, 200]);
    expect((await stockbook('key', 'list', 'acme')).stdout).toMatch(
      /shop +read,write +active until .*\n.*shop +read,write +active /,
    );

    expect((await stockbook('key', 'revoke', key)).stdout).toMatch(/^Revoked the key \w+ \(shop\)\.\n$/);
    expect([await status(key), await status(rotated)]).toEqual([401, 200]);
    expect(await stockbook('key', 'revoke', key)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('was revoked on'),
    });

    await server.close();
    expect((await stockbook('key', 'list', 'acme')).stdout).toMatch(/revoked \d{4}-\S+ +\S+ +\d{4}-/);
  });

  test('list without an account has the keys of all accounts, also as JSON, and which key replaces another', async () => {
    await withAccount();
    expect(await stockbook('key', 'list')).toMatchObject({
      code: 0,
      stdout: '',
      stderr: expect.stringMatching(/^There are no keys\./),
    });
    for (const list of [
      ['key', 'list', '--json'],
      ['key', 'list', 'acme', '--json'],
      ['audit', '--json', '--account', 'x'],
    ])
      expect(await stockbook(...list)).toEqual({ code: 0, stdout: '', stderr: '' });
    await stockbook('account', 'add', 'globex');
    const [one = '', two = ''] = [
      (await stockbook('key', 'add', 'globex', '--name', 'till', '--limit', '5')).stdout,
      (await stockbook('key', 'add', 'acme', '--name', 'shop')).stdout,
    ];
    const three = (await stockbook('key', 'rotate', two.trim())).stdout;
    const [till, shop, next] = [one, two, three].map((key) => key.split('_')[1]);
    const lines = (await stockbook('key', 'list')).stdout.split('\n');
    expect(lines).toEqual([
      expect.stringMatching(/^ACCOUNT +ID +NAME +SCOPES +STATE +CREATED +LAST USED +LIMIT +REPLACED BY +SESSION OF$/),
      expect.stringMatching(new RegExp(`^acme +${shop} +shop .* ${next} +-$`)),
      expect.stringMatching(new RegExp(`^acme +${next} +shop .* - +-$`)),
      expect.stringMatching(new RegExp(`^globex +${till} +till .* 5/s +- +-$`)),
      '',
    ]);
    const { stdout } = await stockbook('key', 'list', '--json');
    const keys = stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(keys.map(({ account, id, replacedBy, limit }) => [account, id, replacedBy, limit])).toEqual([
      ['acme', shop, next, null],
      ['acme', next, null, null],
      ['globex', till, null, 5],
    ]);
    expect(Object.keys(keys[0]).toSorted()).toEqual(
      'account createdAt expiresAt id lastUsedAt limit name replacedBy revokedAt scopes sessionOf state'.split(' '),
    );
    const accounts = (await stockbook('account', 'list', '--json')).stdout.trimEnd().split('\n');
    expect(accounts.map((line) => JSON.parse(line))).toMatchObject([
      { account: 'acme', records: { product: 0, partner: 0, company: 0 }, limit: null },
      { account: 'globex' },
    ]);
  });

  test('a key can be rotated without overlap', async () => {
    await withAccount();
    const key = (await stockbook('key', 'add', 'acme', '--name', 'shop')).stdout.trim();
    const { stderr } = await stockbook('key', 'rotate', key, '--overlap', '0m');
    expect(stderr).toMatch(/^The old key, \w+, is revoked\.\n$/);
    expect(await stockbook('key', 'rotate', key)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('was revoked'),
    });
  });

  test('a read-only key', async () => {
    await withAccount();
    const key = (
      await stockbook('key', 'add', 'acme', '--name', 'reader', '--scope', 'read', '--expires', '90d')
    ).stdout.trim();
    const scopes = 'product:read,partner:write';
    await stockbook('key', 'add', 'acme', '--name', 'trial', '--scope', scopes, '--expires', '9d');
    const { stdout } = await stockbook('key', 'list', 'acme');
    expect(stdout).toMatch(/reader +read +active until \S+Z +2/);
    expect(stdout).toMatch(/trial +product:read,partner:write +active until \S+Z, expires in 8 days +2/);
    const server = await folder.serve();
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
    expect(
      (await send(server.port, { method: 'POST', path: '/api/v1/resources/partner', headers, body: '{"name":"x"}' }))
        .status,
    ).toBe(403);
  });

  test.each([
    [['key', 'add', 'acme'], 2, "required option '--name <LABEL>' not specified"],
    [['key', 'add', 'acme', '--name', 'x', '--expires', '0d'], 2, '--expires must not be 0: the key would never work.'],
    [['key', 'add', 'acne', '--name', 'x'], 1, 'There is no account acne. Did you mean acme?'],
    [
      ['key', 'add', 'acme', '--name', 'x', '--scope', 'admin'],
      2,
      'There is no scope "admin". The scopes are read, write, edit, product:read, product:edit, partner:read, partner:write, partner:edit, company:read, company:edit.',
    ],
    [
      ['key', 'add', 'acme', '--name', 'x', '--scope', 'partner:write, products:read'],
      2,
      'There is no scope "products:read". Did you mean product:read?',
    ],
    [
      ['key', 'add', 'acme', '--name', 'x', '--scope', 'product:read,read'],
      2,
      '--scope has both read and product:read, but read is for all resources. Choose one.',
    ],
    [
      ['key', 'add', 'acme', '--name', 'x', '--expires', 'soon'],
      2,
      '--expires must be a duration such as 30m, 12h, 90d, 2w or 1y, not "soon".',
    ],
    [['key', 'revoke', 'nothing'], 1, 'There is no key nothing.'],
    [['key', 'list', 'nobody'], 1, 'There is no account nobody.'],
  ])('%j fails', async (args, code, message) => {
    expect(await failing(...args)).toMatchObject({ code, stdout: '', stderr: expect.stringContaining(message) });
  });

  test('an account without keys says how to issue one', async () => {
    expect(await failing('key', 'list', 'acme')).toMatchObject({
      code: 0,
      stderr: expect.stringContaining('"stockbook key add acme --name LABEL"'),
    });
  });
});

describe('import', () => {
  const withAccount = () => stockbook('account', 'add', 'acme');

  const files = [
    ['products.csv', 'id,name,list_price,active,default_code\n1,Chair,12.5,true,\n,"Desk, ""large""",99,FALSE,""\n'],
    [
      'products.ndjson',
      '{"id":1,"name":"Chair","list_price":12.5,"active":true,"default_code":null}\n\n{"name":"Desk, \\"large\\"","list_price":99,"active":false,"default_code":""}\n',
    ],
    [
      'products.json',
      '[{"id":1,"name":"Chair","list_price":12.5,"active":true,"default_code":null},\n {"name":"Desk, \\"large\\"","list_price":99,"active":false,"default_code":""}]',
    ],
  ] as const;

  test('csv, ndjson and json', async () => {
    await withAccount();
    const server = await folder.serve();
    for (const [name, content] of files) {
      const account = name.replace('.', '-');
      await stockbook('account', 'add', account);
      expect(await stockbook('import', account, 'product', file(name, content))).toEqual({
        code: 0,
        stdout: `Imported 2 products into ${account}: 2 created, 0 updated, 0 unchanged, 0 removed, 0 rejected.\n`,
        stderr: '',
      });
      const key = (await stockbook('key', 'add', account, '--name', 'x')).stdout.trim();
      const { json } = await send(server.port, {
        path: `${PRODUCTS}?fields=id,name,list_price,active,default_code`,
        headers: { authorization: `Bearer ${key}` },
      });
      expect(Object(json).data).toEqual([
        { id: 1, name: 'Chair', list_price: 12.5, active: true, default_code: null },
        { id: 2, name: 'Desk, "large"', list_price: 99, active: false, default_code: '' },
      ]);
    }
  });

  test('standard input, updating by id', async () => {
    await withAccount();
    const imported = (input: string) =>
      commands.run(['import', 'acme', 'company', '-'], { folder: folder.path, input });
    expect((await imported('id,name,branch_user\n5,A,1\n6,B,2\n')).stdout).toContain(
      '2 created, 0 updated, 0 unchanged',
    );
    expect((await imported('id,name\n5,A\n6,C\n')).stdout).toContain('0 created, 1 updated, 1 unchanged');
  });

  test.each([
    [['import', 'acme', 'prodct', 'x.csv'], 2, 'There is no resource prodct. Did you mean product?'],
    [['import', 'acme', 'product', 'x.xlsx'], 1, 'x.xlsx cannot be read'],
    [
      ['import', 'acme', 'product', 'x.csv', '--format', 'xml'],
      2,
      '--format must be one of csv, xlsx, ndjson, json, not "xml".',
    ],
    [['import', 'acme', 'product', 'missing.csv'], 1, 'missing.csv cannot be read'],
    [['import', 'nobody', 'product', 'x.csv'], 1, 'There is no account nobody.'],
    [['import', 'acme', 'product'], 2, "missing required argument 'file'"],
  ])('%j fails', async (args, code, message) => {
    expect(await failing(...args)).toMatchObject({ code, stderr: expect.stringContaining(message) });
  });

  test('while a server runs on the same database', async () => {
    await withAccount();
    const key = (await stockbook('key', 'add', 'acme', '--name', 'x')).stdout.trim();
    const server = await folder.serve();
    const total = async () => {
      const { status, json } = await send(server.port, {
        path: COMPANIES,
        headers: { authorization: `Bearer ${key}` },
      });
      expect(status).toBe(200);
      return Object(json).meta.total;
    };
    expect(await total()).toBe(0);
    const rows = Array.from({ length: 20_000 }, (_, n) => `Company ${n},${n}`);
    const csv = file('many.csv', `name,branch_user\n${rows.join('\n')}\n`);
    const importing = stockbook('import', 'acme', 'company', csv);
    let isFinished = false;
    void importing.then(() => {
      isFinished = true;
    });
    const seen = new Set<number>();
    while (!isFinished) seen.add(await total());
    expect((await importing).stdout).toContain('20,000 companies into acme: 20,000 created');
    expect(await total()).toBe(20_000);
    expect([...seen].filter((count) => count !== 0 && count !== 20_000)).toEqual([]);
  });
});

describe('help', () => {
  test.each([
    ...[
      '',
      'serve',
      'account',
      'account add',
      'account list',
      'account limit',
      'account set',
      'account remove',
      'import',
      'export',
    ],
    ...['key', 'key add', 'key list', 'key rotate', 'key limit', 'key revoke', 'audit', 'config', 'top'],
  ])('stockbook %s --help', async (command) => {
    const { code, stdout, stderr } = await failing(...command.split(' ').filter(Boolean), '--help');
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toContain(`Usage: stockbook ${command}`.trim());
  });

  test('without a command, the program prints help and exits with code 2', async () => {
    expect(await run([], { folder: folder.path })).toMatchObject({
      code: 2,
      stdout: '',
      stderr: expect.stringContaining('Usage: stockbook'),
    });
  });

  test('--version', async () => {
    expect(await run(['--version'], { folder: folder.path })).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^\d+\.\d+\.\d+\n$/),
    });
  });
});
