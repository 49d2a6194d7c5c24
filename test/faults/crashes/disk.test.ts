/** What a disk can have after a crash, given the calls before it. */

import { expect, test } from 'vitest';
import type { DiskCall } from '../../support/disk-log.ts';
import { Disk, type Loss, NO_LOSS, type Remains } from './disk.ts';

const ROOT = '/disk/database';

const [folder, created]: DiskCall[] = [
  { kind: 'make folder', path: ROOT },
  { kind: 'create', file: 1, path: `${ROOT}/a` },
];
const write = (text: string, offset = 0): DiskCall => ({ kind: 'write', file: 1, offset, bytes: Buffer.from(text) });
const synchronized: DiskCall[] = [
  { kind: 'sync', file: 1 },
  { kind: 'sync folder', path: ROOT },
  { kind: 'sync folder', path: '/disk' },
];

/** What the files contain after a crash at the end of these calls. */
function after(calls: readonly (DiskCall | undefined)[], loss: Loss = NO_LOSS): Record<string, string> {
  const disk = new Disk(ROOT);
  for (const call of calls) if (call !== undefined) disk.apply(call);
  return Object.fromEntries([...disk.state(loss)].map(([name, { bytes }]) => [name, Buffer.from(bytes).toString()]));
}

const losing = (...calls: readonly number[]): Loss =>
  new Map(calls.map((call): [number, Remains] => [call, 'nothing']));

test('while the machine runs, everything is there', () => {
  expect(after([folder, created, write('abc'), write('x', 1)])).toEqual({ a: 'axc' });
});

test('a file is lost with its name, or with that of its folder', () => {
  expect(after([folder, created, write('abc')], losing(2))).toEqual({});
  expect(after([folder, created, write('abc')], losing(1))).toEqual({});
});

test('a write is lost without those that follow', () => {
  expect(after([folder, created, write('abc'), write('x', 3)], losing(3))).toEqual({ a: '\0\0\0x' });
});

test('a write is torn', () => {
  const loss: Loss = new Map([[3, { from: 1, to: 2 }]]);
  expect(after([folder, created, write('abc')], loss)).toEqual({ a: '\0b' });
});

test('what was synchronized cannot be lost', () => {
  const disk = new Disk(ROOT);
  for (const call of [folder, created, write('abc'), ...synchronized]) if (call !== undefined) disk.apply(call);
  expect(disk.losable).toEqual([]);
  disk.apply(write('x'));
  expect(disk.losable).toEqual([7]);
  expect(after([folder, created, write('abc'), ...synchronized, write('x')], losing(7))).toEqual({ a: 'abc' });
});

test('a name is replaced in one step', () => {
  const calls: (DiskCall | undefined)[] = [
    ...[folder, created, write('old'), ...synchronized],
    { kind: 'create', file: 2, path: `${ROOT}/b` },
    { kind: 'write', file: 2, offset: 0, bytes: Buffer.from('new') },
    { kind: 'sync', file: 2 },
    { kind: 'rename', file: 2, from: `${ROOT}/b`, path: `${ROOT}/a` },
  ];
  expect(after(calls)).toEqual({ a: 'new' });
  expect(after(calls, losing(10))).toEqual({ a: 'old', b: 'new' });
  expect(after(calls, losing(7))).toEqual({ a: 'new' });
});

test('what could not be synchronized may be lost, although a later attempt succeeds, until it is written again', () => {
  const disk = new Disk(ROOT);
  const calls = [
    folder,
    created,
    ...synchronized,
    write('abc'),
    { kind: 'failed sync', file: 1 } as const,
    synchronized[0],
  ];
  for (const call of calls) if (call !== undefined) disk.apply(call);
  expect(disk.losable).toEqual([6]);
  for (const call of [write('xyz'), synchronized[0]]) if (call !== undefined) disk.apply(call);
  expect(disk.losable).toEqual([]);
});
