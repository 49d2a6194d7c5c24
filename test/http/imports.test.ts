/** Imports that outlast their request: how they are listed, cancelled, and what is left of those that die. */

import { request } from 'node:http';
import { describe, expect, test } from 'vitest';
import { partner } from '../../src/catalog/partner.ts';
import { Stockbook } from '../../src/client/index.ts';
import { SMALL_BODY } from '../../src/handlers/import.ts';
import { newImportId } from '../../src/store/store.ts';
import { engines } from '../support/engines.ts';
import { addAccount, load } from '../support/fixture.ts';
import { bodyOf, checkReply, PARTNERS } from '../support/rows.ts';
import { bearer, keyId, type TestReply, type TestRequest } from '../support/service.ts';
import { sharedService } from '../support/shared.ts';

const NDJSON = 'application/x-ndjson';
const IMPORTS = '/api/v1/imports';

/** So many rows have more bytes than a small body. */
const MANY = 20_000;

describe.each(engines)('on $name', (engine) => {
  const service = sharedService(engine);
  let accounts = 0;

  const owner = async () => {
    accounts += 1;
    const account = await addAccount(service.store, `lister-${accounts}`);
    const headers = bearer(await service.issue(account, { scopes: ['read', 'edit'] }));
    const start = (body: string, query = '', more: Record<string, string> = {}) =>
      service.send({
        method: 'POST',
        path: `${PARTNERS}/import${query}`,
        headers: { ...headers, 'content-type': NDJSON, prefer: 'respond-async', ...more },
        body,
      });
    const get = (path: string) => service.send({ path, headers });
    const cancel = (path: string) => service.send({ method: 'DELETE', path, headers });
    const total = async () => bodyOf(await get(`${PARTNERS}?limit=1`)).meta.total;
    return { account, headers, start, get, cancel, total };
  };
  const dataOf = (reply: TestReply) => bodyOf(reply).data;
  const rows = (count: number) =>
    Array.from({ length: count }, (_, n) => `${JSON.stringify({ id: n + 1, name: 'A' })}\n`).join('');

  test('respond-async responds once the body has arrived, and the import says what became of it', async () => {
    const { start, get } = await owner();
    const reply = await start(rows(1_200), '?source=s&position=1');
    checkReply(reply, { status: 202, headers: { 'preference-applied': 'respond-async' } });
    const location = reply.headers['location'] ?? '';
    expect(location).toBe(`${IMPORTS}/${dataOf(reply).id}`);
    await expect.poll(async () => dataOf(await get(location)).state).toBe('done');
    const done = dataOf(await get(location));
    expect(done).toMatchObject({
      resource: 'partner',
      rows: 1_200,
      source: 's',
      result: { created: 1_200, revision: 1 },
    });
    expect(done.actor).toMatch(/^key /);
    expect(Date.parse(done.endedAt)).toBeGreaterThanOrEqual(Date.parse(done.startedAt));
    checkReply(await get(`${PARTNERS}/changes?since=${done.result.cursor}`), { status: 200, has: { data: [] } });
  });

  test('one that fails says why', async () => {
    const { start, get, total } = await owner();
    const reply = await start(`${rows(3)}{"id":4}\n{"id":1,"name":"B"}\n`);
    const location = reply.headers['location'] ?? '';
    await expect.poll(async () => dataOf(await get(location)).state).toBe('failed');
    expect(dataOf(await get(location))).toMatchObject({
      problem: { code: 'rows_rejected', status: 422, errorCount: 2, errors: [{ line: 4 }, { line: 5 }] },
    });
    expect(await total()).toBe(0);
  });

  test('one that fails after its response, and for no fault of its rows, is an event', async () => {
    const { headers, get } = await owner();
    const sent = request({
      port: service.port,
      method: 'POST',
      path: `${PARTNERS}/import`,
      headers: { ...headers, 'content-type': NDJSON, prefer: 'respond-async' },
    });
    const replied = new Promise<number | undefined>((resolve) => {
      sent.on('response', (response) => resolve(response.resume().statusCode));
    });
    sent.write(rows(MANY));
    await expect.poll(async () => dataOf(await get(IMPORTS))).toMatchObject([{ state: 'running' }]);
    const [{ id }] = dataOf(await get(IMPORTS));
    await service.database.execute('ALTER TABLE partner RENAME TO misplaced');
    sent.end();
    expect(await replied).toBe(202);
    const failed = () => service.events.filter(({ kind }) => kind === 'import failed');
    await expect.poll(failed).toEqual([{ kind: 'import failed', importId: id, error: expect.any(Error) }]);
    await service.database.execute('ALTER TABLE misplaced RENAME TO partner');
    expect(dataOf(await get(`${IMPORTS}/${id}`))).toMatchObject({
      state: 'failed',
      problem: { code: 'import_interrupted' },
    });
  });

  test('one that runs can be cancelled, and nothing of it is visible', async () => {
    const { headers, get, cancel, total } = await owner();
    const sent = request({
      port: service.port,
      method: 'POST',
      path: `${PARTNERS}/import`,
      headers: { ...headers, 'content-type': NDJSON },
    });
    const replied = new Promise<number | undefined>((resolve) => {
      sent.on('response', (response) => resolve(response.resume().statusCode));
    });
    sent.write(rows(MANY));
    await expect.poll(async () => dataOf(await get(IMPORTS))).toMatchObject([{ state: 'running' }]);
    const path = `${IMPORTS}/${dataOf(await get(IMPORTS))[0].id}`;
    checkReply(await cancel(path), { status: 204 });
    sent.end();
    expect(await replied).toBe(409);
    expect(dataOf(await get(path))).toMatchObject({ state: 'failed', problem: { code: 'import_cancelled' } });
    checkReply(await cancel(path), { status: 409, has: { code: 'import_ended' } });
    checkReply(await get(`${IMPORTS}/unknown`), { status: 404, has: { code: 'import_not_found' } });
    expect(await total()).toBe(0);
  });

  test('one whose client leaves in the middle of the body has failed', async () => {
    const { headers, get, total } = await owner();
    const sent = request({
      port: service.port,
      method: 'POST',
      path: `${PARTNERS}/import`,
      headers: { ...headers, 'content-type': NDJSON },
    });
    sent.on('error', () => undefined);
    sent.write(rows(MANY));
    await expect.poll(async () => dataOf(await get(IMPORTS))).toMatchObject([{ state: 'running' }]);
    sent.destroy();
    await expect.poll(async () => dataOf(await get(IMPORTS))).toMatchObject([{ state: 'failed' }]);
    expect(await total()).toBe(0);
  });

  test('one whose process died is taken for dead, and cannot end in another way', async () => {
    const { account, get } = await owner();
    const { store, database } = service;
    const id = newImportId(Date.now());
    await store.imports.begin(account.id, id, { resource: partner });
    expect(dataOf(await get(`${IMPORTS}/${id}`))).toMatchObject({ state: 'running', rows: 0, endedAt: null });
    await database.execute(`UPDATE import SET expires_at = '2026-01-01T00:00:00.000Z' WHERE id = '${id}'`);
    expect(dataOf(await get(`${IMPORTS}/${id}`))).toMatchObject({
      state: 'failed',
      problem: { code: 'import_interrupted', detail: expect.stringContaining('process') },
    });
    expect(await store.imports.report(account.id, id, 5)).toBe(false);
    expect(await load(store, account, partner, [{ name: 'A' }], { import: { id } })).toEqual({ kind: 'cancelled' });
    expect(bodyOf(await get(`${PARTNERS}?limit=1`)).meta.total).toBe(0);
  });

  test('a key sees the imports and sources of the resources that it may edit', async () => {
    const { account, start, get } = await owner();
    const reply = await start(rows(1), '?source=s&position=1');
    await expect.poll(async () => dataOf(await get(reply.headers['location'] ?? '')).state).toBe('done');
    const products = bearer(await service.issue(account, { scopes: ['product:edit'] }));
    for (const path of [IMPORTS, '/api/v1/sources'])
      checkReply(await service.send({ path, headers: products }), {
        status: 200,
        has: { data: [], meta: { count: 0 } },
      });
    for (const path of [reply.headers['location'] ?? '', '/api/v1/sources/s'])
      checkReply(await service.send({ path, headers: products }), { status: 404 });
    checkReply(await service.send({ method: 'DELETE', path: reply.headers['location'] ?? '', headers: products }), {
      status: 404,
    });
    const reader = bearer(await service.issue(account, { scopes: ['read', 'write'] }));
    checkReply(await service.send({ path: IMPORTS, headers: reader }), { status: 403, has: { code: 'scope_missing' } });
    const other = bearer(await service.issue(service.globex, { scopes: ['edit'] }));
    checkReply(await service.send({ path: reply.headers['location'] ?? '', headers: other }), { status: 404 });
  });

  test('a connector reports that everything was imported, or what it fails with', async () => {
    const { account, headers, start, get } = await owner();
    await start(rows(1), '?source=erp%2Fpartner&position=1');
    await expect.poll(async () => dataOf(await get('/api/v1/sources')).length).toBe(1);
    const path = '/api/v1/sources/erp%2Fpartner';
    const report = (body: unknown, as = headers) =>
      service.send({
        method: 'PUT',
        path,
        headers: { ...as, 'content-type': 'application/json' },
        body: JSON.stringify(body),
      });
    checkReply(await get(path), { status: 200, has: { data: { checkedAt: null, lag: null, failure: null } } });
    const failed = await report({ error: 'The ERP is down.' });
    checkReply(failed, { status: 200, has: { data: { checkedAt: null, failure: { error: 'The ERP is down.' } } } });
    const { since } = dataOf(failed).failure;
    const still = { error: 'The ERP is down.', since };
    checkReply(await report({ error: still.error }), { status: 200, has: { data: { failure: still } } });
    // Another error has a time of its own.
    await service.database.execute(
      `UPDATE source SET failing_since = '2026-01-01T00:00:00.000Z' WHERE account_id = ${account.id}`,
    );
    const other = dataOf(await report({ error: 'é'.repeat(1_000) })).failure;
    expect(other.error).toBe('é'.repeat(1_000));
    expect(Date.parse(other.since)).toBeGreaterThanOrEqual(Date.parse(since));
    const { data } = Object((await report({ error: null })).json);
    expect(data).toMatchObject({ name: 'erp/partner', position: '1', failure: null, lag: expect.any(Number) });
    expect(Date.parse(data.checkedAt)).toBeGreaterThanOrEqual(Date.parse(data.savedAt));
    expect(dataOf(await get(path))).toMatchObject({ checkedAt: data.checkedAt, failure: null });
    checkReply(await report({ error: 'Again.' }), {
      status: 200,
      has: { data: { checkedAt: data.checkedAt, failure: { error: 'Again.' } } },
    });
    for (const body of [
      null,
      [],
      {},
      { error: ' ' },
      { error: 7 },
      { error: '\0' },
      { error: '\ud800' },
      { error: 'é'.repeat(1_001) },
      { error: null, position: '2' },
    ])
      checkReply(await report(body), { status: 400, has: { code: 'invalid_body' } });
    const products = bearer(await service.issue(account, { scopes: ['product:edit'] }));
    checkReply(await report({ error: null }, products), { status: 404 });
    const globex = bearer(await service.issue(service.globex, { scopes: ['edit'] }));
    checkReply(await report({ error: null }, globex), { status: 404 });
    const reader = bearer(await service.issue(account, { scopes: ['read'] }));
    checkReply(await report({ error: null }, reader), { status: 403 });
    expect(dataOf(await get(path)).failure.error).toBe('Again.');
    // What was imported since says nothing about whether everything was.
    checkReply(await start('', '?source=erp%2Fpartner&position=2'), { status: 202 });
    await expect.poll(async () => dataOf(await get(path)).position).toBe('2');
    expect(dataOf(await get(path))).toMatchObject({ checkedAt: data.checkedAt, failure: { error: 'Again.' } });
  });

  test('are listed in pages', async () => {
    const { account, headers, get } = await owner();
    for (let n = 1; n <= 5; n += 1) await load(service.store, account, partner, [], { import: { file: `${n}.csv` } });
    const page = async (query: string) => {
      const reply = await get(`${IMPORTS}${query}`);
      const { data, meta, pagination } = Object(reply.json);
      const files = data.map(({ file }: { file: string }) => file);
      return { files, meta, pagination, link: reply.headers['link'] };
    };
    const all = ['5.csv', '4.csv', '3.csv', '2.csv', '1.csv'];
    expect(await page('')).toEqual({
      files: all,
      meta: { count: 5, total: 5 },
      pagination: { previousPage: null, currentPage: 1, nextPage: null, totalPages: 1 },
      link: `<${IMPORTS}?page=1>; rel="first", <${IMPORTS}?page=1>; rel="last"`,
    });
    expect(await page('?limit=2&page=2')).toEqual({
      files: all.slice(2, 4),
      meta: { count: 2, total: 5 },
      pagination: { previousPage: 1, currentPage: 2, nextPage: 3, totalPages: 3 },
      link: [
        ['1', 'first'],
        ['1', 'prev'],
        ['3', 'next'],
        ['3', 'last'],
      ]
        .map(([number, relation]) => `<${IMPORTS}?limit=2&page=${number}>; rel="${relation}"`)
        .join(', '),
    });
    expect(await page('?limit=2&page=3')).toMatchObject({ files: ['1.csv'], pagination: { nextPage: null } });
    expect(await page(`?page=${Number.MAX_SAFE_INTEGER}&limit=1000`)).toMatchObject({
      files: [],
      meta: { count: 0, total: 5 },
      pagination: { previousPage: 1, nextPage: null, totalPages: 1 },
    });
    for (const [query, code] of [
      ['?limit=1001', 'invalid_limit'],
      ['?limit=0', 'invalid_limit'],
      ['?page=x', 'invalid_page'],
      ['?page=1&page=2', 'repeated_parameter'],
      ['?filter=state=done', 'unknown_parameter'],
    ])
      checkReply(await get(`${IMPORTS}${query}`), { status: 400, has: { code } });
    expect(dataOf(await get(`${IMPORTS}?limit=1`))).toMatchObject([{ file: '5.csv' }]);
    const stockbook = new Stockbook({ url: `http://127.0.0.1:${service.port}`, key: headers.authorization.slice(7) });
    const listed = await stockbook.imports.list({ page: 2, limit: 2 });
    expect(listed.map(({ file }) => file)).toEqual(all.slice(2, 4));
  });

  test('a source is removed by those who may edit its resource', async () => {
    const { account, headers, start, get } = await owner();
    const path = '/api/v1/sources/erp%2Fpartner';
    const importing = () => start(rows(1), '?source=erp%2Fpartner&position=1&expect=', { prefer: 'wait=0' });
    checkReply(await importing(), { status: 200 });
    checkReply(await importing(), { status: 409 });
    const remove = (as: Record<string, string> = headers, more: Partial<TestRequest> = {}) =>
      service.send({ method: 'DELETE', path, headers: as, ...more });
    for (const [scopes, status] of [
      [['product:edit'], 404],
      [['read', 'write'], 403],
    ] as const)
      checkReply(await remove(bearer(await service.issue(account, { scopes }))), { status });
    checkReply(await remove(bearer(await service.issue(service.globex, { scopes: ['edit'] }))), { status: 404 });
    checkReply(await remove({ ...headers, 'content-length': '2' }, { body: '{}' }), {
      status: 400,
      has: { code: 'invalid_body' },
    });
    checkReply(await remove(headers, { path: `${path}?force=true` }), { status: 400 });
    checkReply(await get(path), { status: 200 });
    checkReply(await remove(), { status: 204 });
    for (const reply of [await remove(), await get(path)])
      checkReply(reply, { status: 404, has: { code: 'source_not_found' } });
    expect(dataOf(await get(IMPORTS))).toMatchObject([{ source: 'erp/partner', state: 'done' }]);
    const entries = service.store.audit.entries({ account: account.name, action: 'source removed' });
    const { value: [entry] = [] } = await entries[Symbol.asyncIterator]().next();
    expect(entry).toMatchObject({ origin: '127.0.0.1', details: '{"resource":"partner","source":"erp/partner"}' });
    expect(entry?.actor).toBe(`key ${keyId(headers.authorization.slice(7))}`);
    // The connector begins anew.
    checkReply(await importing(), { status: 200 });
  });

  test('an account may have so many imports under way', async () => {
    const { headers, get } = await owner();
    const open = () => {
      const sent = request({
        port: service.port,
        method: 'POST',
        path: `${PARTNERS}/import`,
        headers: { ...headers, 'content-type': NDJSON },
      });
      sent.on('error', () => undefined);
      sent.write(rows(MANY));
      return sent;
    };
    const four = Array.from({ length: 4 }, open);
    await expect.poll(async () => dataOf(await get(IMPORTS)).length).toBe(4);
    const fifth = await service.send({
      method: 'POST',
      path: `${PARTNERS}/import`,
      headers: { ...headers, 'content-type': NDJSON, prefer: 'respond-async' },
      body: '',
    });
    checkReply(fifth, { status: 429, has: { code: 'too_many_imports' }, headers: { 'retry-after': '5' } });
    // Small ones are not counted, and others have slots of their own.
    const small = {
      method: 'POST',
      path: `${PARTNERS}/import`,
      headers: { ...headers, 'content-type': NDJSON },
      body: '{"name":"B"}',
    };
    checkReply(await service.send(small), { status: 200 });
    const ofBytes = (bytes: number) => service.send({ ...small, body: small.body.padEnd(bytes) });
    checkReply(await ofBytes(SMALL_BODY), { status: 200 });
    checkReply(await ofBytes(SMALL_BODY + 1), { status: 429, has: { code: 'too_many_imports' } });
    checkReply(await service.send({ ...small, headers: { ...small.headers, 'content-encoding': 'gzip' } }), {
      status: 429,
      has: { code: 'too_many_imports' },
    });
    // But the rows that they reject are on disk until they are sent.
    const rejects = {
      ...small,
      path: `${small.path}?dry_run=true&on_error=skip`,
      headers: { ...small.headers, accept: NDJSON },
    };
    checkReply(await service.send(rejects), { status: 429, has: { code: 'too_many_imports' } });
    const another = await owner();
    checkReply(await another.start(rows(1)), { status: 202 });
    for (const sent of four) sent.destroy();
    await expect
      .poll(async () => dataOf(await get(IMPORTS)).filter(({ state }: { state: string }) => state === 'running'))
      .toEqual([]);
    await expect
      .poll(
        async () => (await service.send({ ...small, headers: { ...small.headers, prefer: 'respond-async' } })).status,
      )
      .toBe(202);
  });
});
