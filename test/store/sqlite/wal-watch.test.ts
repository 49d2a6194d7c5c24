/** Which streams are ended when they hold back the write-ahead log. */

import { closeSync, ftruncateSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, onTestFinished, test } from 'vitest';
import { WalWatch } from '../../../src/store/sqlite/wal-watch.ts';
import { StoreUnavailable } from '../../../src/store/store-error.ts';
import { sharedFolder } from '../../support/shared.ts';

const LIMIT = 64 * 1024 * 1024;

const folder = sharedFolder();
let now = 0;
afterEach(() => {
  now = 0;
});

/** A log of so many bytes, which take no space. */
function setLength(path: string, bytes: number): void {
  const file = openSync(`${path}-wal`, 'w');
  ftruncateSync(file, bytes);
  closeSync(file);
}

function watch(name: string) {
  const path = join(folder.path, name);
  const watching = new WalWatch(path, () => now);
  onTestFinished(() => watching.close());
  const ended: string[] = [];
  return {
    ended,
    setLength: (bytes: number) => setLength(path, bytes),
    add: (stream: string) => watching.add(() => ended.push(stream)),
  };
}

test('what nobody reads any more is ended, and what is read steadily only after a minute', async () => {
  const { add, ended, setLength: grow } = watch('steady');
  const [read, unread] = [add('read'), add('unread')];
  const chunk = Promise.withResolvers<string>();
  const reading = read.read(() => chunk.promise);
  expect(await unread.read(async () => 'first')).toBe('first');
  grow(LIMIT + 1);
  now = 5_000;
  await expect.poll(() => ended).toEqual(['unread']);
  await expect(unread.read(async () => 'next')).rejects.toThrow(StoreUnavailable);
  now = 59_999;
  chunk.resolve('second');
  expect(await reading).toBe('second');
  // Whatever fails because it was ended fails with the reason.
  const closed = Promise.withResolvers<string>();
  const late = read.read(() => closed.promise);
  now = 60_000;
  await expect.poll(() => ended).toEqual(['unread', 'read']);
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
  now = 100_000;
  await expect.poll(() => longer.ended).toEqual(['another']);
  expect(ended).toEqual([]);
  grow(LIMIT + 1);
  add('after');
  now = 200_000;
  await expect.poll(() => ended).toEqual(['before']);
});
