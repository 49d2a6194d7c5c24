/** Fields that operators add, as clients see them. */

import { request } from 'node:http';
import { describe, expect, test } from 'vitest';
import { issueSignInCode } from '../../src/access/sign-in.ts';
import type { OwnField } from '../../src/catalog/own-field.ts';
import { partner } from '../../src/catalog/partner.ts';
import { product } from '../../src/catalog/product.ts';
import type { ResourceOutline } from '../../src/catalog/resource.ts';
import { engines } from '../support/engines.ts';
import {
  bearer,
  sendUnchecked,
  startService,
  type TestReply,
  type TestRequest,
  type TestService,
} from '../support/service.ts';

const PRODUCTS = '/api/v1/inventory/product';
const PARTNERS = '/api/v1/resources/partner';

const WEIGHT: OwnField = {
  name: 'x_weight',
  label: 'Weight',
  type: 'number',
  meaning: 'weight in kilograms',
  initial: null,
  indexed: true,
};
const STAGE: OwnField = {
  name: 'x_stage',
  label: 'Stage',
  type: 'text',
  meaning: 'where it is in its life',
  initial: 'new',
  choices: ['new', 'sale', 'gone'],
};

/** With a key that permits everything. */
type Send = (request: TestRequest) => Promise<ReturnType<typeof withBody>>;

function withBody(reply: TestReply) {
  return { ...reply, body: reply.json === undefined ? undefined : JSON.parse(reply.text) };
}

/** A database of its own: fields belong to all accounts. */
async function withService(
  engine: (typeof engines)[number],
  body: (service: TestService, send: Send) => Promise<void>,
): Promise<void> {
  const service = await startService(engine);
  try {
    const key = await service.issue(service.acme, { scopes: ['read', 'write', 'edit'] });
    await body(service, async ({ headers, ...request }) =>
      withBody(await sendUnchecked(service.port, { ...request, headers: { ...headers, ...bearer(key) } })),
    );
  } finally {
    await service.close();
  }
}

async function add({ store }: TestService, resource: ResourceOutline, field: OwnField): Promise<void> {
  expect(await store.fields.add(await store.fields.catalog(), resource, field)).toBe(true);
}

async function remove({ store }: TestService, resource: ResourceOutline, name: string): Promise<void> {
  expect(await store.fields.remove(await store.fields.catalog(), resource, name)).toBe(true);
}

const JSON_BODY = { 'content-type': 'application/json' };

describe.each(engines)('on $name', (engine) => {
  test('many sessions that notice a new field at once all write it', () =>
    withService(engine, async (service, send) => {
      const created = (n: number) =>
        send({
          method: 'POST',
          path: PARTNERS,
          headers: JSON_BODY,
          body: JSON.stringify({ name: `P${n}`, x_weight: n }),
        });
      await add(service, partner, WEIGHT);
      const replies = await Promise.all(Array.from({ length: 30 }, (_, n) => created(n)));
      expect(replies.map(({ status }) => status)).toEqual(Array(30).fill(201));
      const list = await send({ path: `${PARTNERS}?filter=x_weight!=null&limit=1` });
      expect(list.body.meta.total).toBe(30);
    }));

  test('an import whose rows arrive while fields change is interrupted, and nothing is lost silently', () =>
    withService(engine, async (service, send) => {
      await send({ path: `${PRODUCTS}?limit=1` });
      const key = await service.issue(service.acme, { scopes: ['read', 'edit'] });
      const read = () => sendUnchecked(service.port, { path: `${PRODUCTS}?limit=1`, headers: bearer(key) });
      await read();
      const sent = request({
        port: service.port,
        host: '127.0.0.1',
        method: 'POST',
        path: `${PRODUCTS}/import?source=s&position=p1&expect=`,
        headers: { 'content-type': 'application/x-ndjson', ...bearer(key) },
      });
      const response = new Promise<{ readonly status: number | undefined; readonly text: string }>(
        (resolve, reject) => {
          sent.on('error', reject).on('response', async (reply) => {
            resolve({ status: reply.statusCode, text: Buffer.concat(await reply.toArray()).toString() });
          });
        },
      );
      // More than a small body, so that it is listed.
      sent.write(
        Array.from({ length: 20_000 }, (_, n) => `${JSON.stringify({ id: 9_001 + n, name: 'A' })}\n`).join(''),
      );
      const get = async (path: string) =>
        JSON.parse((await sendUnchecked(service.port, { path, headers: bearer(key) })).text).data;
      await expect.poll(() => get('/api/v1/imports')).toMatchObject([{ state: 'running' }]);
      await add(service, product, WEIGHT);
      sent.end('{"id":9000,"name":"B"}\n');
      const { status, text } = await response;
      expect({ status, body: JSON.parse(text) }).toMatchObject({ status: 503, body: { code: 'import_interrupted' } });
      expect(await get('/api/v1/sources')).toEqual([]);
      expect(await send({ path: `${PRODUCTS}/9001` })).toRespond(404);
    }));

  test('a field is there with the next request, wherever fields are', () =>
    withService(engine, async (service, send) => {
      // The session, the list and the record are known before.
      const before = await send({ path: `${PRODUCTS}?limit=1` });
      await send({ path: `${PRODUCTS}/1` });
      await add(service, product, WEIGHT);
      await add(service, product, STAGE);
      const [first] = (await send({ path: `${PRODUCTS}?limit=1` })).body.data;
      expect(first).toMatchObject({ x_weight: null, x_stage: 'new' });
      const after = await send({ path: `${PRODUCTS}?limit=1`, headers: { 'if-none-match': before.headers['etag'] } });
      expect(after).toRespond(200);
      expect((await send({ path: `${PRODUCTS}/1` })).body.data).toMatchObject({ x_weight: null, x_stage: 'new' });
      const patched = await send({
        method: 'PATCH',
        path: `${PRODUCTS}/1`,
        headers: JSON_BODY,
        body: JSON.stringify({ x_weight: 12.5, x_stage: 'sale' }),
      });
      expect(patched.body.data).toMatchObject({ id: 1, x_weight: 12.5, x_stage: 'sale' });
      const imported = await send({
        method: 'POST',
        path: `${PRODUCTS}/import`,
        headers: { 'content-type': 'text/csv' },
        body: 'id,Weight,Stage\n2,3.5,gone\n',
      });
      expect(imported).toRespond(200, { data: { updated: 1 } });
      const query = `fields=id,x_weight,x_stage&filter=x_weight>3&sort=-x_weight`;
      expect((await send({ path: `${PRODUCTS}?${query}` })).json).toMatchObject({
        data: [
          { id: 1, x_weight: 12.5, x_stage: 'sale' },
          { id: 2, x_weight: 3.5, x_stage: 'gone' },
        ],
        meta: { total: 2 },
      });
      expect((await send({ path: `${PRODUCTS}?${query}`, headers: { accept: 'text/csv' } })).text).toBe(
        'id,x_weight,x_stage\r\n1,12.5,"sale"\r\n2,3.5,"gone"\r\n',
      );
      const aggregate = await send({
        path: `${PRODUCTS}/aggregate?measures=sum(x_weight)&facets=x_stage&filter=x_weight!=null`,
      });
      expect(aggregate.body.data.measures).toEqual({ 'sum(x_weight)': 16 });
      expect(aggregate.body.data.facets.x_stage.groups.map(({ value }: { value: unknown }) => value)).toEqual([
        'gone',
        'sale',
      ]);
      const changes = await send({ path: `${PRODUCTS}/changes?limit=1000&fields=id,x_weight` });
      expect(changes.body.data).toContainEqual({ id: 1, x_weight: 12.5 });
      expect(await send({ path: `${PRODUCTS}/digest?fields=id,x_weight` })).toRespond(200);
    }));

  test('what a field cannot hold is refused', () =>
    withService(engine, async (service, send) => {
      await add(service, product, WEIGHT);
      await add(service, product, STAGE);
      const patch = (body: object) =>
        send({ method: 'PATCH', path: `${PRODUCTS}/1`, headers: JSON_BODY, body: JSON.stringify(body) });
      expect((await patch({ x_stage: 'old' })).body.detail).toBe('x_stage must be one of new, sale, gone.');
      expect((await patch({ x_stage: null })).body.detail).toBe('x_stage must not be null.');
      expect((await patch({ x_weight: 'heavy' })).body.detail).toBe('x_weight must be a number.');
      const imported = await send({
        method: 'POST',
        path: `${PRODUCTS}/import`,
        headers: { 'content-type': 'text/csv' },
        body: 'id,x_stage\n2,old\n',
      });
      expect(imported).toRespond(422, { code: 'rows_rejected' });
    }));

  test('records can be created with it', () =>
    withService(engine, async (service, send) => {
      await add(service, partner, { ...WEIGHT, name: 'x_region', label: 'Region', type: 'text' });
      const created = await send({
        method: 'POST',
        path: PARTNERS,
        headers: JSON_BODY,
        body: JSON.stringify({ name: 'Initech', x_region: 'North' }),
      });
      expect(created).toRespond(201);
      expect((await send({ path: `${PARTNERS}?filter=x_region=North` })).body.data).toMatchObject([
        { name: 'Initech' },
      ]);
    }));

  test('a removed field is an unknown field, also for those who knew it', () =>
    withService(engine, async (service, send) => {
      await add(service, product, WEIGHT);
      const path = `${PRODUCTS}?fields=id,x_weight&filter=x_weight=null&limit=1`;
      expect(await send({ path })).toRespond(200);
      expect(await send({ path: `${PRODUCTS}/1` })).toRespond(200);
      await remove(service, product, 'x_weight');
      expect((await send({ path })).json).toMatchObject({ status: 400, code: 'unknown_field' });
      expect((await send({ path: `${PRODUCTS}/1` })).body.data).not.toHaveProperty('x_weight');
      // The same name for something else: nothing that is known about the old one holds.
      await add(service, product, { ...STAGE, name: 'x_weight', label: 'Weight' });
      expect(
        (await send({ path: `${PRODUCTS}?fields=id,x_weight&filter=x_weight=new&limit=1` })).body.data[0],
      ).toMatchObject({
        x_weight: 'new',
      });
      expect(await send({ path })).toRespond(400);
    }));

  test('all fields are listed, for any key', () =>
    withService(engine, async (service) => {
      await add(service, product, STAGE);
      const key = await service.issue(service.acme, { scopes: ['company:read'] });
      const list = async (headers = {}) =>
        withBody(await service.send({ path: '/api/v1/fields', headers: { ...bearer(key), ...headers } }));
      const reply = await list();
      expect(reply.body.meta.count).toBe(reply.body.data.length);
      expect(reply.body.data[0]).toMatchObject({ resource: 'product', name: 'id', type: 'integer', builtIn: true });
      expect(reply.body.data.find(({ name }: { name: string }) => name === 'x_stage')).toEqual({
        resource: 'product',
        name: 'x_stage',
        label: 'Stage',
        type: 'text',
        meaning: 'where it is in its life',
        nullable: false,
        default: 'new',
        choices: ['new', 'sale', 'gone'],
        indexed: false,
        searched: false,
        unique: false,
        builtIn: false,
      });
      const tag = reply.headers['etag'] ?? '';
      expect(await list({ 'if-none-match': tag })).toRespond(304);
      await add(service, product, WEIGHT);
      expect(await list({ 'if-none-match': tag })).toRespond(200);
    }));

  test('the description of the API has it for those who have a key, and nobody else', () =>
    withService(engine, async (service, send) => {
      const path = '/openapi.json';
      const publicly = async (headers: TestRequest['headers'] = {}) =>
        withBody(await sendUnchecked(service.port, { path, headers }));
      const before = await publicly();
      await add(service, partner, STAGE);
      const [own, own2] = [await send({ path }), await send({ path })];
      const { etag = '', ...headers } = own.headers;
      expect(headers).toMatchObject({
        'cache-control': 'private, no-cache',
        vary: 'authorization, cookie, accept-encoding',
      });
      expect({ status: own.status, same: own.text === own2.text }).toEqual({ status: 200, same: true });
      expect(own.text).toContain('x_stage');
      expect(await send({ path, headers: { 'if-none-match': etag } })).toMatchObject({ status: 304, text: '' });

      const after = await publicly();
      expect(after.text).not.toContain('x_stage');
      expect(after.text).toBe(before.text);
      expect(after.headers).toMatchObject({
        'cache-control': 'public, no-cache',
        vary: 'authorization, cookie, accept-encoding',
      });
      expect(await publicly({ 'if-none-match': etag })).toRespond(200);

      const key = await service.issue(service.acme, { scopes: ['company:read'] });
      expect((await publicly(bearer(key))).text).toBe(own.text);
      const code = await issueSignInCode(service.store.keys, service.acme.id, Date.now());
      for (const [wrong, status] of [
        ['sbk_wrong', 401],
        [await service.issue(service.acme, { expiresAt: '2026-01-01T00:00:00.000Z' }), 401],
        [code, 403],
      ] as const) {
        const reply = await publicly(bearer(wrong));
        expect(reply).toRespond(status);
        expect(reply.text).not.toContain('x_stage');
      }
      const foreign = bearer(await service.issue(service.globex));
      expect(await publicly({ ...foreign, host: 'acme.localhost' })).toRespond(401);
      expect(await send({ method: 'POST', path })).toRespond(405);
      expect(await send({ method: 'OPTIONS', path })).toRespond(204);
      await service.store.keys.revoke(key.split('_')[1] ?? '', new Date().toISOString());
      expect(await publicly(bearer(key))).toRespond(401);
    }));

  test('the description of the API and the tools of agents have it', () =>
    withService(engine, async (service, send) => {
      await add(service, partner, STAGE);
      const { components } = (await send({ path: '/openapi.json' })).body;
      expect(components.schemas.Partner.properties.x_stage).toMatchObject({
        enum: ['new', 'sale', 'gone'],
        title: 'Stage',
      });
      for (const schema of ['NewPartner', 'PartnerPatch', 'PartnerRow'])
        expect(components.schemas[schema].properties).toHaveProperty('x_stage');
      const described = await send({
        method: 'POST',
        path: '/mcp',
        headers: { ...JSON_BODY, accept: 'application/json, text/event-stream' },
        body: JSON.stringify({
          jsonrpc: '2.0',
          id: 1,
          method: 'tools/call',
          params: { name: 'describe', arguments: {} },
        }),
      });
      expect(described.text).toContain('x_stage');
    }));
});
