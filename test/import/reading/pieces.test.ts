/** What of an import reaches the serving thread at a time: rows of a file, however few bytes they have, come in pieces of bounded size. */

import { setTimeout } from 'node:timers/promises';
import { serialize } from 'node:v8';
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { product } from '../../../src/catalog/product.ts';
import { importReaders } from '../../../src/import/reading/import-readers.ts';
import type { Piece, ReadingOrder } from '../../../src/import/reading/order.ts';
import { once } from '../../support/iterables.ts';
import { workbookFile } from '../../support/workbooks.ts';

/** Of a piece that is not packed, or its rejected rows: one row may have a mebibyte. */
const MAX_PIECE_BYTES = 4 * 1024 * 1024;

/** How many rows and cells of a piece are not packed. */
const MAX_ROWS = 500;
const MAX_CELLS = 50_000;

const ORDER: Omit<ReadingOrder, 'format'> = {
  dialect: 'sqlite',
  account: 1,
  now: '2026-01-01T00:00:00.000Z',
  onRowError: 'skip',
  replace: false,
  dryRun: true,
  key: 'id',
  columns: [],
  decisions: { ignoreUnknown: true },
  words: 'request',
  keepsRejects: true,
  maxBytes: 64 * 1024 * 1024,
  coding: undefined,
  path: undefined,
};

async function piecesOf(format: ReadingOrder['format'], bytes: Uint8Array): Promise<readonly Piece[]> {
  const reading = importReaders.read({ ...ORDER, format }, product, once(bytes));
  const pieces: Piece[] = [];
  for await (const piece of reading) pieces.push(piece);
  return pieces;
}

function check(pieces: readonly Piece[]): void {
  for (const { staged, rejects } of pieces) {
    expect(serialize(rejects).byteLength).toBeLessThan(MAX_PIECE_BYTES);
    const rows = staged?.rows ?? [];
    if (rows instanceof Uint8Array) continue;
    expect(rows.length).toBeLessThanOrEqual(MAX_ROWS);
    expect(rows.reduce((cells, row) => cells + row.length, 0)).toBeLessThanOrEqual(MAX_CELLS);
    expect(serialize(rows).byteLength).toBeLessThan(MAX_PIECE_BYTES);
  }
}

const row = fc.oneof(
  fc.constantFrom('{}', '{"name":1}', '{"name":"A"}', '[]', 'x', '{"id":1,"name":"B"}'),
  fc
    .integer({ min: 1, max: 2_000 })
    .map((count) => `{${Array.from({ length: count }, (_, n) => `"m${n}":${n}`).join()}}`),
  fc.integer({ min: 1, max: 500_000 }).map((length) => JSON.stringify({ name: 'x'.repeat(length) })),
);

const sheetRow = fc.oneof(
  fc.constantFrom(
    '<row><c t="str"><v>A</v></c></row>',
    '<row><c><v>1</v></c></row>',
    '<row><c t="s"><v>0</v></c></row>',
  ),
  fc.integer({ min: 1, max: 1_000 }).map((count) => `<row>${'<c><v>1</v></c>'.repeat(count)}</row>`),
);

const repeated = (one: fc.Arbitrary<string>) =>
  fc.array(fc.tuple(one, fc.integer({ min: 1, max: 400 })), { minLength: 1, maxLength: 4 });

describe('pieces are bounded', () => {
  test.each(['ndjson', 'json'] as const)('of %s', async (format) => {
    await fc.assert(
      fc.asyncProperty(repeated(row), async (parts) => {
        const rows = parts.flatMap(([text, count]) =>
          Array.from({ length: text.length > 5_000 ? 1 : count }, () => text),
        );
        const text = format === 'json' ? `[${rows.filter((one) => one !== 'x').join(',\n')}]` : rows.join('\n');
        check(await piecesOf(format, Buffer.from(text)));
      }),
      { numRuns: 15, seed: 44 },
    );
  });

  test('of workbooks', async () => {
    const header = `<row>${Array.from({ length: 1_000 }, (_, n) => `<c t="str"><v>${n === 0 ? 'name' : `c${n}`}</v></c>`).join('')}</row>`;
    await fc.assert(
      fc.asyncProperty(repeated(sheetRow), async (parts) => {
        const rows = parts.map(([text, count]) => text.repeat(count)).join('');
        const bytes = workbookFile({ sheets: { S: header + rows }, strings: `<si><t>${'x'.repeat(30_000)}</t></si>` });
        check(await piecesOf('xlsx', bytes));
      }),
      { numRuns: 15, seed: 44 },
    );
  });
});

describe('small files that stand for much', () => {
  test('a row of JSON with many values is refused before it is parsed', async () => {
    const text = `{${Array.from({ length: 100_000 }, (_, n) => `"m${n}":1`).join()}}`;
    expect(text.length).toBeGreaterThan(1_000_000);
    const reading = importReaders.read(
      { ...ORDER, format: 'ndjson' },
      product,
      once(Buffer.from(text.slice(0, 900_000))),
    );
    let end = await reading.next();
    while (end.done !== true) end = await reading.next();
    expect(end.value.findings.errors.first).toMatchObject([{ line: 1, reason: 'has more than 10000 values' }]);
  });
});

test('compressed rows are read to the end, however slowly they arrive and are taken', async () => {
  const text = Array.from(
    { length: 40_000 },
    (_, n) => `${JSON.stringify({ name: `${n * 7_919} ${n * 104_729}` })}\n`,
  ).join('');
  const compressed = gzipSync(text);
  const slowly = async function* () {
    for (let from = 0; from < compressed.length; from += 4_096) {
      await setTimeout(5);
      yield compressed.subarray(from, from + 4_096);
    }
  };
  let rows = 0;
  for await (const piece of importReaders.read({ ...ORDER, format: 'ndjson' }, product, slowly())) {
    await setTimeout(15);
    rows = piece.rows;
  }
  expect(rows).toBe(40_000);
});

test('bytes that cannot be read are an error, and so are rows that nobody wants', async () => {
  const failing = async function* () {
    yield Buffer.from('{"name":"A"}\n');
    throw new Error('the disk is gone');
  };
  const read = async () => {
    for await (const _ of importReaders.read({ ...ORDER, format: 'ndjson' }, product, failing()));
  };
  await expect(read()).rejects.toThrow('the disk is gone');
  let isClosed = false;
  const endless = async function* () {
    try {
      for (;;) yield Buffer.from('{"name":"A"}\n'.repeat(1_000));
    } finally {
      isClosed = true;
    }
  };
  for await (const { rows } of importReaders.read({ ...ORDER, format: 'ndjson' }, product, endless()))
    if (rows > 5_000) break;
  await expect.poll(() => isClosed).toBe(true);
});
