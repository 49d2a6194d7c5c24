/** Lists as streams of NDJSON and CSV, over a real socket. */

import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { type ClientRequest, request as httpRequest, type IncomingMessage } from 'node:http';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { partner } from '../../src/catalog/partner.ts';
import { product } from '../../src/catalog/product.ts';
import { MAX_ACCEPT_BYTES } from '../../src/request/accept.ts';
import { type Account, plainLoad, type Store } from '../../src/store/store.ts';
import { engines } from '../support/engines.ts';
import { heldSnapshots } from '../support/exports.ts';
import { addAccount, NOW, type RecordValues, valuesOf } from '../support/fixture.ts';
import { readReply, sendRaw } from '../support/raw-socket.ts';
import { COMPANIES, checkReply, checkRow, createPartner, PARTNERS, PRODUCTS } from '../support/rows.ts';
import { bearer, outgoing, startService, type TestRequest, type TestService } from '../support/service.ts';

const NDJSON = 'application/x-ndjson';
const CSV = 'text/csv';
const CSV_TYPE = 'text/csv; charset=utf-8; header=present';

/** Their export has 20 MB, more than the socket buffers between client and server hold. */
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

/** Resolves with the response when its headers have arrived. Nothing of the body is read yet. */
async function begin(port: number, { method = 'GET', path, headers = {} }: TestRequest): Promise<IncomingMessage> {
  const request = httpRequest({ host: '127.0.0.1', port, method, path, headers: outgoing(headers), agent: false });
  request.on('error', () => {});
  request.end();
  const [response]: IncomingMessage[] = await once(request, 'response');
  if (response === undefined) throw new Error('there was no response');
  response.on('error', () => {});
  return response;
}

/** Reads the rest of the body. It is complete if it ended as HTTP requires. */
async function finish(response: IncomingMessage): Promise<{ readonly bytes: number; readonly isComplete: boolean }> {
  let bytes = 0;
  response.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
  });
  if (!response.closed) await new Promise<void>((resolve) => response.once('close', resolve));
  return { bytes, isComplete: response.complete };
}

describe.each(engines)('on $name', (engine) => {
  let service: TestService;
  /** The credentials of an account with many records. */
  let big: { readonly authorization: string };
  /** How many snapshots are open without an export. */
  let atRest: number;
  beforeAll(async () => {
    service = await startService(engine);
    big = bearer(await service.issue(await addMany(service.store, 'big')));
    // Opens the connections that stay open.
    await service.send({ path: PRODUCTS });
    atRest = await heldSnapshots(service.database);
  });
  afterAll(() => service.close());

  const get = (path: string, accept: string, headers: TestRequest['headers'] = {}) =>
    service.send({ path, headers: { accept, ...headers } });
  const lines = (text: string): readonly RecordValues[] =>
    text
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line));
  const beginBig = (accept = NDJSON) =>
    begin(service.port, { path: PARTNERS, headers: { accept, te: 'trailers', ...big } });
  /** Waits until no export is running, and none has left anything behind. */
  const noneIsRunning = async () => {
    // An export whose client left early has a slot, but no snapshot yet.
    await expect.poll(() => rejectedOf(4)).toBe(0);
    await expect.poll(() => heldSnapshots(service.database)).toBe(atRest);
  };
  /** How many of this many concurrent exports of the account get no slot. */
  const rejectedOf = async (count: number) => {
    const replies = await Promise.all(Array.from({ length: count }, () => get(COMPANIES, CSV, big)));
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
      ['text/csv; EXCEL-SAFE = TRUE ; q=0.5', CSV_TYPE],
      // RFC 9110, section 12.5.1: the most specific range that matches a type determines its quality.
      ['text/csv;q=0.1, */*', JSON_TYPE],
      ['application/json;q=0, */*', NDJSON],
      ['application/json;q=0, application/x-ndjson;q=0, application/*;q=0, */*', CSV_TYPE],
      ['application/*;q=0.1, application/x-ndjson', NDJSON],
      ['application/*;q=0.1, text/*;q=0.2', CSV_TYPE],
      ['text/csv;q=0.5, text/csv;charset=utf-8;q=0.1, application/json;q=0.3', JSON_TYPE],
      // RFC 9110, section 5.6.4: a comma in a quoted string separates nothing.
      ['text/html;note="a, text/csv, b", application/x-ndjson;q=0.5', NDJSON],
      ['application/x-ndjson;q=0.5, text/html;note="\\", text/csv"', NDJSON],
      ['application/json;profile="a,b", text/csv;q=0.1', CSV_TYPE],
      ['text/plain; note="excel-safe"', JSON_TYPE],
      ['text/plain; excel-safe=maybe, application/x-ndjson', NDJSON],
      ['text/csv; note="a; excel-safe=maybe, b", text/csv;q=0.1', CSV_TYPE],
      ['text/csv; note="\\"; excel-safe=maybe", text/csv; excel-safe = "TRUE";q=0.1', CSV_TYPE],
    ])('%s gets %s', async (accept, type) => {
      const reply = await service.send({ path: PRODUCTS, headers: { accept } });
      expect({ status: reply.status, type: reply.headers['content-type'] }).toEqual({ status: 200, type });
    });

    test.each(['constructor', '__proto__', 'tostring, valueof', ',', ';;;q=', 'text/csv/x', 'é'])(
      '%j names none of our types and gets JSON',
      async (accept) => {
        const reply = await get(PRODUCTS, accept);
        expect({ status: reply.status, type: reply.headers['content-type'] }).toEqual({
          status: 200,
          type: 'application/json',
        });
      },
    );

    test.each([
      'text/csv;excel-safe=maybe',
      'text/csv; excel-safe',
      'text/csv;excel-safe=truest',
      'text/csv;excel-safe=1, application/json;q=0.5',
      'text/html;note="a, b", TEXT/CSV ; Excel-Safe="',
      'text/csv;excel-safe=true;excel-safe=no',
    ])('%s is a 406 that says what to write', async (accept) => {
      await checkRow(service, {
        request: { path: PRODUCTS, headers: { accept } },
        status: 406,
        has: { code: 'not_acceptable', suggestion: expect.stringContaining('excel-safe=true') },
      });
    });

    test(`may have ${MAX_ACCEPT_BYTES} bytes; one more is a 406`, async () => {
      const accept = 'text/csv, text/html;note='.padEnd(MAX_ACCEPT_BYTES, 'x');
      expect((await get(PRODUCTS, accept)).headers['content-type']).toBe(CSV_TYPE);
      checkReply(await get(PRODUCTS, `${accept}x`), {
        status: 406,
        has: { code: 'not_acceptable', detail: `The Accept header has more than ${MAX_ACCEPT_BYTES} bytes.` },
      });
    });

    test('does not apply to a single record, which is always JSON', async () => {
      const reply = await get(`${PRODUCTS}/1`, CSV);
      expect({ status: reply.status, type: reply.headers['content-type'] }).toEqual({
        status: 200,
        type: 'application/json',
      });
    });
  });

  describe('a whole list', () => {
    test('as NDJSON has the same records as JSON', async () => {
      for (const path of [PRODUCTS, PARTNERS, COMPANIES]) {
        const [page, stream] = [await service.send({ path: `${path}?limit=1000` }), await get(path, NDJSON)];
        expect(lines(stream.text)).toEqual(Object(page.json).data);
      }
    });

    test('as CSV starts with the names of the columns', async () => {
      const { text } = await get(`${COMPANIES}?fields=name,id,company_code&sort=-id`, CSV);
      expect(text).toBe('name,id,company_code\r\n"Northwind Suomi",2,"NW02"\r\n"Northwind",1,\r\n');
    });

    test('is filtered, sorted and reduced to the requested fields like a page', async () => {
      const query = `filter=${encodeURIComponent('name*oak|list_price>=180')}&sort=-list_price&fields=id,list_price`;
      const [page, stream] = [
        await service.send({ path: `${PRODUCTS}?${query}&limit=1000` }),
        await get(`${PRODUCTS}?${query}`, NDJSON),
      ];
      expect(lines(stream.text)).toStrictEqual(Object(page.json).data);
      expect(stream.headers['stockbook-total']).toBe(String(Object(page.json).meta.total));
    });

    test('for spreadsheets has times that they read, and numbers as they are', async () => {
      const owner = await addAccount(service.store, 'times');
      const headers = bearer(await service.issue(owner));
      const rows = async function* () {
        yield [
          { name: 'a', list_price: 1234.5, write_date: '2026-06-23T23:59:59.999Z' },
          { name: 'b', list_price: 1e-7, write_date: '0001-01-01T00:00:00.000Z' },
        ].map((values, line) => ({ line, values: valuesOf(product, values) }));
      };
      await service.store.records.load(owner.id, plainLoad(product, NOW), rows());
      const path = `${PRODUCTS}?fields=id,list_price,write_date`;
      expect((await get(path, 'text/csv; excel-safe=true', headers)).text).toBe(
        '\ufeffid,list_price,write_date\r\n1,1234.5,2026-06-23 23:59:59\r\n2,1e-7,0001-01-01 00:00:00\r\n',
      );
      expect((await get(path, CSV, headers)).text).toBe(
        'id,list_price,write_date\r\n1,1234.5,2026-06-23T23:59:59.999Z\r\n2,1e-7,0001-01-01T00:00:00.000Z\r\n',
      );
    });

    test('for spreadsheets starts with a byte order mark and escapes formulas', async () => {
      const owner = await addAccount(service.store, 'spread');
      const headers = bearer(await service.issue(owner));
      const rows = async function* () {
        yield ['=1+1', 'plain'].map((name, line) => ({ line, values: valuesOf(partner, { name }) }));
      };
      await service.store.records.load(owner.id, plainLoad(partner, NOW), rows());
      const path = `${PARTNERS}?fields=id,name,email`;
      expect((await get(path, 'text/csv; excel-safe=true', headers)).text).toBe(
        '\ufeffid,name,email\r\n1,"\'=1+1",\r\n2,"plain",\r\n',
      );
      expect((await get(path, CSV, headers)).text).toBe('id,name,email\r\n1,"=1+1",\r\n2,"plain",\r\n');
    });

    test('without records is empty; as CSV it has only the names of the columns', async () => {
      const [ndjson, csv] = [
        await get(`${PRODUCTS}?filter=id=999`, NDJSON),
        await get(`${PRODUCTS}?filter=id=999&fields=id,name`, CSV),
      ];
      expect([ndjson.status, ndjson.text, csv.status, csv.text]).toEqual([200, '', 200, 'id,name\r\n']);
      for (const { headers } of [ndjson, csv])
        expect(headers).toMatchObject({ 'stockbook-rows': '0', 'stockbook-total': '0' });
    });
  });

  describe('the parameter format', () => {
    const NDJSON_END = 'application/x-ndjson; end=line';
    const SAFE = 'text/csv; excel-safe=true';

    test.each([
      ['json', 'application/json'],
      ['ndjson', NDJSON],
      ['ndjson;end=line', NDJSON_END],
      ['csv', CSV],
      ['csv;excel-safe=true', SAFE],
    ])('%s is the same as Accept: %s', async (format, accept) => {
      const query = 'fields=id,name&filter=active=true';
      const asked = await get(`${PRODUCTS}?${query}`, accept, { 'x-request-id': 'either' });
      // As a browser does, and with a header that says otherwise.
      for (const other of [
        'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8',
        CSV,
        NDJSON,
        'image/png',
      ]) {
        for (const path of [
          `${PRODUCTS}?${query}&format=${encodeURIComponent(format)}`,
          `${PRODUCTS}?format=${format}&${query}`,
        ]) {
          const named = await get(path, other, { 'x-request-id': 'either' });
          expect({ status: named.status, text: named.text }).toEqual({ status: 200, text: asked.text });
          const { date: _, 'cache-status': __, link: ___, ...headers } = asked.headers;
          expect(named.headers).toMatchObject(headers);
        }
      }
    });

    test('the options of Accept hold if it names the same format', async () => {
      expect((await get(`${COMPANIES}?format=csv`, SAFE)).text.startsWith('\uFEFF')).toBe(true);
      expect((await get(`${COMPANIES}?format=ndjson`, NDJSON_END)).text).toContain('{"end":');
    });

    test('wins over a page that is cached', async () => {
      for (let n = 0; n < 3; n += 1) {
        expect((await get(`${COMPANIES}?format=csv`, '*/*')).headers['content-type']).toBe(CSV_TYPE);
        expect((await get(`${COMPANIES}?format=json`, CSV)).headers['content-type']).toBe('application/json');
        expect((await get(COMPANIES, '*/*')).headers['content-type']).toBe('application/json');
        expect((await get(`${COMPANIES}?%66ormat=csv`, '*/*')).headers['content-type']).toBe(CSV_TYPE);
      }
    });

    test('is kept in links', async () => {
      const { headers } = await get(`${PRODUCTS}?format=json&limit=5`, '*/*');
      expect(headers['link']).toContain('format=json&limit=5&page=2');
    });

    test('works in the body of QUERY, and with HEAD', async () => {
      const query = { method: 'QUERY', headers: { 'content-type': 'application/x-www-form-urlencoded' } };
      const reply = await service.send({ ...query, path: COMPANIES, body: 'fields=id&format=csv' });
      expect(reply).toMatchObject({ status: 200, headers: { 'content-type': CSV_TYPE } });
      const head = await service.send({ method: 'HEAD', path: `${COMPANIES}?format=csv` });
      expect(head).toMatchObject({ status: 200, headers: { 'content-type': CSV_TYPE } });
    });

    test.each([
      [`${PRODUCTS}?format=xml`, 'There is no format', 'json, ndjson, ndjson;end=line, csv, csv;excel-safe=true'],
      [`${PRODUCTS}?format=CSV`, 'There is no format', 'Did you mean csv?'],
      [`${PRODUCTS}?format=csv;excel-safe=maybe`, 'There is no format', 'csv'],
      [`${PRODUCTS}?format=event-stream`, 'There is no format', 'json, ndjson'],
      [`${PRODUCTS}/changes?format=csv`, 'There is no format', 'json, ndjson, ndjson;end=line, event-stream'],
    ])('%s is a 400', async (path, detail, suggestion) => {
      checkReply(await get(path, '*/*'), {
        status: 400,
        has: {
          code: 'invalid_format',
          parameter: 'format',
          detail: expect.stringContaining(detail),
          suggestion: expect.stringContaining(suggestion),
        },
      });
    });

    test.each([
      [`${PRODUCTS}?format=`, 'application/json'],
      [`${PRODUCTS}/changes?format=json`, 'application/json'],
      [`${PRODUCTS}/changes?format=ndjson`, NDJSON],
      [`${PRODUCTS}/changes?format=ndjson;end=line`, NDJSON_END],
    ])('%s is %s', async (path, type) => {
      expect((await get(path, '*/*')).headers['content-type']).toBe(type);
    });

    test('changes as events', async () => {
      const path = `${PRODUCTS}/changes?format=event-stream`;
      const response = await begin(service.port, { path, headers: { accept: '*/*', ...bearer(service.key) } });
      expect(response.headers['content-type']).toBe('text/event-stream');
      response.destroy();
    });

    test('is unknown where there is one format', async () => {
      for (const path of [`${PRODUCTS}/1`, `${PRODUCTS}/aggregate`, `${PRODUCTS}/digest`])
        checkReply(await get(`${path}?format=json`, '*/*'), { status: 400, has: { code: 'unknown_parameter' } });
    });

    test.each([
      [`${PRODUCTS}?format=csv`, 'attachment; filename="products.csv"'],
      [`${COMPANIES}?format=ndjson`, 'attachment; filename="companies.ndjson"'],
      [`${PRODUCTS}/changes?format=ndjson`, 'attachment; filename="product-changes.ndjson"'],
      [`${PRODUCTS}?format=json`, undefined],
      [`${PRODUCTS}/changes`, undefined],
    ])('%s is saved by a browser as %s', async (path, disposition) => {
      expect((await get(path, '*/*')).headers['content-disposition']).toBe(disposition);
    });
  });

  describe('metadata', () => {
    test('is sent in the headers, and again in the trailers', async () => {
      const response = await begin(service.port, {
        path: `${PRODUCTS}?filter=active=true&page=2&limit=4`,
        headers: { accept: NDJSON, te: 'trailers', ...bearer(service.key) },
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
      // RFC 9110, section 6.6.2: a comma-separated list.
      const announced = response.headers.trailer?.toLowerCase().split(/ *, */) ?? [];
      expect(announced.toSorted()).toEqual(['stockbook-revision', 'stockbook-rows']);
      expect(await finish(response)).toMatchObject({ isComplete: true });
      expect(response.trailers).toEqual({ 'stockbook-rows': '4', 'stockbook-revision': '1' });
    });

    // RFC 9110, section 6.5.1: who copies headers would announce trailers that it does not send.
    test.each([
      [undefined, false],
      ['', false],
      ['gzip', false],
      ['no-trailers', false],
      ['trailers', true],
      ['deflate;q=0.5, Trailers', true],
    ])('with TE: %s, trailers are sent: %s', async (te, isAsked) => {
      for (const path of [PRODUCTS, `${PRODUCTS}/changes`]) {
        const headers = { accept: NDJSON, te, ...bearer(service.key) };
        const response = await begin(service.port, { path, headers });
        expect(await finish(response)).toMatchObject({ isComplete: true });
        expect('trailer' in response.headers).toBe(isAsked);
        const last = path === PRODUCTS ? [] : ['stockbook-cursor', 'stockbook-more'];
        const names = isAsked ? ['stockbook-rows', 'stockbook-revision', ...last] : [];
        expect(Object.keys(response.trailers)).toEqual(names);
      }
    });

    test('a list as JSON varies with Accept as well', async () => {
      expect((await service.send({ path: PRODUCTS })).headers['vary']).toMatch(/accept/i);
    });

    test('an export is an event like any other request', async () => {
      await get(PRODUCTS, CSV, { 'x-request-id': 'an-export' });
      await expect
        .poll(() =>
          service.events.find((event) => event.kind === 'request completed' && event.requestId === 'an-export'),
        )
        .toMatchObject({ status: 200, route: PRODUCTS, account: 'acme' });
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
    ])('%s contains only that page', async (query, ids, total) => {
      const { headers, text } = await get(`${PRODUCTS}?fields=id&${query}`, NDJSON);
      expect(lines(text)).toEqual(ids.map((id) => ({ id })));
      expect(headers).toMatchObject({ 'stockbook-rows': String(ids.length), 'stockbook-total': String(total) });
      expect((await get(`${PRODUCTS}?fields=id&${query}`, CSV)).text).toBe(
        ['id', ...ids].map((cell) => `${cell}\r\n`).join(''),
      );
    });
  });

  describe('entity tags', () => {
    const formats = ['application/json', NDJSON, CSV, 'text/csv;excel-safe=true'];

    test('differ between formats', async () => {
      const tags = await Promise.all(formats.map(async (format) => (await get(COMPANIES, format)).headers['etag']));
      expect(new Set(tags).size).toBe(formats.length);
    });

    test('an unchanged export is a 304, but only in the same format', async () => {
      for (const format of formats.slice(1)) {
        const tag = (await get(COMPANIES, format)).headers['etag'] ?? '';
        for (const match of [tag, `W/${tag}`, `"x", ${tag}`, '*']) {
          const reply = await get(COMPANIES, format, { 'if-none-match': match });
          expect({ status: reply.status, text: reply.text, etag: reply.headers['etag'] }).toEqual({
            status: 304,
            text: '',
            etag: tag,
          });
          expect(reply.headers['vary']).toMatch(/accept/i);
        }
        for (const other of formats.filter((candidate) => candidate !== format))
          expect((await get(COMPANIES, other, { 'if-none-match': tag })).status).toBe(200);
      }
    });

    test('change with a write', async () => {
      const before = (await get(PARTNERS, CSV)).headers;
      await service.send(createPartner('New'));
      const after = await get(PARTNERS, CSV, { 'if-none-match': before['etag'] });
      expect(after.status).toBe(200);
      expect(after.text).toContain('"New"');
      expect(Number(after.headers['stockbook-revision'])).toBe(Number(before['stockbook-revision']) + 1);
    });

    test('a 304 takes no slot', async () => {
      const tag = (await get(COMPANIES, CSV)).headers['etag'];
      for (let n = 0; n < 20; n += 1) expect((await get(COMPANIES, CSV, { 'if-none-match': tag })).status).toBe(304);
      await noneIsRunning();
    });
  });

  describe('HEAD', () => {
    test.each([NDJSON, CSV])('as %s is GET without the body', async (accept) => {
      const reply = await get(PRODUCTS, accept, { 'x-request-id': 'head' });
      const head = await service.send({ method: 'HEAD', path: PRODUCTS, headers: { accept, 'x-request-id': 'head' } });
      expect({ status: head.status, text: head.text }).toEqual({ status: 200, text: '' });
      // RFC 9110, section 9.3.2: headers whose values depend on generating the body may be omitted.
      const { date: _, 'transfer-encoding': __, ...headers } = reply.headers;
      expect(head.headers).toMatchObject(headers);
      // It would have to be the length of the body that GET returns.
      expect(head.headers['content-length']).toBeUndefined();
    });

    test('releases its slot', async () => {
      const request = { method: 'HEAD', path: PARTNERS, headers: { accept: CSV, ...big } };
      for (let n = 0; n < 20; n += 1) expect((await service.send(request)).status).toBe(200);
      await noneIsRunning();
    });
  });

  describe('errors are the same as for JSON', () => {
    test.each([
      ['page=0', 400, 'invalid_page'],
      ['limit=1001', 400, 'invalid_limit'],
      ['fields=nmae', 400, 'unknown_field'],
      ['filter=nmae=x', 400, 'unknown_field'],
      ['filter=id>', 400, 'invalid_value'],
      ['sort=nmae', 400, 'unknown_field'],
      ['language=en', 400, 'unknown_parameter'],
      ['page=1&page=2', 400, 'repeated_parameter'],
    ])('?%s → %i %s', async (query, status, code) => {
      for (const accept of [NDJSON, CSV])
        await checkRow(service, {
          request: { path: `${PRODUCTS}?${query}`, headers: { accept } },
          status,
          has: { code },
          headers: { etag: undefined, trailer: undefined, 'stockbook-rows': undefined },
        });
    });

    test('without a key, or on the host of another account → 401', async () => {
      for (const headers of [{ authorization: undefined }, { host: 'globex.localhost' }])
        await checkRow(service, {
          request: { path: PRODUCTS, headers: { accept: CSV, ...headers } },
          status: 401,
        });
    });

    test('HTTP/1.0, in which a truncated stream looks complete → 406', async () => {
      const sendAs10 = async (query: string, accept: string) =>
        readReply(
          // The connection is closed after the response, as always with HTTP/1.0.
          await sendRaw(
            service.port,
            `GET ${PRODUCTS}${query} HTTP/1.0\r\nAuthorization: Bearer ${service.key}\r\nAccept: ${accept}\r\n\r\n`,
          ),
        );
      for (const accept of [NDJSON, CSV])
        checkReply(await sendAs10('', accept), {
          status: 406,
          has: { code: 'stream_needs_chunks' },
          // HTTP/2 forbids it, and a proxy would pass it on.
          headers: { upgrade: undefined },
        });
      expect((await sendAs10('?page=0', CSV)).status).toBe(400);
      expect((await sendAs10('', 'application/json')).status).toBe(200);
    });
  });

  test('an export never contains records of another account', async () => {
    const globex = bearer(await service.issue(service.globex));
    expect(lines((await get(`${PRODUCTS}?fields=id`, NDJSON, globex)).text)).toEqual([{ id: 7 }]);
    expect((await get(`${PARTNERS}?fields=id`, CSV, globex)).text).toBe('id\r\n900\r\n');
    expect((await get(PRODUCTS, NDJSON)).text).not.toContain('Globex');
    const theirs = (await get(PRODUCTS, NDJSON, globex)).headers['etag'] ?? '';
    expect((await get(PRODUCTS, NDJSON, { 'if-none-match': theirs })).status).toBe(200);
  });

  describe('concurrent exports', () => {
    test('the fifth of an account is a 503, and what clients do not read is not buffered', async () => {
      await noneIsRunning();
      const before = bufferedBytes();
      const held = await Promise.all(Array.from({ length: 4 }, () => beginBig()));
      expect(held.map(({ statusCode }) => statusCode)).toEqual(held.map(() => 200));
      const [first, second] = held;
      if (first === undefined || second === undefined) throw new Error('there are no responses');
      try {
        checkReply(await get(COMPANIES, CSV, big), {
          status: 503,
          has: { code: 'exports_busy' },
          headers: { 'retry-after': '5', trailer: undefined },
        });
        // Another account has slots of its own.
        expect((await get(PRODUCTS, CSV)).status).toBe(200);
        // Requests that are not exports are served. Meanwhile, an export that ignored backpressure would read on.
        for (let n = 0; n < 100; n += 1) expect((await service.send({ path: PRODUCTS })).status).toBe(200);
        // The bodies have four times 20 MB. What has been sent may take a moment to be collected.
        await expect.poll(() => bufferedBytes() - before).toBeLessThan(16 * 1024 * 1024);

        first.destroy();
        await expect.poll(async () => (await get(COMPANIES, CSV, big)).status).toBe(200);
        // The others are not interrupted.
        expect(await finish(second)).toMatchObject({ isComplete: true });
        expect(second.trailers['stockbook-rows']).toBe(String(MANY));
      } finally {
        for (const response of held) response.destroy();
      }
      await noneIsRunning();
    });

    test('release their slots when they end', async () => {
      await Promise.all(
        Array.from({ length: 4 }, async () => {
          for (let n = 0; n < 12; n += 1) expect((await get(COMPANIES, CSV)).status).toBe(200);
        }),
      );
      await noneIsRunning();
    });

    test('leave nothing behind and are not errors when their clients disconnect, at whatever point', async () => {
      const since = service.events.length;
      const leaves: readonly Leave[] = [
        (request, leave) => request.once('socket', leave),
        (request, leave) => request.once('finish', leave),
        (request, leave) => request.once('response', leave),
        ...Array.from({ length: 13 }, (_, n) => leaveAfterChunks(n + 1)),
      ];
      for (const accept of [NDJSON, CSV])
        for (let from = 0; from < leaves.length; from += 4) {
          await noneIsRunning();
          await Promise.all(leaves.slice(from, from + 4).map((leave) => disconnect(accept, leave)));
        }
      await noneIsRunning();
      const kinds = service.events.slice(since).map(({ kind }) => kind);
      expect(kinds.filter((kind) => kind === 'stream aborted' || kind === 'request failed')).toEqual([]);
    });

    type Leave = (request: ClientRequest, leave: () => void) => void;

    /** Starts an export, leaves when `on` says so, and resolves when the connection is closed. */
    const disconnect = async (accept: string, on: Leave): Promise<void> => {
      const request = httpRequest({
        host: '127.0.0.1',
        port: service.port,
        path: PARTNERS,
        headers: { accept, ...big },
        agent: false,
      });
      const closed = new Promise((resolve) => request.once('close', resolve));
      request.on('error', () => {});
      request.on('response', (response) => response.on('error', () => {}).resume());
      on(request, () => request.destroy());
      request.end();
      await closed;
    };

    const leaveAfterChunks =
      (count: number): Leave =>
      (request, leave) => {
        let chunks = 0;
        request.on('response', (response) =>
          response.on('data', () => {
            chunks += 1;
            if (chunks === count) leave();
          }),
        );
      };
  });

  test('a slow reader gets everything, and others are served meanwhile', async () => {
    const response = await beginBig();
    const chunks: Buffer[] = [];
    for await (const chunk of response) {
      chunks.push(chunk);
      if (chunks.length % 10 === 0) expect((await service.send({ path: `${PRODUCTS}/1` })).status).toBe(200);
    }
    expect(response.complete).toBe(true);
    expect(response.trailers).toEqual({ 'stockbook-rows': String(MANY), 'stockbook-revision': '1' });
    const records = lines(Buffer.concat(chunks).toString('utf8'));
    expect(records.map(({ id }) => id)).toEqual(Array.from({ length: MANY }, (_, n) => n + 1));
    expect(records.every(({ street }) => street === LONG)).toBe(true);
  });

  test('an export does not contain what is written while it runs', async () => {
    const response = await beginBig(CSV);
    expect((await service.send(createPartner('Meanwhile', big))).status).toBe(201);
    const chunks: Buffer[] = [];
    for await (const chunk of response) chunks.push(chunk);
    const text = Buffer.concat(chunks).toString('utf8');
    expect(text).not.toContain('Meanwhile');
    expect(text.split('\r\n')).toHaveLength(MANY + 2);
    const current = await get(`${PARTNERS}?limit=1`, CSV, big);
    expect(current.headers).toMatchObject({ 'stockbook-total': String(MANY + 1), 'stockbook-revision': '2' });
  });
});

describe.each(engines)('a failing export on $name', (engine) => {
  let service: TestService;
  let big: { readonly authorization: string };
  let atRest: number;
  beforeAll(async () => {
    service = await startService(engine);
    big = bearer(await service.issue(await addMany(service.store, 'big')));
    await service.send({ path: PRODUCTS });
    atRest = await heldSnapshots(service.database);
  });
  afterAll(() => service.close());

  const aborted = (requestId: string) =>
    service.events.filter((event) => event.kind === 'stream aborted' && event.requestId === requestId);

  test.each([NDJSON, CSV])('never looks complete if it fails before the first record (%s)', async (accept) => {
    await service.database.execute('ALTER TABLE company RENAME TO misplaced');
    try {
      const headers = { accept, te: 'trailers', ...bearer(service.key) };
      const response = await begin(service.port, { path: COMPANIES, headers }).catch(() => undefined);
      if (response?.statusCode === 200) {
        expect(await finish(response)).toMatchObject({ isComplete: false });
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

  test('breaks the connection if it fails in the middle, and is an event', async () => {
    // Only what is in the file can be damaged there.
    if (engine.name === 'SQLite') await service.database.execute('PRAGMA wal_checkpoint(TRUNCATE)');
    const responses = await Promise.all(
      [NDJSON, CSV].map((accept) =>
        begin(service.port, {
          path: PARTNERS,
          headers: { accept, te: 'trailers', ...big, 'x-request-id': `aborted-${accept}` },
        }),
      ),
    );
    expect(responses.map(({ statusCode }) => statusCode)).toEqual([200, 200]);
    if (engine.name === 'SQLite') damage(service.database.url);
    else
      await service.database.execute(
        `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
          WHERE datname = current_database() AND pid <> pg_backend_pid() AND backend_type = 'client backend'
            AND xact_start IS NOT NULL`,
      );
    for (const response of responses) {
      const { bytes, isComplete } = await finish(response);
      expect(isComplete).toBe(false);
      expect(bytes).toBeGreaterThan(0);
      expect(bytes).toBeLessThan(MANY * LONG.length * 3);
      expect(response.trailers).toEqual({});
    }
    for (const accept of [NDJSON, CSV]) await expect.poll(() => aborted(`aborted-${accept}`)).toHaveLength(1);
    await expect.poll(() => heldSnapshots(service.database)).toBeLessThanOrEqual(atRest);
  });
});

/** Overwrites all but the beginning of a file, as a failing disk might. */
function damage(path: string): void {
  const content = readFileSync(path);
  writeFileSync(path, content.fill(0, Math.floor(content.length / 4)), { flag: 'r+' });
}

/** The size of all buffers that are in use. */
function bufferedBytes(): number {
  setFlagsFromString('--expose-gc');
  runInNewContext('gc')();
  return process.memoryUsage().arrayBuffers;
}
