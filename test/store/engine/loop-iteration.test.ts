/** The steps of requests that arrived together are taken together. */

import { expect, test } from 'vitest';
import { inIteration, inNextIteration, openIteration } from '../../../src/store/engine/loop-iteration.ts';

/** What happened, in order. */
async function recorded(start: (note: (step: string) => void) => void): Promise<readonly string[]> {
  const steps: string[] = [];
  start((step) => steps.push(step));
  for (let n = 0; n < 4; n += 1) await new Promise((resolve) => setImmediate(resolve));
  return steps;
}

/** A step that takes some microtasks, and then leads to another. */
function request(name: string, note: (step: string) => void): void {
  inIteration(async () => {
    note(`check ${name}`);
    for (let n = 0; n < name.length; n += 1) await undefined;
    inIteration(() => note(`read ${name}`));
  });
}

test('a step of all requests precedes the next step of any, in one iteration', async () => {
  const steps = await recorded((note) => {
    request('a', note);
    request('bbb', note);
    setImmediate(() => setImmediate(() => note('next iteration')));
  });
  expect(steps).toEqual(['check a', 'check bbb', 'read a', 'read bbb', 'next iteration']);
});

test('an iteration ends with its last step', async () => {
  const iterations: (number | undefined)[] = [];
  inIteration(() => {
    iterations.push(openIteration());
    inIteration(() => iterations.push(openIteration()));
    inNextIteration(() => iterations.push(openIteration()));
    setImmediate(() => iterations.push(openIteration()));
  });
  iterations.push(openIteration());
  await recorded(() => {});
  const [before, first, second, next, outside] = iterations;
  expect([before, outside]).toEqual([undefined, undefined]);
  expect(first).toBeTypeOf('number');
  expect(second).toBe(first);
  expect(next).toBe((first ?? 0) + 1);
});
