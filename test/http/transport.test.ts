import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { engines } from '../support/engines.ts';
import { readReply, sendRaw } from '../support/raw-socket.ts';
import { checkReply, PARTNERS, PRODUCTS } from '../support/rows.ts';
import { startService, type TestService } from '../support/service.ts';

const KIB = 1024;

describe.each(engines)('on $name', (engine) => {
  let service: TestService;
  beforeAll(async () => {
    service = await startService(engine);
  });
  afterAll(() => service.close());

  const exchange = async (bytes: string | Uint8Array) => readReply(await sendRaw(service.port, bytes));
  const head = () => `Host: acme.localhost\r\nAuthorization: Bearer ${service.key}\r\nConnection: close\r\n\r\n`;

  describe('the request line', () => {
    /** A request line of exactly so many bytes, its filter a list of ids. */
    const lineOf = (bytes: number) => {
      const [before, after] = [`GET ${PRODUCTS}?limit=1&filter=id[1`, '] HTTP/1.1'];
      return before + ' '.repeat(bytes - before.length - after.length).replaceAll(' ', '+') + after;
    };

    test('of 64 KiB is read, though the filter in it is too long', async () => {
      const reply = await exchange(`${lineOf(64 * KIB)}\r\n${head()}`);
      checkReply(reply, { name: '', request: { path: '' }, status: 400, has: { code: 'filter_too_long' } });
    });

    test('one byte past it is a 414', async () => {
      const reply = await exchange(`${lineOf(64 * KIB + 1)}\r\n${head()}`);
      checkReply(reply, { name: '', request: { path: '' }, status: 414, has: { code: 'request_line_too_long' } });
    });

    test('far past it is a 431', async () => {
      const reply = await exchange(`${lineOf(100 * KIB)}\r\n${head()}`);
      checkReply(reply, { name: '', request: { path: '' }, status: 431, has: { code: 'headers_too_large' } });
    });

    test('with a filter at its limit is answered', async () => {
      const filter = `id[1${'+'.repeat(32 * KIB - 5)}]`;
      const reply = await exchange(`GET ${PRODUCTS}?filter=${filter} HTTP/1.1\r\n${head()}`);
      checkReply(reply, { name: '', request: { path: '' }, status: 200, ids: [1] });
    });

    test('with a # in its path is a 400, and not the list without what follows', async () => {
      for (const rest of ['#filter=id=1', '#?filter=id=1', '/1#']) {
        const reply = await exchange(`GET ${PRODUCTS}${rest} HTTP/1.1\r\n${head()}`);
        checkReply(reply, { name: rest, request: { path: '' }, status: 400, has: { code: 'malformed_path' } });
      }
    });

    test('with a letter that is not percent-encoded is a 400 that says so', async () => {
      const reply = await exchange(Buffer.from(`GET ${PRODUCTS}?filter=name*Brûlée HTTP/1.1\r\n${head()}`));
      checkReply(reply, {
        name: '',
        request: { path: '' },
        status: 400,
        has: { code: 'malformed_request', suggestion: expect.stringContaining('percent-encode') },
      });
    });
  });

  test('a create without any body is a 400, though it says what the body would be', async () => {
    const create = `POST ${PARTNERS} HTTP/1.1\r\n`;
    for (const said of [
      '',
      'Content-Type: application/json\r\n',
      'Content-Type: application/json\r\nContent-Length: 0\r\n',
    ])
      checkReply(await exchange(`${create}${said}${head()}`), {
        name: said,
        request: { path: '' },
        status: 400,
        has: { code: 'malformed_json', detail: 'The request has no body.' },
      });
  });

  test.each(['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'QUERY'])(
    '%s is answered wherever it is sent, with a body or without, though it says that it has one',
    async (method) => {
      const paths = { '/': 404, '/nothing': 404, '/health/live': 405, '/problems/unknown_field': 405 };
      for (const [path, expected] of Object.entries({ ...paths, [PRODUCTS]: 405, [`${PRODUCTS}/1`]: 405 }))
        for (const said of ['Content-Type: application/json', 'Content-Type: text/plain', 'X-Nothing: 1']) {
          const { status } = await exchange(`${method} ${path} HTTP/1.1\r\n${said}\r\n${head()}`);
          expect(`${path} ${said} ${status}`).toBe(`${path} ${said} ${expected}`);
        }
    },
  );

  test('a body that is too long is not waited for', async () => {
    const said = 'Content-Type: application/json\r\nContent-Length: 10000000000\r\n';
    const keptOpen = head().replace('Connection: close\r\n', '');
    checkReply(await exchange(`POST ${PARTNERS} HTTP/1.1\r\n${said}${keptOpen}`), {
      name: '',
      request: { path: '' },
      status: 413,
      has: { code: 'body_too_large' },
      headers: { connection: 'close' },
    });
  });

  test('headers past 80 KiB are a 431', async () => {
    const reply = await exchange(`GET ${PRODUCTS} HTTP/1.1\r\nX-Long: ${'x'.repeat(90 * KIB)}\r\n${head()}`);
    checkReply(reply, { name: '', request: { path: '' }, status: 431, has: { code: 'headers_too_large' } });
  });

  test.each([
    'hello\r\n\r\n',
    'GET / HTTP/9.9\r\n\r\n',
    'GET /a b HTTP/1.1\r\n\r\n',
    'FETCH / HTTP/1.1\r\n\r\n',
    '\u0000\u0001\u0002\r\n\r\n',
    'GET / HTTP/1.1\r\nA\u0000: b\r\n\r\n',
  ])('what is not HTTP is a 400 of ours: %j', async (bytes) => {
    checkReply(await exchange(bytes), {
      name: '',
      request: { path: '' },
      status: 400,
      has: { code: 'malformed_request' },
    });
  });

  test('both a length and chunks are refused', async () => {
    const reply = await exchange(
      `POST /api HTTP/1.1\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n${head()}0\r\n\r\n`,
    );
    checkReply(reply, { name: '', request: { path: '' }, status: 400, has: { code: 'malformed_request' } });
  });

  test('a chunked body over the limit is a 413', async () => {
    const chunk = `${(512 * KIB).toString(16)}\r\n${'x'.repeat(512 * KIB)}\r\n`;
    const reply = await exchange(
      `POST /api/v1/resources/partner HTTP/1.1\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n${head()}${chunk}${chunk}${chunk}0\r\n\r\n`,
    );
    checkReply(reply, { name: '', request: { path: '' }, status: 413, has: { code: 'body_too_large' } });
  });

  test('without a Host header the key decides', async () => {
    const reply = await exchange(
      `GET ${PRODUCTS}/1 HTTP/1.1\r\nAuthorization: Bearer ${service.key}\r\nConnection: close\r\n\r\n`,
    );
    expect(reply.status).toBe(200);
  });

  test('several Host headers are a 400', async () => {
    const reply = await exchange(`GET ${PRODUCTS}/1 HTTP/1.1\r\nHost: globex.localhost\r\n${head()}`);
    checkReply(reply, { name: '', request: { path: '' }, status: 400, has: { code: 'malformed_request' } });
  });

  test('the host in a whole address counts, not the Host header', async () => {
    const at = (host: string) => exchange(`GET http://${host}${PRODUCTS}/1 HTTP/1.1\r\n${head()}`);
    expect((await at('acme.localhost')).status).toBe(200);
    expect((await at('globex.localhost')).status).toBe(401);
  });

  test.each(['/%61pi/%zz', '/api/%zz', 'http://acme.localhost/api/%zz', '/api%2f%zz'])(
    '%s without a key is a 401',
    async (path) => {
      expect((await exchange(`GET ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`)).status).toBe(401);
    },
  );

  test('/apix/%zz is none of the API', async () => {
    expect((await exchange('GET /apix/%zz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n')).status).toBe(400);
  });

  test('what is not HTTP behind a request does not get in the way of its answer', async () => {
    const create = `POST /api/v1/resources/partner HTTP/1.1\r\nContent-Type: application/json\r\nContent-Length: 12\r\n${head().replace('close', 'keep-alive')}{"name":"x"}`;
    const text = await sendRaw(service.port, `${create}garbage\r\n\r\n`);
    expect(text === '' || text.startsWith('HTTP/1.1 201')).toBe(true);
  });

  test('a body that is shorter than it says, and a client that goes away, are no fault of the service', async () => {
    const before = service.events.length;
    await new Promise<void>((resolve) => {
      const socket = connect(service.port, '127.0.0.1', () => {
        socket.write(
          `POST /api/v1/resources/partner HTTP/1.1\r\nContent-Type: application/json\r\nContent-Length: 50\r\n${head()}{"name"`,
        );
        setTimeout(() => socket.destroy(), 50);
      });
      socket.on('close', () => resolve());
    });
    expect((await service.send({ path: `${PRODUCTS}/1` })).status).toBe(200);
    expect(service.events.slice(before).filter(({ kind }) => kind === 'fault')).toEqual([]);
  });

  test('HTTP/1.0 is answered', async () => {
    const reply = await exchange(`GET ${PRODUCTS}/1 HTTP/1.0\r\nAuthorization: Bearer ${service.key}\r\n\r\n`);
    expect(reply.status).toBe(200);
  });

  test('an expectation that nobody knows is passed over', async () => {
    const reply = await exchange(`GET ${PRODUCTS}/1 HTTP/1.1\r\nExpect: the-unexpected\r\n${head()}`);
    expect(reply.status).toBe(200);
  });

  test('requests that come in one piece are answered one after the other', async () => {
    const keepAlive = head().replace('close', 'keep-alive');
    const text = await sendRaw(
      service.port,
      `GET ${PRODUCTS}/1 HTTP/1.1\r\n${keepAlive}GET ${PRODUCTS}/2 HTTP/1.1\r\n${keepAlive}GET ${PRODUCTS}/abc HTTP/1.1\r\n${head()}`,
    );
    expect(text.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 200', 'HTTP/1.1 200', 'HTTP/1.1 404']);
  });
});
