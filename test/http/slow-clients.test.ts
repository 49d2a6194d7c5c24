/** Clients that send a large body slowly, and streams that take long. */

import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { connect, type Socket } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import { MAX_PAUSE, MIN_RATE } from '../../src/http/incoming-stream.ts';
import { BodyFailed } from '../../src/request/body.ts';
import { oneEngine } from '../support/engines.ts';
import { type HttpApp, serveApp, textResponse } from '../support/http-app.ts';
import { PARTNERS } from '../support/rows.ts';
import { bearer } from '../support/service.ts';
import { sharedService } from '../support/shared.ts';
import { TestClock } from '../support/test-clock.ts';

describe('the body of an import', () => {
  const clock = new TestClock();
  let app: HttpApp;
  let socket: Socket;
  afterEach(async () => {
    socket.destroy();
    await app.stop();
  });

  /** A request whose body is read as it arrives. `end` is how that ended. */
  async function startBody(length: number) {
    const read = { bytes: 0, end: '' };
    app = await serveApp(
      async (request) => {
        try {
          for await (const piece of request.stream(1e9)) read.bytes += piece.length;
          read.end = 'complete';
        } catch (error) {
          if (!(error instanceof BodyFailed)) throw error;
          read.end = error.problem.code;
        }
        return textResponse('');
      },
      { timeout: 1_000, clock },
    );
    socket = connect(app.port, '127.0.0.1').on('error', () => {});
    socket.write(`POST / HTTP/1.1\r\nHost: x\r\nContent-Length: ${length}\r\n\r\n`);
    const isWaitedFor = () => expect.poll(() => read.end !== '' || clock.waiting.includes(MAX_PAUSE)).toBe(true);
    await isWaitedFor();
    /** Sends so many bytes after a pause, unless the body has ended. */
    const send = async (bytes: number, pause: number) => {
      await clock.advance(pause);
      const expected = read.bytes + bytes;
      socket.write('x'.repeat(bytes));
      await expect.poll(() => read.end !== '' || read.bytes === expected).toBe(true);
      await isWaitedFor();
    };
    return { read, send };
  }

  test('may pause for 30 seconds, and not longer', async () => {
    const { read, send } = await startBody(200_000);
    await send(100_000, MAX_PAUSE - 1);
    expect(read).toEqual({ bytes: 100_000, end: '' });
    await clock.advance(MAX_PAUSE);
    await expect.poll(() => read.end).toBe('request_timeout');
  });

  test.each([
    [MIN_RATE, 'complete'],
    [MIN_RATE - 20, 'request_timeout'],
  ])('once it has been waited for as long, has to arrive with 1 KiB a second: with %i it is %s', async (rate, end) => {
    const { read, send } = await startBody(302 * rate);
    // The first 30 seconds do not count.
    await send(rate, 20_000);
    await send(rate, 10_000);
    for (let n = 0; n < 30 && read.end === ''; n += 1) await send(10 * rate, 10_000);
    await expect.poll(() => read.end).toBe(end);
  });
});

describe.each(oneEngine)('on $name', (engine) => {
  const clock = new TestClock();
  const service = sharedService(engine, { settings: { 'stream-timeout': '100' }, clock });

  test('a stream of changes ends after --stream-timeout', async () => {
    const request = get({
      port: service.port,
      path: `${PARTNERS}/changes`,
      headers: { ...bearer(service.key), accept: 'text/event-stream', 'x-request-id': 'long' },
      agent: false,
    });
    const [response]: IncomingMessage[] = await once(request, 'response');
    const closed = new Promise((resolve) =>
      response
        ?.on('error', () => {})
        .resume()
        .on('close', resolve),
    );
    const aborted = () => service.events.filter(({ kind }) => kind === 'response aborted');
    await clock.advance(99_000);
    expect(aborted()).toEqual([]);
    await clock.advance(2_000);
    await closed;
    expect(aborted()).toEqual([{ kind: 'response aborted', requestId: 'long', reason: 'stream timeout' }]);
  });
});
