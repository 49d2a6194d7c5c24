/** Clients that do not read their responses, or read them slowly. */

import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import {
  type HttpApp,
  type HttpAppOptions,
  piecesResponse,
  serveApp,
  streamResponse,
  textResponse,
} from '../support/http-app.ts';
import { readReply, sendRaw } from '../support/raw-socket.ts';
import { checkReply } from '../support/rows.ts';
import { TestClock } from '../support/test-clock.ts';

const KIB = 1024;
const MIB = 1024 * KIB;

/** More than the socket buffers between client and server hold. */
const LARGE = 'x'.repeat(24 * MIB);

let app: HttpApp;
let sockets: Socket[] = [];
afterEach(async () => {
  for (const socket of sockets) socket.destroy();
  sockets = [];
  await app.stop();
});

const get = (path: string) => `GET ${path} HTTP/1.1\r\nHost: x\r\nX-Request-Id: ${path.slice(1)}\r\n`;

/** Requests a path. Nothing of the response is read yet. */
async function request(path: string): Promise<Socket> {
  const socket = connect(app.port, '127.0.0.1');
  sockets.push(socket);
  socket.pause().on('error', () => {});
  await once(socket, 'connect');
  socket.write(`${get(path)}Connection: close\r\n\r\n`);
  return socket;
}

/** Reads everything, and resolves to the number of bytes when the connection is closed. */
async function readAll(socket: Socket): Promise<number> {
  let bytes = 0;
  socket.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
  });
  socket.resume();
  if (!socket.closed) await new Promise((resolve) => socket.once('close', resolve));
  return bytes;
}

/** Reads so many further bytes. */
async function received(socket: Socket, bytes: number): Promise<void> {
  let left = bytes;
  const { promise, resolve } = Promise.withResolvers<void>();
  const take = (chunk: Buffer) => {
    left -= chunk.length;
    if (left <= 0) resolve();
  };
  socket.on('data', take).resume();
  await promise;
  socket.pause().off('data', take);
}

/** A large response waits for its client. */
const isBeingSent = () => expect.poll(() => app.unsent.check(1, 31 * MIB)).toBeDefined();

const aborted = (requestId: string) =>
  app.events.filter((event) => event.kind === 'response aborted' && event.requestId === requestId);

/** `/text` is a large text, `/pieces` the same in pieces, `/stream` a stream without end; `closed` counts the streams that were closed. */
async function serveMuch(options: HttpAppOptions) {
  const streams = { closed: 0 };
  const chunk = Buffer.alloc(128 * KIB, 'x');
  app = await serveApp(async ({ target }) => {
    if (target.path.startsWith('/pieces')) return piecesResponse(LARGE, 128 * KIB, 1);
    if (!target.path.startsWith('/stream')) return textResponse(LARGE, 1);
    return streamResponse(
      async () => chunk,
      () => {
        streams.closed += 1;
      },
    );
  }, options);
  return streams;
}

test.each(['text', 'pieces'])(
  'a response that is not sent before the deadline is aborted, and is an event: %s',
  async (id) => {
    const clock = new TestClock();
    await serveMuch({ timeout: 1_000, clock });
    const socket = await request(`/${id}`);
    await isBeingSent();
    await clock.advance(1_000);
    expect(aborted(id)).toEqual([]);
    await clock.advance(1_000);
    expect(aborted(id)).toEqual([{ kind: 'response aborted', requestId: id, reason: 'deadline' }]);
    expect(await readAll(socket)).toBeLessThan(LARGE.length);
    // What it held is released.
    expect(app.unsent.check(1, 31 * MIB)).toBeUndefined();
  },
);

test.each(['text', 'pieces'])('a response that is read in time is complete: %s', async (id) => {
  await serveMuch({ timeout: 60_000 });
  const socket = await request(`/${id}`);
  expect(await readAll(socket)).toBeGreaterThan(LARGE.length);
  expect(aborted(id)).toEqual([]);
});

test('a stream is aborted when it has taken too long, even if its client reads fast', async () => {
  const clock = new TestClock();
  const streams = await serveMuch({ timeout: 100, streamTimeout: 1_500, clock });
  const socket = await request('/stream');
  await received(socket, MIB);
  await clock.advance(2_000);
  await readAll(socket);
  // Not the deadline of the request.
  expect(aborted('stream')).toEqual([{ kind: 'response aborted', requestId: 'stream', reason: 'stream timeout' }]);
  await expect.poll(() => streams.closed).toBe(1);
});

test('clients that read too slowly are disconnected, others are not', async () => {
  const clock = new TestClock();
  const hour = 3_600_000;
  const streams = await serveMuch({ timeout: hour, streamTimeout: hour, clock });
  await Promise.all(['/text-stalled', '/stream-stalled'].map(request));
  const [slow, steady] = [await request('/stream-slow'), await request('/stream-steady')];
  await isBeingSent();
  const tooSlow = ['text-stalled', 'stream-stalled', 'stream-slow'];
  // Less than one that has paused may take altogether, and what has to be read of 4 KiB a second.
  for (let seconds = 0; seconds < 600; seconds += 20) {
    for (let n = 0; n < 20; n += 1) slow.read(2 * KIB);
    // More than all buffers hold, so that the kernel takes more.
    if (seconds % 80 === 0) await received(steady, 16 * MIB);
    await clock.advance(20_000);
    if (tooSlow.every((id) => aborted(id).length > 0)) break;
  }
  for (const id of tooSlow)
    expect(aborted(id)).toEqual([{ kind: 'response aborted', requestId: id, reason: 'too slow' }]);
  await expect.poll(() => streams.closed).toBe(2);
  expect(aborted('stream-steady')).toEqual([]);
});

describe('unread responses', () => {
  test.each(['text', 'pieces'])('are counted until they are read: %s', async (id) => {
    await serveMuch({});
    const socket = await request(`/${id}`);
    await expect.poll(() => app.unsent.check(1, 10 * MIB)).toMatchObject({ code: 'responses_unread' });
    expect(app.unsent.check(2, 10 * MIB)).toBeUndefined();
    await readAll(socket);
    await expect.poll(() => app.unsent.check(1, 31 * MIB)).toBeUndefined();
  });

  test('are counted until their clients disconnect', async () => {
    await serveMuch({});
    const socket = await request('/text');
    await expect.poll(() => app.unsent.check(1, 10 * MIB)).toMatchObject({ code: 'responses_unread' });
    socket.destroy();
    await expect.poll(() => app.unsent.check(1, 31 * MIB)).toBeUndefined();
  });

  test('beyond the limit are replaced by a 429, also for requests that were accepted before', async () => {
    await serveMuch({});
    await request('/text');
    await expect.poll(() => app.unsent.check(1, 10 * MIB)).toBeDefined();
    checkReply(readReply(await sendRaw(app.port, `${get('/again')}Connection: close\r\n\r\n`)), {
      status: 429,
      has: { code: 'responses_unread' },
      headers: { 'retry-after': '5' },
    });
  });

  test('that the kernel takes are not counted', async () => {
    app = await serveApp(async () => textResponse('short', 1));
    await request('/short');
    await sendRaw(app.port, `${get('/other')}Connection: close\r\n\r\n`);
    expect(app.unsent.check(1, 1_000 * MIB)).toBeUndefined();
  });
});

test('a request that was cancelled because its client left is not a failure', async () => {
  app = await serveApp(async ({ deadline }) => {
    await new Promise((resolve) => deadline.signal.addEventListener('abort', resolve));
    return { reply: { status: 503, headers: {}, body: '' } };
  });
  const socket = await request('/left');
  socket.destroy();
  await expect
    .poll(() => app.events.find((event) => event.kind === 'request completed'))
    .toMatchObject({ status: 499, problem: undefined, requestId: 'left' });
});
