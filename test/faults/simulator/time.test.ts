/** The time of a simulation. */

import { setTimeout } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { seededRandom } from '../../support/random.ts';
import { DAY, HOUR, SimulatedTime } from './time.ts';

test('a day passes at once', async () => {
  const time = new SimulatedTime(seededRandom('time'));
  const began = time.now;
  expect(await time.pass(DAY)).toBe(false);
  expect(time.now - began).toBe(DAY);
});

test('no time passes while something works for real', async () => {
  const time = new SimulatedTime(seededRandom('time'));
  const began = time.now;
  const working = time.working(async () => {
    await setTimeout(5);
    return time.now;
  });
  const passing = time.pass(DAY);
  expect(await working).toBe(began);
  await passing;
  expect(time.now).toBe(began + DAY);
});

test('what only time ends does not hold it up', async () => {
  const time = new SimulatedTime(seededRandom('time'));
  const began = time.now;
  const clock = time.clockOfWorker(() => false);
  const working = time.working(async () => {
    await clock.pause(HOUR);
    await setTimeout(5);
    return time.now;
  });
  expect(await time.through(working)).toBe(began + HOUR);
});

test('what nobody ends is a failure', async () => {
  const time = new SimulatedTime(seededRandom('time'));
  await expect(time.through(new Promise(() => {}))).rejects.toThrow('nothing has come of it within 86400');
});
