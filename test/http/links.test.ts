/** The header `Link`: from any page of a list to the others. */

import { describe, expect, test } from 'vitest';
import { oneEngine } from '../support/engines.ts';
import { products } from '../support/fixture.ts';
import { bodyOf, PRODUCTS } from '../support/rows.ts';
import { bearer, send, type TestReply, type TestRequest } from '../support/service.ts';
import { sharedService } from '../support/shared.ts';

/** By relation. */
function linksOf({ headers }: TestReply): Readonly<Record<string, string>> {
  const links = (headers['link'] ?? '').matchAll(/<([^>]*)>; rel="(\w+)"/g);
  return Object.fromEntries([...links].map(([, url, relation = '']) => [relation, url ?? '']));
}

describe.each(oneEngine)('on $name', (engine) => {
  const service = sharedService(engine);

  test.each(['limit=2&fields=id', 'fields=id&page=1&limit=3', 'filter=id>0&id<100&limit=2', '%70age=1&limit=4'])(
    'following next of ?%s leads to every record once, and prev back again',
    async (query) => {
      const seen: unknown[] = [];
      let path: string | undefined = `${PRODUCTS}?${query}`;
      let previous: string | undefined;
      while (path !== undefined) {
        const reply: TestReply = await service.send({ path });
        expect(reply).toRespond(200);
        const links = linksOf(reply);
        const { data, pagination } = Object(reply.json);
        seen.push(...data.map(({ id }: { id: number }) => id));
        expect(Object.keys(links)).toEqual([
          'first',
          ...(pagination.previousPage === null ? [] : ['prev']),
          ...(pagination.nextPage === null ? [] : ['next']),
          'last',
        ]);
        if (previous !== undefined)
          expect(bodyOf(await service.send({ path: links['prev'] ?? '' })).data).toEqual(
            bodyOf(await service.send({ path: previous })).data,
          );
        previous = path;
        path = links['next'];
      }
      expect(seen).toEqual(products.map(({ id }) => id));
    },
  );

  test('characters that a URL must not contain are encoded', async () => {
    const links = linksOf(await service.send({ path: `${PRODUCTS}?filter=name!=">,<"&limit=1` }));
    expect(links['next']).toBe(`${PRODUCTS}?filter=name%21=%22%3E,%3C%22&limit=1&page=2`);
    expect(await service.send({ path: links['next'] ?? '' })).toRespond(200);
  });

  test('a filter with raw & in a value stays the same', async () => {
    const path = `${PRODUCTS}?filter=name!="a&&b"&limit=1`;
    const [first, next] = [await service.send({ path }), linksOf(await service.send({ path }))['next'] ?? ''];
    expect(decodeURIComponent(next)).toContain('filter=name!="a&&b"&limit=1');
    expect(bodyOf(await service.send({ path: next })).meta).toEqual(bodyOf(first).meta);
  });

  test('an empty list has none, and neither has a long query', async () => {
    for (const query of ['filter=id=0', `limit=1&filter=${encodeURIComponent(`name!=${'x'.repeat(500)}`)}`]) {
      const reply = await service.send({ path: `${PRODUCTS}?${query}` });
      expect(reply).toRespond(200);
      expect(reply.headers['link']).toBeUndefined();
    }
  });

  describe('addresses are whole if it is known how clients address the service', () => {
    const domain = 'stock.example.com';
    const hosted = sharedService(engine, { settings: { domain } });
    const proxied = sharedService(engine, { settings: { domain, 'trusted-proxies': '127.0.0.1, ::1' } });
    const local = sharedService(engine, { settings: { 'trusted-proxies': '127.0.0.1, ::1' } });
    const services = { hosted, proxied, local, direct: service };
    const HOST = 'acme.stock.example.com';

    test.each<[keyof typeof services, TestRequest['headers'], string]>([
      ['hosted', { host: HOST }, `https://${HOST}`],
      ['hosted', { host: 'Acme.stock.example.com.' }, 'https://Acme.stock.example.com.'],
      ['hosted', { host: `${HOST}:8080` }, ''],
      ['hosted', { host: HOST, 'x-forwarded-proto': 'http' }, `https://${HOST}`],
      ['hosted', { host: HOST, 'x-forwarded-host': 'evil.example.com' }, `https://${HOST}`],
      ['proxied', { host: HOST, 'x-forwarded-proto': 'http' }, `http://${HOST}`],
      ['proxied', { host: `${HOST}:8443`, 'x-forwarded-proto': 'https' }, `https://${HOST}:8443`],
      ['proxied', { host: HOST, forwarded: 'for=203.0.113.7;proto=http;host=evil.example.com' }, `http://${HOST}`],
      ['proxied', { host: HOST, 'x-forwarded-proto': 'javascript' }, `https://${HOST}`],
      ['local', { host: 'stock.lan', 'x-forwarded-proto': 'https' }, 'https://stock.lan'],
      ['local', { host: '[::1]:8080', 'x-forwarded-proto': 'http' }, 'http://[::1]:8080'],
      ['local', { host: 'stock.lan>;rel="next",<x', 'x-forwarded-proto': 'https' }, ''],
      ['local', { host: 'stock.lan' }, ''],
      ['direct', { host: 'stock.lan', 'x-forwarded-proto': 'https' }, ''],
      ['direct', { host: 'acme.localhost' }, ''],
    ])('%s: %j', async (name, headers, origin) => {
      const { port, key } = services[name];
      const path = `${PRODUCTS}?limit=2&page=2&filter=name!=">,<"`;
      const request = () => send(port, { path, headers: { ...bearer(key), ...headers } });
      const expected = `${origin}${PRODUCTS}?limit=2&filter=name%21=%22%3E,%3C%22&page=3`;
      // The last response is from the cache, in which there are those for other hosts.
      for (let n = 0; n < 3; n += 1) expect(linksOf(await request())).toMatchObject({ next: expected });
    });
  });
});
