/** `Idempotency-Key` over HTTP: concurrent requests, two nodes, and requests that are refused. */

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { CacheBudget } from '../../src/store/state/cache.ts';
import type { Store } from '../../src/store/store.ts';
import { aboveStore } from '../support/above-store.ts';
import { openDatabase } from '../support/engines.ts';
import { readReply, sendRaw } from '../support/raw-socket.ts';
import { checkReply, checkRow, createPartner, PARTNERS } from '../support/rows.ts';
import { awaitedLater, bearer, keyId, send, serveStore, type TestReply, type TestServer } from '../support/service.ts';
import { sharedService } from '../support/shared.ts';

describe.each(aboveStore)('on $name', (engine) => {
  /** Another node on the same database. */
  let other: TestServer & { readonly store: Store };
  const service = sharedService(engine);
  beforeAll(async () => {
    const budget = new CacheBudget(1024 * 1024);
    const store = await openDatabase(service.database.url, budget);
    other = { ...(await serveStore(store, budget)), store };
  });
  afterAll(async () => {
    await other.close();
    await other.store.close();
  });

  const createOnce = (key: string, name: string, port = service.port, headers = bearer(service.key)) =>
    send(port, createPartner(name, { 'idempotency-key': `"${key}"`, ...headers }));
  const checkTotal = (name: string, total: number) =>
    checkRow(service, { request: { path: `${PARTNERS}?filter=name=${name}` }, status: 200, has: { meta: { total } } });
  const checkInProgress = (reply: TestReply) =>
    checkReply(reply, {
      status: 409,
      has: { code: 'idempotency_key_in_progress' },
      headers: { 'retry-after': '1', 'idempotent-replayed': undefined },
    });

  test('a replayed response has the status, the body and the location of the original', async () => {
    const original = await createOnce('same', 'Same');
    expect(original.headers['idempotent-replayed']).toBeUndefined();
    for (const port of [service.port, other.port]) {
      const replayed = await createOnce('same', 'Same', port);
      expect(replayed).toMatchObject({ status: 201, text: original.text });
      const { date: _, 'x-request-id': __, 'idempotent-replayed': isReplayed, ...headers } = replayed.headers;
      expect(isReplayed).toBe('true');
      expect(original.headers).toMatchObject(headers);
    }
    await checkTotal('Same', 1);
  });

  test('a key whose request is in progress is a 409, and then replayed', async () => {
    const release = await service.database.holdWrites();
    const both = [1, 2].map(() => awaitedLater(createOnce('slow', 'Slow')));
    try {
      // One of them waits for the lock.
      checkInProgress(await Promise.race(both));
      checkInProgress(await createOnce('slow', 'Another body'));
    } finally {
      await release();
    }
    const replies = await Promise.all(both);
    expect(replies.map(({ status }) => status).toSorted()).toEqual([201, 409]);
    const created = replies.find(({ status }) => status === 201);
    checkReply(await createOnce('slow', 'Slow'), {
      status: 201,
      text: created?.text ?? '',
      headers: { 'idempotent-replayed': 'true' },
    });
    await checkTotal('Slow', 1);
  });

  test('a request that is refused does not use up its key', async () => {
    const reader = await service.issue(service.acme, { scopes: ['read'] });
    const revoked = await service.issue(service.acme);
    await service.store.keys.revoke(keyId(revoked), '2026-01-01T00:00:00.000Z');
    expect(await createOnce('refused', 'Refused', service.port, bearer(reader))).toRespond(403);
    expect(await createOnce('refused', 'Refused', service.port, bearer(revoked))).toRespond(401);
    expect(await createOnce('refused', ' ')).toRespond(400);
    const release = await service.database.holdWrites();
    try {
      checkReply(await createOnce('refused', 'Refused'), { status: 503, has: { code: 'store_busy' } });
    } finally {
      await release();
    }
    checkReply(await createOnce('refused', 'Accepted'), { status: 201, headers: { 'idempotent-replayed': undefined } });
    await checkTotal('Refused', 0);
    await checkTotal('Accepted', 1);
  });

  test('a replay needs a key with access', async () => {
    const revoked = await service.issue(service.acme);
    expect(await createOnce('access', 'Access', service.port, bearer(revoked))).toRespond(201);
    expect(await createOnce('access', 'Access', service.port, bearer(revoked))).toRespond(201);
    await service.store.keys.revoke(keyId(revoked), '2026-01-01T00:00:00.000Z');
    for (const port of [service.port, other.port]) {
      expect(await createOnce('access', 'Access', port, bearer(revoked))).toRespond(401);
      expect(await createOnce('access', 'Other', port, bearer(revoked))).toRespond(401);
    }
    // Other keys of the account replay it.
    checkReply(await createOnce('access', 'Access'), { status: 201, headers: { 'idempotent-replayed': 'true' } });
  });

  test('a repeated header is a 400', async () => {
    const head = [
      `POST ${PARTNERS} HTTP/1.1`,
      ...['Host: x', 'Connection: close', `Authorization: Bearer ${service.key}`],
      ...['Content-Type: application/json', 'Content-Length: 12'],
      ...['Idempotency-Key: a', 'idempotency-key: a'],
    ];
    const reply = readReply(await sendRaw(service.port, `${head.join('\r\n')}\r\n\r\n{"name":"a"}`));
    checkReply(reply, {
      status: 400,
      has: { code: 'invalid_idempotency_key', detail: expect.stringContaining('several') },
    });
  });

  test('other requests ignore the header', async () => {
    await checkRow(service, { request: { path: PARTNERS, headers: { 'idempotency-key': '"' } }, status: 200 });
  });
});
