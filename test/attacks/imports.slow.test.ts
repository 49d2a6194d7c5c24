/** An account that imports as much as it may: others are served meanwhile, and what it has under way is bounded. */

import { readFileSync } from 'node:fs';
import { request } from 'node:http';
import { Readable } from 'node:stream';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { engines } from '../support/engines.ts';
import { PARTNERS, PRODUCTS } from '../support/rows.ts';
import { prepare, type Scene, type Target } from './attack.ts';

const NDJSON = { 'content-type': 'application/x-ndjson' };

describe.each(engines)('on $name', (engine) => {
  let scene: Scene;
  beforeAll(async () => {
    scene = await prepare(engine, {
      bully: { products: 100, scopes: ['read', 'edit'] },
      neighbour: { products: 1_000 },
    });
  });
  afterAll(() => scene.drop());

  /** Rows without end, as fast as they are taken. Returns what ends them. */
  const pour = ({ port }: Target, rows: () => string) => {
    let isOver = false;
    const headers = { ...NDJSON, authorization: `Bearer ${scene.bully}` };
    const sent = request({ port, method: 'POST', path: `${PARTNERS}/import?on_error=skip`, headers, agent: false });
    const status = new Promise<number | undefined>((resolve) => {
      sent.on('response', (response) => resolve(response.resume().statusCode)).on('error', () => resolve(undefined));
    });
    const pieces = async function* () {
      while (!isOver) yield rows();
    };
    Readable.from(pieces()).pipe(sent);
    return {
      status,
      end: () => {
        isOver = true;
      },
    };
  };
  const requests = async ({ neighbour }: Target, count: number) => {
    for (let n = 1; n <= count; n += 1) {
      expect(await neighbour.get(`${PRODUCTS}/${n}`)).toMatchObject({ status: 200 });
      expect(await neighbour.get(`${PRODUCTS}?filter=list_price>${n}&limit=2`)).toMatchObject({ status: 200 });
    }
    const created = await neighbour.post(PARTNERS, JSON.stringify({ name: 'Created meanwhile' }));
    expect(created).toMatchObject({ status: 201 });
  };

  test.each([
    ['good rows', () => '{"name":"A row that is imported"}\n'.repeat(200)],
    ['rows that are all wrong', () => '{"name":7,"nmae":1}\n'.repeat(200)],
    ['rows that are not JSON', () => 'x'.repeat(5_000).concat('\n')],
  ])('%s without end: others are served, in constant memory', async (_, rows) => {
    const target = await scene.serve('--workers', '1', '--max-import-size', '2');
    await requests(target, 5);
    const before = peakOf(target);
    const pouring = [1, 2, 3, 4].map(() => pour(target, rows));
    await requests(target, 50);
    // They end by themselves: each is too large. A client that goes on sending may not get to read that.
    for (const status of await Promise.all(pouring.map((one) => one.status)))
      expect([413, undefined]).toContain(status);
    await requests(target, 5);
    // Four hundred thousand rows would take more if they were kept.
    expect(peakOf(target) - before).toBeLessThan(300);
    for (const { end } of pouring) end();
  });
});

/** The peak memory of the process, in MB. */
function peakOf({ pid }: Target): number {
  const [, kibibytes = 0] = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Number(kibibytes) / 1_024;
}
