/** `stockbook top`, with the admin address of a service, and with one at which something else answers. */

import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { describe, expect, test } from 'vitest';
import { commands } from '../support/commands.ts';
import { sqlite } from '../support/engines.ts';
import { hasTerminals, startInTerminal } from '../support/program.ts';
import { PRODUCTS } from '../support/rows.ts';
import { sharedFolder, sharedService } from '../support/shared.ts';

const folder = sharedFolder();
const service = sharedService(sqlite);

describe('stockbook top', () => {
  const flags = () => ['top', '--admin-url', `http://127.0.0.1:${service.adminPort}`];

  test('prints who uses the service', async () => {
    expect(await service.send({ path: PRODUCTS })).toRespond(200);
    expect(await commands.run(flags(), { folder: folder.path })).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^Stockbook .*, 1 worker\n[\s\S]*\nACCOUNT .*\nacme .* product 1/),
      stderr: '',
    });
  });

  test.skipIf(!hasTerminals)('fills a terminal until q is typed', async () => {
    const top = startInTerminal(flags(), { folder: folder.path });
    await expect.poll(() => top.output().stdout).toContain('Sort by: r requests');
    top.child.stdin.write('p');
    top.child.stdin.write('q');
    const { code, stdout } = await top.finished;
    expect(code).toBe(0);
    const [begin, end] = ['\x1b[?1049h', '\x1b[?1049l'];
    expect([stdout.slice(0, begin.length), stdout.slice(-end.length)]).toEqual([begin, end]);
  });

  test.each([
    [['--admin-url', 'http://127.0.0.1:1'], 1, 'No service answers at http://127.0.0.1:1.'],
    [['--admin-url', 'here'], 2, '--admin-url must be a URL such as http://127.0.0.1:8081, not "here".'],
  ])('%j is an error', async (args, code, message) => {
    const finished = await commands.run(['top', ...args], { folder: folder.path });
    expect(finished).toEqual({ code, stdout: '', stderr: expect.stringContaining(message) });
  });

  test('another address is not mistaken for it', async () => {
    const { code, stderr } = await commands.run(['top', '--admin-url', `http://127.0.0.1:${service.port}`], {
      folder: folder.path,
    });
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining('is not the admin address') });
  });
});

function* endless() {
  yield '{"version":"';
  for (;;) yield 'x'.repeat(65_536);
}

const use = { requestsPerSecond: 1, errorsPerSecond: 0, rowsPerSecond: 0, p95: 1 };
const status = {
  version: '1',
  uptime: 1,
  window: 15,
  workers: { responsive: 1, unresponsive: 0 },
  total: use,
  refused: [],
  accounts: [],
  keys: [],
  filters: [],
};

const sendJson = (body: unknown) => (response: ServerResponse) => void response.end(JSON.stringify(body));

async function top(respond: (response: ServerResponse) => void) {
  const server = createServer((_, response) => respond(response)).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const { port }: Partial<AddressInfo> = Object(server.address());
  const finished = await commands.run(['top', '--once', '--admin-url', `http://127.0.0.1:${port}`], {
    folder: folder.path,
  });
  server.close();
  server.closeAllConnections();
  return finished;
}

test('the state of a service is shown, whatever else a newer version says', async () => {
  expect(await top(sendJson({ ...status, mood: 'good' }))).toMatchObject({ code: 0, stderr: '' });
});

test.each([
  ['numbers instead of lists', sendJson({ ...status, accounts: 5, keys: 5, filters: 5 })],
  ['text instead of numbers', sendJson({ ...status, total: { ...use, p95: 'x' } })],
  ['an account without revisions', sendJson({ ...status, accounts: [{ ...use, account: 'acme' }] })],
  ['refused requests without a status', sendJson({ ...status, refused: [{ ...use, problem: 'x' }] })],
  ['an account that is null', sendJson({ ...status, accounts: [null] })],
  ['null', sendJson(null)],
  ['no JSON', (response: ServerResponse) => void response.end('<html>')],
  ['a redirect', (response: ServerResponse) => void response.writeHead(302, { location: '/status' }).end()],
  ['an endless body', (response: ServerResponse) => void Readable.from(endless()).pipe(response)],
])('%s is an error', async (_, respond) => {
  expect(await top(respond)).toEqual({
    code: 1,
    stdout: '',
    stderr: expect.stringMatching(/^stockbook: http:\S+ is not the admin address of a Stockbook service: .*\n$/),
  });
});
