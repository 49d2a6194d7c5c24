/** HTTP itself: requests that no ordinary client sends, byte for byte. */

import { once } from 'node:events';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { finished } from 'node:stream/promises';
import { describe, expect, test } from 'vitest';
import { oneEngine } from '../support/engines.ts';
import { readReply, sendRaw } from '../support/raw-socket.ts';
import { checkReply, PARTNERS, PRODUCTS, postPartner } from '../support/rows.ts';
import { sharedService } from '../support/shared.ts';

const KIB = 1024;

describe.each(oneEngine)('on $name', (engine) => {
  const service = sharedService(engine);

  const exchange = async (bytes: string | Uint8Array) => readReply(await sendRaw(service.port, bytes));
  const authorization = () => `Authorization: Bearer ${service.key}\r\n`;
  /** Ends the headers of a request that is the last on its connection. */
  const head = () => `Host: acme.localhost\r\n${authorization()}Connection: close\r\n\r\n`;
  const keepAliveHead = () => head().replace('close', 'keep-alive');
  const create = `POST ${PARTNERS} HTTP/1.1\r\nContent-Type: application/json\r\n`;

  describe('the request line', () => {
    /** A request line with exactly this many bytes; its filter is a list of ids. */
    const lineOf = (bytes: number) => {
      const [before, after] = [`GET ${PRODUCTS}?limit=1&filter=id[1`, '] HTTP/1.1'];
      return before + '+'.repeat(bytes - before.length - after.length) + after;
    };

    test('of 64 KiB is accepted, but the filter in it is too long', async () => {
      const reply = await exchange(`${lineOf(64 * KIB)}\r\n${head()}`);
      checkReply(reply, { status: 400, has: { code: 'filter_too_long' } });
    });

    test('of one byte more is a 414', async () => {
      const reply = await exchange(`${lineOf(64 * KIB + 1)}\r\n${head()}`);
      checkReply(reply, { status: 414, has: { code: 'request_line_too_long' } });
    });

    test.each(['/', '/docs', '/openapi.json', '/problems', '/mcp'])(
      'of more than 64 KiB is a 414 on %s, with and without a key',
      async (path) => {
        const method = path === '/mcp' ? 'POST' : 'GET';
        const line = `${method} ${path}?${'a'.repeat(64 * KIB)} HTTP/1.1\r\n`;
        const accept = 'Accept: application/json, text/event-stream\r\n';
        const withKey = await exchange(`${line}${accept}${head()}`);
        const without = await exchange(`${line}${accept}${head().replace(authorization(), '')}`);
        expect([withKey.status, without.status]).toEqual([414, path === '/mcp' ? 401 : 414]);
      },
    );

    test('that exceeds the limit for all headers is a 431', async () => {
      const reply = await exchange(`${lineOf(100 * KIB)}\r\n${head()}`);
      checkReply(reply, { status: 431, has: { code: 'headers_too_large' } });
    });

    test('may contain a filter of 32 KiB', async () => {
      const filter = `id[1${'+'.repeat(32 * KIB - 5)}]`;
      const reply = await exchange(`GET ${PRODUCTS}?filter=${filter} HTTP/1.1\r\n${head()}`);
      checkReply(reply, { status: 200, ids: [1] });
    });

    test.each(['#filter=id=1', '#?filter=id=1', '/1#'])('with a # in the path is a 400: %s', async (rest) => {
      const reply = await exchange(`GET ${PRODUCTS}${rest} HTTP/1.1\r\n${head()}`);
      checkReply(reply, { status: 400, has: { code: 'malformed_path' } });
    });

    test('with a non-ASCII letter is a 400 that suggests percent-encoding', async () => {
      const reply = await exchange(Buffer.from(`GET ${PRODUCTS}?filter=name*Brûlée HTTP/1.1\r\n${head()}`));
      checkReply(reply, {
        status: 400,
        has: { code: 'malformed_request', suggestion: expect.stringContaining('percent-encode') },
      });
    });

    test('with an absolute URL: its host overrides the Host header', async () => {
      const at = (host: string) => exchange(`GET http://${host}${PRODUCTS}/1 HTTP/1.1\r\n${head()}`);
      expect(await at('acme.localhost')).toRespond(200);
      expect(await at('globex.localhost')).toRespond(401);
    });

    test.each(['/%61pi/%zz', '/api/%zz', 'http://acme.localhost/api/%zz', '/api%2f%zz'])(
      'with the malformed API path %s is a 401 without a key',
      async (path) => {
        expect(await exchange(`GET ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`)).toRespond(401);
      },
    );

    test('with a malformed path outside of the API is a 400 without a key', async () => {
      expect(await exchange('GET /apix/%zz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n')).toRespond(400);
    });
  });

  describe('headers', () => {
    test('of more than 80 KiB are a 431', async () => {
      const reply = await exchange(`GET ${PRODUCTS} HTTP/1.1\r\nX-Long: ${'x'.repeat(90 * KIB)}\r\n${head()}`);
      checkReply(reply, { status: 431, has: { code: 'headers_too_large' } });
    });

    test('may be 1,000, and more are a 431 that says so', async () => {
      const withHeaders = (count: number) => {
        // The head has two of its own besides these, and ends with a third.
        const extra = Array.from({ length: count - 3 }, (_, n) => `X-${n}: 1\r\n`).join('');
        return exchange(`GET ${PRODUCTS}/1 HTTP/1.1\r\n${extra}${head()}`);
      };
      expect(await withHeaders(1_000)).toRespond(200);
      checkReply(await withHeaders(1_001), {
        status: 431,
        has: { code: 'headers_too_large', detail: expect.stringContaining('more than 1000 headers') },
      });
    });

    test('without Host are a 400 over HTTP/1.1, whatever is requested', async () => {
      for (const target of [`${PRODUCTS}/1`, '/', '/mcp', `http://acme.localhost${PRODUCTS}/1`])
        checkReply(await exchange(`GET ${target} HTTP/1.1\r\n${authorization()}Connection: close\r\n\r\n`), {
          status: 400,
          has: { code: 'malformed_request', detail: 'The request has no Host header, which HTTP/1.1 requires.' },
        });
    });

    test('without Host over HTTP/1.0: the key determines the account', async () => {
      const reply = await exchange(`GET ${PRODUCTS}/1 HTTP/1.0\r\n${authorization()}\r\n`);
      expect(reply).toRespond(200);
    });

    test.each([
      ['Host', 'Host: acme.localhost'],
      ['Host', 'HOST: globex.localhost'],
      ['Authorization', 'Authorization: Bearer x'],
      ['Authorization', 'authorization: '],
    ])('with a second %s are a 400, before anything else is checked: %s', async (name, line) => {
      for (const path of [`${PRODUCTS}/1`, '/api/v1/nothing', `${PRODUCTS}?page=0`])
        for (const request of [`${line}\r\n${head()}`, `${head().slice(0, -2)}${line}\r\n\r\n`])
          checkReply(await exchange(`GET ${path} HTTP/1.1\r\n${request}`), {
            status: 400,
            has: { code: 'malformed_request', detail: `The request has several ${name} headers.` },
          });
    });

    test('with the same Authorization twice are a 400', async () => {
      const reply = await exchange(`GET ${PRODUCTS}/1 HTTP/1.1\r\n${authorization()}${head()}`);
      checkReply(reply, { status: 400, has: { code: 'malformed_request' } });
    });

    test('with an unknown expectation are accepted', async () => {
      const reply = await exchange(`GET ${PRODUCTS}/1 HTTP/1.1\r\nExpect: the-unexpected\r\n${head()}`);
      expect(reply).toRespond(200);
    });
  });

  describe('a body', () => {
    test.each(['', 'Content-Type: application/json\r\n', 'Content-Type: application/json\r\nContent-Length: 0\r\n'])(
      'that is missing in a create is a 400, whatever the headers announce: %j',
      async (announced) => {
        checkReply(await exchange(`POST ${PARTNERS} HTTP/1.1\r\n${announced}${head()}`), {
          status: 400,
          has: { code: 'malformed_json', detail: 'The request has no body.' },
        });
      },
    );

    test.each(['POST', 'PUT', 'PATCH', 'DELETE'])(
      'that is announced with %s to a path that takes none is not waited for',
      async (method) => {
        const paths = { '/': 405, '/nothing': 404, '/openapi.json': 405, '/problems/unknown_field': 405 };
        for (const [path, expected] of Object.entries({ ...paths, [PRODUCTS]: 405 }))
          for (const header of ['Content-Type: application/json', 'Content-Type: text/plain', 'X-Nothing: 1']) {
            const { status } = await exchange(`${method} ${path} HTTP/1.1\r\n${header}\r\n${head()}`);
            expect({ path, header, status }).toEqual({ path, header, status: expected });
          }
      },
    );

    test.each([
      ['QUERY', PRODUCTS, 'application/x-www-form-urlencoded', 128],
      ['POST', '/mcp', 'application/json', 64],
      ['POST', PARTNERS, 'application/json', 64],
    ])('of %s %s that arrives in chunks is refused as soon as it is too large', async (method, path, type, limit) => {
      const request = `${method} ${path} HTTP/1.1\r\nContent-Type: ${type}\r\nTransfer-Encoding: chunked\r\n${keepAliveHead()}`;
      const chunk = `400\r\n${'x'.repeat(KIB)}\r\n`;
      // There is no last chunk.
      checkReply(await exchange(`${request}${chunk.repeat(limit + 1)}`), {
        status: 413,
        has: { code: 'body_too_large', detail: `The body has more than ${limit * KIB} bytes.` },
      });
    });

    test('that is announced as too large is not waited for', async () => {
      checkReply(await exchange(`${create}Content-Length: 10000000000\r\n${keepAliveHead()}`), {
        status: 413,
        has: { code: 'body_too_large' },
        headers: { connection: 'close' },
      });
    });

    test('in many small chunks is a 400, which ends the connection', async () => {
      const chunked = `${create}Transfer-Encoding: chunked\r\n`;
      const name = '{"name":"A"';
      const chunks = (count: number) => `b\r\n${name}\r\n${'1\r\n \r\n'.repeat(count - 2)}1\r\n}\r\n0\r\n\r\n`;
      // 1,000 chunks, and 15 more for the bytes that precede them.
      expect(await exchange(`${chunked}${head()}${chunks(1_015)}`)).toRespond(201);
      checkReply(await exchange(`${chunked}${keepAliveHead()}${chunks(1_017)}`), {
        status: 400,
        has: { code: 'malformed_request', detail: 'The body arrives in too many small chunks.' },
        headers: { connection: 'close' },
      });
    });

    test('of an import in many small chunks is a 400 as well', async () => {
      const editor = await service.issue(service.acme, { scopes: ['edit'] });
      const importing = `POST ${PARTNERS}/import HTTP/1.1\r\nContent-Type: application/x-ndjson\r\nTransfer-Encoding: chunked\r\n`;
      const name = '{"name":"A"';
      const chunks = (count: number) => `b\r\n${name}\r\n${'1\r\n \r\n'.repeat(count - 2)}1\r\n}\r\n0\r\n\r\n`;
      const asEditor = (headers: string) => headers.replace(service.key, editor);
      expect(await exchange(`${importing}${asEditor(head())}${chunks(1_015)}`)).toRespond(200);
      checkReply(await exchange(`${importing}${asEditor(keepAliveHead())}${chunks(300_000)}`), {
        status: 400,
        has: { code: 'malformed_request', detail: 'The body arrives in too many small chunks.' },
        headers: { connection: 'close' },
      });
    });

    test('in chunks that is too large is a 413', async () => {
      const chunk = `${(512 * KIB).toString(16)}\r\n${'x'.repeat(512 * KIB)}\r\n`;
      const reply = await exchange(`${create}Transfer-Encoding: chunked\r\n${head()}${chunk}${chunk}${chunk}0\r\n\r\n`);
      checkReply(reply, { status: 413, has: { code: 'body_too_large' } });
    });

    test('that is too large is a 413 that the client can read, although it is still sending', async () => {
      const bytes = 12 * KIB * KIB;
      const announced = `Content-Length: ${bytes}\r\n${keepAliveHead()}`;
      const chunked = `Transfer-Encoding: chunked\r\n${keepAliveHead()}${bytes.toString(16)}\r\n`;
      for (const rest of [announced, chunked]) {
        // Like most clients, it reads the response when it has sent everything.
        const socket = connect({ port: service.port, host: '127.0.0.1', allowHalfOpen: true });
        const body = Buffer.concat([Buffer.from(create + rest), Buffer.alloc(bytes)]);
        socket.end(body);
        await finished(socket, { readable: false });
        checkReply(readReply(await text(socket)), { status: 413, has: { code: 'body_too_large' } });
      }
      const reply = await service.send(postPartner(Buffer.alloc(bytes)));
      checkReply(reply, { status: 413, has: { code: 'body_too_large' } });
    });

    test('that is announced as too large is not asked for', async () => {
      const reply = await sendRaw(
        service.port,
        `${create}Content-Length: 10000000\r\nExpect: 100-continue\r\n${keepAliveHead()}`,
      );
      checkReply(readReply(reply), { status: 413, has: { code: 'body_too_large' } });
    });

    test.each(['gzip, chunked', 'gzip\r\nTransfer-Encoding: chunked'])(
      'with the transfer coding %j is refused',
      async (coding) => {
        const reply = await exchange(`${create}Transfer-Encoding: ${coding}\r\n${head()}2\r\n{}\r\n0\r\n\r\n`);
        checkReply(reply, { status: 501, has: { code: 'transfer_coding_unsupported' } });
      },
    );

    test.each(['chunked', 'Chunked'])('with the transfer coding %s is read', async (coding) => {
      const reply = await exchange(
        `${create}Transfer-Encoding: ${coding}\r\n${head()}5\r\n{"nam\r\n7\r\ne":"x"}\r\n0\r\n\r\n`,
      );
      expect(reply).toRespond(201);
    });

    test('with both a length and chunks is a 400', async () => {
      const reply = await exchange(
        `POST /api HTTP/1.1\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n${head()}0\r\n\r\n`,
      );
      checkReply(reply, { status: 400, has: { code: 'malformed_request' } });
    });

    test.each(['end', 'destroy'] as const)(
      'that is incomplete when the client disconnects is not an internal error (%s)',
      async (disconnect) => {
        const requestId = `incomplete-${disconnect}`;
        const expectation = `Content-Length: 50\r\nExpect: 100-continue\r\nX-Request-Id: ${requestId}\r\n`;
        const socket = connect(service.port, '127.0.0.1');
        socket.on('error', () => {});
        socket.write(`${create}${expectation}${head()}`);
        // The service is handling the request when it asks for the body.
        const [asked]: Buffer[] = await once(socket, 'data');
        expect(asked?.toString()).toContain('100 Continue');
        const closed = once(socket, 'close');
        socket.write('{"name"', () => socket[disconnect]());
        await closed;
        const ofRequest = () => service.events.filter((event) => 'requestId' in event && event.requestId === requestId);
        await expect.poll(ofRequest).toEqual([expect.objectContaining({ kind: 'request completed', status: 400 })]);
      },
    );
  });

  test.each([
    'hello\r\n\r\n',
    'GET / HTTP/9.9\r\n\r\n',
    'GET /a b HTTP/1.1\r\n\r\n',
    'FETCH / HTTP/1.1\r\n\r\n',
    '\u0000\u0001\u0002\r\n\r\n',
    'GET / HTTP/1.1\r\nA\u0000: b\r\n\r\n',
  ])('%j is not HTTP: a 400 in the format of all errors', async (bytes) => {
    checkReply(await exchange(bytes), { status: 400, has: { code: 'malformed_request' } });
  });

  test('a request followed by garbage gets its own response or none', async () => {
    const request = `${create}Content-Length: 12\r\n${keepAliveHead()}{"name":"x"}`;
    const text = await sendRaw(service.port, `${request}garbage\r\n\r\n`);
    expect(text).toBeOneOf(['', expect.stringMatching(/^HTTP\/1\.1 201/)]);
  });
});
