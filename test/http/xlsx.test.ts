/** Lists as workbooks of Excel, over a real socket. */

import { beforeAll, describe, expect, test } from 'vitest';
import { product } from '../../src/catalog/product.ts';
import { aboveStore } from '../support/above-store.ts';
import { addAccount, load, tabled } from '../support/fixture.ts';
import { readReply, sendRaw } from '../support/raw-socket.ts';
import { begin } from '../support/response-stream.ts';
import { PRODUCTS } from '../support/rows.ts';
import { bearer, type TestRequest } from '../support/service.ts';
import { sharedService } from '../support/shared.ts';
import { rowsOf } from '../support/workbooks.ts';

const XLSX = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet';

const HOSTILE = '=1+1 <b>&amp;\u0001\r\n_x0041_ ]]> \uffff';

const products = tabled(
  'id name default_code list_price active categ_id create_date write_date',
  [1, 'Chair', '00123', 1234.5, true, 999_999_999_999_999, '2026-01-31T09:30:00.001Z', '1900-03-01T00:00:00.000Z'],
  [2, HOSTILE, null, 1e21, false, 1_000_000_000_000_000, '2026-01-31T00:00:00.000Z', '1900-02-28T23:59:59.999Z'],
  [3, ' ', '', -0.1, true, null, '9999-12-31T23:59:59.999Z', '2026-01-01T00:00:00.000Z'],
);

describe.each(aboveStore)('on $name', (engine) => {
  let headers: Readonly<Record<string, string>>;
  const service = sharedService(engine);
  beforeAll(async () => {
    const account = await addAccount(service.store, 'shop');
    await load(service.store, account, product, products);
    headers = bearer(await service.issue(account));
  });

  const get = async (query: string, more: TestRequest['headers'] = {}) => {
    const response = await begin(service.port, { path: `${PRODUCTS}?${query}`, headers: { ...headers, ...more } });
    const chunks: Buffer[] = [];
    for await (const chunk of response) chunks.push(chunk);
    return { response, bytes: Buffer.concat(chunks) };
  };
  const cellsOf = async (query: string) => {
    const { bytes } = await get(query, { accept: XLSX });
    return (await rowsOf(bytes)).map(({ cells }) => cells.map((cell) => Object.values(cell)[1] ?? null));
  };

  test('numbers are numbers, dates are dates, booleans are booleans, and text is never a formula', async () => {
    const { bytes } = await get('format=xlsx');
    const [, ...rows] = await rowsOf(bytes);
    const text = (value: string) => ({ kind: 'text', text: value });
    const number = (value: number) => ({ kind: 'number', value, text: String(value) });
    const date = (value: string) => ({ kind: 'date', text: value });
    const boolean = (value: boolean) => ({ kind: 'boolean', value });
    const empty = { kind: 'empty' };
    expect(rows.map(({ cells }) => cells)).toEqual([
      [
        ...[number(1), text('Chair'), text('00123'), number(1234.5), number(0), boolean(true)],
        ...[number(999_999_999_999_999), empty, empty, date('2026-01-31T09:30:00.001'), date('1900-03-01')],
      ],
      [
        ...[number(2), text(HOSTILE), empty, number(1e21), number(0), boolean(false)],
        ...[text('1000000000000000'), empty, empty, date('2026-01-31'), text('1900-02-28T23:59:59.999Z')],
      ],
      [
        ...[number(3), text(' '), empty, number(-0.1), number(0), boolean(true)],
        ...[empty, empty, empty, date('9999-12-31T23:59:59.999'), date('2026-01-01')],
      ],
    ]);
  });

  test('filter, fields, sort and pages are those of a list', async () => {
    expect(await cellsOf('fields=name,id&sort=-id&filter=id<3')).toEqual([
      ['Name', 'ID'],
      [HOSTILE, 2],
      ['Chair', 1],
    ]);
    expect(await cellsOf('fields=id&limit=1&page=2')).toEqual([['ID'], [2]]);
    expect(await cellsOf('fields=id&filter=id=99')).toEqual([['ID']]);
  });

  test('the headers are those of a stream, and a browser saves it under a name', async () => {
    const { response, bytes } = await get('filter=id<3', { accept: XLSX, te: 'trailers', 'accept-encoding': 'gzip' });
    expect(response.headers).toMatchObject({
      'content-type': XLSX,
      'content-disposition': 'attachment; filename="products.xlsx"',
      'stockbook-rows': '2',
      'stockbook-total': '2',
      'transfer-encoding': 'chunked',
    });
    // It is compressed by itself.
    expect(response.headers['content-encoding']).toBeUndefined();
    expect(bytes.subarray(0, 2).toString()).toBe('PK');
    expect(response.trailers).toEqual({ 'stockbook-rows': '2', 'stockbook-revision': '1' });
  });

  test('the same tag means the same bytes', async () => {
    const [first, second] = [await get('format=xlsx'), await get('format=xlsx')];
    expect(first.bytes).toEqual(second.bytes);
    const { etag = '' } = first.response.headers;
    expect(etag).toBe(second.response.headers.etag);
    expect(etag).not.toBe((await get('format=csv')).response.headers.etag);
    expect((await get('format=xlsx', { 'if-none-match': etag })).response.statusCode).toBe(304);
  });

  test('HEAD has the headers, and HTTP/1.0 gets a 406', async () => {
    const path = `${PRODUCTS}?format=xlsx`;
    const head = await service.send({ method: 'HEAD', path, headers });
    expect(head).toMatchObject({ status: 200, text: '', headers: { 'content-type': XLSX, 'stockbook-rows': '3' } });
    const authorization = `Authorization: ${headers['authorization']}`;
    const reply = readReply(await sendRaw(service.port, `GET ${path} HTTP/1.0\r\n${authorization}\r\n\r\n`));
    expect(reply).toRespond(406);
  });
});
