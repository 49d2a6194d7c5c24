/** Lists as streams of NDJSON and CSV, over a real socket. */

import { describe, expect, test } from 'vitest';
import { product } from '../../src/catalog/product.ts';
import { MAX_ACCEPT_BYTES } from '../../src/request/accept.ts';
import { oneEngine } from '../support/engines.ts';
import { type RecordValues, tabled } from '../support/fixture.ts';
import { readReply, sendRaw } from '../support/raw-socket.ts';
import { begin, finish } from '../support/response-stream.ts';
import { COMPANIES, checkReply, checkRow, createPartner, PARTNERS, PRODUCTS } from '../support/rows.ts';
import { accountWith, bearer, type TestRequest } from '../support/service.ts';
import { sharedService } from '../support/shared.ts';

const NDJSON = 'application/x-ndjson';
const CSV = 'text/csv';
const XLSX = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet';
const CSV_TYPE = 'text/csv; charset=utf-8; header=present';

describe.each(oneEngine)('on $name', (engine) => {
  const service = sharedService(engine);

  const get = (path: string, accept: string, headers: TestRequest['headers'] = {}) =>
    service.send({ path, headers: { accept, ...headers } });
  const lines = (text: string): readonly RecordValues[] =>
    text
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line));

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
      [XLSX, XLSX],
      [`${XLSX}, */*;q=0.1`, XLSX],
      [`${XLSX};q=0.5, application/json;q=0.6`, JSON_TYPE],
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
        checkReply(await get(PRODUCTS, accept), { status: 200, headers: { 'content-type': JSON_TYPE } });
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
      checkReply(await get(`${PRODUCTS}/1`, CSV), { status: 200, headers: { 'content-type': JSON_TYPE } });
    });
  });

  describe('a whole list', () => {
    test('for spreadsheets has labels, times that they read, and numbers as they are', async () => {
      const dates = ['2026-06-23T23:59:59.999Z', '0001-01-01T00:00:00.000Z'] as const;
      const records = tabled('name list_price write_date', ['a', 1234.5, dates[0]], ['b', 1e-7, dates[1]]);
      const headers = await accountWith(service, product, records);
      const path = `${PRODUCTS}?fields=id,list_price,write_date`;
      expect((await get(path, 'text/csv; excel-safe=true', headers)).text).toBe(
        '\ufeff"ID","Sales price","Changed"\r\n1,1234.5,2026-06-23 23:59:59\r\n2,1e-7,0001-01-01 00:00:00\r\n',
      );
      expect((await get(path, CSV, headers)).text).toBe(
        'id,list_price,write_date\r\n1,1234.5,2026-06-23T23:59:59.999Z\r\n2,1e-7,0001-01-01T00:00:00.000Z\r\n',
      );
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
      expect((await get(`${COMPANIES}?format=csv`, SAFE)).text).toMatch(/^\uFEFF/);
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
          expect(await get(COMPANIES, other, { 'if-none-match': tag })).toRespond(200);
      }
    });

    test('change with a write', async () => {
      const before = (await get(PARTNERS, CSV)).headers;
      await service.send(createPartner('New'));
      const after = await get(PARTNERS, CSV, { 'if-none-match': before['etag'] });
      expect(after).toRespond(200);
      expect(after.text).toContain('"New"');
      expect(Number(after.headers['stockbook-revision'])).toBe(Number(before['stockbook-revision']) + 1);
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
  });

  describe('errors are the same as for JSON', () => {
    test.each([
      ['page=0', 400, 'invalid_page'],
      ['fields=nmae', 400, 'unknown_field'],
      ['filter=id>', 400, 'invalid_value'],
      ['language=en', 400, 'unknown_parameter'],
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
        await checkRow(service, { request: { path: PRODUCTS, headers: { accept: CSV, ...headers } }, status: 401 });
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
      expect(await sendAs10('?page=0', CSV)).toRespond(400);
      expect(await sendAs10('', 'application/json')).toRespond(200);
    });
  });
});
