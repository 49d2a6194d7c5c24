/** The configurations in docs/proxy.md, with the real proxies if they are installed. */

import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { type ClientHttp2Session, connect } from 'node:http2';
import { join } from 'node:path';
import { connect as connectTls } from 'node:tls';
import { generate } from 'selfsigned';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { readDocument } from '../docs/markdown.ts';
import { startOnAnyPort } from '../support/any-port.ts';
import { LONGEST_WAIT } from '../support/deadline.ts';
import { sqlite, type TestDatabase } from '../support/engines.ts';
import { run, type Serving, serve } from '../support/program.ts';
import { bodyOf, PARTNERS } from '../support/rows.ts';
import { parseBody, type TestReply } from '../support/service.ts';
import { sharedFolder } from '../support/shared.ts';

const DOMAIN = 'stock.example.com';

interface Proxy {
  readonly name: string;
  readonly program: string;
  /** The language of its configuration in the docs. */
  readonly language: string;
  /** A whole configuration around that of the docs. */
  configure(documented: string, port: number): string;
  args(file: string): readonly string[];
}

const proxies: readonly Proxy[] = [
  {
    name: 'nginx',
    program: 'nginx',
    language: 'nginx',
    configure: (documented, port) =>
      [
        'daemon off; user root; pid nginx.pid; error_log stderr;',
        'events {}',
        `http { access_log off; ${documented.replace(/^ +listen 443/m, `listen 127.0.0.1:${port}`)} }`,
      ].join('\n'),
    args: (file) => ['-p', join(file, '..'), '-c', file],
  },
  {
    name: 'Caddy',
    program: 'caddy',
    language: 'caddy',
    configure: (documented, port) =>
      `{\n  admin off\n  auto_https disable_redirects\n}\n${documented.replace(`*.${DOMAIN} {`, `*.${DOMAIN}:${port} {`)}`,
    args: (file) => ['run', '--adapter', 'caddyfile', '--config', file],
  },
  {
    name: 'HAProxy',
    program: 'haproxy',
    language: 'haproxy',
    configure: (documented, port) => documented.replace('bind :443', `bind 127.0.0.1:${port}`),
    args: (file) => ['-db', '-f', file],
  },
];

/** Debian installs servers where only root has them in its path. */
const PATH = `${process.env['PATH']}:/usr/sbin`;
const isInstalled = (program: string) =>
  spawnSync('sh', ['-c', `command -v ${program}`], { env: { PATH } }).status === 0;

describe.each(proxies)('$name', (proxy) => {
  describe.runIf(isInstalled(proxy.program))('is installed', () => {
    const folder = sharedFolder();
    let database: TestDatabase;
    let server: Serving;
    const running: ChildProcess[] = [];
    let proxyPort: number;
    let session: ClientHttp2Session;
    let key: string;

    beforeAll(async () => {
      database = await sqlite.makeMigrated();
      const flags = ['--database', database.url];
      const options = { folder: folder.path };
      await run(['account', 'add', 'acme', ...flags], options);
      key = (
        await run(['key', 'add', 'acme', '--name', 'test', '--scope', 'read,write,edit', ...flags], options)
      ).stdout.trim();
      const serveFlags = /stockbook serve (.*)/.exec(readDocument('docs/proxy.md').text)?.[1]?.split(' ') ?? [];
      server = await serve([...flags, ...serveFlags], options);
      proxyPort = await startProxy();
      session = await connected(proxyPort);
    });
    afterAll(async () => {
      session?.destroy();
      for (const child of [...running, server?.child]) {
        if (child === undefined || child.exitCode !== null) continue;
        child.kill('SIGTERM');
        await once(child, 'close');
      }
      await database.drop();
    });

    async function connected(port: number, localAddress = '127.0.0.1'): Promise<ClientHttp2Session> {
      const client = connect(`https://acme.${DOMAIN}:${port}`, {
        createConnection: () =>
          connectTls({
            ...{ host: '127.0.0.1', port, localAddress, servername: `acme.${DOMAIN}` },
            ...{ ALPNProtocols: ['h2'], rejectUnauthorized: false },
          }),
      });
      await once(client, 'connect');
      return client;
    }

    /** `change` alters the configuration. */
    async function startProxy(change = (configuration: string) => configuration): Promise<number> {
      const { private: privateKey, cert } = await generate([{ name: 'commonName', value: `*.${DOMAIN}` }], {
        extensions: [{ name: 'subjectAltName', altNames: [{ type: 2, value: `*.${DOMAIN}` }] }],
      });
      const certificate = join(folder.path, 'certificate');
      writeFileSync(`${certificate}.pem`, cert);
      writeFileSync(`${certificate}.key`, privateKey);
      writeFileSync(`${certificate}.both.pem`, `${cert}\n${privateKey}`);
      const block = readDocument('docs/proxy.md').text.split(`\`\`\`${proxy.language}\n`)[1]?.split('```')[0] ?? '';
      const documented = block
        .replaceAll(`/etc/ssl/${DOMAIN}`, certificate)
        .replace('127.0.0.1:8080', `127.0.0.1:${server.port}`)
        .replace('port 8081', `port ${server.adminPort}`);
      const file = join(folder.path, 'proxy.conf');
      return startOnAnyPort(async (port) => {
        writeFileSync(file, change(proxy.configure(documented, port)));
        const started = spawn(proxy.program, proxy.args(file), {
          env: { PATH, HOME: folder.path },
          stdio: ['ignore', 'ignore', 'pipe'],
        });
        running.push(started);
        let output = '';
        started.stderr?.on('data', (chunk) => {
          output += chunk;
        });
        const ended = once(started, 'close').then(() => undefined);
        const isUp = async () => {
          // Another program that has the port may accept the connection and say nothing.
          const client = await Promise.race([connected(port), ended]);
          client?.destroy();
          return client !== undefined;
        };
        if (await vi.waitFor(isUp, { timeout: LONGEST_WAIT, interval: 50 })) return true;
        if (/address already in use/i.test(output)) return false;
        throw new Error(output);
      });
    }

    /** The response, as it arrives. */
    function send(headers: Readonly<Record<string, string>>, body?: string, over = session) {
      const stream = over.request({ authorization: `Bearer ${key}`, ...headers });
      stream.setEncoding('utf8').end(body);
      let text = '';
      stream.on('data', (chunk: string) => {
        text += chunk;
      });
      const answered = once(stream, 'response').then(([received]) => Object(received));
      return { stream, answered, ended: once(stream, 'end'), text: () => text };
    }

    async function fetched(
      headers: Readonly<Record<string, string>>,
      body?: string,
      over = session,
    ): Promise<TestReply> {
      const { answered, ended, text } = send(headers, body, over);
      const received = await answered;
      await ended;
      const { ':method': method = 'GET', ':path': path = '' } = headers;
      return {
        request: { method, path },
        status: received[':status'],
        headers: received,
        text: text(),
        // Not if it is compressed.
        get json() {
          return parseBody(text(), received['content-type']);
        },
      };
    }

    const create = (name: string) =>
      fetched({ ':path': PARTNERS, ':method': 'POST', 'content-type': 'application/json' }, JSON.stringify({ name }));

    test('creates, lists and records over HTTP/2', async () => {
      expect(await create('Azure Interior')).toRespond(201);
      const list = await fetched({ ':path': PARTNERS });
      expect(list).toRespond(200, { meta: { total: 1 } });
      expect(await fetched({ ':path': PARTNERS, 'if-none-match': list.headers['etag'] ?? '' })).toRespond(304);
      expect(await fetched({ ':path': `${PARTNERS}/1`, ':method': 'HEAD' })).toRespond(200);
      expect((await fetched({ ':path': PARTNERS, ':method': 'OPTIONS' })).headers['allow']).toContain('POST');
    });

    test.runIf(proxy.name === 'nginx')('a tag that compression by the proxy has made weak still works', async () => {
      const { headers } = await create('Compressed');
      const over = await connected(
        await startProxy((text) =>
          text.replace('gzip off;', 'gzip on; gzip_types application/json; gzip_proxied any;'),
        ),
      );
      try {
        const path = { ':path': String(headers['location']) };
        const read = await fetched({ ...path, 'accept-encoding': 'gzip' }, undefined, over);
        expect(read.headers).toMatchObject({ 'content-encoding': 'gzip', etag: expect.stringMatching(/^W\//) });
        const change = {
          ...path,
          ':method': 'PATCH',
          'content-type': 'application/json',
          'if-match': read.headers['etag'] ?? '',
        };
        expect(await fetched(change, '{"city":"Rome"}', over)).toRespond(200);
        expect(await fetched(change, '{"city":"Oslo"}', over)).toRespond(412);
      } finally {
        over.destroy();
      }
    });

    test('the host decides about the account', async () => {
      expect(await fetched({ ':path': PARTNERS, ':authority': `globex.${DOMAIN}` })).toRespond(401);
    });

    test('the log has the address of the client, whatever it claims', async () => {
      const over = await connected(proxyPort, '127.0.0.2');
      const forged = { 'x-forwarded-for': '198.51.100.1', forwarded: 'for=198.51.100.2' };
      const wrong = { ':path': PARTNERS, authorization: 'Bearer sbk_wrong', ...forged };
      const attempt = async () => {
        expect(await fetched(wrong, undefined, over)).toRespond(401);
        return server.output().stderr;
      };
      // One attempt per second is logged.
      await expect.poll(attempt, { interval: 200 }).toMatch(/"authentication failed".*"address":"127\.0\.0\.2"/);
      over.destroy();
      expect(server.output().stderr).not.toContain('198.51.100');
    });

    test('a long filter in the URL, and in a body', async () => {
      const filter = `filter=${encodeURIComponent(`name[${Array.from({ length: 900 }, (_, n) => `name-${n}-xxxxxxxxxx`).join(',')}]`)}`;
      expect(await fetched({ ':path': `${PARTNERS}?${filter}` })).toRespond(200);
      const form = { ':method': 'QUERY', 'content-type': 'application/x-www-form-urlencoded' };
      expect(await fetched({ ':path': PARTNERS, ...form }, filter)).toRespond(200);
    });

    test('a stream is complete, compressed or not', async () => {
      const lines = { ':path': PARTNERS, accept: 'application/x-ndjson; end=line' };
      expect((await fetched(lines)).text).toMatch(/\{"end":\{"rows":\d+,"revision":\d+\}\}\n$/);
      expect((await fetched({ ...lines, 'accept-encoding': 'gzip' })).headers['content-encoding']).toBe('gzip');
    });

    test.runIf(proxy.name !== 'nginx')('trailers reach a client that asks for them, and no other', async () => {
      for (const headers of [{}, { te: 'trailers' }]) {
        const { stream, ended } = send({ ':path': PARTNERS, accept: 'application/x-ndjson', ...headers });
        const trailers: unknown[] = [];
        stream.on('trailers', (received) => trailers.push(Object.keys(received)));
        await ended;
        expect(trailers.flat().includes('stockbook-rows')).toBe('te' in headers);
      }
    });

    test('events arrive when something changes', async () => {
      const events = send({ ':path': `${PARTNERS}/changes`, accept: 'text/event-stream' });
      await events.answered;
      await create('Deco Addict');
      await expect.poll(events.text).toContain('Deco Addict');
      events.stream.close();
    });

    test('a request that waits for changes is answered when something changes', async () => {
      const cursor = bodyOf(await fetched({ ':path': `${PARTNERS}/changes?limit=1000` })).meta.cursor;
      const waiting = fetched({ ':path': `${PARTNERS}/changes?since=${cursor}`, prefer: 'wait=60' });
      await create('Gemini Furniture');
      expect((await waiting).text).toContain('Gemini Furniture');
    });

    test('an error of ours reaches the client', async () => {
      const reply = await fetched({ ':path': `${PARTNERS}?page=0` });
      expect(reply).toMatchObject({ status: 400, headers: { 'content-type': 'application/problem+json' } });
    });

    test.runIf(proxy.name === 'nginx')('over HTTP/1.0, a stream is a 406, which does not break HTTP/2', async () => {
      const over = await connected(
        await startProxy((text) => text.replace('proxy_http_version 1.1', 'proxy_http_version 1.0')),
      );
      try {
        const refused = await fetched({ ':path': PARTNERS, accept: 'text/csv' }, undefined, over);
        expect(refused).toRespond(406, { code: 'stream_needs_chunks' });
        expect(await fetched({ ':path': PARTNERS }, undefined, over)).toRespond(200);
      } finally {
        over.destroy();
      }
    });
  });
});
