/** Requests and responses between the primary process and a worker, without the processes. */

import { expect, test } from 'vitest';
import { Channel } from '../../src/process/channel.ts';

/** Two ends of a channel. Messages arrive as a copy of what was sent, as between processes. */
function connected() {
  const state = { isGone: false };
  const sendTo = (end: () => Channel) => (message: object, onError: (error: Error) => void) => {
    if (state.isGone) onError(new Error('the other process is gone'));
    else end().receive(JSON.parse(JSON.stringify(message)));
  };
  const primary: Channel = new Channel(sendTo(() => worker));
  const worker: Channel = new Channel(sendTo(() => primary));
  return { state, primary, worker };
}

const answer = (id: number) => [{ id, levels: [], leased: [] }];

test('a response belongs to its request, in whatever order responses arrive', async () => {
  const { primary, worker } = connected();
  const first = Promise.withResolvers<null | string>();
  const obstacles = [first.promise, Promise.resolve(null)];
  worker.handle('obstacle', () => obstacles.shift() ?? null);
  const slow = primary.request('obstacle', null);
  expect(await primary.request('obstacle', null)).toBeNull();
  first.resolve('the first one');
  expect(await slow).toBe('the first one');
});

test('both sides may ask at the same time', async () => {
  const { primary, worker } = connected();
  worker.handle('obstacle', () => 'starting');
  primary.handle('buckets', ([question]) => answer(question?.id ?? 0));
  const asked = [
    primary.request('obstacle', null),
    worker.request('buckets', [{ id: 7, set: 'requests', action: 'look', buckets: [] }]),
  ];
  expect(await Promise.all(asked)).toEqual(['starting', answer(7)]);
});

test('a request fails if the other process is gone', async () => {
  const { state, primary } = connected();
  state.isGone = true;
  await expect(primary.request('stop', null)).rejects.toThrow('the other process is gone');
});

test('a request that is not answered waits until it is aborted, and the late response is ignored', async () => {
  const { primary, worker } = connected();
  const late = Promise.withResolvers<string>();
  worker.handle('obstacle', () => late.promise);
  const ended = new AbortController();
  const asked = primary.request('obstacle', null, ended.signal);
  ended.abort(new Error('too late'));
  await expect(asked).rejects.toThrow('too late');
  late.resolve('now');
  worker.handle('obstacle', () => null);
  expect(await primary.request('obstacle', null)).toBeNull();
});

test('a handler that fails does not respond, and does not end the process', async () => {
  const { primary, worker } = connected();
  worker.handle('obstacle', async () => {
    throw new Error('a bug');
  });
  const ended = new AbortController();
  const asked = primary.request('obstacle', null, ended.signal);
  setImmediate(() => ended.abort(new Error('no response')));
  await expect(asked).rejects.toThrow('no response');
});

test.each([
  undefined,
  null,
  'stop',
  7,
  {},
  { kind: 'response' },
  { kind: 'response', number: 99 },
  { kind: 'x', number: 1 },
])('%j is no message', (message) => {
  const { primary } = connected();
  expect(() => primary.receive(message)).not.toThrow();
});
