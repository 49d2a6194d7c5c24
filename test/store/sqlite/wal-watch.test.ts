/** What happens to long reads that hold back the write-ahead log. */

import { closeSync, ftruncateSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { type WalOptions, WalWatch } from '../../../src/store/sqlite/wal-watch.ts';
import { StoreUnavailable } from '../../../src/store/store-error.ts';
import { sharedFolder } from '../../support/shared.ts';
import { TestClock } from '../../support/test-clock.ts';

const LIMIT = 64 * 1024 * 1024;
const DUE = 32 * 1024 * 1024;

const folder = sharedFolder();
let clock: TestClock;
beforeEach(() => {
  clock = new TestClock();
});

/** A log of so many bytes, which take no space. */
function setLength(path: string, bytes: number): void {
  const file = openSync(`${path}-wal`, 'w');
  ftruncateSync(file, bytes);
  closeSync(file);
}

function watch(name: string, options: Partial<WalOptions> = {}) {
  const path = join(folder.path, name);
  const watching = new WalWatch(path, { restart: async () => false, clock, ...options });
  onTestFinished(() => watching.close());
  const ended: string[] = [];
  const readAhead: string[] = [];
  return {
    watching,
    ended,
    readAhead,
    setLength: (bytes: number) => setLength(path, bytes),
    add: (stream: string) =>
      watching.addStream({
        end: () => ended.push(stream),
        readAhead: () => readAhead.push(stream) > 0,
      }),
  };
}

test('what nobody reads any more is ended, and what is read steadily only after a minute', async () => {
  const { add, ended, setLength: grow } = watch('steady');
  const [read, unread] = [add('read'), add('unread')];
  const chunk = Promise.withResolvers<string>();
  const reading = read.read(() => chunk.promise);
  expect(await unread.read(async () => 'first')).toBe('first');
  grow(LIMIT + 1);
  await clock.advance(5_000);
  expect(ended).toEqual(['unread']);
  await expect(unread.read(async () => 'next')).rejects.toThrow(StoreUnavailable);
  await clock.advance(54_999);
  chunk.resolve('second');
  expect(await reading).toBe('second');
  // Whatever fails because it was ended fails with the reason.
  const closed = Promise.withResolvers<string>();
  const late = read.read(() => closed.promise);
  expect(ended).toEqual(['unread']);
  await clock.advance(1);
  expect(ended).toEqual(['unread', 'read']);
  closed.reject(new Error('the snapshot is closed'));
  await expect(late).rejects.toMatchObject({ reason: 'too slow', message: expect.stringContaining('write-ahead log') });
});

test('nothing is ended while the log is short, or has not grown since', async () => {
  const { add, ended, setLength: grow } = watch('short');
  grow(LIMIT);
  add('before');
  const longer = watch('longer');
  longer.add('another');
  longer.setLength(LIMIT + 1);
  await clock.advance(100_000);
  expect(longer.ended).toEqual(['another']);
  expect(ended).toEqual([]);
  grow(LIMIT + 1);
  add('after');
  await clock.advance(100_000);
  expect(ended).toEqual(['before']);
});

test('when the log is due to be started over, streams are read ahead, and new reads wait until all are over', async () => {
  let restarts = 0;
  const {
    add,
    readAhead,
    watching,
    setLength: grow,
  } = watch('due', {
    restart: async () => {
      restarts += 1;
      grow(0);
      return true;
    },
  });
  grow(DUE);
  await watching.enter();
  const [stream, read] = [add('stream'), watching.addRead()];
  grow(DUE + 1);
  await clock.advance(100);
  expect(readAhead).toEqual(['stream']);
  let hasEntered = false;
  const entering = watching.enter().then(() => {
    hasEntered = true;
  });
  stream.remove();
  stream.remove();
  await clock.advance(100);
  expect(readAhead).toEqual(['stream']);
  expect([hasEntered, restarts]).toEqual([false, 0]);
  read();
  await entering;
  expect(restarts).toBe(1);
  await watching.enter();
});

test('new reads wait no longer than ten seconds, and not for what takes long or cannot be', async () => {
  const { watching, setLength: grow } = watch('busy');
  grow(DUE + 1);
  watching.addRead();
  const waiting = watching.enter();
  await clock.advance(10_000);
  await waiting;
  // For a while, nobody waits again.
  await clock.advance(9_999);
  await watching.enter();

  const readOnly = watch('read-only', { restart: undefined });
  readOnly.setLength(DUE + 1);
  await readOnly.watching.enter();

  let isWriting = false;
  const written = watch('written', { isWriting: () => isWriting });
  written.setLength(DUE + 1);
  const begun = written.watching.enter();
  isWriting = true;
  await clock.advance(100);
  await begun;
  await written.watching.enter();
});

test('a log that is too long for a minute is reported once', async () => {
  const reported: object[] = [];
  const { watching, setLength: grow } = watch('long', { onLong: (log) => reported.push(log) });
  watching.addRead();
  grow(LIMIT + 1);
  await clock.advance(60_000);
  expect(reported).toEqual([]);
  await clock.advance(100);
  expect(reported).toEqual([{ bytes: LIMIT + 1, reads: 1 }]);
  await clock.advance(600_000);
  expect(reported).toHaveLength(1);
  grow(0);
  await watching.enter();
});
