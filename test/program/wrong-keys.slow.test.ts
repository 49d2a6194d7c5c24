/** An address that sends wrong keys to the real program, with the default settings. */

import { Agent } from 'node:http';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { generateKey, printKey } from '../../src/access/key.ts';
import { Commands } from '../support/commands.ts';
import { engines, type TestDatabase } from '../support/engines.ts';
import { makeFolder, type Serving, serve } from '../support/program.ts';
import { PRODUCTS } from '../support/rows.ts';
import { bearer, keyId, send } from '../support/service.ts';

const BURST = 100;
const PER_SECOND = 10;

const commands = new Commands();
afterAll(() => commands.close());

describe.each(engines)('on $name', (engine) => {
  const folder = makeFolder();
  let database: TestDatabase;
  let server: Serving;
  let key: string;
  beforeAll(async () => {
    database = await engine.makeMigrated();
    const [options, flags] = [{ folder: folder.path }, ['--database', database.url]];
    await commands.run(['account', 'add', 'acme', ...flags], options);
    key = (await commands.run(['key', 'add', 'acme', '--name', 'shop', ...flags], options)).stdout.trim();
    server = await serve(flags, options);
  });
  afterAll(async () => {
    server.child.kill('SIGKILL');
    await server.finished;
    await database.drop();
    folder.remove();
  });

  test('is limited and logged, and a key that was accepted before keeps working', async () => {
    const agent = new Agent({ keepAlive: true });
    const started = performance.now();
    const status = async (word: string) =>
      (await send(server.port, { path: PRODUCTS, headers: bearer(word) }, agent)).status;
    expect(await status(key)).toBe(200);
    const wrong = Array.from({ length: 2_000 }, () => printKey(generateKey()));
    const statuses: number[] = [];
    const guess = async (words: readonly string[]) => {
      for (const word of words) statuses.push(await status(word));
    };
    await Promise.all(Array.from({ length: 8 }, (_, n) => guess(wrong.filter((_, index) => index % 8 === n))));
    expect(await status(key)).toBe(200);
    agent.destroy();

    const seconds = (performance.now() - started) / 1_000;
    expect(new Set(statuses)).toEqual(new Set([401, 429]));
    const rejected = statuses.filter((code) => code === 401).length;
    expect(rejected).toBeGreaterThanOrEqual(BURST);
    // Attempts that are looked up at the same time may overdraw the limit.
    expect(rejected).toBeLessThanOrEqual(BURST + PER_SECOND * seconds + 8);

    server.child.kill('SIGTERM');
    const { stderr } = await server.finished;
    const lines = stderr.split('\n').filter((line) => line.includes('"authentication failed"'));
    expect(lines.length).toBeGreaterThanOrEqual(1);
    expect(lines.length).toBeLessThanOrEqual(seconds + 1);
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({
      level: 'warn',
      route: PRODUCTS,
      address: '127.0.0.1',
      reason: 'unknown key',
      requestId: expect.any(String),
      notLogged: 0,
    });
    // No such key exists.
    expect(wrong.filter((word) => lines.join().includes(keyId(word)))).toEqual([]);
    expect(wrong.filter((word) => stderr.includes(word.split('_')[2] ?? word))).toEqual([]);
  });
});
