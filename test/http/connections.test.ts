/** Connections: how many there may be, pipelined requests, and clients that disconnect. */

import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import { MAX_WAITING } from '../../src/http/connection.ts';
import { Problem } from '../../src/problem/problem.ts';
import { problemReply } from '../../src/reply/problem.ts';
import { BodyFailed } from '../../src/request/body.ts';
import type { Request } from '../../src/request/request.ts';
import { type HttpApp, type HttpAppOptions, serveApp, textResponse } from '../support/http-app.ts';
import { readReply, sendRaw } from '../support/raw-socket.ts';
import { checkReply } from '../support/rows.ts';
import { TestClock } from '../support/test-clock.ts';

let app: HttpApp;
let sockets: Socket[] = [];
afterEach(async () => {
  for (const socket of sockets) socket.destroy();
  sockets = [];
  await app.stop();
});

interface Client {
  readonly socket: Socket;
  readonly closed: Promise<unknown>;
  received(): string;
}

function open(options: { readonly localAddress?: string } = {}): Client {
  const socket = connect({ port: app.port, host: '127.0.0.1', ...options });
  sockets.push(socket);
  let text = '';
  socket
    .on('error', () => {})
    .on('data', (chunk: Buffer) => {
      text += chunk.toString();
    });
  return { socket, closed: new Promise((resolve) => socket.once('close', resolve)), received: () => text };
}

const get = (path: string, ...headers: string[]) =>
  `${[`GET ${path} HTTP/1.1`, 'Host: x', ...headers].join('\r\n')}\r\n\r\n`;
const pipeline = (count: number) => Array.from({ length: count }, (_, n) => get(`/${n + 1}`)).join('');
const bodies = (text: string) => [...text.matchAll(/\r\n\r\nbody of (\S+?);/g)].map(([, path]) => path);

/** An application that responds once `release` is called, and remembers what it was asked. */
async function serveHeld(options?: HttpAppOptions) {
  const requests: Request[] = [];
  let release = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  let [running, mostRunning] = [0, 0];
  app = await serveApp(async (request) => {
    requests.push(request);
    running += 1;
    mostRunning = Math.max(running, mostRunning);
    await released;
    running -= 1;
    return textResponse(`body of ${request.target.text};`);
  }, options);
  return { requests, release, mostRunning: () => mostRunning };
}

const numbers = (count: number) => Array.from({ length: count }, (_, n) => `/${n + 1}`);

describe('pipelined requests', () => {
  test('are handled one after another, and answered in order', async () => {
    const { requests, release, mostRunning } = await serveHeld();
    const { socket, received } = open();
    socket.write(pipeline(20));
    await expect.poll(() => requests.length).toBe(1);
    release();
    await expect.poll(() => bodies(received())).toEqual(numbers(20));
    expect(mostRunning()).toBe(1);
  });

  test('of different connections are handled at the same time', async () => {
    const { requests, release } = await serveHeld();
    const clients = Array.from({ length: 5 }, () => open());
    for (const { socket } of clients) socket.write(pipeline(2));
    await expect.poll(() => requests.length).toBe(5);
    release();
    for (const { received } of clients) await expect.poll(() => bodies(received())).toEqual(['/1', '/2']);
  });

  test(`may wait in a number of ${MAX_WAITING}`, async () => {
    const { requests, release } = await serveHeld();
    const { socket, received } = open();
    socket.write(pipeline(1 + MAX_WAITING));
    await expect.poll(() => requests.length).toBe(1);
    release();
    await expect.poll(() => bodies(received())).toEqual(numbers(1 + MAX_WAITING));
    expect(received()).not.toMatch(/connection: close/i);
    socket.write(get('/later'));
    await expect.poll(() => bodies(received()).at(-1)).toBe('/later');
  });

  test('beyond that are ignored, and the last response says that the connection closes', async () => {
    const { requests, release } = await serveHeld();
    const { socket, closed, received } = open();
    socket.write(pipeline(1 + MAX_WAITING + 1));
    await expect.poll(() => requests.length).toBe(1);
    release();
    await closed;
    expect(bodies(received())).toEqual(numbers(1 + MAX_WAITING));
    expect(received().match(/connection: close/gi)).toHaveLength(1);
    expect(received().lastIndexOf('HTTP/1.1')).toBeLessThan(received().search(/connection: close/i));
    expect(requests).toHaveLength(1 + MAX_WAITING);
  });

  test('that a client sends without end are not collected, and do not affect other connections', async () => {
    const { requests, release } = await serveHeld();
    const other = open();
    other.socket.write(get('/other'));
    const floods = Array.from({ length: 8 }, () => open());
    const flood = 'GET / HTTP/1.1\r\n\r\n'.repeat(5_000);
    for (const { socket } of floods) socket.write(flood);
    // Node parses what it has read before it can be stopped. There is a limit on how much of that is kept.
    await Promise.race(floods.map(({ closed }) => closed));
    expect(requests.length).toBeLessThanOrEqual(1 + floods.length);
    for (const { socket } of floods) socket.destroy();
    release();
    await expect.poll(() => bodies(other.received())).toEqual(['/other']);
  });

  test('have deadlines that start when they arrive', async () => {
    const clock = new TestClock();
    const { requests, release } = await serveHeld({ timeout: 60_000, clock });
    const { socket } = open();
    socket.write(pipeline(2));
    await expect.poll(() => requests.length).toBe(1);
    const arrived = clock.monotonic();
    await clock.advance(10_000);
    release();
    await expect.poll(() => requests.length).toBe(2);
    expect(requests[1]?.deadline.at).toBe(arrived + 60_000);
  });

  test('after a response that closes the connection are not handled', async () => {
    const { requests, release } = await serveHeld();
    const { socket, closed, received } = open();
    socket.write(get('/1', 'Connection: close') + get('/2'));
    await expect.poll(() => requests.length).toBe(1);
    release();
    await closed;
    expect(bodies(received())).toEqual(['/1']);
    expect(requests).toHaveLength(1);
  });

  test('that are malformed are answered after the requests before them', async () => {
    const { requests, release } = await serveHeld();
    const { socket, closed, received } = open();
    socket.write(`${pipeline(2)}garbage\r\n\r\n`);
    await expect.poll(() => requests.length).toBe(1);
    release();
    await closed;
    expect(bodies(received())).toEqual(['/1', '/2']);
    expect(received().match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 200', 'HTTP/1.1 200', 'HTTP/1.1 400']);
  });
});

describe('a client that disconnects', () => {
  test.each(['destroy', 'resetAndDestroy', 'end'] as const)(
    'cancels its request, and its pipelined requests are never handled (%s)',
    async (disconnect) => {
      const { requests, release } = await serveHeld();
      const { socket } = open();
      socket.write(pipeline(150));
      await expect.poll(() => requests.length).toBe(1);
      const [request] = requests;
      if (request === undefined) throw new Error('there is no request');
      expect(request.deadline.signal.aborted).toBe(false);
      const aborted = once(request.deadline.signal, 'abort');
      socket[disconnect]();
      await aborted;
      expect(request.deadline.signal.reason).toMatchObject({ reason: 'disconnected' });
      release();
      await app.stop();
      expect(requests).toHaveLength(1);
    },
  );

  test('does not cancel anything if its response was sent', async () => {
    const { requests, release } = await serveHeld();
    release();
    const { socket, closed, received } = open();
    socket.write(get('/1'));
    await expect.poll(() => bodies(received())).toEqual(['/1']);
    socket.destroy();
    await closed;
    await app.stop();
    expect(requests[0]?.deadline.signal.aborted).toBe(false);
  });
});

describe('connections', () => {
  const isServed = async ({ socket, received }: Client) => {
    const before = bodies(received()).length;
    socket.write(get('/1'));
    await expect.poll(() => bodies(received()).length).toBe(before + 1);
  };
  const isRefused = async ({ socket, closed, received }: Client, detail: RegExp) => {
    // The client sends more than the kernel buffers, and still gets the response.
    socket.write(get('/1').repeat(50_000));
    await closed;
    checkReply(readReply(received()), {
      status: 503,
      has: { code: 'too_many_connections', detail: expect.stringMatching(detail) },
      headers: { 'retry-after': '5', connection: 'close' },
    });
  };

  test('are limited in total', async () => {
    const { release } = await serveHeld({ connections: { total: 3, perAddress: 0 } });
    release();
    const clients = Array.from({ length: 3 }, () => open());
    await Promise.all(clients.map(isServed));
    await isRefused(open(), /^3 connections are open, which is the limit\.$/);
    await Promise.all(clients.map(isServed));
    clients[0]?.socket.destroy();
    await expect.poll(async () => (await sendRaw(app.port, get('/1', 'Connection: close'))).slice(9, 12)).toBe('200');
    expect(app.events.filter(({ kind }) => kind === 'connection refused')).toEqual([
      { kind: 'connection refused', address: '127.0.0.1', detail: '3 connections are open, which is the limit.' },
    ]);
  });

  test('stay open for 75 s while they are idle', async () => {
    const { release } = await serveHeld();
    release();
    const client = open();
    await isServed(client);
    expect(client.received()).toContain('Keep-Alive: timeout=75');
  });

  test.each([{ connections: { total: 3, perAddress: 0 } }, { connections: { total: 100, perAddress: 3 } }])(
    'that have been idle make room if there are too many: $connections',
    async ({ connections }) => {
      const clock = new TestClock();
      const { requests, release } = await serveHeld({ connections, clock });
      const [first, second, busy] = [open(), open(), open()];
      busy.socket.write(get('/busy'));
      await expect.poll(() => requests.length).toBe(1);
      release();
      await isServed(first);
      clock.elapse(4_000);
      await isServed(second);
      await isServed(busy);
      await isRefused(open(), /is the limit\.$/);
      clock.elapse(2_000);
      await isServed(open());
      await first.closed;
      await isServed(second);
      await isRefused(open(), /is the limit\.$/);
    },
  );

  // Only Linux has all of 127.0.0.0/8 without configuration.
  test.runIf(process.platform === 'linux')('are limited per address', async () => {
    const { release } = await serveHeld({ connections: { total: 100, perAddress: 2 } });
    release();
    const clients = [open(), open()];
    await Promise.all(clients.map(isServed));
    await isRefused(open(), /^2 connections are open from this address, which is the limit\.$/);
    await isServed(open({ localAddress: '127.0.0.2' }));
    await Promise.all(clients.map(isServed));
    clients[0]?.socket.destroy();
    await expect.poll(async () => (await sendRaw(app.port, get('/1', 'Connection: close'))).slice(9, 12)).toBe('200');
  });
});

describe('when the server stops', () => {
  test('pipelined requests that have arrived are answered', async () => {
    const { requests, release } = await serveHeld();
    const { socket, closed, received } = open();
    socket.write(pipeline(3));
    await expect.poll(() => requests.length).toBe(1);
    const stopped = app.stop(60_000);
    release();
    await stopped;
    await closed;
    expect(bodies(received())).toEqual(numbers(3));
    expect(received().match(/connection: close/gi)).toHaveLength(1);
  });

  test('requests that take too long are cancelled', async () => {
    const clock = new TestClock();
    const { requests } = await serveHeld({ clock });
    const { socket, closed } = open();
    socket.write(pipeline(3));
    await expect.poll(() => requests.length).toBe(1);
    const began = clock.monotonic();
    await app.stop(20_000);
    expect(clock.monotonic() - began).toBeGreaterThan(20_000);
    expect(requests[0]?.deadline.signal.reason).toMatchObject({ reason: 'stopping' });
    await closed;
    expect(requests).toHaveLength(1);
  });
});

describe('a request that does not arrive', () => {
  let begun = 0;
  const serveReading = async (options: HttpAppOptions = {}) => {
    begun = 0;
    app = await serveApp(async (request) => {
      begun += 1;
      const body = await request.body(1024);
      if (body instanceof Problem) return { reply: problemReply(body, request) };
      return textResponse(`body of ${Buffer.from(body).toString()};`);
    }, options);
  };
  const post = (...lines: string[]) => `${['POST / HTTP/1.1', 'Host: x', ...lines].join('\r\n')}\r\n\r\n`;
  const isTimeout = { status: 408, has: { code: 'request_timeout' }, headers: { connection: 'close' } };
  const hour = 3_600_000;

  test.each([
    ['whose body is late for its deadline', post('Content-Length: 10')],
    ['whose body stops after a few bytes', `${post('Content-Length: 10')}hello`],
    ['whose chunks stop', `${post('Transfer-Encoding: chunked')}5\r\nhello\r\n`],
  ])('%s is a 408', async (_, bytes) => {
    const clock = new TestClock();
    await serveReading({ timeout: 10_000, clock });
    const reply = sendRaw(app.port, bytes);
    await expect.poll(() => begun).toBe(1);
    await clock.advance(10_000);
    checkReply(readReply(await reply), isTimeout);
  });

  test.each([
    ['whose body is slower than clients may be', `${post('Content-Length: 10')}hello`],
    ['whose headers are slower than clients may be', 'GET / HTTP/1.1\r\nHost: x\r\n'],
  ])('%s is a 408', async (_, bytes) => {
    await serveReading({ timeout: hour, arrivalTimeout: 300 });
    checkReply(readReply(await sendRaw(app.port, bytes)), isTimeout);
  });

  describe('whose body is read in pieces', () => {
    const LENGTH = 200_000;
    const serveStreaming = async () => {
      const clock = new TestClock();
      const body = { bytes: 0 };
      app = await serveApp(
        async (request) => {
          try {
            for await (const piece of request.stream(LENGTH)) body.bytes += piece.length;
          } catch (error) {
            if (!(error instanceof BodyFailed)) throw error;
            return { reply: problemReply(error.problem, request) };
          }
          return textResponse('body of everything;');
        },
        { timeout: 1_000, clock },
      );
      const client = open();
      client.socket.write(post(`Content-Length: ${LENGTH}`));
      const send = async (bytes: number) => {
        client.socket.write('x'.repeat(bytes));
        const all = body.bytes + bytes;
        await expect.poll(() => body.bytes).toBe(all);
      };
      return { clock, client, send };
    };

    test('is a 408 if the client pauses for 30 s', async () => {
      const { clock, client, send } = await serveStreaming();
      await send(1);
      await clock.advance(29_999);
      await send(1);
      await clock.advance(30_000);
      await client.closed;
      checkReply(readReply(client.received()), isTimeout);
    });

    test('may take as long as it needs if it keeps arriving', async () => {
      const { clock, client, send } = await serveStreaming();
      for (let sent = 0; sent < LENGTH; sent += LENGTH / 10) {
        await clock.advance(20_000);
        await send(LENGTH / 10);
      }
      await expect.poll(() => bodies(client.received())).toEqual(['everything']);
    });

    test('is a 408 if it arrives more slowly than 1 KiB/s, once the client has paused for 30 s altogether', async () => {
      const { clock, client, send } = await serveStreaming();
      await send(1);
      for (let n = 0; n < 3; n += 1) {
        await clock.advance(10_000);
        await send(1);
      }
      await clock.advance(10_000);
      client.socket.write('x');
      await client.closed;
      checkReply(readReply(client.received()), isTimeout);
    });
  });

  test('is a 408 after the responses to the requests before it', async () => {
    await serveReading({ timeout: hour, arrivalTimeout: 300 });
    for (const rest of [`${post('Content-Length: 10')}hello`, 'POST / HTTP/1.1\r\n']) {
      const text = await sendRaw(app.port, `${post('Content-Length: 5')}first${rest}`);
      expect(bodies(text)).toEqual(['first']);
      expect(text.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 200', 'HTTP/1.1 408']);
    }
  });

  test('completely because its body is malformed is a 400', async () => {
    await serveReading();
    const text = await sendRaw(app.port, `${post('Transfer-Encoding: chunked')}5\r\nhello\r\nzzz\r\n`);
    checkReply(readReply(text), { status: 400, has: { code: 'malformed_request' }, headers: { connection: 'close' } });
  });

  test('before it was answered is not answered twice', async () => {
    app = await serveApp(async () => textResponse('body of nothing;'), { arrivalTimeout: 300 });
    const text = await sendRaw(app.port, `${post('Content-Length: 10')}hello`);
    expect(text.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 200']);
  });
});
