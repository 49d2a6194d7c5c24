/** Changing and removing single records over HTTP. */

import { describe, expect, test } from 'vitest';
import { partner } from '../../src/catalog/partner.ts';
import { product } from '../../src/catalog/product.ts';
import { engines } from '../support/engines.ts';
import { load } from '../support/fixture.ts';
import { bodyOf, checkReply, PARTNERS, PRODUCTS } from '../support/rows.ts';
import { bearer, type TestReply } from '../support/service.ts';
import { sharedService } from '../support/shared.ts';

const COMPANIES = '/api/v1/resources/company';

describe.each(engines)('on $name', (engine) => {
  const service = sharedService(engine);
  let last = 100;
  let key: string | undefined;

  const editor = async () => {
    key ??= await service.issue(service.acme, { scopes: ['read', 'edit'] });
    return bearer(key);
  };
  const send = async (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) =>
    service.send({
      method,
      path,
      headers: {
        ...(await editor()),
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
  const patch = (path: string, body: unknown, headers?: Record<string, string>) => send('PATCH', path, body, headers);
  const remove = (path: string, headers?: Record<string, string>) => send('DELETE', path, undefined, headers);
  const get = (path: string) => service.send({ path });
  const dataOf = (reply: TestReply) => bodyOf(reply).data;
  /** The path of a new partner. */
  const newPartner = async () => {
    last += 1;
    await load(service.store, service.acme, partner, [{ id: last, name: `Partner ${last}`, city: 'Berlin' }]);
    return `${PARTNERS}/${last}`;
  };
  const revision = async () => {
    const version = await service.store.version(service.acme.id);
    return version?.ledger.get('partner')?.revision;
  };

  describe('PATCH', () => {
    test('changes the members that are given, and returns the whole record with its tag', async () => {
      const path = await newPartner();
      const before = dataOf(await get(path));
      const reply = await patch(path, { name: 'Renamed', city: null, is_vendor: true });
      checkReply(reply, { status: 200 });
      const { write_date: written, ...rest } = dataOf(reply);
      expect(rest).toEqual({ ...rest, ...{ id: before.id, name: 'Renamed', city: null, is_vendor: true } });
      expect(Date.parse(written)).toBeGreaterThan(Date.parse(before.write_date));
      const read = await get(path);
      expect(dataOf(read)).toEqual(dataOf(reply));
      expect(reply.headers['etag']).toBe(read.headers['etag']);
    });

    test('takes a merge patch by either name', async () => {
      const path = await newPartner();
      for (const type of ['application/merge-patch+json', 'application/json; charset=utf-8'])
        checkReply(await patch(path, { name: type }, { 'content-type': type }), { status: 200 });
      checkReply(await patch(path, 'name=A', { 'content-type': 'application/x-www-form-urlencoded' }), {
        status: 415,
        has: { code: 'unsupported_media_type' },
      });
    });

    test.each([{}, { name: 'Partner', city: 'Berlin' }])('that changes nothing changes nothing: %j', async (given) => {
      const path = await newPartner();
      await patch(path, { name: 'Partner' });
      const [before, at] = [await get(path), await revision()];
      const reply = await patch(path, given);
      expect(reply.text).toBe(before.text);
      expect(reply.headers['etag']).toBe(before.headers['etag']);
      expect(await revision()).toBe(at);
    });

    test('that changes nothing returns the record that it was compared with, whatever is written at the same time', async () => {
      const [path, other] = [await newPartner(), await newPartner()];
      for (const city of ['A', 'B', 'C', 'D', 'E']) {
        const before = await get(path);
        const { name } = dataOf(before);
        const condition = { 'if-match': before.headers['etag'] ?? '' };
        // What arrives while the first one is written shares a transaction.
        const sent = [patch(other, { city }), patch(path, { name }, condition), patch(path, { city })] as const;
        const [, reply] = await Promise.all(sent);
        // The last one may have been before it.
        if (reply.status === 412) continue;
        expect(reply.text).toBe(before.text);
        expect(reply.headers['etag']).toBe(before.headers['etag']);
      }
    });

    test.each([
      ['a field that cannot be null', { name: null }, 'name', 'name must not be null.'],
      ['a blank name', { name: ' ' }, 'name', 'name must not be blank.'],
      ['another type', { active: 'yes' }, 'active', undefined],
      ['the id', { id: 7 }, 'id', 'id cannot be changed.'],
      ['the time of creation', { create_date: '2026-01-01' }, 'create_date', 'create_date cannot be changed.'],
      ['the time of the last change', { write_date: null }, 'write_date', 'write_date cannot be changed.'],
      ['an unknown field', { citty: 'A' }, 'citty', "partner has no field 'citty'."],
      ['a deep value', { name: { first: 'A' } }, 'name', undefined],
    ])('of %s is a 400', async (_, body, parameter, detail) => {
      const path = await newPartner();
      const before = await get(path);
      checkReply(await patch(path, body), {
        status: 400,
        has: { code: 'invalid_body', parameter, ...(detail !== undefined && { detail }) },
      });
      expect((await get(path)).text).toBe(before.text);
    });

    test.each(['[]', '7', 'null', '"name"'])('of %s, which is no object, is a 400', async (body) => {
      checkReply(await patch(await newPartner(), body), { status: 400, has: { code: 'invalid_body' } });
    });

    test.each(['0', 'abc', '1.0', '99999999999999999999', '4711'])('of the id %s is a 404', async (id) => {
      checkReply(await patch(`${PARTNERS}/${id}`, { name: 'A' }), { status: 404, has: { code: 'record_not_found' } });
      checkReply(await remove(`${PARTNERS}/${id}`), { status: 404, has: { code: 'record_not_found' } });
    });

    test('works for every resource', async () => {
      checkReply(await patch(`${PRODUCTS}/1`, { list_price: 1e-7, default_code: null }), { status: 200 });
      expect(dataOf(await get(`${PRODUCTS}/1?fields=list_price,default_code`))).toEqual({
        list_price: 1e-7,
        default_code: null,
      });
      checkReply(await patch(`${COMPANIES}/1`, { company_code: 'N' }), { status: 200 });
      expect(dataOf(await get(`${COMPANIES}/1?fields=company_code`))).toEqual({ company_code: 'N' });
    });

    test('is found by searches and filters at once', async () => {
      const path = await newPartner();
      await patch(path, { name: 'Überraschung' });
      const found = await get(`${PARTNERS}?filter=name*RRASCH&fields=name`);
      expect(Object(found.json)).toMatchObject({ data: [{ name: 'Überraschung' }], meta: { total: 1 } });
    });
  });

  describe('DELETE', () => {
    test('removes the record, and the change feed says so', async () => {
      const path = await newPartner();
      const { id } = dataOf(await get(path));
      const [before, feed] = await Promise.all([get(`${PARTNERS}?limit=1`), get(`${PARTNERS}/changes?limit=1000`)]);
      const reply = await remove(path);
      checkReply(reply, { status: 204 });
      expect(reply.text).toBe('');
      checkReply(await get(path), { status: 404 });
      const { total } = bodyOf(before).meta;
      expect(bodyOf(await get(`${PARTNERS}?limit=1`)).meta.total).toBe(total - 1);
      const after = await get(`${PARTNERS}/changes?since=${bodyOf(feed).meta.cursor}`);
      expect(dataOf(after)).toEqual([{ id, removed: true }]);
    });

    test('takes no body', async () => {
      const path = await newPartner();
      checkReply(await send('DELETE', path, '{}', { 'content-length': '2' }), {
        status: 400,
        has: { code: 'invalid_body' },
      });
      checkReply(await get(path), { status: 200 });
    });
  });

  describe('If-Match', () => {
    test('is met by the tag of any request for the record', async () => {
      const path = await newPartner();
      for (const query of ['', '?fields=name', '?fields=id,city']) {
        const { etag = '' } = (await get(`${path}${query}`)).headers;
        checkReply(await patch(path, { city: `City ${query}` }, { 'if-match': etag }), { status: 200 });
      }
      const compressed = await service.send({ path, headers: { 'accept-encoding': 'gzip' } });
      checkReply(await remove(path, { 'if-match': `"x", ${compressed.headers['etag']}` }), { status: 204 });
    });

    test('is met by a tag that a proxy has made weak', async () => {
      const path = await newPartner();
      const { etag = '' } = (await get(path)).headers;
      const changed = await patch(path, { city: 'Rome' }, { 'if-match': `W/${etag}` });
      checkReply(changed, { status: 200 });
      checkReply(await patch(path, { city: 'Oslo' }, { 'if-match': `W/${etag}` }), { status: 412 });
      const compressed = await service.send({ path, headers: { 'accept-encoding': 'gzip' } });
      checkReply(await remove(path, { 'if-match': `"x", W/${compressed.headers['etag']}` }), { status: 204 });
    });

    test('that is not met changes nothing, and the response has the current tag', async () => {
      const path = await newPartner();
      const { etag: old = '' } = (await get(path)).headers;
      const { etag: current = '' } = (await patch(path, { city: 'Paris' })).headers;
      expect(current).not.toBe(old);
      for (const tag of [
        old,
        `W/${old}`,
        `W/W/${current}`,
        `w/${current}`,
        '"unknown"',
        'garbage',
        '',
        '"unknown", *',
      ]) {
        for (const reply of [
          await patch(path, { city: 'Rome' }, { 'if-match': tag }),
          await remove(path, { 'if-match': tag }),
        ])
          checkReply(reply, {
            status: 412,
            has: { code: 'record_changed', etag: current },
            headers: { etag: current },
          });
      }
      expect(dataOf(await get(`${path}?fields=city`))).toEqual({ city: 'Paris' });
    });

    test('of * requires that the record exists', async () => {
      const path = await newPartner();
      checkReply(await patch(path, { city: 'Oslo' }, { 'if-match': '*' }), { status: 200 });
      checkReply(await remove(path, { 'if-match': '*' }), { status: 204 });
      checkReply(await patch(path, { city: 'Oslo' }, { 'if-match': '*' }), { status: 404 });
    });

    test('lets one of several concurrent changes through', async () => {
      const path = await newPartner();
      const { etag = '' } = (await get(path)).headers;
      const replies = await Promise.all(
        Array.from({ length: 8 }, (_, n) => patch(path, { city: `City ${n}` }, { 'if-match': etag })),
      );
      expect(replies.map(({ status }) => status).toSorted()).toEqual([200, ...Array(7).fill(412)]);
    });
  });

  describe('Idempotency-Key', () => {
    test('makes repeating a change and a removal safe', async () => {
      const path = await newPartner();
      const once = { 'idempotency-key': `patch ${path}`.replaceAll(/[ /]/g, '-') };
      const original = await patch(path, { city: 'Rom' }, once);
      await patch(path, { name: 'Changed meanwhile' });
      const repeated = await patch(path, { city: 'Rom' }, once);
      expect(repeated.headers['idempotent-replayed']).toBe('true');
      expect(dataOf(repeated)).toMatchObject({ name: 'Changed meanwhile', city: 'Rom' });
      expect(original.headers['idempotent-replayed']).toBeUndefined();
      const [id, other] = [path.slice(path.lastIndexOf('/') + 1), await newPartner()];
      const reused = (detail: string) => ({ status: 422, has: { code: 'idempotency_key_reused', detail } });
      const changing = reused(`This Idempotency-Key was used for changing the partner ${id}.`);
      checkReply(
        await patch(path, { city: 'Other' }, once),
        reused('This Idempotency-Key was used for a request with another body.'),
      );
      checkReply(await patch(other, { city: 'Rom' }, once), changing);
      checkReply(await remove(path, once), changing);
      checkReply(await send('POST', `${PARTNERS}/import`, [{ id: Number(id), city: 'Rom' }], once), changing);
      const removal = { 'idempotency-key': `delete-${path}`.replaceAll('/', '-') };
      checkReply(await remove(path, removal), { status: 204, headers: { 'idempotent-replayed': undefined } });
      checkReply(await remove(path, removal), { status: 204, headers: { 'idempotent-replayed': 'true' } });
      const removing = reused(`This Idempotency-Key was used for removing the partner ${id}.`);
      checkReply(await remove(other, removal), removing);
      checkReply(await patch(other, {}, removal), removing);
      checkReply(await remove(path), { status: 404 });
    });

    test('of a create or an import says so', async () => {
      const path = await newPartner();
      const used = (by: string) => ({
        status: 422,
        has: { code: 'idempotency_key_reused', detail: `This Idempotency-Key was used for ${by}.` },
      });
      const [created, imported] = ['created', 'imported'].map((word) => ({ 'idempotency-key': `${word}-${last}` }));
      const creator = bearer(await service.issue(service.acme, { scopes: ['write'] }));
      checkReply(await send('POST', PARTNERS, { name: 'Same' }, { ...created, ...creator }), { status: 201 });
      checkReply(await patch(path, { name: 'Same' }, created), used('creating a partner'));
      checkReply(await send('POST', `${PARTNERS}/import`, [{ name: 'Same' }], created), used('creating a partner'));
      checkReply(await send('POST', `${PARTNERS}/import`, [{ name: 'Same' }], imported), { status: 200 });
      checkReply(await send('POST', PARTNERS, { name: 'Same' }, { ...imported, ...creator }), used('an import'));
      checkReply(
        await send('POST', `${PARTNERS}/import?dry_run=true`, [{ name: 'Same' }], imported),
        used('an import with other rows or parameters'),
      );
    });

    test('is stored even if nothing changes', async () => {
      const path = await newPartner();
      const once = { 'idempotency-key': `same-${path}`.replaceAll('/', '-') };
      const { etag } = (await get(path)).headers;
      checkReply(await patch(path, { city: 'Berlin' }, once), { status: 200, headers: { etag } });
      await patch(path, { city: 'Bonn' });
      const repeated = await patch(path, { city: 'Berlin' }, once);
      checkReply(repeated, { status: 200, headers: { 'idempotent-replayed': 'true' } });
      expect(dataOf(repeated)).toMatchObject({ city: 'Bonn' });
    });
  });

  describe('the scope edit', () => {
    test.each([
      ['read and write', ['read', 'write'] as const, 403],
      ['edit', ['edit'] as const, 200],
      ['partner:edit', ['partner:edit'] as const, 200],
      ['product:edit', ['product:edit'] as const, 403],
    ])('is required: %s', async (_, scopes, status) => {
      const path = await newPartner();
      const headers = { ...bearer(await service.issue(service.acme, { scopes })), 'content-type': 'application/json' };
      const reply = await service.send({ method: 'PATCH', path, headers, body: '{"city":"X"}' });
      expect(reply).toRespond(status);
      if (status === 403) checkReply(reply, { status, has: { code: 'scope_missing' } });
    });

    test('says nothing about records of another account', async () => {
      const path = await newPartner();
      const headers = {
        ...bearer(await service.issue(service.globex, { scopes: ['edit'] })),
        'content-type': 'application/json',
      };
      checkReply(await service.send({ method: 'PATCH', path, headers, body: '{"city":"X"}' }), { status: 404 });
      checkReply(await service.send({ method: 'DELETE', path, headers: { authorization: headers.authorization } }), {
        status: 404,
      });
      expect(dataOf(await get(`${path}?fields=city`))).toEqual({ city: 'Berlin' });
    });
  });

  test('a change that exceeds the storage limit is refused, and one that needs less is not', async () => {
    const path = `${PRODUCTS}/2`;
    const { store, acme } = service;
    const use = await store.accounts.storage(acme.id);
    await load(store, acme, product, [{ id: 2, name: 'Desk' }]);
    await store.accounts.setLimits(acme.id, { byteLimit: use?.bytes ?? 0 });
    try {
      checkReply(await patch(path, { name: 'D'.repeat(900) }), { status: 403, has: { code: 'storage_limit_reached' } });
      checkReply(await patch(path, { name: 'D' }), { status: 200 });
      checkReply(await remove(path), { status: 204 });
    } finally {
      await store.accounts.setLimits(acme.id, { byteLimit: null });
    }
  });
});
