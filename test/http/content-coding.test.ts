/** Compressed responses: what is compressed, and that entity tags tell the codings apart. */

import { request as httpRequest } from 'node:http';
import { gunzipSync, zstdDecompressSync } from 'node:zlib';
import { beforeAll, describe, expect, test } from 'vitest';
import { product } from '../../src/catalog/product.ts';
import { contentCoded, MAX_STREAMS } from '../../src/reply/content-coding.ts';
import { isStreamed, type Reply } from '../../src/reply/reply.ts';
import { oneEngine } from '../support/engines.ts';
import { PRODUCTS } from '../support/rows.ts';
import { accountWith } from '../support/service.ts';
import { sharedService } from '../support/shared.ts';

const decoders = { gzip: gunzipSync, zstd: zstdDecompressSync };

interface Coded {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly trailers: Readonly<Record<string, string | undefined>>;
  readonly bytes: Buffer;
}

describe.each(oneEngine)('on $name', (engine) => {
  let big: { readonly authorization: string };
  const service = sharedService(engine);
  beforeAll(async () => {
    const records = Array.from({ length: 500 }, (_, n) => ({ id: n + 1, name: `Oak chair ${n}`, list_price: n }));
    big = await accountWith(service, product, records);
  });

  /** The bytes as they were sent. */
  function get(path: string, headers: Readonly<Record<string, string>>, method = 'GET'): Promise<Coded> {
    const options = { host: '127.0.0.1', port: service.port, method, path, headers: { ...big, ...headers } };
    return new Promise((resolve, reject) => {
      httpRequest({ ...options, agent: false }, (response) => {
        const chunks: Buffer[] = [];
        response
          .on('data', (chunk: Buffer) => chunks.push(chunk))
          .once('error', reject)
          .once('end', () =>
            resolve({
              status: response.statusCode ?? 0,
              headers: response.headers,
              trailers: response.trailers,
              bytes: Buffer.concat(chunks),
            }),
          );
      })
        .once('error', reject)
        .end();
    });
  }

  describe.each(['gzip', 'zstd'] as const)('with %s', (coding) => {
    const accepting = { 'accept-encoding': coding };

    test('a list that is requested again and again', async () => {
      const path = `${PRODUCTS}?limit=100&filter=name!=${coding}`;
      const plain = await get(path, {});
      let coded = await get(path, accepting);
      expect(coded.headers['content-encoding']).toBeUndefined();
      await expect
        .poll(async () => {
          coded = await get(path, accepting);
          return coded.headers['content-encoding'];
        })
        .toBe(coding);
      expect(decoders[coding](coded.bytes).equals(plain.bytes)).toBe(true);
      expect(coded.bytes.length).toBeLessThan(plain.bytes.length / 3);
      expect(coded.headers).toMatchObject({
        'content-length': String(coded.bytes.length),
        'content-type': 'application/json',
        etag: plain.headers['etag']?.toString().replace(/"$/, `-${coding}"`),
        vary: expect.stringContaining('accept-encoding'),
      });
      const head = await get(path, accepting, 'HEAD');
      expect(head).toMatchObject({
        status: 200,
        headers: { 'content-encoding': coding, 'content-length': String(coded.bytes.length) },
      });
      expect(head.bytes.length).toBe(0);
      // Others still get it as it is.
      expect((await get(path, {})).bytes.equals(plain.bytes)).toBe(true);
    });

    test('either tag matches, and a 304 has the one that the client has', async () => {
      const { headers } = await get(PRODUCTS, {});
      const tag = headers['etag']?.toString() ?? '';
      const codedTag = tag.replace(/"$/, `-${coding}"`);
      for (const known of [tag, codedTag, `W/${codedTag}`]) {
        const reply = await get(PRODUCTS, { ...accepting, 'if-none-match': known });
        expect(reply).toMatchObject({ status: 304, headers: { etag: known.replace('W/', '') } });
      }
      expect(await get(PRODUCTS, { 'if-none-match': tag.replace(/"$/, '-br"') })).toMatchObject({ status: 200 });
    });

    test.each(['application/x-ndjson', 'text/csv'])('a stream of %s', async (accept) => {
      const plain = await get(PRODUCTS, { accept });
      const coded = await get(PRODUCTS, { accept, te: 'trailers', ...accepting });
      expect(coded.headers).toMatchObject({ 'content-encoding': coding, 'stockbook-rows': '500' });
      expect(decoders[coding](coded.bytes).equals(plain.bytes)).toBe(true);
      expect(coded.trailers).toMatchObject({ 'stockbook-rows': '500' });
      expect(coded.headers['etag']).not.toBe(plain.headers['etag']);
      const head = await get(PRODUCTS, { accept, ...accepting }, 'HEAD');
      expect(head).toMatchObject({ status: 200, headers: { 'content-encoding': coding } });
    });

    test('changes as lines', async () => {
      const headers = { accept: 'application/x-ndjson; end=line' };
      const coded = await get(`${PRODUCTS}/changes`, { ...headers, ...accepting });
      expect(coded.headers['content-encoding']).toBe(coding);
      const plain = await get(`${PRODUCTS}/changes`, headers);
      expect(decoders[coding](coded.bytes).toString()).toBe(plain.bytes.toString());
    });
  });

  test.each(['', 'identity', 'br', 'gzip;q=0', 'identity, gzip;q=0.5', `gzip, ${'x'.repeat(1_100)}`])(
    'Accept-Encoding: %s gets a stream as it is',
    async (acceptEncoding) => {
      const reply = await get(PRODUCTS, { accept: 'text/csv', 'accept-encoding': acceptEncoding });
      expect(reply.headers['content-encoding']).toBeUndefined();
      expect(reply.bytes.toString()).toContain('Oak chair 499');
    },
  );

  test('an aggregate that is requested again', async () => {
    const path = `${PRODUCTS}/aggregate?facets=name&limit=100`;
    const plain = await get(path, {});
    let coded = plain;
    await expect
      .poll(async () => {
        coded = await get(path, { 'accept-encoding': 'gzip' });
        return coded.headers['content-encoding'];
      })
      .toBe('gzip');
    expect(gunzipSync(coded.bytes).equals(plain.bytes)).toBe(true);
  });

  test('the coding that the client prefers', async () => {
    const csv = { accept: 'text/csv' };
    for (const [accepted, coding] of [
      ['gzip, deflate, br, zstd', 'gzip'],
      ['gzip;q=0.5, zstd', 'zstd'],
      ['gzip, zstd;q=0.1', 'gzip'],
      ['*', 'zstd'],
    ])
      expect((await get(PRODUCTS, { ...csv, 'accept-encoding': accepted ?? '' })).headers['content-encoding']).toBe(
        coding,
      );
  });

  test('small responses and event streams are not compressed', async () => {
    const small = `${PRODUCTS}?limit=2&fields=id`;
    for (let n = 0; n < 5; n += 1)
      expect((await get(small, { 'accept-encoding': 'gzip' })).headers['content-encoding']).toBeUndefined();
    const events = await get(`${PRODUCTS}/changes`, { accept: 'text/event-stream', 'accept-encoding': 'gzip' }, 'HEAD');
    expect(events).toMatchObject({ status: 200, headers: { 'content-type': 'text/event-stream' } });
    expect(events.headers['content-encoding']).toBeUndefined();
  });
});

describe('streams', () => {
  const stream = (): Reply => ({
    status: 200,
    headers: { 'content-type': 'application/x-ndjson' },
    body: { next: async () => undefined, close: async () => undefined, trailers: () => ({}) },
  });
  const isCoded = ({ headers }: Reply) => headers['content-encoding'] === 'gzip';

  test('the maximum number are compressed at the same time, and one more is sent as it is', async () => {
    const replies = Array.from({ length: MAX_STREAMS + 1 }, () => contentCoded(stream(), 'gzip'));
    expect(replies.map(isCoded)).toEqual([...Array.from({ length: MAX_STREAMS }, () => true), false]);
    const [first] = replies;
    // A stream may be closed twice.
    for (let n = 0; n < 2; n += 1) if (isStreamed(first?.body)) await first.body.close();
    expect([contentCoded(stream(), 'gzip'), contentCoded(stream(), 'gzip')].map(isCoded)).toEqual([true, false]);
  });
});
