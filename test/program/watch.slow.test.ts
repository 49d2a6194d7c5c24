/** `stockbook watch` as it goes on: several watchers, kills, and a service that is gone for a while. */

import { renameSync, rmSync, writeFileSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { product } from '../../src/catalog/product.ts';
import { startOnAnyPort } from '../support/any-port.ts';
import { kill, makeFolder, type Running, run, serve, start } from '../support/program.ts';
import { seededRandom } from '../support/random.ts';
import { linesOf, Watching, ways } from '../support/watching.ts';

const FILES = 12;

/** Rows without ids, so that a file that is imported twice is noticed. */
const content = (file: number) => `name\n${Array.from({ length: 50 }, (_, row) => `${file}-${row}\n`).join('')}`;

describe.each(ways)('$way', (way) => {
  const watching = new Watching(way);
  const { put, list, path, total, rows } = watching;

  const stdoutOf = (running: Running) => linesOf(running.output().stdout).join('\n');
  const stderrOf = (running: Running) => linesOf(running.output().stderr).join('\n');

  test('files are imported as they appear, and SIGTERM ends the watch', async () => {
    const running = watching.start('--settle', '0.1');
    put('product.csv', 'name\nChair\n');
    await expect.poll(() => list()).toEqual(['done']);
    put('product-2.csv', 'name\nDesk\n');
    await expect.poll(() => list('done')).toEqual(['product-2.csv', 'product.csv']);
    expect(await total(product)).toBe(2);
    running.child.kill('SIGTERM');
    const { code, stdout, stderr } = await running.finished;
    expect({ code, stderr, last: linesOf(stdout).at(-1) }).toEqual({ code: 0, stderr: '', last: 'Stopped.' });
  });

  test('of several watchers, each file is imported by one', async () => {
    for (let n = 0; n < FILES; n += 1) put(`product-${n}.csv`, content(n), 1_000 + (n % 3));
    const running = [0, 1, 2].map(() => watching.start('--settle', '0'));
    await expect.poll(() => list()).toEqual(['done']);
    for (const each of running) each.child.kill('SIGTERM');
    for (const each of running) expect(await each.finished).toMatchObject({ code: 0, stderr: '' });
    // One that was too late has given up the name that it had reserved.
    expect(list('done')).toHaveLength(FILES);
    expect(await total(product)).toBe(50 * FILES);
  });

  test('whenever it is killed, each file is imported once', async () => {
    for (let n = 0; n < FILES; n += 1) put(`product-${n}.csv`, content(n), 1_000 + n);
    const random = seededRandom('watch');
    let killed = 0;
    while (list().some((name) => name.endsWith('.csv'))) {
      const running = watching.start('--settle', '0');
      await expect.poll(() => stdoutOf(running)).toContain('.csv: ');
      // Whatever it is doing with the next one.
      await setTimeout(random.next() * 20);
      await kill(running);
      killed += 1;
    }
    expect(killed).toBeGreaterThan(1);
    expect(list()).toEqual(['done']);
    expect(await total(product)).toBe(50 * FILES);
  });

  test('a file that was imported when it was killed, and not moved, is only moved', async () => {
    put('done', 'in the way');
    put('product.csv', content(1));
    const running = watching.start('--settle', '0');
    await expect.poll(() => stderrOf(running)).toContain('product.csv: Imported 50 products');
    await kill(running);
    rmSync(path('in/done'));
    const next = watching.start('--settle', '0');
    await expect
      .poll(() => stdoutOf(next))
      .toContain('product.csv: It was imported before. Moved to done/product.csv.');
    expect(await total(product)).toBe(50);
  });

  test('a folder that disappears and comes back', async () => {
    const running = watching.start('--settle', '0');
    await expect.poll(() => stdoutOf(running)).toContain('Watching in for files of');
    renameSync(path('in'), path('away'));
    await expect.poll(() => stderrOf(running)).toContain('in cannot be read: no such file or directory (ENOENT).');
    writeFileSync(path('away/product.csv'), 'name\nChair\n');
    renameSync(path('away'), path('in'));
    await expect.poll(() => list()).toEqual(['done']);
    expect(stdoutOf(running)).toContain('in can be read again.');
    expect(await rows(product, 'name')).toEqual([['Chair']]);
  });

  test('rules that become invalid stop it until they are fixed', async () => {
    const running = watching.start('--settle', '0');
    await expect.poll(() => stdoutOf(running)).toContain('Watching');
    put('watch.json', '{');
    await expect.poll(() => stderrOf(running)).toContain('watch.json cannot be used: it is not JSON');
    put('product.csv', 'name\nChair\n');
    put('watch.json', '{"files":[{"pattern":"*.csv","resource":"product"}]}');
    await expect.poll(() => list()).toEqual(['done', 'watch.json']);
  });
});

test('a service that is down at the start, and in between', async () => {
  const folder = makeFolder();
  const at = { folder: folder.path };
  const inFolder = (name: string) => `${folder.path}/${name}`;
  expect((await run(['account', 'add', 'acme'], at)).code).toBe(0);
  const key = await run(['key', 'add', 'acme', '--name', 'watch', '--scope', 'read,edit'], at);
  writeFileSync(inFolder('key'), key.stdout);
  const port = await startOnAnyPort(async (chosen) => {
    const first = await serve(['--port', String(chosen)], at).catch(() => undefined);
    await kill(first);
    return first !== undefined;
  });
  const flags = ['--url', `http://127.0.0.1:${port}`, '--key-file', 'key', '--settle', '0'];
  const watcher = start(['watch', 'acme', '.', ...flags], at);
  await expect.poll(() => watcher.output().stderr).toContain('The service is unavailable: There is no response');
  writeFileSync(inFolder('product-1.csv'), 'name\nChair\n');
  const second = await serve(['--port', String(port)], at);
  await expect.poll(() => watcher.output().stdout).toContain('product-1.csv: Imported 1 product into acme');
  await kill(second);
  writeFileSync(inFolder('product-2.csv'), 'name\nDesk\n');
  await expect.poll(() => watcher.output().stderr).toMatch(/product-2\.csv: There is no response: .* is tried again\./);
  const third = await serve(['--port', String(port)], at);
  await expect.poll(() => watcher.output().stdout).toContain('product-2.csv: Imported 1 product into acme');
  const repeated = linesOf(watcher.output().stderr).filter((line) => line.startsWith('product-2.csv: There is no'));
  expect(repeated).toHaveLength(1);
  await kill(watcher);
  await kill(third);
  folder.remove();
});
