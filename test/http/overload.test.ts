/** A service that cannot keep up refuses requests of the accounts that send most, and of nobody else. */

import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { oneEngine } from '../support/engines.ts';
import { rpcRequest } from '../support/mcp.ts';
import { PRODUCTS } from '../support/rows.ts';
import { bearer, send, startService, type TestReply, type TestService } from '../support/service.ts';
import { TestClock } from '../support/test-clock.ts';

describe.each(oneEngine)('on $name', (engine) => {
  let clock: TestClock;
  /** How long requests wait for the serving thread, in milliseconds. */
  let delay: number;
  let service: TestService;
  let neighbour: string;
  beforeEach(async () => {
    clock = new TestClock();
    delay = 0;
    const settings = { 'cors-origins': '*', 'max-delay': '20' };
    service = await startService(engine, { settings, delay: () => delay, clock });
    neighbour = await service.issue(service.globex);
    // So that it is known who sends them.
    await send(service.port, { path: PRODUCTS, headers: bearer(neighbour) });
    await service.send({ path: PRODUCTS });
  });
  afterEach(() => service.close());

  /** A request every 5 ms, and one of the neighbour every 50 ms. */
  const sendFor = async (milliseconds: number): Promise<{ heavy: TestReply[]; quiet: TestReply[] }> => {
    const [heavy, quiet]: [TestReply[], TestReply[]] = [[], []];
    for (let passed = 0; passed < milliseconds; passed += 5) {
      heavy.push(await service.send({ path: PRODUCTS, headers: { origin: 'https://shop.example' } }));
      if (passed % 50 === 0) quiet.push(await send(service.port, { path: PRODUCTS, headers: bearer(neighbour) }));
      clock.elapse(5);
    }
    return { heavy, quiet };
  };
  const statuses = (replies: readonly TestReply[]) => new Set(replies.map(({ status }) => status));

  test('it refuses early, spares the neighbour, and recovers', async () => {
    delay = 100;
    await sendFor(300);
    const { heavy, quiet } = await sendFor(300);
    expect(statuses(heavy)).toEqual(new Set([200, 503]));
    expect(statuses(quiet)).toEqual(new Set([200]));
    const refused = heavy.find(({ status }) => status === 503);
    expect(refused?.json).toMatchObject({ code: 'service_overloaded', status: 503 });
    expect(refused?.headers).toMatchObject({
      'retry-after': '1',
      'content-type': 'application/problem+json',
      'access-control-allow-origin': '*',
    });
    delay = 0;
    await sendFor(300);
    const later = await sendFor(200);
    expect([statuses(later.heavy), statuses(later.quiet)]).toEqual([new Set([200]), new Set([200])]);
  });

  test('whoever has no key shares with all others who have none, and nobody learns whether a key exists', async () => {
    delay = 100;
    const replies: TestReply[] = [];
    for (let n = 0; n < 120; n += 1, clock.elapse(5))
      replies.push(await send(service.port, { path: PRODUCTS, headers: bearer('sbk_wrong') }));
    expect(statuses(replies.slice(-40))).toEqual(new Set([401, 503]));
    expect(await service.send({ path: PRODUCTS })).toRespond(200);
  });

  test('/mcp gets the same error', async () => {
    delay = 100;
    const replies: TestReply[] = [];
    for (let n = 0; n < 120; n += 1, clock.elapse(5)) replies.push(await service.send(rpcRequest('tools/list')));
    expect(statuses(replies.slice(-40))).toEqual(new Set([200, 503]));
  });
});
