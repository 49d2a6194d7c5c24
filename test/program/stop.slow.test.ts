/** `stockbook serve` that is told to stop while clients are slow, or have left. */

import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { type Serving, serve } from '../support/program.ts';
import { readReply } from '../support/raw-socket.ts';
import { PARTNERS, PRODUCTS } from '../support/rows.ts';
import { folderPerTest } from '../support/shared.ts';

const folder = folderPerTest();

async function start(...flags: string[]): Promise<{ readonly server: Serving; readonly authorization: string }> {
  const server = folder.killLater(await serve(['--demo', ...flags], { folder: folder.path }));
  const key = /sbk_\w+/.exec(server.output().stdout)?.[0] ?? '';
  return { server, authorization: `Authorization: Bearer ${key}\r\n` };
}

const logged = (stderr: string) =>
  stderr
    .split('\n')
    .filter(Boolean)
    .map((line) => Object(JSON.parse(line)));

test('a request that never arrives completely does not delay it beyond the deadline of the request', async () => {
  const { server, authorization } = await start('--request-timeout', '3');
  const socket = connect(server.port, '127.0.0.1');
  socket.write(
    `POST ${PARTNERS} HTTP/1.1\r\nHost: a\r\n${authorization}Content-Length: 10\r\nExpect: 100-continue\r\n\r\n`,
  );
  await new Promise((resolve) => socket.once('data', resolve));
  server.child.kill('SIGTERM');
  expect(readReply(await text(socket))).toRespond(408, { code: 'request_timeout' });
  const { code, stderr } = await server.finished;
  expect(code).toBe(0);
  expect(logged(stderr).at(-1)).toMatchObject({ msg: 'stopped', forced: false });
});

test('requests whose clients have left do not delay it', async () => {
  const { server, authorization } = await start();
  const filter = (seed: number) =>
    Array.from({ length: 150 }, (_, n) => `name!*${encodeURIComponent(`zq${seed}x${n}`)}`).join('%26');
  const sockets = Array.from({ length: 200 }, (_, n) => {
    const socket = connect(server.port, '127.0.0.1').on('error', () => {});
    socket.write(`GET ${PRODUCTS}?filter=${filter(n)} HTTP/1.1\r\nHost: a\r\n${authorization}\r\n`);
    return socket;
  });
  // Some are being handled, and the others wait.
  await Promise.race(sockets.map((socket) => new Promise((resolve) => socket.once('data', resolve))));
  for (const socket of sockets) socket.destroy();
  server.child.kill('SIGTERM');
  const { stderr } = await server.finished;
  expect(logged(stderr).at(-1)).toMatchObject({ msg: 'stopped', forced: false });
});
