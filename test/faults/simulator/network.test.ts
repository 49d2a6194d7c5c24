/** The network of a simulation fails in each way. */

import { expect, test } from 'vitest';
import { seededRandom } from '../../support/random.ts';
import { type Host, NETWORK_FAULTS, SimulatedNetwork } from './network.ts';
import { MINUTE, SimulatedTime } from './time.ts';

const ERRORS = [{ status: 503, type: 'text/plain', text: 'busy', isTimed: true }];

/** What has become of a request, and how often the host has got it. */
async function outcomes(requests: number, failing: number): Promise<ReadonlyMap<string, readonly string[]>> {
  const random = seededRandom('network');
  const time = new SimulatedTime(random);
  const network = new SimulatedNetwork(time, random);
  network.failing = failing;
  let got = 0;
  const host: Host = async () => {
    got += 1;
    return { status: 200, headers: {}, body: new Uint8Array(Buffer.from('answer')) };
  };
  const found = new Map<string, Set<string>>();
  const send = network.fetchTo({ name: 'host', host, errors: ERRORS }, 1, () => false);
  for (let n = 0; n < requests; n += 1) {
    got = 0;
    const request = send('http://host/path').then((response) => response.text());
    const outcome = await time.through(request.catch(() => 'failed'));
    const fault = network.sent.at(-1)?.fault ?? 'none';
    found.set(fault, (found.get(fault) ?? new Set()).add(`${outcome}, sent ${got} times`));
  }
  return new Map([...found].map(([fault, each]) => [fault, [...each].toSorted()]));
}

test('all requests reach the host if it is well', async () => {
  expect(await outcomes(20, 0)).toEqual(new Map([['none', ['answer, sent 1 times']]]));
});

test('a request is lost before, or after it was handled', async () => {
  const found = await outcomes(200, 1);
  expect([...found.keys()].toSorted()).toEqual([...NETWORK_FAULTS].toSorted());
  expect(Object.fromEntries(found)).toEqual({
    refused: ['failed, sent 0 times'],
    'lost request': ['failed, sent 0 times'],
    'lost answer': ['failed, sent 1 times'],
    'cut answer': ['failed, sent 1 times'],
    'late request': ['answer, sent 1 times'],
    'slow answer': ['answer, sent 1 times'],
    error: ['busy, sent 0 times'],
    'error after': ['busy, sent 1 times'],
  });
});

test('a late request arrives although its client has given up', async () => {
  const random = seededRandom('late requests');
  const time = new SimulatedTime(random);
  const network = new SimulatedNetwork(time, random);
  network.failing = 1;
  let got = 0;
  const host: Host = async () => {
    got += 1;
    return { status: 200, headers: {}, body: new Uint8Array() };
  };
  const send = network.fetchTo({ name: 'host', host, errors: ERRORS }, 1, () => false);
  while (network.sent.at(-1)?.fault !== 'late request' || got > 0) {
    got = 0;
    const given = new AbortController();
    time.clock.after(1_000, () => given.abort());
    await time.through(send('http://host/path', { signal: given.signal }).catch(() => undefined));
  }
  await time.pass(10 * MINUTE);
  expect(got).toBe(1);
});

test('nothing reaches a program that was killed', async () => {
  const random = seededRandom('killed');
  const time = new SimulatedTime(random);
  const network = new SimulatedNetwork(time, random);
  let isDead = false;
  const host: Host = async () => ({ status: 200, headers: {}, body: new Uint8Array() });
  const send = network.fetchTo({ name: 'host', host, errors: [] }, 1, () => isDead);
  let isAnswered = false;
  void send('http://host/path').then(() => {
    isAnswered = true;
  });
  isDead = true;
  await time.pass(MINUTE);
  expect(isAnswered).toBe(false);
});
