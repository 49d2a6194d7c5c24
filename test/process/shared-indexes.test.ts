/** How workers ask the process that holds the indexes, without the processes. */

import { expect, test } from 'vitest';
import { primaryIndexes, serveIndexes } from '../../src/process/shared-indexes.ts';
import { Deadline, NO_DEADLINE } from '../../src/schedule/deadline.ts';
import { Overloaded } from '../../src/schedule/fair-queue.ts';
import type { AccountId } from '../../src/store/account-id.ts';
import type { IndexHolder, IndexRequest } from '../../src/store/column-index/index-holder.ts';
import { connected } from '../support/channels.ts';
import { TestClock } from '../support/test-clock.ts';

const REQUEST: IndexRequest = {
  account: 1,
  resource: { name: 'product', version: 0 },
  ledger: { generation: 1, revision: 2, rows: 3 },
  isUrgent: false,
  cost: 1,
  task: { kind: 'find', page: { where: undefined, order: [], offset: 0, limit: 10 } },
};

/** A worker, and a primary process whose holder does this. */
function sharedBy(ask: IndexHolder['ask'], clock = new TestClock()) {
  const forgotten: (readonly [AccountId, string])[] = [];
  const { primary, worker, state } = connected();
  serveIndexes(primary, { ask, forget: (...names) => forgotten.push(names) }, clock);
  return { indexes: primaryIndexes(worker, clock), primary, worker, state, forgotten };
}

test('what the holder answers arrives, bytes included', async () => {
  const body = [new Uint8Array([1, 2])];
  const answer = { kind: 'printed', body } as const;
  const { indexes } = sharedBy(async (request) => (request.account === 1 ? answer : undefined));
  expect(await indexes.ask(REQUEST, NO_DEADLINE)).toEqual(answer);
  expect(await indexes.ask({ ...REQUEST, account: 2 }, NO_DEADLINE)).toBeUndefined();
});

test('the holder knows how much time is left', async () => {
  const left: number[] = [];
  const clock = new TestClock();
  const { indexes } = sharedBy(async (_, { remaining }) => void left.push(remaining), clock);
  const deadline = new Deadline(5_000, clock);
  clock.elapse(1_000);
  await indexes.ask(REQUEST, deadline);
  await indexes.ask(REQUEST, NO_DEADLINE);
  expect(left).toEqual([4_000, Number.POSITIVE_INFINITY]);
});

test('an account that has too many requests is refused as it would be by its own process', async () => {
  const { indexes } = sharedBy(async () => {
    throw new Overloaded('100 jobs are waiting', 7_000);
  });
  const refused = await indexes.ask(REQUEST, NO_DEADLINE).catch((error: unknown) => error);
  expect(refused).toBeInstanceOf(Overloaded);
  expect(refused).toMatchObject({ message: '100 jobs are waiting', retryAfter: 7 });
});

test('a bug of the holder is one of the request', async () => {
  const { indexes } = sharedBy(async () => {
    throw new Error('a bug');
  });
  await expect(indexes.ask(REQUEST, NO_DEADLINE)).rejects.toThrow('a bug');
});

/** A holder that answers when it is told to, and what becomes of its request. */
function patientHolder() {
  const asked = Promise.withResolvers<AbortSignal>();
  const ask: IndexHolder['ask'] = (_, { signal }) => {
    asked.resolve(signal);
    return new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
  };
  return { ask, asked: asked.promise };
}

test('a request that is cancelled is cancelled where the index is', async () => {
  const { ask, asked } = patientHolder();
  const { indexes } = sharedBy(ask);
  const deadline = new Deadline(60_000);
  const answer = indexes.ask(REQUEST, deadline);
  const signal = await asked;
  deadline.cancel('disconnected');
  await expect(answer).rejects.toThrow('disconnected');
  expect(signal.aborted).toBe(true);
});

test('a request that was cancelled before is not sent', async () => {
  let asked = 0;
  const { indexes } = sharedBy(async () => {
    asked += 1;
    return undefined;
  });
  const deadline = new Deadline(60_000);
  deadline.cancel('disconnected');
  await expect(indexes.ask(REQUEST, deadline)).rejects.toThrow('disconnected');
  expect(asked).toBe(0);
});

test('the requests of a worker that is gone are cancelled', async () => {
  const { ask, asked } = patientHolder();
  const { indexes, primary } = sharedBy(ask);
  void indexes.ask(REQUEST, NO_DEADLINE);
  const signal = await asked;
  primary.close();
  expect(signal.aborted).toBe(true);
});

test('the database answers if the holder goes before it has answered', async () => {
  const { ask, asked } = patientHolder();
  const { indexes, worker, state } = sharedBy(ask);
  const answer = indexes.ask(REQUEST, NO_DEADLINE);
  await asked;
  state.isGone = true;
  worker.close();
  expect(await answer).toBeUndefined();
  expect(await indexes.ask(REQUEST, NO_DEADLINE)).toBeUndefined();
});

test('a holder that takes long is waited for, and one that does not respond is not, until it does', async () => {
  const answers = [Promise.withResolvers<undefined>(), Promise.withResolvers<undefined>()];
  let asked = 0;
  const { worker, primary } = connected();
  const pings = { count: 0, held: undefined as Promise<void> | undefined };
  serveIndexes(primary, {
    ask: () => {
      asked += 1;
      return answers[asked - 1]?.promise ?? Promise.resolve(undefined);
    },
    forget: () => undefined,
  });
  primary.handle('ping', async () => {
    pings.count += 1;
    await pings.held;
    return null;
  });
  const clock = new TestClock();
  const indexes = primaryIndexes(worker, clock);
  const first = indexes.ask(REQUEST, NO_DEADLINE);
  await clock.advance(60_000);
  expect(pings.count).toBe(30);
  answers[0]?.resolve(undefined);
  await first;
  const silence = Promise.withResolvers<void>();
  pings.held = silence.promise;
  const second = indexes.ask(REQUEST, NO_DEADLINE);
  await clock.advance(4_000);
  expect(await second).toBeUndefined();
  expect(await indexes.ask(REQUEST, NO_DEADLINE)).toBeUndefined();
  expect(asked).toBe(2);
  silence.resolve();
  await clock.advance(0);
  await indexes.ask(REQUEST, NO_DEADLINE);
  expect(asked).toBe(3);
});

test('an index that is to be forgotten is', async () => {
  const { indexes, forgotten } = sharedBy(async () => undefined);
  indexes.forget(7, 'partner');
  expect(forgotten).toEqual([[7, 'partner']]);
});
