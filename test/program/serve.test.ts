/** `stockbook serve`: the real program, started, stopped and killed. */

import { once } from 'node:events';
import { Agent } from 'node:http';
import { connect, createServer } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Flags, InvalidSetting, rawSetting, readSetting } from '../../src/settings/read.ts';
import { sameAddress } from '../../src/settings/same-address.ts';
import type { SettingName, Settings } from '../../src/settings/settings.ts';
import { commands } from '../support/commands.ts';
import { kill, run, type Serving, serve } from '../support/program.ts';
import { PARTNERS, PRODUCTS } from '../support/rows.ts';
import { send } from '../support/service.ts';
import { folderPerTest, sharedFolder } from '../support/shared.ts';

const folder = folderPerTest();

async function started(...args: string[]): Promise<Serving> {
  return folder.killLater(await serve(args, { folder: folder.path }));
}

interface ServingAcme extends Serving {
  /** A key of acme. */
  readonly key: string;
}

/** With an account that has no records. */
async function startedWithAcme(): Promise<ServingAcme> {
  await commands.run(['account', 'add', 'acme'], { folder: folder.path });
  const { stdout } = await commands.run(['key', 'add', 'acme', '--name', 'test'], { folder: folder.path });
  return { ...(await started()), key: stdout.trim() };
}

function keyIn({ output }: Serving): string {
  return /sbk_\w+/.exec(output().stdout)?.[0] ?? '';
}

describe('serve --demo', () => {
  const shared = sharedFolder();
  let server: Serving;
  beforeAll(async () => {
    server = await serve(['--demo', '--workers', '2'], { folder: shared.path });
  });
  afterAll(() => kill(server));
  const command = (...args: string[]) => commands.run(args, { folder: shared.path });

  test('creates an account with sample data, and prints the address, a key and a command to try', async () => {
    const { stdout } = server.output();
    expect(stdout.split('\n').filter((line) => line.includes('is listening on'))).toHaveLength(1);
    const [, key, url] = /curl -H "Authorization: Bearer (sbk_\w+)" "(http:[^"]+)"/.exec(stdout) ?? [];
    const response = await fetch(url ?? '', { headers: { authorization: `Bearer ${key}` } });
    expect(response.status).toBe(200);
    expect(await response.json()).toMatchObject({
      data: [{ name: expect.stringMatching(/chair/i) }, {}, {}],
      meta: { count: 3 },
    });

    const { stdout: accounts } = await command('account', 'list');
    expect(accounts).toMatch(/^demo +5000 +1000 +5 /m);
  });

  test('prints a link that signs in once, in any of the processes', async () => {
    const [, origin, code] = /^ {2}(http:\S+)\/#code=(sbk_\w+)$/m.exec(server.output().stdout) ?? [];
    const exchange = () =>
      fetch(`${origin}/api/v1/sign-in`, { method: 'POST', headers: { authorization: `Bearer ${code}` } });
    const list = await command('key', 'list', 'demo');
    expect(list.stdout).toMatch(/sign-in link +sign-in,read,write +active until /);
    expect(await command('key', 'rotate', code ?? '')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('is the code of a sign-in link'),
    });
    const responses = await Promise.all(Array.from({ length: 6 }, exchange));
    expect(responses.map(({ status }) => status).toSorted()).toEqual([201, 401, 401, 401, 401, 401]);
    const { data } = Object(await responses.find(({ ok }) => ok)?.json());
    const me = await fetch(`${origin}/api/v1/me`, { headers: { authorization: `Bearer ${data.key}` } });
    expect(await me.json()).toMatchObject({ data: { account: { name: 'demo' }, key: { name: 'console' } } });
    const { stdout } = await command('key', 'list', 'demo');
    expect(stdout).toMatch(/sign-in link +sign-in,read,write +used \d{4}-/);
    expect(stdout).toMatch(/console +read,write +active until /);
  });

  test('logs a line of JSON per request, without keys', async () => {
    await send(server.port, {
      path: `${PRODUCTS}?limit=1`,
      headers: { 'x-request-id': 'find-me', authorization: `Bearer ${keyIn(server)}` },
    });
    await expect.poll(() => server.output().stderr).toContain('find-me');
    const line =
      server
        .output()
        .stderr.split('\n')
        .find((text) => text.includes('find-me')) ?? '';
    expect(JSON.parse(line)).toMatchObject({
      requestId: 'find-me',
      method: 'GET',
      route: PRODUCTS,
      status: 200,
      msg: 'request completed',
    });
    expect(server.output().stderr).not.toContain(keyIn(server));
  });

  test('leaves an existing account as it is, and issues another key', async () => {
    const first = server;
    const headers = { authorization: `Bearer ${keyIn(first)}`, 'content-type': 'application/json' };
    expect((await send(first.port, { method: 'POST', path: PARTNERS, headers, body: '{"name":"Mine"}' })).json).toEqual(
      { data: { id: 1001 } },
    );
    first.child.kill('SIGTERM');
    await first.finished;
    server = await serve(['--demo'], { folder: shared.path });
    expect(keyIn(server)).not.toBe(keyIn(first));
    const { json } = await send(server.port, {
      path: `${PARTNERS}/1001?fields=name`,
      headers: { authorization: `Bearer ${keyIn(server)}` },
    });
    expect(json).toEqual({ data: { name: 'Mine' } });
  });
});

describe('stopping', () => {
  /** A create request that has arrived, except for the end of its body. */
  const startRequest = async (server: ServingAcme) => {
    const body = '{"name":"Slow"}';
    const socket = connect(server.port, '127.0.0.1');
    const request = { socket, response: '', finish: () => socket.write(body.slice(5)) };
    socket.on('error', () => {});
    socket.setEncoding('utf8').on('data', (text: string) => {
      request.response += text;
    });
    const head = [
      `POST ${PARTNERS} HTTP/1.1`,
      'Host: x',
      `Authorization: Bearer ${server.key}`,
      'Content-Type: application/json',
      `Content-Length: ${body.length}`,
      'Expect: 100-continue',
    ];
    socket.write(`${head.join('\r\n')}\r\n\r\n${body.slice(0, 5)}`);
    await expect.poll(() => request.response).toContain('HTTP/1.1 100 Continue');
    return request;
  };

  test.each(['SIGTERM', 'SIGINT'] as const)(
    '%s closes connections without a complete request, and the request in progress is finished',
    async (signal) => {
      const server = await startedWithAcme();
      const silent = connect(server.port, '127.0.0.1');
      const slow = connect(server.port, '127.0.0.1');
      slow.write('GET /api');
      const closed = [silent, slow].map((socket) => {
        socket.on('error', () => {}).resume();
        return new Promise((resolve) => socket.once('close', resolve));
      });
      const request = await startRequest(server);
      server.child.kill(signal);
      await expect.poll(() => server.output().stderr).toContain('"stopping"');
      await expect(send(server.port, { path: '/' })).rejects.toThrow(/ECONNREFUSED|ECONNRESET|socket hang up/);
      // If they were closed only after the grace period, the request would be cut off with them.
      await Promise.all(closed);
      request.finish();
      await expect.poll(() => request.response).toMatch(/^HTTP\/1\.1 201 .*^connection: close\r$/ims);
      expect(await server.finished).toMatchObject({ code: 0 });
    },
  );

  test('a second signal ends it at once', async () => {
    const server = await startedWithAcme();
    const { socket } = await startRequest(server);
    server.child.kill('SIGTERM');
    await expect.poll(() => server.output().stderr).toContain('"stopping"');
    const signalAgain = () => {
      server.child.kill('SIGTERM');
      return server.child.exitCode;
    };
    await expect.poll(signalAgain).toBe(1);
    socket.destroy();
  });

  test('two signals at the same time count as one', async () => {
    const server = await started();
    // A stopped process gets both when it continues.
    for (const signal of ['SIGSTOP', 'SIGINT', 'SIGTERM', 'SIGCONT'] as const) server.child.kill(signal);
    const { code, stderr } = await server.finished;
    expect({ code, stops: stderr.match(/"stopping"/g) }).toEqual({ code: 0, stops: ['"stopping"'] });
  });

  const createPartner = (server: ServingAcme, name: string, agent?: Agent) =>
    send(
      server.port,
      {
        method: 'POST',
        path: PARTNERS,
        headers: { authorization: `Bearer ${server.key}`, 'content-type': 'application/json' },
        body: JSON.stringify({ name }),
      },
      agent,
    );
  const idsOf = async (name: string) => {
    const flags = ['--filter', `name=${name}`, '--fields', 'id', '--format', 'csv'];
    const { stdout } = await commands.run(['export', 'acme', 'partner', ...flags], { folder: folder.path });
    return stdout.trim().split('\r\n').slice(1).map(Number);
  };

  test('clients with persistent connections are told to close them, and no request is lost', async () => {
    const server = await startedWithAcme();
    const acknowledged: number[] = [];
    let told = 0;
    const clients = Array.from({ length: 16 }, async () => {
      const agent = new Agent({ keepAlive: true, maxSockets: 1 });
      for (;;) {
        const reply = await createPartner(server, 'Guest', agent).catch(connectionError);
        // An idle connection is closed after a while, so the next request of a slow client may come too late.
        if (reply instanceof Error) return;
        acknowledged.push(Object(reply.json).data.id);
        if (reply.headers['connection'] !== 'close') continue;
        told += 1;
        return;
      }
    });
    await expect.poll(() => acknowledged.length).toBeGreaterThan(50);
    server.child.kill('SIGTERM');
    await Promise.all(clients);
    expect((await server.finished).code).toBe(0);
    expect(told).toBeGreaterThan(0);
    expect(acknowledged.toSorted((a, b) => a - b)).toEqual(await idsOf('Guest'));
  });
});

/** The error, if the connection was closed or refused. */
function connectionError(error: unknown): Error {
  if (error instanceof Error && /ECONNREFUSED|ECONNRESET|EPIPE|socket hang up/.test(error.message)) return error;
  throw error;
}

const settingsOf = (flags: Flags) => ({
  get<Name extends SettingName>(name: Name): Settings[Name] {
    const value = readSetting(name, rawSetting(name, flags, {}));
    if (value instanceof InvalidSetting) throw new Error(value.message);
    return value;
  },
});

describe('errors are reported in one helpful line', () => {
  test('a port that is in use', async () => {
    const taken = createServer().listen(0, '127.0.0.1');
    await once(taken, 'listening');
    const { port } = Object(taken.address());
    expect(await run(['serve', '--port', String(port)], { folder: folder.path })).toEqual({
      code: 1,
      stdout: '',
      stderr: `stockbook: Port ${port} on 127.0.0.1 is in use. Stop the program that uses it, or choose another port with --port ${port + 10}.\n`,
    });
    const suggested = ['--admin-port', String(port + 10)];
    expect(await commands.run(['serve', '--port', String(port), ...suggested], { folder: folder.path })).toMatchObject({
      stderr: expect.stringContaining(` with --port ${port + 20}.`),
    });
    taken.close();
  });

  test('all ports that are in use', async () => {
    const taken = [createServer(), createServer()].map((server) => server.listen(0, '127.0.0.1'));
    await Promise.all(taken.map((server) => once(server, 'listening')));
    const [port, admin] = taken.map((server) => Object(server.address()).port);
    const flags = ['--port', String(port), '--admin-port', String(admin)];
    const other = [port, admin].includes(port + 10) ? port + 20 : port + 10;
    for (const workers of ['1', '2'])
      expect(await commands.run(['serve', ...flags, '--workers', workers], { folder: folder.path })).toEqual({
        code: 1,
        stdout: '',
        stderr: expect.stringMatching(
          new RegExp(
            `^stockbook: Port ${port} on 127\\.0\\.0\\.1 and port ${admin} on 127\\.0\\.0\\.1 are in use\\. Stop the program that uses them, or choose other ports with --port ${other} --admin-port \\d+\\.\n$`,
          ),
        ),
      });
    for (const server of taken) server.close();
  });

  test.each([
    ['127.0.0.1', '127.0.0.1'],
    ['0.0.0.0', '127.0.0.1'],
    ['::', '0.0.0.0'],
  ])('one port for both addresses, %s and %s', async (host, adminHost) => {
    const args = ['serve', '--port', '8081', '--host', host, '--admin-port', '8081', '--admin-host', adminHost];
    expect(await commands.run(args, { folder: folder.path })).toEqual({
      code: 2,
      stdout: '',
      stderr:
        'stockbook: --port and --admin-port are both 8081. Metrics and health checks need a port of their own: choose another with --admin-port 8082.\n',
    });
  });

  test('two addresses may have the same port', () => {
    const flags = { port: '8081', 'admin-port': '8081', host: '10.0.0.1' };
    for (const changed of [{}, { host: '0.0.0.0', 'admin-host': '::1' }, { port: '0', 'admin-port': '0', host: '::' }])
      expect(sameAddress(settingsOf({ ...flags, ...changed }))).toBeUndefined();
    expect(sameAddress(settingsOf({ ...flags, host: '::' }))).toBeDefined();
  });

  test.each([
    [['serve', '--port', 'http'], {}, 2, '--port must be a whole number from 0 to 65535, not "http".'],
    [['serve', '--port', '65536'], {}, 2, '--port must be a whole number from 0 to 65535, not "65536".'],
    [['serve'], { STOCKBOOK_PORT: 'tcp://10.0.0.1:80' }, 2, 'STOCKBOOK_PORT must be a whole number'],
    [
      ['serve', '--log-level', 'loud'],
      {},
      2,
      '--log-level must be one of error, warn, info, debug, silent, not "loud".',
    ],
    [['serve', '--domain', 'a b'], {}, 2, '--domain must be a domain name such as stock.example.com, not "a b".'],
    [['serve', '--database', 'mysql://x'], {}, 2, '--database names a scheme other than sqlite: or postgres://.'],
    [['serve', '--prot', '1'], {}, 2, '(Did you mean --port?)'],
    [['serve', 'now'], {}, 2, 'too many arguments'],
    [['sevre'], {}, 2, '(Did you mean serve?)'],
    [['serve', '--rate-limit', 'none'], {}, 2, '--rate-limit must be a whole number from 0 to 999999999, or unlimited'],
    [['serve', '--host', '203.0.113.7'], {}, 1, 'This machine has no address 203.0.113.7.'],
    [['serve', '--database', '.'], {}, 1, '. is a directory. Name a file with --database, such as stockbook.db.'],
    [['serve', '--database', '/dev/null/stock.db'], {}, 1, 'cannot be opened for writing'],
    [['config'], { STOCKBOOK_PROT: '1' }, 0, 'STOCKBOOK_PROT is not a setting; did you mean STOCKBOOK_PORT?'],
  ])('%j with %j', async (args, env, code, message) => {
    const finished = await commands.run(args, { folder: folder.path, env });
    expect(finished).toMatchObject({ code, stderr: expect.stringContaining(message) });
    expect(finished.stderr).not.toMatch(/\n {4}at /);
  });
});
