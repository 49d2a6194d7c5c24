import { setTimeout } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { engines } from '../support/engines.ts';
import { COMPANIES, checkReply, checkRow, PARTNERS, PRODUCTS } from '../support/rows.ts';
import { startService, type TestService } from '../support/service.ts';

describe.each(engines)('on $name', (engine) => {
  let service: TestService;
  beforeAll(async () => {
    service = await startService(engine);
  });
  afterAll(() => service.close());

  test('an internal error tells the caller nothing but its request id; the cause is an event for the log', async () => {
    await service.database.execute('ALTER TABLE company RENAME TO misplaced');
    const reply = await service.send({ path: COMPANIES, headers: { 'x-request-id': 'find-me' } });
    expect(reply.status).toBe(500);
    expect(reply.json).toStrictEqual({
      type: '/problems/internal_error',
      title: 'Internal error',
      status: 500,
      detail: 'Something went wrong inside the service.',
      code: 'internal_error',
      suggestion: expect.any(String),
      requestId: 'find-me',
    });
    expect(reply.text).not.toMatch(/misplaced|company|SELECT|sqlite|postgres|at \w+ \(/i);
    const fault = service.events.find((event) => event.kind === 'fault');
    expect(fault).toMatchObject({
      requestId: 'find-me',
      error: expect.objectContaining({ message: expect.stringContaining('company') }),
    });
    await checkRow(service, { name: 'other requests go on', request: { path: PRODUCTS }, status: 200 });
  });

  test('a path that cannot be decoded is no way around it', async () => {
    await service.database.execute('ALTER TABLE ledger RENAME TO misplaced_ledger');
    const reply = await service.send({ path: '/api/%zz' });
    expect(reply.status).toBe(500);
    await service.database.execute('ALTER TABLE misplaced_ledger RENAME TO ledger');
    expect((await service.send({ path: '/api/%zz' })).status).toBe(400);
  });

  test('a write that waits too long for another is a 503, while reads go on', async () => {
    const release = await service.database.holdWrites();
    const create = service.send({
      method: 'POST',
      path: PARTNERS,
      body: '{"name":"Patient"}',
      headers: { 'content-type': 'application/json' },
    });
    await checkRow(service, { name: '', request: { path: PRODUCTS }, status: 200 });
    checkReply(await create, {
      name: '',
      request: { path: '' },
      status: 503,
      has: { code: 'store_busy' },
      headers: { 'retry-after': '1' },
    });
    expect(service.events.filter(({ kind }) => kind === 'store unavailable')).toHaveLength(1);
    await release();
    await checkRow(service, {
      name: 'the next one works',
      request: {
        method: 'POST',
        path: PARTNERS,
        body: '{"name":"Patient"}',
        headers: { 'content-type': 'application/json' },
      },
      status: 201,
    });
    await checkRow(service, {
      name: '',
      request: { path: `${PARTNERS}?filter=name=Patient` },
      status: 200,
      has: { meta: { total: 1 } },
    });
  });

  test('a key that was revoked is a 401 as well where the write would be a 503', async () => {
    const key = await service.issue(service.acme);
    const create = () =>
      service.send({
        method: 'POST',
        path: PARTNERS,
        body: '{"name":"Revoked"}',
        headers: { 'content-type': 'application/json', authorization: `Bearer ${key}` },
      });
    expect((await create()).status).toBe(201);
    await service.store.keys.revoke(key.split('_')[1] ?? '', '2026-01-01T00:00:00.000Z');
    const release = await service.database.holdWrites();
    try {
      for (const _ of ['where it was let in before', 'from then on']) expect((await create()).status).toBe(401);
    } finally {
      await release();
    }
    await checkRow(service, {
      name: '',
      request: { path: `${PARTNERS}?filter=name=Revoked` },
      status: 200,
      has: { meta: { total: 1 } },
    });
  });

  test('writes that come while another waits in vain are told with it, and not written', async () => {
    const release = await service.database.holdWrites();
    const waiting = [];
    for (let count = 0; count < 5; count += 1) {
      waiting.push(
        service.send({
          method: 'POST',
          path: PARTNERS,
          body: '{"name":"Impatient"}',
          headers: { 'content-type': 'application/json' },
        }),
      );
      await setTimeout(100);
    }
    await Promise.race(waiting);
    // Whoever waited for the lock a second time would get it now.
    await release();
    for (const reply of await Promise.all(waiting))
      expect(reply).toMatchObject({ status: 503, json: { code: 'store_busy' } });
    await checkRow(service, {
      name: '',
      request: { path: `${PARTNERS}?filter=name=Impatient` },
      status: 200,
      has: { meta: { total: 0 } },
    });
    await checkRow(service, {
      name: 'the next one works',
      request: {
        method: 'POST',
        path: PARTNERS,
        body: '{"name":"After"}',
        headers: { 'content-type': 'application/json' },
      },
      status: 201,
    });
  });

  test('every request is an event, without its query', async () => {
    await service.send({ path: `${PRODUCTS}?filter=name*secret`, headers: { 'x-request-id': 'seen' } });
    await expect
      .poll(() => service.events.find((event) => event.kind === 'answered' && event.requestId === 'seen'))
      .toMatchObject({
        method: 'GET',
        path: PRODUCTS,
        status: 200,
        milliseconds: expect.any(Number),
      });
  });
});
