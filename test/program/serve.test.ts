import { Agent } from 'node:http';
import { connect, createServer } from 'node:net';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { makeFolder, run, type Serving, serve } from '../support/program.ts';
import { PARTNERS, PRODUCTS } from '../support/rows.ts';
import { send } from '../support/service.ts';

let folder: ReturnType<typeof makeFolder>;
let serving: Serving[] = [];
beforeEach(() => {
  folder = makeFolder();
});
afterEach(async () => {
  for (const { child, finished } of serving) {
    child.kill('SIGKILL');
    await finished;
  }
  serving = [];
  folder.remove();
});

async function started(...args: string[]): Promise<Serving> {
  const server = await serve(args, { folder: folder.path });
  serving.push(server);
  return server;
}

function keyIn({ output }: Serving): string {
  return /sbk_\w+/.exec(output().stdout)?.[0] ?? '';
}

describe('serve --demo', () => {
  test('makes an account with samples, and prints the address, a key and a line to try', async () => {
    const server = await started('--demo');
    const { stdout } = server.output();
    expect(stdout.split('\n').filter((line) => line.includes('listens on'))).toHaveLength(1);
    const [, key, url] = /curl -H "Authorization: Bearer (sbk_\w+)" "(http:[^"]+)"/.exec(stdout) ?? [];
    const response = await fetch(url ?? '', { headers: { authorization: `Bearer ${key}` } });
    expect(response.status).toBe(200);
    expect(await response.json()).toMatchObject({
      data: [{ name: expect.stringMatching(/chair/i) }, {}, {}],
      meta: { count: 3 },
    });

    const { stdout: accounts } = await run(['account', 'list'], { folder: folder.path });
    expect(accounts).toMatch(/^demo +5000 +1000 +5 /m);
  });

  test('leaves an account that is there as it is, and makes a fresh key', async () => {
    const first = await started('--demo');
    const headers = { authorization: `Bearer ${keyIn(first)}`, 'content-type': 'application/json' };
    expect((await send(first.port, { method: 'POST', path: PARTNERS, headers, body: '{"name":"Mine"}' })).json).toEqual(
      { data: { id: 1001 } },
    );
    first.child.kill('SIGTERM');
    await first.finished;
    const second = await started('--demo');
    expect(keyIn(second)).not.toBe(keyIn(first));
    const { json } = await send(second.port, {
      path: `${PARTNERS}/1001?fields=name`,
      headers: { authorization: `Bearer ${keyIn(second)}` },
    });
    expect(json).toEqual({ data: { name: 'Mine' } });
  });
});

describe('stopping', () => {
  test.each(['SIGTERM', 'SIGINT'] as const)('%s ends it with exit code 0', async (signal) => {
    const server = await started();
    server.child.kill(signal);
    expect(await server.finished).toMatchObject({ code: 0, stderr: expect.stringContaining('"stopping"') });
  });

  /** A create request of which the last bytes are still to come. */
  const startRequest = async (server: Serving) => {
    const body = '{"name":"Slow"}';
    const socket = connect(server.port, '127.0.0.1');
    const request = { socket, answer: '', finish: () => socket.write(body.slice(5)) };
    socket.on('error', () => {});
    socket.setEncoding('utf8').on('data', (text: string) => {
      request.answer += text;
    });
    const headers = `Host: x\r\nAuthorization: Bearer ${keyIn(server)}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}`;
    socket.write(`POST ${PARTNERS} HTTP/1.1\r\n${headers}\r\n\r\n${body.slice(0, 5)}`);
    // Whoever comes later is answered, so this one has arrived.
    await expect.poll(async () => (await send(server.port, { path: '/' })).status).toBe(404);
    return request;
  };

  test('finishes the request that is under way, and takes no new connections', async () => {
    const server = await started('--demo');
    const request = await startRequest(server);
    server.child.kill('SIGTERM');
    await expect.poll(() => server.output().stderr).toContain('"stopping"');
    await expect(send(server.port, { path: '/' })).rejects.toThrow(/ECONNREFUSED|ECONNRESET|socket hang up/);
    request.finish();
    expect(await server.finished).toMatchObject({ code: 0 });
    expect(request.answer).toContain('HTTP/1.1 201');
  });

  test('a second signal ends it at once', async () => {
    const server = await started('--demo');
    const { socket } = await startRequest(server);
    server.child.kill('SIGTERM');
    await expect.poll(() => server.output().stderr).toContain('"stopping"');
    const again = () => {
      server.child.kill('SIGTERM');
      return server.child.exitCode;
    };
    await expect.poll(again).toBe(1);
    expect((await server.finished).code).toBe(1);
    socket.destroy();
  });

  test('a signal that is told twice is one signal', async () => {
    const server = await started();
    server.child.kill('SIGINT');
    server.child.kill('SIGINT');
    await expect.poll(() => server.output().stderr).toContain('"stopping"');
    server.child.kill('SIGINT');
    expect((await server.finished).code).toBe(0);
  });

  test('a connection without a request does not keep it', async () => {
    const server = await started();
    const sockets = [connect(server.port, '127.0.0.1'), connect(server.port, '127.0.0.1')];
    for (const socket of sockets) socket.on('error', () => {});
    sockets[1]?.write('GET /api');
    await expect.poll(async () => (await send(server.port, { path: '/' })).status).toBe(404);
    const asked = Date.now();
    server.child.kill('SIGTERM');
    expect((await server.finished).code).toBe(0);
    // The grace period for requests under way is 30 s.
    expect(Date.now() - asked).toBeLessThan(15_000);
  });

  test('clients that keep their connections alive are told, and none loses a request', async () => {
    const server = await started('--demo');
    const headers = { authorization: `Bearer ${keyIn(server)}`, 'content-type': 'application/json' };
    const answered: number[] = [];
    const clients = Array.from({ length: 16 }, async () => {
      const agent = new Agent({ keepAlive: true, maxSockets: 1 });
      for (;;) {
        const reply = await send(
          server.port,
          { method: 'POST', path: PARTNERS, headers, body: '{"name":"Guest"}' },
          agent,
        );
        answered.push(Object(reply.json).data.id);
        if (reply.headers['connection'] === 'close') return;
      }
    });
    await expect.poll(() => answered.length).toBeGreaterThan(50);
    server.child.kill('SIGTERM');
    await Promise.all(clients);
    expect((await server.finished).code).toBe(0);
    expect(new Set(answered).size).toBe(answered.length);
  });

  test('what was answered before a kill is there afterwards', async () => {
    const server = await started('--demo');
    const headers = { authorization: `Bearer ${keyIn(server)}`, 'content-type': 'application/json' };
    const answered: number[] = [];
    const clients = Array.from({ length: 8 }, async () => {
      for (;;) {
        const reply = await send(server.port, { method: 'POST', path: PARTNERS, headers, body: '{"name":"Survivor"}' });
        answered.push(Object(reply.json).data.id);
      }
    });
    await expect.poll(() => answered.length).toBeGreaterThan(40);
    server.child.kill('SIGKILL');
    await Promise.allSettled(clients);
    const again = await started('--demo');
    const { json } = await send(again.port, {
      path: `${PARTNERS}?filter=name=Survivor&fields=id&limit=1000`,
      headers: { authorization: `Bearer ${keyIn(again)}` },
    });
    const kept = new Set(Object(json).data.map(({ id }: { id: number }) => id));
    expect(answered.filter((id) => !kept.has(id))).toEqual([]);
    expect(Object(json).meta.total).toBe(kept.size);
  });
});

describe('what goes wrong is said in a line that helps', () => {
  test('a port that is taken', async () => {
    const taken = createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => taken.once('listening', resolve));
    const { port } = Object(taken.address());
    expect(await run(['serve', '--port', String(port)], { folder: folder.path })).toEqual({
      code: 1,
      stdout: '',
      stderr: `stockbook: Port ${port} on 127.0.0.1 is in use. Stop what uses it, or choose another with --port ${port + 1}.\n`,
    });
    taken.close();
  });

  test.each([
    [['serve', '--port', 'http'], {}, 2, '--port is "http", which is not a port: a whole number from 0 to 65535.'],
    [['serve', '--port', '65536'], {}, 2, '--port is "65536"'],
    [['serve'], { STOCKBOOK_PORT: 'tcp://10.0.0.1:80' }, 2, 'STOCKBOOK_PORT is "tcp://10.0.0.1:80"'],
    [
      ['serve', '--log-level', 'loud'],
      {},
      2,
      '--log-level is "loud", which is not one of error, warn, info, debug, silent.',
    ],
    [['serve', '--domain', 'a b'], {}, 2, '--domain is "a b"'],
    [['serve', '--database', 'mysql://x'], {}, 2, '--database is "mysql://x"'],
    [['serve', '--prot', '1'], {}, 2, '(Did you mean --port?)'],
    [['serve', 'now'], {}, 2, 'too many arguments'],
    [['sevre'], {}, 2, '(Did you mean serve?)'],
    [['serve', '--host', '203.0.113.7'], {}, 1, 'This machine has no address 203.0.113.7.'],
    [['serve', '--database', '.'], {}, 1, '. is a folder. Name a file with --database, such as stockbook.db.'],
    [['serve', '--database', '/dev/null/stock.db'], {}, 1, 'cannot be opened for writing'],
    [['config'], { STOCKBOOK_PROT: '1' }, 0, 'STOCKBOOK_PROT is no setting; did you mean STOCKBOOK_PORT?'],
  ])('%j with %j', async (args, env, code, message) => {
    const finished = await run(args, { folder: folder.path, env });
    expect(finished).toMatchObject({ code, stderr: expect.stringContaining(message) });
    expect(finished.stderr).not.toMatch(/\n {4}at /);
  });
});

test('the log has a line of JSON for every request where it is asked for', async () => {
  const server = await started('--demo', '--log-level', 'debug');
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
    path: PRODUCTS,
    status: 200,
    msg: 'answered',
  });
  expect(server.output().stderr).not.toContain(keyIn(server));
});
