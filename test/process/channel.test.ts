/** Requests and responses between the primary process and a worker, without the processes. */

import { expect, test } from 'vitest';
import type { ProcessReadiness } from '../../src/observe/admin/processes.ts';
import { connected } from '../support/channels.ts';

const READY = { obstacle: null, unreachable: [] };
const notReady = (obstacle: string) => ({ obstacle, unreachable: [] });
const LEVELS = [[{ tokens: 1, wait: 0 }]];

test('a response belongs to its request, in whatever order responses arrive', async () => {
  const { primary, worker } = connected();
  const first = Promise.withResolvers<ProcessReadiness>();
  const answers = [first.promise, Promise.resolve(READY)];
  worker.handle('readiness', () => answers.shift() ?? READY);
  const slow = primary.request('readiness', null);
  expect(await primary.request('readiness', null)).toEqual(READY);
  first.resolve(notReady('the first one'));
  expect(await slow).toEqual(notReady('the first one'));
});

test('both sides may ask at the same time', async () => {
  const { primary, worker } = connected();
  worker.handle('readiness', () => notReady('starting'));
  primary.handle('buckets', () => LEVELS);
  const asked = [
    primary.request('readiness', null),
    worker.request('buckets', [{ set: 'requests', action: 'look', buckets: [] }]),
  ];
  expect(await Promise.all(asked)).toEqual([notReady('starting'), LEVELS]);
});

test('a request fails if the other process is gone', async () => {
  const { state, primary } = connected();
  state.isGone = true;
  await expect(primary.request('stop', null)).rejects.toThrow('the other process is gone');
});

test('a request fails if the other process goes before it has answered', async () => {
  const { primary, worker } = connected();
  worker.handle('readiness', () => new Promise(() => {}));
  const asked = primary.request('readiness', null);
  primary.close();
  await expect(asked).rejects.toThrow('the other process is gone');
});

test('a request that is not answered waits until it is aborted, and the late response is ignored', async () => {
  const { primary, worker } = connected();
  const late = Promise.withResolvers<ProcessReadiness>();
  worker.handle('readiness', () => late.promise);
  const ended = new AbortController();
  const asked = primary.request('readiness', null, ended.signal);
  ended.abort(new Error('too late'));
  await expect(asked).rejects.toThrow('too late');
  late.resolve(notReady('now'));
  worker.handle('readiness', () => READY);
  expect(await primary.request('readiness', null)).toEqual(READY);
});

test('a handler that fails does not respond, and does not end the process', async () => {
  const { primary, worker } = connected();
  worker.handle('readiness', async () => {
    throw new Error('a bug');
  });
  const ended = new AbortController();
  const asked = primary.request('readiness', null, ended.signal);
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
