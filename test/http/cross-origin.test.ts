/** Web pages of other origins: what a browser asks, and what it lets the page read. */

import { describe, expect, test } from 'vitest';
import { apiPaths } from '../../src/request/route.ts';
import { oneEngine } from '../support/engines.ts';
import { PARTNERS, PRODUCTS } from '../support/rows.ts';
import { startService } from '../support/service.ts';
import { sharedService } from '../support/shared.ts';

const SHOP = 'https://shop.example.com';

function preflight(origin: string, path = PARTNERS) {
  return {
    method: 'OPTIONS',
    path,
    headers: {
      authorization: undefined,
      origin,
      'access-control-request-method': 'POST',
      'access-control-request-headers': 'authorization,content-type,idempotency-key',
    },
  };
}

describe.each(oneEngine)('on $name', (engine) => {
  describe('by default', () => {
    const service = sharedService(engine);

    test('no page is allowed', async () => {
      const asked = await service.send(preflight(SHOP));
      const sent = await service.send({ path: PRODUCTS, headers: { origin: SHOP } });
      expect([asked.status, sent.status]).toEqual([401, 200]);
      for (const { headers } of [asked, sent]) expect(headers).not.toHaveProperty('access-control-allow-origin');
      expect(sent.headers['vary']).not.toContain('origin');
    });
  });

  describe('with allowed origins', () => {
    const service = sharedService(engine, { settings: { 'cors-origins': `${SHOP},http://localhost:3000` } });

    test.each([PARTNERS, '/api/v1/nothing', '/openapi.json'])('a preflight of %s needs no key', async (path) => {
      const { status, headers, text } = await service.send(preflight(SHOP, path));
      expect({ status, text }).toEqual({ status: 204, text: '' });
      expect(headers).toMatchObject({
        'access-control-allow-origin': SHOP,
        'access-control-allow-methods': expect.stringMatching(/\bPOST, PUT, PATCH, DELETE, QUERY\b/),
        'access-control-allow-headers': expect.stringMatching(
          /\bauthorization, content-encoding\b.*\bidempotency-key, if-match\b.*\btraceparent, tracestate\b/,
        ),
        'access-control-max-age': '7200',
        vary: 'origin',
      });
      expect(headers).not.toHaveProperty('access-control-allow-credentials');
    });

    test('a page can use every method and every header of the API', async () => {
      const { headers } = await service.send(preflight(SHOP, PARTNERS));
      const allowed = (what: string) => headers[`access-control-allow-${what}`]?.split(', ');
      const methods = apiPaths.flatMap((path) => Object.keys(path.methods));
      expect(allowed('methods')).toEqual(expect.arrayContaining(methods));
      const names = ['If-Match', 'If-None-Match', 'Idempotency-Key', 'Prefer', 'Last-Event-ID', 'Content-Encoding'];
      expect(allowed('headers')).toEqual(expect.arrayContaining(names.map((name) => name.toLowerCase())));
    });

    test.each([
      { path: PRODUCTS, status: 200 },
      { path: `${PRODUCTS}?page=0`, status: 400 },
      { path: PRODUCTS, headers: { authorization: undefined }, status: 401 },
    ])('a page can read a $status', async ({ status, headers, path }) => {
      const reply = await service.send({ path, headers: { ...headers, origin: SHOP } });
      expect(reply).toRespond(status);
      expect(reply.headers).toMatchObject({
        'access-control-allow-origin': SHOP,
        'access-control-expose-headers': expect.stringMatching(/\betag\b.*\blink\b.*\bretry-after\b.*\btraceparent\b/),
        vary: expect.stringMatching(/\borigin$/),
      });
    });

    test.each(['https://shop.example.com.evil.test', 'null', 'https://SHOP.example.com:444', ''])(
      'a page of %j is not allowed',
      async (origin) => {
        const asked = await service.send(preflight(origin));
        const sent = await service.send({ path: PRODUCTS, headers: { origin } });
        expect([asked.status, sent.status]).toEqual([401, 200]);
        for (const { headers } of [asked, sent]) expect(headers).not.toHaveProperty('access-control-allow-origin');
        // A shared cache must not give this response to an allowed page.
        expect(sent.headers['vary']).toContain('origin');
      },
    );
  });

  test('with *, any page is allowed', async () => {
    const service = await startService(engine, { settings: { 'cors-origins': '*' } });
    try {
      expect(await service.send(preflight('null'))).toRespond(204);
      const { headers } = await service.send({ path: PRODUCTS, headers: { origin: 'https://anywhere.test' } });
      expect(headers['access-control-allow-origin']).toBe('*');
    } finally {
      await service.close();
    }
  });
});
