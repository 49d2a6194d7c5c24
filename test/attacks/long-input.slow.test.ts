/** Requests that take long to read: bodies with many members, paths and searches of tens of kilobytes. */

import { Agent } from 'node:http';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { engines, sqlite } from '../support/engines.ts';
import { PARTNERS, PRODUCTS } from '../support/rows.ts';
import { bearer, send } from '../support/service.ts';
import { sharedService } from '../support/shared.ts';

const MANY = 30;
/** As long, and with as many members, as it may be. */
const BODY = JSON.stringify(Object.fromEntries(Array.from({ length: 1_000 }, (_, n) => [`${n}`.padStart(50, 'x'), 0])));

describe.each(engines)('on $name', (engine) => {
  let neighbour: string;
  const service = sharedService(engine);
  beforeAll(async () => {
    neighbour = await service.issue(service.globex);
    await send(service.port, { path: PRODUCTS, headers: bearer(neighbour) });
  });

  test('long bodies of an account take turns with the neighbour', async () => {
    // All are connected before, since the service accepts one connection after another.
    const agent = new Agent({ keepAlive: true });
    onTestFinished(() => agent.destroy());
    const list = () => send(service.port, { path: PRODUCTS, headers: bearer(neighbour) }, agent);
    await Promise.all(Array.from({ length: MANY + 1 }, list));
    const order: string[] = [];
    const headers = { ...bearer(service.key), 'content-type': 'application/json' };
    const bodies = Array.from({ length: MANY }, async () => {
      const { status } = await send(service.port, { method: 'POST', path: PARTNERS, headers, body: BODY }, agent);
      expect(status).toBe(400);
      order.push('body');
    });
    const read = list().then(({ status }) => {
      expect(status).toBe(200);
      order.push('neighbour');
    });
    await Promise.all([...bodies, read]);
    expect(order.indexOf('neighbour')).toBeLessThan(MANY / 2);
  });
});

describe('without a key', () => {
  const service = sharedService(sqlite);

  test.each([
    ['/'.repeat(60_000), 404],
    [`/${'a/'.repeat(28_000)}`, 404],
    [`/docs/${'a/'.repeat(28_000)}`, 404],
    [`/api/${'a/'.repeat(28_000)}`, 401],
    [`/%61pi/${'%ff/'.repeat(14_000)}`, 401],
    [`/docs/guides/api?${'x&'.repeat(28_000)}`, 200],
  ])('%.30s… gets its response', async (path, status) => {
    expect(await send(service.port, { path })).toRespond(status);
  });
});
