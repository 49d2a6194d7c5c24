/** The watched folder and the content of its files, when others change them meanwhile. */

import { appendFileSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { FileChanged, fileIn, hashOf, positionOf, verifiedBytes } from '../../../src/cli/watch/file-content.ts';
import { type FoundFile, WatchedFolder } from '../../../src/cli/watch/watched-folder.ts';
import { systemClock } from '../../../src/schedule/clock.ts';
import { folderPerTest } from '../../support/shared.ts';

const folder = folderPerTest();
const watched = () => new WatchedFolder(folder.path, systemClock);
const path = (name: string) => join(folder.path, name);

async function found(name: string): Promise<FoundFile> {
  const file = await watched().find(name);
  if (file === undefined) throw new Error(`${name} is not there`);
  return file;
}

describe('moving', () => {
  test('two watchers that move the same file: one of them does, and nothing else remains', async () => {
    writeFileSync(path('a.csv'), 'x');
    const file = await found('a.csv');
    const names = [await watched().reserve('a.csv', 'done'), await watched().reserve('a.csv', 'done')];
    expect(names).toEqual(['a.csv', expect.stringMatching(/^a\.\d+T\d+Z\.csv$/)]);
    const moved = await Promise.all(names.map((name) => watched().move(file, 'done', name)));
    expect(moved.toSorted()).toEqual([false, true]);
    expect(readdirSync(path('done'))).toHaveLength(1);
  });

  test('a file that was replaced stays, and what was written about it is removed', async () => {
    writeFileSync(path('a.csv'), 'x');
    const file = await found('a.csv');
    const name = await watched().reserve('a.csv', 'failed', ['.error.txt']);
    writeFileSync(path(`failed/${name}.error.txt`), 'why');
    appendFileSync(path('a.csv'), 'y');
    expect(await watched().move(file, 'failed', name, ['.error.txt'])).toBe(false);
    expect(readdirSync(path('failed'))).toEqual([]);
    expect(readFileSync(path('a.csv'), 'utf8')).toBe('xy');
  });

  test('a file that is gone is not moved', async () => {
    writeFileSync(path('a.csv'), 'x');
    const file = await found('a.csv');
    const name = await watched().reserve('a.csv', 'done');
    rmSync(path('a.csv'));
    expect(await watched().move(file, 'done', name)).toBe(false);
    expect(readdirSync(path('done'))).toEqual([]);
  });

  test('a long name gets room for what is added to it, and keeps its end', async () => {
    const name = await watched().reserve(`${'ü'.repeat(120)}.csv.gz`, 'done');
    expect(Buffer.byteLength(name)).toBeLessThanOrEqual(180);
    expect(name).toMatch(/^ü+\.csv\.gz$/);
  });

  test('a name with a path is no file of the folder', async () => {
    mkdirSync(path('done'));
    writeFileSync(path('done/a.csv'), 'x');
    expect(await watched().find('done/a.csv')).toBeUndefined();
    expect(await watched().find('..')).toBeUndefined();
  });
});

describe('content', () => {
  const { signal } = new AbortController();

  test('is read if it is the same as before', async () => {
    writeFileSync(path('a.csv'), 'x'.repeat(200_000));
    const hash = await hashOf(path('a.csv'), signal);
    let bytes = 0;
    for await (const chunk of verifiedBytes(path('a.csv'), hash, signal)) bytes += chunk.length;
    expect(bytes).toBe(200_000);
  });

  test('that changes while it is read ends with an error', async () => {
    writeFileSync(path('a.csv'), 'x'.repeat(200_000));
    const hash = await hashOf(path('a.csv'), signal);
    const chunks = verifiedBytes(path('a.csv'), hash, signal);
    await chunks.next();
    appendFileSync(path('a.csv'), 'y'.repeat(200_000));
    const rest = async () => {
      for await (const chunk of chunks) expect(chunk.length).toBeGreaterThan(0);
    };
    await expect(rest()).rejects.toThrow(FileChanged);
  });

  test('is named in a position, with its time in seconds', () => {
    const file = { name: 'a b.csv', size: 1, modified: 1_234_567.8, changed: 0 };
    const position = positionOf(file, 'a'.repeat(64));
    expect(position).toBe(`1970-01-01T00:20:34.000Z ${'a'.repeat(64)} a b.csv`);
    expect(fileIn(position)).toEqual({ name: 'a b.csv', hash: 'a'.repeat(64) });
    expect(fileIn('2026-11-17T08:00:00Z')).toBeUndefined();
  });
});
