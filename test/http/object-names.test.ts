/** Names that all objects have in JavaScript: wherever clients choose a name, they are names like any other, and nothing is found under them. */

import { describe, expect, test } from 'vitest';
import { flawOf } from '../../src/catalog/own-field.ts';
import { product } from '../../src/catalog/product.ts';
import { typeFor } from '../../src/connectors/odoo/mapping.ts';
import { parseFilter } from '../../src/filter/parse.ts';
import { odooColumn } from '../../src/import/odoo.ts';
import { aboveStore } from '../support/above-store.ts';
import { addAccount } from '../support/fixture.ts';
import { rpcRequest } from '../support/mcp.ts';
import { bodyOf, checkReply, PARTNERS, PRODUCTS } from '../support/rows.ts';
import { bearer, sendUnchecked, type TestReply } from '../support/service.ts';
import { sharedService } from '../support/shared.ts';

const NAMES = Object.getOwnPropertyNames(Object.prototype);

test.each(NAMES)('no field of operators can be called %s', (name) => {
  const field = { name, label: 'Own', type: 'text', meaning: 'own', initial: null } as const;
  expect(flawOf(field, product, [])).toMatch(
    / is reserved: it is what all objects have| cannot be the name of a field/,
  );
});

test.each(NAMES)('tables of names do not have %s', (name) => {
  expect(odooColumn(product, name, [])).toBeUndefined();
  expect(typeFor(name)).toBeUndefined();
  expect(parseFilter(`${name}=1`)).toMatchObject({ field: { text: name } });
});

describe.each(aboveStore)('on $name', (engine) => {
  const service = sharedService(engine);
  const JSON_BODY = { 'content-type': 'application/json' };
  const dataOf = (reply: TestReply) => bodyOf(reply).data;

  /** JSON in which the name is an own member also if it is `__proto__`. */
  const withMember = (name: string, value: string, rest = '') => `{${JSON.stringify(name)}:${value}${rest}}`;

  test('an account can have such a name', async () => {
    const account = await addAccount(service.store, 'constructor');
    const headers = bearer(await service.issue(account, { scopes: ['read', 'write', 'edit'] }));
    const host = 'constructor.localhost';
    const create = {
      method: 'POST',
      path: PARTNERS,
      headers: { ...headers, ...JSON_BODY, host },
      body: '{"name":"A"}',
    };
    checkReply(await service.send(create), { status: 201 });
    checkReply(await service.send({ path: PARTNERS, headers: { ...headers, host } }), {
      has: { meta: { total: 1 } },
      status: 200,
    });
    checkReply(await service.send({ path: '/api/v1/me', headers }), {
      status: 200,
      has: { data: { account: { name: 'constructor' } } },
    });
    const status = Object((await sendUnchecked(service.adminPort, { path: '/status' })).json);
    expect(JSON.stringify(status)).toContain('"constructor"');
  });

  describe.each(NAMES)('%s', (name) => {
    test('is no field, parameter, measure, path or tool', async () => {
      const editor = bearer(await service.issue(service.acme, { scopes: ['read', 'write', 'edit'] }));
      const encoded = encodeURIComponent(name);
      const refused = [
        [`${PRODUCTS}?${encoded}=1`, 'unknown_parameter'],
        [`${PRODUCTS}?fields=${encoded}`, 'unknown_field'],
        [`${PRODUCTS}?sort=-${encoded}`, 'unknown_field'],
        [`${PRODUCTS}?filter=${encoded}=1`, 'unknown_field'],
        [`${PRODUCTS}?format=${encoded}`, 'invalid_format'],
        [`${PRODUCTS}/aggregate?facets=${encoded}`, 'unknown_field'],
        [`${PRODUCTS}/aggregate?measures=${encoded}`, 'invalid_measures'],
        [`${PRODUCTS}/aggregate?measures=sum(${encoded})`, 'unknown_field'],
        [`${PRODUCTS}/aggregate?facets=active&sort=${encoded}`, 'invalid_sort'],
        [`${PRODUCTS}/${encoded}`, 'record_not_found'],
        [`/api/v1/${encoded}`, 'path_not_found'],
        [`/problems/${encoded}`, 'path_not_found'],
        [`/docs/guides/${encoded}`, 'path_not_found'],
        [`/docs/assets/${encoded}`, 'path_not_found'],
        [`/api/v1/imports/${encoded}`, 'import_not_found'],
        [`/api/v1/sources/${encoded}`, 'source_not_found'],
        [`/api/v1/views/${encoded}`, 'view_not_found'],
      ] as const;
      for (const [path, code] of refused) {
        const reply = await service.send({ path, headers: editor });
        expect({ path, status: reply.status, code: Object(reply.json).code }).toEqual({
          path,
          status: expect.any(Number),
          code,
        });
      }
      for (const [method, path] of [
        ['POST', PARTNERS],
        ['PATCH', `${PARTNERS}/1`],
        ['PUT', '/api/v1/views/a'],
        ['PUT', '/api/v1/sources/a'],
      ] as const) {
        const body = withMember(name, '1', ',"name":"A"');
        checkReply(await service.send({ method, path, headers: { ...editor, ...JSON_BODY }, body }), {
          status: 400,
          has: { code: 'invalid_body' },
        });
      }
      const called = await service.send(rpcRequest('tools/call', { name, arguments: {} }));
      expect(called.text).toContain('Unknown tool.');
      const argument = rpcRequest('tools/call', { name: 'query', arguments: {} });
      const body = String(argument.body).replace(
        '"arguments":{}',
        `"arguments":${withMember(name, '"1"', ',"resource":"product"')}`,
      );
      expect(dataOf(await service.send({ ...argument, body }))).toBeUndefined();
      expect((await service.send({ ...argument, body })).text).toMatch(/"isError":true/);
    });

    test('is a name like others where clients choose one', async () => {
      const editor = bearer(await service.issue(service.acme, { scopes: ['read', 'write', 'edit'] }));
      const send = (method: string, path: string, body?: string, headers: Record<string, string> = JSON_BODY) =>
        service.send({
          method,
          path,
          headers: { ...editor, ...(body !== undefined && headers) },
          ...(body !== undefined && { body }),
        });
      const encoded = encodeURIComponent(name);
      const once = { ...JSON_BODY, 'idempotency-key': `"${name} ${engine.name}"` };
      const created = await send('POST', PARTNERS, JSON.stringify({ name }), once);
      checkReply(created, { status: 201 });
      checkReply(await send('POST', PARTNERS, JSON.stringify({ name }), once), {
        status: 201,
        headers: { 'idempotent-replayed': 'true' },
      });
      checkReply(await send('GET', `${PARTNERS}?filter=name="${encoded}"&fields=name`), {
        status: 200,
        has: { data: [{ name }] },
      });
      const { facets } = dataOf(await send('GET', `${PARTNERS}/aggregate?facets=name&filter=name=${encoded}`));
      expect(facets.name.groups).toEqual([expect.objectContaining({ value: name, measures: { count: 1 } })]);

      const view = { name, resource: 'partner', query: '' };
      checkReply(await send('PUT', `/api/v1/views/${encoded}`, JSON.stringify(view)), {
        status: 201,
        has: { data: view },
      });
      checkReply(await send('GET', `/api/v1/views/${encoded}`), { status: 200, has: { data: { id: name } } });

      const importing = `${PARTNERS}/import?source=${encoded}&position=${encoded}&key=ref&map=${encoded}:ref`;
      const row = withMember(name, JSON.stringify(name), `,"name":"Imported"`);
      for (const [type, rows] of [
        ['application/x-ndjson', row],
        ['application/json', `[${row}]`],
        ['text/csv', `name,${name}\nImported,${name}\n`],
      ] as const)
        checkReply(await send('POST', importing, rows, { 'content-type': type }), {
          status: 200,
          has: { data: { skipped: 0 } },
        });
      checkReply(await send('GET', `${PARTNERS}?filter=ref=${encoded}&fields=ref`), {
        status: 200,
        has: { data: [{ ref: name }] },
      });
      checkReply(await send('GET', `/api/v1/sources/${encoded}`), {
        status: 200,
        has: { data: { name, position: name } },
      });
      const unknown = await send('POST', `${PARTNERS}/import`, row, { 'content-type': 'application/x-ndjson' });
      checkReply(unknown, { status: 422, has: { errors: [{ column: name, reason: 'partner has no such field' }] } });
    });
  });
});
