/** Injected faults of the database: a missing table, and write locks that are held. */

import { beforeAll, describe, expect, test } from 'vitest';
import { SCHEMA_VERSION } from '../../src/store/migrations/migrations.ts';
import { engines, sqlite } from '../support/engines.ts';
import { COMPANIES, checkReply, checkRow, createPartner, PARTNERS, PRODUCTS } from '../support/rows.ts';
import { awaitedLater, bearer, keyId, readiness, type TestRequest } from '../support/service.ts';
import { sharedService } from '../support/shared.ts';

describe.each(engines)('on $name', (engine) => {
  const service = sharedService(engine);

  const checkTotal = (name: string, total: number) =>
    checkRow(service, { request: { path: `${PARTNERS}?filter=name=${name}` }, status: 200, has: { meta: { total } } });

  test('an internal error reveals only the request id; the cause is an event', async () => {
    await service.database.execute('ALTER TABLE company RENAME TO misplaced');
    const reply = await service.send({ path: COMPANIES, headers: { 'x-request-id': 'find-me' } });
    expect(reply).toRespond(500);
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
    expect(service.events.find((event) => event.kind === 'request failed')).toMatchObject({
      requestId: 'find-me',
      error: expect.objectContaining({ message: expect.stringContaining('company') }),
    });
    // Other requests are not affected.
    await checkRow(service, { request: { path: PRODUCTS }, status: 200 });
  });

  test('a malformed path is a 500 as well if the key cannot be checked', async () => {
    await service.database.execute('ALTER TABLE ledger RENAME TO misplaced_ledger');
    const reply = await service.send({ path: '/api/%zz' });
    expect(reply).toRespond(500);
    await service.database.execute('ALTER TABLE misplaced_ledger RENAME TO ledger');
    expect(await service.send({ path: '/api/%zz' })).toRespond(400);
  });

  describe('a damaged ledger', () => {
    const damaged = () => service.events.filter((event) => event.kind === 'ledger damaged');
    const damageLedger = async (damage: string) => {
      const copy = 'ledger_copy';
      await service.database.execute(`CREATE TABLE ${copy} AS SELECT * FROM ledger; ${damage}`);
      return () =>
        service.database.execute(`DELETE FROM ledger; INSERT INTO ledger SELECT * FROM ${copy}; DROP TABLE ${copy}`);
    };

    test.each([
      ['a row is missing', "DELETE FROM ledger WHERE account_id = ACME AND resource = 'partner'"],
      ['all rows are missing', 'DELETE FROM ledger WHERE account_id = ACME'],
      ['a number cannot be read', 'UPDATE ledger SET revision = 9223372036854775807 WHERE account_id = ACME'],
    ])('is a 503 that the operator learns about, and a 401 only for a wrong key: %s', async (_, damage) => {
      const { acme, globex } = service;
      const other = bearer(await service.issue(globex));
      const revoked = await service.issue(acme);
      const restore = await damageLedger(damage.replaceAll('ACME', String(acme.id)));
      try {
        const requests = [{ path: PARTNERS }, { path: `${PARTNERS}/1` }, { path: `${PARTNERS}/changes` }];
        for (const request of [...requests, createPartner('Lost')])
          for (const _ of ['with a new session', 'with a cached one'])
            checkReply(await service.send(request), {
              status: 503,
              has: { code: 'store_damaged' },
              headers: { 'retry-after': '60' },
            });
        // Others are not affected, although versions of several accounts are read together.
        const mixed = [service.send({ path: PARTNERS }), service.send({ path: PARTNERS, headers: other })];
        expect((await Promise.all(mixed)).map(({ status }) => status)).toEqual([503, 200]);
        await service.store.keys.revoke(keyId(revoked), new Date().toISOString());
        expect(await service.send({ path: PARTNERS, headers: bearer(revoked) })).toRespond(401);
        // At most one per minute.
        expect(damaged().length).toBeLessThanOrEqual(1);
        expect(damaged().slice(0, 1)).toMatchObject([
          { account: 'acme', error: { message: expect.stringContaining('stockbook check') } },
        ]);
      } finally {
        await restore();
      }
      expect(await service.send({ path: PARTNERS })).toRespond(200);
    });
  });

  describe('while another process holds the write lock', () => {
    test('a write times out with a 503, and reads are served', async () => {
      const release = await service.database.holdWrites();
      const creating = awaitedLater(service.send(createPartner('Patient')));
      await checkRow(service, { request: { path: PRODUCTS }, status: 200 });
      checkReply(await creating, { status: 503, has: { code: 'store_busy' }, headers: { 'retry-after': '1' } });
      // That it waited for another write is not an outage.
      expect(service.events.filter(({ kind }) => kind === 'database unavailable')).toEqual([]);
      await release();
      await checkRow(service, { request: createPartner('Patient'), status: 201 });
      await checkTotal('Patient', 1);
    });

    test('a write with a revoked key is a 401, not a 503', async () => {
      const key = await service.issue(service.acme);
      const create = () => service.send(createPartner('Revoked', bearer(key)));
      expect(await create()).toRespond(201);
      await service.store.keys.revoke(keyId(key), '2026-01-01T00:00:00.000Z');
      const release = await service.database.holdWrites();
      try {
        for (const _ of ['with a cached session', 'without']) expect(await create()).toRespond(401);
      } finally {
        await release();
      }
      await checkTotal('Revoked', 1);
    });

    test('revoking a key waits longer than other writes', async () => {
      const key = await service.issue(service.acme);
      const release = await service.database.holdWrites();
      const revoking = awaitedLater(service.store.keys.revoke(keyId(key), new Date().toISOString()));
      await checkRow(service, { request: createPartner('Impatient'), status: 503, has: { code: 'store_busy' } });
      await release();
      await revoking;
      await checkRow(service, { request: { path: PRODUCTS, headers: bearer(key) }, status: 401 });
      await checkTotal('Impatient', 0);
    });

    test('writes that are queued behind the one that times out fail with it', async () => {
      const release = await service.database.holdWrites();
      const creating = Array.from({ length: 5 }, () => awaitedLater(service.send(createPartner('Impatient'))));
      await Promise.race(creating);
      // A write that waited for the lock on its own would get it now.
      await release();
      for (const reply of await Promise.all(creating)) checkReply(reply, { status: 503, has: { code: 'store_busy' } });
      await checkTotal('Impatient', 0);
      await checkRow(service, { request: createPartner('After'), status: 201 });
    });
  });
});

// On PostgreSQL, nodes of the previous version keep serving after a migration.
describe('a SQLite file that a newer version has migrated', () => {
  const service = sharedService(sqlite);
  beforeAll(async () => {
    await service.send({ path: PRODUCTS });
    await service.database.execute(
      `INSERT INTO migration VALUES (${SCHEMA_VERSION + 1}, 'from the future', '2030-01-01')`,
    );
  });

  test.each<[string, TestRequest]>([
    ['a list that is cached', { path: PRODUCTS }],
    ['a list that is not', { path: `${PRODUCTS}?limit=3` }],
    ['a record', { path: `${PRODUCTS}/1` }],
    ['an export', { path: PRODUCTS, headers: { accept: 'application/x-ndjson' } }],
    ['a create', createPartner('Late')],
  ])('%s is a 503', async (_, request) => {
    await checkRow(service, { request, status: 503, has: { code: 'store_unreachable' } });
  });

  test('the service is not ready', async () => {
    expect(await readiness(service)).toRespond(503);
  });
});
