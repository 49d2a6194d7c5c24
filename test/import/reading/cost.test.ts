import { describe, expect, test } from 'vitest';
import { UnreadableFile } from '../../../src/import/format.ts';
import {
  BASE_BYTES,
  BASE_TIME,
  MAX_ACCOUNT_HELD,
  MAX_HELD,
  ReadingCosts,
  TIME_PER_BYTE,
  TooMuchHeld,
} from '../../../src/import/reading/cost.ts';

describe('memory', () => {
  test('that the imports of an account hold is limited, and given back at their end', () => {
    const costs = new ReadingCosts();
    const first = costs.open(1);
    const second = costs.open(1);
    first.hold(MAX_ACCOUNT_HELD - 2 * BASE_BYTES);
    expect(() => second.hold(1)).toThrow(new TooMuchHeld(true));
    expect(() => costs.open(1)).toThrow(new TooMuchHeld(true));
    first.close();
    second.hold(MAX_ACCOUNT_HELD - BASE_BYTES);
    second.close();
    costs.open(1).hold(MAX_ACCOUNT_HELD - BASE_BYTES);
  });

  test('that all imports hold is limited', () => {
    const costs = new ReadingCosts();
    const first = costs.open(1);
    first.hold(MAX_ACCOUNT_HELD - BASE_BYTES);
    const other = costs.open(2);
    other.hold(MAX_HELD - MAX_ACCOUNT_HELD - BASE_BYTES);
    expect(() => other.hold(1)).toThrow(new TooMuchHeld(false));
    expect(() => costs.open(3)).toThrow(new TooMuchHeld(false));
    first.close();
    costs.open(3);
  });
});

describe('processor time', () => {
  /** Steps that take so many milliseconds. */
  const opened = () => {
    let now = 0;
    const cost = new ReadingCosts(() => now).open(1);
    const step = (time: number) =>
      cost.step(() => {
        now += time;
      });
    return { cost, step };
  };

  test('is limited', async () => {
    const { step } = opened();
    await step(BASE_TIME - 1);
    await step(1);
    await expect(step(1)).rejects.toThrow(UnreadableFile);
  });

  test('is limited in proportion to what was unpacked', async () => {
    const { cost, step } = opened();
    cost.unpacked(1_000_000);
    await step(BASE_TIME + 1_000_000 * TIME_PER_BYTE);
    await expect(step(1)).rejects.toThrow('Reading it takes too much time for its size: 7 s so far.');
  });

  test('is not taken by one account while another waits', async () => {
    const costs = new ReadingCosts();
    const order: string[] = [];
    const run = (account: number, name: string) => costs.open(account).step(() => void order.push(name));
    await Promise.all([run(1, 'a'), run(1, 'b'), run(1, 'c'), run(2, 'other')]);
    expect(order.indexOf('other')).toBeLessThan(2);
  });
});
