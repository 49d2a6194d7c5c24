/** Lists as streams, over a real socket. */

import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { setTimeout } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { partner } from '../../src/catalog/partner.ts';
import { type Account, plainLoad, type Store } from '../../src/store/store.ts';
import { engines } from '../support/engines.ts';
import { heldSnapshots } from '../support/exports.ts';
import { addAccount, NOW, type RecordValues, valuesOf } from '../support/fixture.ts';
import { readReply, sendRaw } from '../support/raw-socket.ts';
import { COMPANIES, checkReply, checkRow, PARTNERS, PRODUCTS } from '../support/rows.ts';
import { startService, type TestRequest, type TestService } from '../support/service.ts';

const NDJSON = 'application/x-ndjson';
const CSV = 'text/csv';
const CSV_TYPE = 'text/csv; charset=utf-8; header=present';

/** More than the sockets between client and server take in by themselves: 20 MB. */
const MANY = 6_000;
const LONG = '€'.repeat(1_000);

async function addMany(store: Store, name: string): Promise<Account> {
  const owner = await addAccount(store, name);
  const batches = async function* () {
    for (let from = 0; from < MANY; from += 1_000)
      yield Array.from({ length: 1_000 }, (_, n) => ({
        line: from + n,
        values: valuesOf(partner, { name: `Partner ${from + n}`, street: LONG }),
      }));
  };
  await store.records.load(owner.id, plainLoad(partner, NOW), batches());
  return owner;
}

/** The response once its headers are there, of which nothing is read yet. */
async function begin(port: number, { method = 'GET', path, headers = {} }: TestRequest): Promise<IncomingMessage> {
  const sent = Object.fromEntries(Object.entries(headers).filter(([, value]) => value !== undefined));
  const request = httpRequest({ host: '127.0.0.1', port, method, path, headers: sent, agent: false });
  request.on('error', () => {});
  request.end();
  const [response]: IncomingMessage[] = await once(request, 'response');
  if (response === undefined) throw new Error('there was no response');
  response.on('error', () => {});
  return response;
}

/** All of it; `isWhole` only where it came to its proper end. */
async function finish(response: IncomingMessage): Promise<{ readonly bytes: number; readonly isWhole: boolean }> {
  let bytes = 0;
  response.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
  });
  if (!response.closed) await new Promise<void>((resolve) => response.once('close', resolve));
  return { bytes, isWhole: response.complete };
}

describe.each(engines)('on $name', (engine) => {
  let service: TestService;
  /** Of an account with many records. */
  let authorization: string;
  let atRest: number;
  beforeAll(async () => {
    service = await startService(engine);
    authorization = `Bearer ${await service.issue(await addMany(service.store, 'big'))}`;
    atRest = await heldSnapshots(service.database);
  });
  afterAll(() => service.close());

  const asked = (path: string, accept: string, headers: TestRequest['headers'] = {}) =>
    service.send({ path, headers: { accept, ...headers } });
  const lines = (text: string): readonly RecordValues[] =>
    text
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line));
  const beginBig = (accept = NDJSON) => begin(service.port, { path: PARTNERS, headers: { accept, authorization } });
  const noneIsUnderWay = async () => {
    // One whose client went away before it had begun holds a place, though no snapshot yet.
    await expect.poll(() => busyOf(16), { timeout: 10_000 }).toBe(0);
    // A thread of the store may come with a snapshot of its own.
    await expect.poll(() => heldSnapshots(service.database), { timeout: 10_000 }).toBeLessThanOrEqual(atRest + 1);
  };
  /** How many of so many exports at once find no place. */
  const busyOf = async (count: number) => {
    const replies = await Promise.all(Array.from({ length: count }, () => asked(COMPANIES, CSV)));
    return replies.filter(({ status }) => status !== 200).length;
  };

  describe('Accept', () => {
    const JSON_TYPE = 'application/json';
    test.each<[string | undefined, string]>([
      [undefined, JSON_TYPE],
      ['', JSON_TYPE],
      ['*/*', JSON_TYPE],
      ['application/*', JSON_TYPE],
      ['application/json', JSON_TYPE],
      ['text/html', JSON_TYPE],
      ['text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8', JSON_TYPE],
      ['application/json, text/csv', JSON_TYPE],
      ['text/csv;q=0', JSON_TYPE],
      ['text/csv;q=0, */*', JSON_TYPE],
      ['application/x-ndjson;q=0.1, application/json;q=0.2', JSON_TYPE],
      [NDJSON, NDJSON],
      ['Application/X-NDJSON', NDJSON],
      ['application/ndjson', NDJSON],
      ['application/x-ndjson, */*;q=0.1', NDJSON],
      ['application/jsonl', NDJSON],
      ['*/*;q=0.1, application/x-ndjson', NDJSON],
      ['application/json;q=0.5,text/csv;q=0.6,application/x-ndjson;q=0.7', NDJSON],
      ['text/csv;q=0, application/x-ndjson;q=0.001', NDJSON],
      [CSV, CSV_TYPE],
      ['text/csv; charset=utf-8', CSV_TYPE],
      ['text/csv;header=present;q=1.0, application/x-ndjson;q=0.9', CSV_TYPE],
      ['text/html, text/csv;q=0.5, application/json;q=0.4', CSV_TYPE],
      ['text/csv;excel-safe=false', CSV_TYPE],
      ['text/csv; excel-safe="true"', CSV_TYPE],
    ])('%s gets %s', async (accept, type) => {
      const reply = await service.send({ path: PRODUCTS, headers: { accept } });
      expect({ status: reply.status, type: reply.headers['content-type'] }).toEqual({ status: 200, type });
    });

    test.each(['constructor', '__proto__', 'tostring, valueof', ',', ';;;q=', 'text/csv/x', 'é'])(
      '%j names none of ours, and gets JSON',
      async (accept) => {
        const reply = await asked(PRODUCTS, accept);
        expect({ status: reply.status, type: reply.headers['content-type'] }).toEqual({
          status: 200,
          type: 'application/json',
        });
      },
    );

    test.each(['text/csv;excel-safe=maybe', 'text/csv; excel-safe', 'text/csv;excel-safe=1, application/json;q=0.5'])(
      '%s is a 406 that says what to write',
      async (accept) => {
        await checkRow(service, {
          name: '',
          request: { path: PRODUCTS, headers: { accept } },
          status: 406,
          has: { code: 'not_acceptable', suggestion: expect.stringContaining('excel-safe=true') },
        });
      },
    );

    test('is for lists: one record is JSON whatever it says', async () => {
      const reply = await asked(`${PRODUCTS}/1`, CSV);
      expect({ status: reply.status, type: reply.headers['content-type'] }).toEqual({
        status: 200,
        type: 'application/json',
      });
    });
  });

  describe('the whole list', () => {
    test('as NDJSON has the records of the JSON', async () => {
      for (const path of [PRODUCTS, PARTNERS, COMPANIES]) {
        const [page, stream] = [await service.send({ path: `${path}?limit=1000` }), await asked(path, NDJSON)];
        expect(lines(stream.text)).toEqual(Object(page.json).data);
      }
    });

    test('as CSV begins with the names of the columns', async () => {
      const { text } = await asked(`${COMPANIES}?fields=name,id,company_code&sort=-id`, CSV);
      expect(text).toBe('name,id,company_code\r\n"Northwind Suomi",2,"NW02"\r\n"Northwind",1,\r\n');
    });

    test('is filtered, sorted and cut to the fields as the page is', async () => {
      const query = `filter=${encodeURIComponent('name*oak|list_price>=180')}&sort=-list_price&fields=id,list_price`;
      const [page, stream] = [
        await service.send({ path: `${PRODUCTS}?${query}&limit=1000` }),
        await asked(`${PRODUCTS}?${query}`, NDJSON),
      ];
      expect(lines(stream.text)).toStrictEqual(Object(page.json).data);
      expect(stream.headers['stockbook-total']).toBe(String(Object(page.json).meta.total));
    });

    test('for spreadsheets begins with a byte order mark and guards formulas', async () => {
      const owner = await addAccount(service.store, 'spread');
      const authorization = `Bearer ${await service.issue(owner)}`;
      const rows = async function* () {
        yield ['=1+1', 'plain'].map((name, line) => ({ line, values: valuesOf(partner, { name }) }));
      };
      await service.store.records.load(owner.id, plainLoad(partner, NOW), rows());
      const path = `${PARTNERS}?fields=id,name,email`;
      expect((await asked(path, 'text/csv; excel-safe=true', { authorization })).text).toBe(
        '\ufeffid,name,email\r\n1,"\'=1+1",\r\n2,"plain",\r\n',
      );
      expect((await asked(path, CSV, { authorization })).text).toBe('id,name,email\r\n1,"=1+1",\r\n2,"plain",\r\n');
    });

    test('without records is an empty stream, or the names alone', async () => {
      const [ndjson, csv] = [
        await asked(`${PRODUCTS}?filter=id=999`, NDJSON),
        await asked(`${PRODUCTS}?filter=id=999&fields=id,name`, CSV),
      ];
      expect([ndjson.status, ndjson.text, csv.status, csv.text]).toEqual([200, '', 200, 'id,name\r\n']);
      for (const { headers } of [ndjson, csv])
        expect(headers).toMatchObject({ 'stockbook-rows': '0', 'stockbook-total': '0' });
    });
  });

  describe('what is said about it', () => {
    test('comes in headers first, and in trailers last', async () => {
      const response = await begin(service.port, {
        path: `${PRODUCTS}?filter=active=true&page=2&limit=4`,
        headers: { accept: NDJSON, authorization: `Bearer ${service.key}` },
      });
      expect(response.headers).toMatchObject({
        'content-type': NDJSON,
        'transfer-encoding': 'chunked',
        'stockbook-rows': '4',
        'stockbook-total': '10',
        'stockbook-revision': '1',
        vary: expect.stringMatching(/accept/i),
        'cache-control': 'private, no-cache',
        'x-content-type-options': 'nosniff',
        'x-request-id': expect.any(String),
        etag: expect.any(String),
      });
      // RFC 9110, section 6.6.2: a list, so there are commas between.
      const announced = response.headers.trailer?.toLowerCase().split(/ *, */) ?? [];
      expect(announced.toSorted()).toEqual(['stockbook-revision', 'stockbook-rows']);
      expect(await finish(response)).toMatchObject({ isWhole: true });
      expect(response.trailers).toEqual({ 'stockbook-rows': '4', 'stockbook-revision': '1' });
    });

    test('a list as JSON says that it depends on Accept as well', async () => {
      expect((await service.send({ path: PRODUCTS })).headers['vary']).toMatch(/accept/i);
    });

    test('every export is an event like any other request', async () => {
      await asked(PRODUCTS, CSV, { 'x-request-id': 'an-export' });
      await expect
        .poll(() => service.events.find((event) => event.kind === 'answered' && event.requestId === 'an-export'))
        .toMatchObject({ status: 200, path: PRODUCTS, account: 'acme' });
    });
  });

  describe('a page', () => {
    test.each([
      ['page=2&limit=5', [6, 10, 11, 12, 13], 12],
      ['page=3&limit=5', [14, 15], 12],
      ['page=9&limit=5', [], 12],
      ['limit=3', [1, 2, 3], 12],
      ['page=2', [14, 15], 12],
      ['page=1&limit=1&filter=active=false&sort=-id', [6], 2],
    ])('%s is that page alone', async (query, ids, total) => {
      const { headers, text } = await asked(`${PRODUCTS}?fields=id&${query}`, NDJSON);
      expect(lines(text)).toEqual(ids.map((id) => ({ id })));
      expect(headers).toMatchObject({ 'stockbook-rows': String(ids.length), 'stockbook-total': String(total) });
      expect((await asked(`${PRODUCTS}?fields=id&${query}`, CSV)).text).toBe(
        ['id', ...ids].map((cell) => `${cell}\r\n`).join(''),
      );
    });
  });

  describe('entity tags', () => {
    const forms = ['application/json', NDJSON, CSV, 'text/csv;excel-safe=true'];

    test('differ by the form', async () => {
      const tags = await Promise.all(forms.map(async (form) => (await asked(COMPANIES, form)).headers['etag']));
      expect(new Set(tags).size).toBe(forms.length);
    });

    test('an unchanged export is a 304 in its own form alone', async () => {
      for (const form of forms.slice(1)) {
        const tag = (await asked(COMPANIES, form)).headers['etag'] ?? '';
        for (const match of [tag, `W/${tag}`, `"x", ${tag}`, '*']) {
          const reply = await asked(COMPANIES, form, { 'if-none-match': match });
          expect({ status: reply.status, text: reply.text, etag: reply.headers['etag'] }).toEqual({
            status: 304,
            text: '',
            etag: tag,
          });
          expect(reply.headers['vary']).toMatch(/accept/i);
        }
        for (const other of forms.filter((candidate) => candidate !== form))
          expect((await asked(COMPANIES, other, { 'if-none-match': tag })).status).toBe(200);
      }
    });

    test('a write makes another', async () => {
      const before = (await asked(PARTNERS, CSV)).headers;
      await service.send({
        method: 'POST',
        path: PARTNERS,
        body: '{"name":"New"}',
        headers: { 'content-type': 'application/json' },
      });
      const after = await asked(PARTNERS, CSV, { 'if-none-match': before['etag'] });
      expect(after.status).toBe(200);
      expect(after.text).toContain('"New"');
      expect(Number(after.headers['stockbook-revision'])).toBe(Number(before['stockbook-revision']) + 1);
    });

    test('a 304 takes no place', async () => {
      const tag = (await asked(COMPANIES, CSV)).headers['etag'];
      for (let n = 0; n < 20; n += 1) expect((await asked(COMPANIES, CSV, { 'if-none-match': tag })).status).toBe(304);
      expect((await asked(COMPANIES, CSV)).status).toBe(200);
    });
  });

  describe('HEAD', () => {
    test.each([NDJSON, CSV])('as %s is GET without the body', async (accept) => {
      const get = await asked(PRODUCTS, accept, { 'x-request-id': 'head' });
      const head = await service.send({ method: 'HEAD', path: PRODUCTS, headers: { accept, 'x-request-id': 'head' } });
      expect({ status: head.status, text: head.text }).toEqual({ status: 200, text: '' });
      // RFC 9110, section 9.3.2: what is known only by making the body may be left out.
      const { date: _, 'transfer-encoding': __, trailer: ___, 'server-timing': ____, ...headers } = get.headers;
      expect(head.headers).toMatchObject(headers);
      // It would be the length of the GET's body.
      expect(head.headers['content-length']).toBeUndefined();
    });

    test('many times in a row takes no place', async () => {
      const request = { method: 'HEAD', path: PARTNERS, headers: { accept: CSV, authorization } };
      for (let n = 0; n < 20; n += 1) expect((await service.send(request)).status).toBe(200);
      await noneIsUnderWay();
    });
  });

  describe('what is wrong is told as ever', () => {
    test.each([
      ['page=0', 400, 'invalid_page'],
      ['limit=1001', 400, 'invalid_limit'],
      ['fields=nmae', 400, 'unknown_field'],
      ['filter=nmae=x', 400, 'unknown_field'],
      ['filter=id>', 400, 'invalid_value'],
      ['sort=nmae', 400, 'unknown_field'],
      ['format=csv', 400, 'unknown_parameter'],
      ['page=1&page=2', 400, 'repeated_parameter'],
    ])('?%s is a %i %s', async (query, status, code) => {
      for (const accept of [NDJSON, CSV])
        await checkRow(service, {
          name: '',
          request: { path: `${PRODUCTS}?${query}`, headers: { accept } },
          status,
          has: { code },
          headers: { etag: undefined, trailer: undefined, 'stockbook-rows': undefined },
        });
    });

    test('without a key a 401, with another account’s host too', async () => {
      for (const headers of [{ authorization: undefined }, { host: 'globex.localhost' }])
        await checkRow(service, {
          name: '',
          request: { path: PRODUCTS, headers: { accept: CSV, ...headers } },
          status: 401,
        });
    });

    test('on HTTP/1.0, which cannot tell a whole stream from a broken one, a 426', async () => {
      const on = async (query: string, accept: string) => {
        const answer = sendRaw(
          service.port,
          `GET ${PRODUCTS}${query} HTTP/1.0\r\nAuthorization: Bearer ${service.key}\r\nAccept: ${accept}\r\n\r\n`,
        );
        // The connection ends with the answer, as it does for every request on HTTP/1.0.
        return readReply(await Promise.race([answer, setTimeout(3_000, 'The connection stays open.')]));
      };
      for (const accept of [NDJSON, CSV])
        checkReply(await on('', accept), {
          name: '',
          request: { path: '' },
          status: 426,
          has: { code: 'stream_needs_chunks' },
          headers: { upgrade: 'HTTP/1.1', connection: /upgrade/i },
        });
      expect((await on('?page=0', CSV)).status).toBe(400);
      expect((await on('', 'application/json')).status).toBe(200);
    });
  });

  test('another account’s records are never in it', async () => {
    const globex = { authorization: `Bearer ${await service.issue(service.globex)}` };
    expect(lines((await asked(`${PRODUCTS}?fields=id`, NDJSON, globex)).text)).toEqual([{ id: 7 }]);
    expect((await asked(`${PARTNERS}?fields=id`, CSV, globex)).text).toBe('id\r\n900\r\n');
    expect((await asked(PRODUCTS, NDJSON)).text).not.toContain('Globex');
    const theirs = (await asked(PRODUCTS, NDJSON, globex)).headers['etag'] ?? '';
    expect((await asked(PRODUCTS, NDJSON, { 'if-none-match': theirs })).status).toBe(200);
  });

  describe('many at once', () => {
    test('the 17th is a 503, and what nobody takes stays in the database', async () => {
      await noneIsUnderWay();
      const before = heldBytes();
      const held = await Promise.all(Array.from({ length: 16 }, () => beginBig()));
      expect(held.map(({ statusCode }) => statusCode)).toEqual(held.map(() => 200));
      try {
        checkReply(await asked(PRODUCTS, CSV), {
          name: '',
          request: { path: '' },
          status: 503,
          has: { code: 'exports_busy' },
          headers: { 'retry-after': '5', trailer: undefined },
        });
        expect((await service.send({ path: PRODUCTS })).status).toBe(200);
        // All of it would be 16 times 20 MB.
        await setTimeout(200);
        expect(heldBytes() - before).toBeLessThan(64 * 1024 * 1024);

        held[0]?.destroy();
        await expect.poll(async () => (await asked(PRODUCTS, CSV)).status).toBe(200);
        // The others have not been cut short.
        expect(await finish(held[1] ?? raise())).toMatchObject({ isWhole: true });
        expect(held[1]?.trailers['stockbook-rows']).toBe(String(MANY));
      } finally {
        for (const response of held) response.destroy();
      }
      await noneIsUnderWay();
    });

    test('that end properly give their places back', async () => {
      await Promise.all(
        Array.from({ length: 12 }, async () => {
          for (let n = 0; n < 4; n += 1) expect((await asked(COMPANIES, CSV)).status).toBe(200);
        }),
      );
      await noneIsUnderWay();
    });
  });

  test('clients that go away, whenever they do, leave nothing behind', async () => {
    const since = service.events.length;
    const clients = Array.from({ length: 60 }, async (_, n) => {
      const request = httpRequest({
        host: '127.0.0.1',
        port: service.port,
        path: PARTNERS,
        headers: { accept: n % 2 === 0 ? NDJSON : CSV, authorization },
        agent: false,
      });
      request.on('error', () => {});
      request.on('response', (response) => response.on('error', () => {}).resume());
      request.end();
      await setTimeout(n * 3);
      request.destroy();
    });
    await Promise.all(clients);
    await noneIsUnderWay();
    // That is no failure of ours.
    const told = service.events.slice(since).map(({ kind }) => kind);
    expect(told.filter((kind) => kind === 'stream broken' || kind === 'fault')).toEqual([]);
  });

  test('a slow reader gets everything, and others are answered meanwhile', async () => {
    const response = await beginBig();
    let text = '';
    let reads = 0;
    for (;;) {
      const chunk: Buffer | null = response.read();
      if (chunk !== null) text += chunk.toString('latin1');
      else if (response.readableEnded || response.destroyed) break;
      reads += 1;
      if (reads % 40 === 0) expect((await service.send({ path: `${PRODUCTS}/1` })).status).toBe(200);
      await setTimeout(1);
    }
    expect(response.complete).toBe(true);
    expect(response.trailers).toEqual({ 'stockbook-rows': String(MANY), 'stockbook-revision': '1' });
    const records = lines(Buffer.from(text, 'latin1').toString('utf8'));
    expect(records.map(({ id }) => id)).toEqual(Array.from({ length: MANY }, (_, n) => n + 1));
    expect(records.every(({ street }) => street === LONG)).toBe(true);
  });

  test('what is written meanwhile is not in it', async () => {
    const response = await beginBig(CSV);
    const created = await service.send({
      method: 'POST',
      path: PARTNERS,
      body: '{"name":"Meanwhile"}',
      headers: { authorization, 'content-type': 'application/json' },
    });
    expect(created.status).toBe(201);
    const chunks: Buffer[] = [];
    response.on('data', (chunk: Buffer) => chunks.push(chunk));
    await once(response, 'end');
    const text = Buffer.concat(chunks).toString('utf8');
    expect(text).not.toContain('Meanwhile');
    expect(text.split('\r\n')).toHaveLength(MANY + 2);
    const now = await asked(`${PARTNERS}?limit=1`, CSV, { authorization });
    expect(now.headers).toMatchObject({ 'stockbook-total': String(MANY + 1), 'stockbook-revision': '2' });
  });
});

describe.each(engines)('a failure on $name', (engine) => {
  let service: TestService;
  let authorization: string;
  let atRest: number;
  beforeAll(async () => {
    service = await startService(engine);
    authorization = `Bearer ${await service.issue(await addMany(service.store, 'big'))}`;
    atRest = await heldSnapshots(service.database);
  });
  afterAll(() => service.close());

  const broken = (requestId: string) =>
    service.events.filter((event) => event.kind === 'stream broken' && event.requestId === requestId);

  test.each([NDJSON, CSV])('before the first record is never a whole answer (%s)', async (accept) => {
    await service.database.execute('ALTER TABLE company RENAME TO misplaced');
    try {
      const headers = { accept, authorization: `Bearer ${service.key}` };
      const response = await begin(service.port, { path: COMPANIES, headers }).catch(() => undefined);
      if (response?.statusCode === 200) {
        expect(await finish(response)).toMatchObject({ isWhole: false });
        expect(response.trailers).toEqual({});
      } else if (response !== undefined) {
        expect(response.statusCode).toBe(500);
        expect(response.headers['content-type']).toBe('application/problem+json');
        for (const name of ['etag', 'trailer', 'stockbook-rows', 'stockbook-total', 'stockbook-revision'])
          expect({ [name]: response.headers[name] }).toEqual({ [name]: undefined });
        response.destroy();
      }
    } finally {
      await service.database.execute('ALTER TABLE misplaced RENAME TO company');
    }
    expect((await service.send({ path: COMPANIES, headers: { accept } })).status).toBe(200);
  });

  test('in the middle breaks the connection, and is an event', async () => {
    // What is not in the file yet could not be spoiled there.
    if (engine.name === 'SQLite') await service.database.execute('PRAGMA wal_checkpoint(TRUNCATE)');
    const responses = await Promise.all(
      [NDJSON, CSV].map((accept) =>
        begin(service.port, { path: PARTNERS, headers: { accept, authorization, 'x-request-id': `broken-${accept}` } }),
      ),
    );
    expect(responses.map(({ statusCode }) => statusCode)).toEqual([200, 200]);
    if (engine.name === 'SQLite') spoil(service.database.url);
    else
      await service.database.execute(
        `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
          WHERE datname = current_database() AND pid <> pg_backend_pid() AND backend_type = 'client backend'
            AND xact_start IS NOT NULL`,
      );
    for (const response of responses) {
      const { bytes, isWhole } = await finish(response);
      expect(isWhole).toBe(false);
      expect(bytes).toBeGreaterThan(0);
      expect(bytes).toBeLessThan(MANY * LONG.length * 3);
      expect(response.trailers).toEqual({});
    }
    for (const accept of [NDJSON, CSV]) await expect.poll(() => broken(`broken-${accept}`)).toHaveLength(1);
    // Both would be two more; a thread of the store may have come with one of its own.
    await expect.poll(() => heldSnapshots(service.database), { timeout: 10_000 }).toBeLessThanOrEqual(atRest + 1);
  });
});

/** As a disk that fails: all but the beginning of the file is lost. */
function spoil(path: string): void {
  const content = readFileSync(path);
  writeFileSync(path, content.fill(0, Math.floor(content.length / 4)), { flag: 'r+' });
}

/** In buffers that are still needed. */
function heldBytes(): number {
  setFlagsFromString('--expose-gc');
  runInNewContext('gc')();
  return process.memoryUsage().arrayBuffers;
}

function raise(): never {
  throw new Error('there is none');
}
