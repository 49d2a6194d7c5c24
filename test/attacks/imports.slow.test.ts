/** An account that imports as much as it may: others are served meanwhile, and what it has under way is bounded. */

import { request } from 'node:http';
import { Readable } from 'node:stream';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { engines, sqlite } from '../support/engines.ts';
import { memoryOf } from '../support/memory.ts';
import { Random } from '../support/random.ts';
import { PARTNERS, PRODUCTS } from '../support/rows.ts';
import { bearer, send } from '../support/service.ts';
import { workbookFile } from '../support/workbooks.ts';
import { prepare, type Scene, type Target } from './attack.ts';

const NDJSON = { 'content-type': 'application/x-ndjson' };
const WORKBOOK = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet';

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
      expect(await neighbour.get(`${PRODUCTS}/${n}`)).toRespond(200);
      expect(await neighbour.get(`${PRODUCTS}?filter=list_price>${n}&limit=2`)).toRespond(200);
    }
    const created = await neighbour.post(PARTNERS, JSON.stringify({ name: 'Created meanwhile' }));
    expect(created).toRespond(201);
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

/** Small files that take long to read. */
const COSTLY: readonly (readonly [what: string, type: string, content: () => Uint8Array])[] = [
  [
    'a workbook with a wide header and many rows of one cell',
    WORKBOOK,
    () => {
      const header = Array.from({ length: 1_000 }, (_, n) => `<c t="str"><v>${n === 0 ? 'name' : `c${n}`}</v></c>`);
      const rows = '<row><c t="str"><v>a</v></c></row>'.repeat(40_000);
      return workbookFile({ sheets: { S: `<row>${header.join('')}</row>${rows}` } });
    },
  ],
  [
    'rows with many unknown members',
    'application/x-ndjson',
    () => {
      const members = (row: number) => Array.from({ length: 1_000 }, (_, n) => `"u${row}_${n}":1`).join();
      return Buffer.from(Array.from({ length: 20 }, (_, row) => `{${members(row)}}`).join('\n'));
    },
  ],
];

describe('on SQLite', () => {
  let scene: Scene;
  beforeAll(async () => {
    scene = await prepare(sqlite, {
      bully: { products: 100, scopes: ['read', 'edit'] },
      neighbour: { products: 1_000 },
    });
  });
  afterAll(() => scene.drop());

  const post = ({ port }: Target, type: string, body: Uint8Array, query = '') =>
    send(port, {
      method: 'POST',
      path: `${PRODUCTS}/import?dry_run=true&ignore_unknown=true${query}`,
      headers: { ...bearer(scene.bully), 'content-type': type },
      body,
    });

  test.each(COSTLY)('%s: the neighbour hardly notices', async (_, type, content) => {
    const target = await scene.serve('--workers', '1');
    const body = content();
    let [attacks, served] = [0, 0];
    const attack = async () => {
      expect([200, 422]).toContain((await post(target, type, body)).status);
      attacks += 1;
    };
    const attacking = Promise.all([attack().then(attack), attack().then(attack)]);
    for (; attacks < 4; served += 1)
      expect(await target.neighbour.get(`${PRODUCTS}/${(served % 1_000) + 1}`)).toRespond(200);
    await attacking;
    // If the serving thread read them, it would hardly get to anything else.
    expect(served).toBeGreaterThan(10 * attacks);
  });

  test('workbooks that hold many texts share what memory there is for them', async () => {
    const target = await scene.serve('--workers', '1');
    const random = new Random(44);
    const words = Array.from({ length: 500 }, () => random.below(2 ** 32).toString(36));
    const text = () => Array.from({ length: 1_000 }, () => words[random.below(words.length)]).join('');
    const strings = Array.from({ length: 8_500 }, () => `<si><t>${text()}</t></si>`).join('');
    const rows = '<row><c t="str"><v>name</v></c></row><row><c t="str"><v>A</v></c></row>';
    const bytes = workbookFile({ sheets: { S: rows }, strings });
    await post(target, WORKBOOK, bytes);
    const before = peakOf(target);
    const replies = await Promise.all([1, 2, 3, 4].map(() => post(target, WORKBOOK, bytes)));
    for (const { status, json } of replies)
      expect({ status, code: Object(json).code }).toBeOneOf([
        { status: 200, code: undefined },
        { status: 429, code: 'too_many_imports' },
      ]);
    expect(replies.map(({ status }) => status)).toContain(429);
    // Each of them has more than 50 MiB of texts.
    expect(peakOf(target) - before).toBeLessThan(150);
  });
});

/** The peak memory of the process, in MB. */
function peakOf({ pid }: Target): number {
  return (memoryOf(pid)?.peak ?? 0) / 1024 ** 2;
}
