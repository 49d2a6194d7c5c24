/** The steps of requests that arrived together are taken together. */

import { expect, test } from 'vitest';
import { inNextTurn, inTurn, openTurn } from '../../../src/store/engine/turns.ts';

/** What happened, in order. */
async function recorded(start: (note: (step: string) => void) => void): Promise<readonly string[]> {
  const steps: string[] = [];
  start((step) => steps.push(step));
  for (let n = 0; n < 4; n += 1) await new Promise((resolve) => setImmediate(resolve));
  return steps;
}

/** A step that takes some microtasks, and then leads to another. */
function request(name: string, note: (step: string) => void): void {
  inTurn(async () => {
    note(`check ${name}`);
    for (let n = 0; n < name.length; n += 1) await undefined;
    inTurn(() => note(`read ${name}`));
  });
}

test('a step of all requests precedes the next step of any, in one turn', async () => {
  const steps = await recorded((note) => {
    request('a', note);
    request('bbb', note);
    setImmediate(() => setImmediate(() => note('next turn')));
  });
  expect(steps).toEqual(['check a', 'check bbb', 'read a', 'read bbb', 'next turn']);
});

test('a turn ends with its last step', async () => {
  const turns: (number | undefined)[] = [];
  inTurn(() => {
    turns.push(openTurn());
    inTurn(() => turns.push(openTurn()));
    inNextTurn(() => turns.push(openTurn()));
    setImmediate(() => turns.push(openTurn()));
  });
  turns.push(openTurn());
  await recorded(() => {});
  const [before, first, second, next, outside] = turns;
  expect([before, outside]).toEqual([undefined, undefined]);
  expect(first).toBeTypeOf('number');
  expect(second).toBe(first);
  expect(next).toBe((first ?? 0) + 1);
});
