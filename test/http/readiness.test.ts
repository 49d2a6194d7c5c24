/** `GET /health/ready` is a 503 whenever requests would be. */

import { describe, expect, onTestFinished, test } from 'vitest';
import { engines, openTestStore } from '../support/engines.ts';
import { backendsOf } from '../support/postgres-connection.ts';
import { sendUnchecked } from '../support/service.ts';
import { sharedService } from '../support/shared.ts';

describe.each(engines)('on $name', (engine) => {
  const service = sharedService(engine);

  const ready = async () => {
    const { status, json } = await sendUnchecked(service.adminPort, { path: '/health/ready' });
    return { status, ready: Object(json).ready };
  };

  test('is a 200 without accounts as well', async () => {
    const { store, close } = await openTestStore(engine);
    onTestFinished(close);
    await store.checkReadiness();
    expect(await ready()).toMatchObject({ status: 200 });
  });

  test.each(['account', 'ledger', 'product', 'partner', 'company'])('is a 503 without the table %s', async (table) => {
    await service.database.execute(`ALTER TABLE ${table} RENAME TO misplaced`);
    expect(await ready()).toEqual({ status: 503, ready: 0 });
    await service.database.execute(`ALTER TABLE misplaced RENAME TO ${table}`);
    expect(await ready()).toMatchObject({ status: 200 });
  });

  test('is in the metrics, and has an event when it changes, however many probes and scrapes there are', async () => {
    const metric = async () => {
      const { text } = await sendUnchecked(service.adminPort, { path: '/metrics' });
      return /^stockbook_ready (.*)$/m.exec(text)?.[1];
    };
    const before = service.events.length;
    await expect.poll(metric).toBe('1');
    await service.database.execute('ALTER TABLE ledger RENAME TO misplaced');
    await expect.poll(metric).toBe('0');
    for (let count = 0; count < 3; count += 1) expect(await ready()).toMatchObject({ status: 503 });
    await service.database.execute('ALTER TABLE misplaced RENAME TO ledger');
    await expect.poll(metric).toBe('1');
    for (let count = 0; count < 3; count += 1) expect(await ready()).toMatchObject({ status: 200 });
    expect(service.events.slice(before)).toEqual([
      { kind: 'not ready', workers: 1, reason: expect.any(String) },
      { kind: 'ready again', milliseconds: expect.any(Number) },
    ]);
  });

  test('is a 503 if the database does not respond', async ({ skip }) => {
    if (engine.name === 'SQLite') skip('there is no server');
    if (process.env['STOCKBOOK_TEST_POSTGRES'] !== undefined)
      skip('processes can only be stopped on the machine they run on');
    const backends = await backendsOf(service.database.url);
    for (const pid of backends) process.kill(pid, 'SIGSTOP');
    try {
      expect(await Promise.all([ready(), ready()])).toEqual(Array(2).fill({ status: 503, ready: 0 }));
    } finally {
      for (const pid of backends) process.kill(pid, 'SIGCONT');
    }
    await expect.poll(ready).toMatchObject({ status: 200 });
  });
});
