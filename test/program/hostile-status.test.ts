/** `stockbook top` with an address at which something else answers. */

import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { expect, test } from 'vitest';
import { commands } from '../support/commands.ts';
import { sharedFolder } from '../support/shared.ts';

const folder = sharedFolder();

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
