/** Lines that are read ahead of their client: it gets all of them, in order, however much room there is. */

import { expect, test } from 'vitest';
import { LinesAhead } from '../../../src/store/sqlite/lines-ahead.ts';
import type { TemporarySpace } from '../../../src/store/sqlite/temporary-space.ts';

const CHUNKS = 20;

/** Room for so many bytes. */
function space(room: number) {
  let taken = 0;
  const take: TemporarySpace['take'] = (bytes) => {
    if (taken + bytes > room) return false;
    taken += bytes;
    return true;
  };
  return { take, give: (bytes: number) => (taken -= bytes), taken: () => taken };
}

/** Chunks with their numbers. */
function source() {
  let read = 0;
  return {
    read: () => read,
    next: async () => {
      await new Promise(setImmediate);
      if (read === CHUNKS) return undefined;
      read += 1;
      return { bytes: new TextEncoder().encode(`${read}\n`), lines: 1 };
    },
  };
}

async function numbersOf(lines: LinesAhead): Promise<readonly number[]> {
  const numbers: number[] = [];
  for (let chunk = await lines.next(); chunk !== undefined; chunk = await lines.next())
    numbers.push(Number(new TextDecoder().decode(chunk.bytes)));
  return numbers;
}

const ALL = Array.from({ length: CHUNKS }, (_, n) => n + 1);

test.each([
  ['everything fits', 1_000, true],
  ['some of it fits', 10, false],
  ['nothing fits', 0, false],
])('all lines arrive: %s', async (_, room, isComplete) => {
  const [lines, taken] = [source(), space(room)];
  const ahead = new LinesAhead(lines.next, taken);
  const first = ahead.next();
  const reading = ahead.readAhead();
  expect((await first)?.lines).toBe(1);
  const rest = numbersOf(ahead);
  expect(await reading).toBe(isComplete);
  expect(await rest).toEqual(ALL.slice(1));
  await ahead.close();
  expect(taken.taken()).toBe(0);
});

test('a client that reads nothing for now does not keep lines from being read', async () => {
  const [lines, taken] = [source(), space(1_000)];
  const ahead = new LinesAhead(lines.next, taken);
  expect(await ahead.readAhead()).toBe(true);
  expect(lines.read()).toBe(CHUNKS);
  expect(taken.taken()).toBeGreaterThan(CHUNKS);
  expect(await numbersOf(ahead)).toEqual(ALL);
  await ahead.close();
});

test('an error follows what was read before it', async () => {
  let read = 0;
  const failing = async () => {
    read += 1;
    if (read === 3) throw new Error('cancelled');
    return { bytes: new TextEncoder().encode(`${read}\n`), lines: 1 };
  };
  const ahead = new LinesAhead(failing, space(1_000));
  expect(await ahead.readAhead()).toBe(true);
  expect([(await ahead.next())?.lines, (await ahead.next())?.lines]).toEqual([1, 1]);
  await expect(ahead.next()).rejects.toThrow('cancelled');
  await ahead.close();
});

test('nothing is read ahead for a client that has gone', async () => {
  const [lines, taken] = [source(), space(1_000)];
  const ahead = new LinesAhead(lines.next, taken);
  const reading = ahead.readAhead();
  await ahead.close();
  await reading;
  expect(lines.read()).toBeLessThan(3);
  expect(taken.taken()).toBe(0);
});
