/** Fields in which no two records of an account have the same value, however they are written. */

import { describe, expect, test } from 'vitest';
import type { OwnField } from '../../src/catalog/own-field.ts';
import { partner } from '../../src/catalog/partner.ts';
import { engines } from '../support/engines.ts';
import { bearer, sendUnchecked, startService, type TestReply, type TestService } from '../support/service.ts';

const PARTNERS = '/api/v1/resources/partner';

const CODE: OwnField = {
  name: 'x_code',
  label: 'Member code',
  type: 'text',
  meaning: 'of the member',
  initial: null,
  unique: true,
};
const NUMBER: OwnField = {
  name: 'x_number',
  label: 'Member number',
  type: 'integer',
  meaning: 'of the member',
  initial: null,
  unique: true,
};

interface Caller {
  readonly service: TestService;
  create(body: object, headers?: Readonly<Record<string, string>>): Promise<Answer>;
  change(id: number, body: object): Promise<Answer>;
  importRows(rows: readonly object[], query?: string): Promise<Answer>;
  codes(): Promise<readonly unknown[]>;
}

interface Answer extends TestReply {
  readonly body: ReturnType<typeof JSON.parse>;
}

async function withCaller(engine: (typeof engines)[number], body: (caller: Caller) => Promise<void>): Promise<void> {
  const service = await startService(engine);
  try {
    for (const field of [CODE, NUMBER])
      expect(await service.store.fields.add(await service.store.fields.catalog(), partner, field)).toBe(true);
    const key = await service.issue(service.globex, { scopes: ['read', 'write', 'edit'] });
    const send = async (request: Parameters<typeof sendUnchecked>[1]): Promise<Answer> => {
      const reply = await sendUnchecked(service.port, { ...request, headers: { ...request.headers, ...bearer(key) } });
      return { ...reply, body: JSON.parse(reply.text) };
    };
    const json = { 'content-type': 'application/json' };
    await body({
      service,
      create: (values, headers) =>
        send({ method: 'POST', path: PARTNERS, headers: { ...json, ...headers }, body: JSON.stringify(values) }),
      change: (id, values) =>
        send({ method: 'PATCH', path: `${PARTNERS}/${id}`, headers: json, body: JSON.stringify(values) }),
      importRows: (rows, query = '') =>
        send({
          method: 'POST',
          path: `${PARTNERS}/import?${query}`,
          headers: { 'content-type': 'application/x-ndjson' },
          body: rows.map((row) => JSON.stringify(row)).join('\n'),
        }),
      codes: async () => {
        const list = await send({ path: `${PARTNERS}?filter=x_code!=null&fields=x_code&sort=x_code` });
        return list.body.data.map(({ x_code }: { readonly x_code: string }) => x_code);
      },
    });
  } finally {
    await service.close();
  }
}

const TAKEN = { status: 409, body: { code: 'value_taken', parameter: 'x_code' } };

describe.each(engines)('on $name', (engine) => {
  test('a value that another record has cannot be created or changed to', () =>
    withCaller(engine, async ({ create, change, codes }) => {
      const first = await create({ name: 'A', x_code: 'a', x_number: 1 });
      expect(first).toRespond(201);
      expect(await create({ name: 'B', x_code: 'a' })).toMatchObject(TAKEN);
      expect((await create({ name: 'B', x_code: 'a' })).body.detail).toBe("Another partner has the x_code 'a'.");
      expect(await create({ name: 'B', x_code: 'b', x_number: 1 })).toMatchObject({
        status: 409,
        body: { parameter: 'x_number' },
      });
      const second = await create({ name: 'B', x_code: 'A', x_number: 2 });
      expect(second).toRespond(201);
      expect(await change(second.body.data.id, { x_code: 'a' })).toMatchObject(TAKEN);
      // Its own value, or none.
      expect(await change(second.body.data.id, { x_code: 'A', name: 'C' })).toRespond(200);
      expect(await change(first.body.data.id, { x_code: null })).toRespond(200);
      expect(await change(second.body.data.id, { x_code: 'a' })).toRespond(200);
      expect(await create({ name: 'D' })).toRespond(201);
      expect(await codes()).toEqual(['a']);
    }));

  test('of many creates at once, one has the value', () =>
    withCaller(engine, async ({ create, codes }) => {
      const created = await Promise.all(
        Array.from({ length: 40 }, (_, n) => create({ name: `P${n}`, x_code: `c${n % 4}` })),
      );
      expect(created.filter(({ status }) => status === 201)).toHaveLength(4);
      expect(created.filter(({ body }) => body.code === 'value_taken')).toHaveLength(36);
      expect(await codes()).toEqual(['c0', 'c1', 'c2', 'c3']);
    }));

  test('a create that is repeated with its key is not a conflict with itself', () =>
    withCaller(engine, async ({ create }) => {
      const headers = { 'idempotency-key': 'k-1' };
      const created = await create({ name: 'A', x_code: 'a' }, headers);
      expect(await create({ name: 'A', x_code: 'a' }, headers)).toMatchObject({ status: 201, body: created.body });
    }));

  test.each([2, 600])('rows of an import that repeat a value are errors, also among %i rows', (count) =>
    withCaller(engine, async ({ create, importRows, codes }) => {
      const { body } = await create({ name: 'A', x_code: 'taken' });
      const rows = Array.from({ length: count }, (_, n) => ({ name: `P${n}`, x_code: `new${n}` }));
      const repeated = [...rows, { name: 'X', x_code: 'taken' }, { name: 'Y', x_code: 'new1' }];
      const refused = await importRows(repeated, 'add=true');
      expect(refused).toMatchObject({
        status: 422,
        body: {
          code: 'rows_rejected',
          errors: [
            { line: count + 1, column: 'x_code', reason: 'taken belongs to another partner' },
            { line: count + 2, column: 'x_code', reason: 'duplicate new1, first in line 2' },
          ],
        },
      });
      expect(await codes()).toEqual(['taken']);
      // The key of an import, and a record that gives its value to another.
      const loaded = await importRows([...rows, { x_code: 'taken', name: 'Renamed' }], 'key=x_code');
      expect(loaded).toMatchObject({ status: 200, body: { data: { created: count, updated: 1 } } });
      const moved = await importRows([
        { id: body.data.id, removed: true },
        { name: 'Z', x_code: 'taken' },
      ]);
      expect(moved).toMatchObject({ status: 200, body: { data: { created: 1, removed: 1 } } });
      expect(await codes()).toHaveLength(Math.min(10, count + 1));
    }),
  );

  test('rows that are skipped do not take a value', () =>
    withCaller(engine, async ({ importRows, codes }) => {
      await importRows([{ name: 'A', x_code: 'a' }]);
      const loaded = await importRows(
        [
          { name: 'B', x_code: 'a' },
          { name: 'C', x_code: 'c' },
        ],
        'on_error=skip&add=true',
      );
      expect(loaded).toMatchObject({ status: 200, body: { data: { created: 1, skipped: 1 } } });
      expect(await codes()).toEqual(['a', 'c']);
    }));

  test('replacing all records may give a value to another one', () =>
    withCaller(engine, async ({ importRows, codes }) => {
      await importRows([{ id: 1001, name: 'A', x_code: 'a' }]);
      const replaced = await importRows([{ id: 1002, name: 'B', x_code: 'a' }], 'replace=true&confirm=true');
      expect(replaced).toMatchObject({ status: 200, body: { data: { created: 1 } } });
      expect(await codes()).toEqual(['a']);
    }));

  test('a field becomes unique unless records have the same value', () =>
    withCaller(engine, async ({ service: { store }, create, codes }) => {
      const { unique: _, ...plain } = { ...CODE, name: 'x_other', label: 'Other' };
      await store.fields.add(await store.fields.catalog(), partner, plain);
      for (const x_other of ['o', 'o']) expect(await create({ name: 'A', x_other })).toRespond(201);
      const change = async () => store.fields.change(await store.fields.catalog(), partner, { ...plain, unique: true });
      expect(await change()).toEqual({ kind: 'repeated', account: 'globex', value: 'o', records: 2 });
      expect(await create({ name: 'A', x_other: 'o' })).toRespond(201);
      await store.fields.remove(await store.fields.catalog(), partner, 'x_other');
      await store.fields.add(await store.fields.catalog(), partner, plain);
      expect(await change()).toBe(true);
      expect(await create({ name: 'A', x_other: 'o' })).toRespond(201);
      expect(await create({ name: 'A', x_other: 'o' })).toRespond(409);
      expect(await codes()).toEqual([]);
    }));
});
