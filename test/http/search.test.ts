/** `q`: lists, streams, aggregates, changes and digests of the records that have every word. */

import { describe, expect, test } from 'vitest';
import { product } from '../../src/catalog/product.ts';
import { enginesAndColumns } from '../support/columns.ts';
import { PRODUCTS } from '../support/rows.ts';
import { accountWith } from '../support/service.ts';
import { sharedService } from '../support/shared.ts';

const records = [
  { id: 1, name: 'Oak Chair', default_code: 'CHR-00012' },
  { id: 2, name: 'Chair, oak, with arms', default_code: 'CHR-00013', list_price: 80 },
  { id: 3, name: 'Steel Chair', default_code: 'chr 00112' },
  { id: 4, name: 'Spare part of CHR00012', default_code: 'SP/12' },
  { id: 5, name: 'Crème Brûlée set', default_code: 'B.7-2' },
  { id: 6, name: '100% wool_rug*', default_code: null },
  { id: 7, name: 'Sofa', default_code: 'OAK' },
  { id: 8, name: 'Oak', default_code: 'OAK-2' },
];

describe.each(enginesAndColumns)('on $name, from $source', ({ engine, columns }) => {
  const service = sharedService(engine, columns && { columns: columns.options });

  async function account() {
    const headers = await accountWith(service, product, records);
    await columns?.buildWith(() => service.send({ path: `${PRODUCTS}?explain=true`, headers }));
    return async (query: string, below = '') => {
      const reply = await service.send({ path: `${PRODUCTS}${below}?${query}`, headers });
      return { ...reply, json: Object(reply.json) };
    };
  }

  test('finds the records that have every word in one of the searched fields', async () => {
    const get = await account();
    const idsOf = async (query: string) => {
      const { status, json } = await get(`fields=id&${query}`);
      expect({ query, status }).toEqual({ query, status: 200 });
      expect(json.meta.total).toBe(json.data.length);
      return json.data.map(({ id }: { id: number }) => id);
    };
    expect(await idsOf('q=oak+chair')).toEqual([1, 2]);
    expect(await idsOf('q=CHAIR%20Oak')).toEqual([1, 2]);
    expect(await idsOf('q=oak')).toEqual([1, 2, 7, 8]);
    expect(await idsOf('q=steel+chr')).toEqual([3]);
    expect(await idsOf('q=BRU%CC%82LE%CC%81E')).toEqual([5]);
    expect(await idsOf('q=100%25')).toEqual([6]);
    expect(await idsOf('q=l_r')).toEqual([6]);
    expect(await idsOf('q=*')).toEqual([6]);
    expect(await idsOf('q=oak&filter=list_price>50')).toEqual([2]);
    expect(await idsOf('q=oak&filter=list_price>50|id=7')).toEqual([2, 7]);
    expect(await idsOf('q=&filter=id<3')).toEqual([1, 2]);
    expect(await idsOf('q=+%09+&filter=id<3')).toEqual([1, 2]);
    expect(await idsOf('q=nothing+oak')).toEqual([]);
  });

  test('finds codes however their parts are separated, if the word has a digit', async () => {
    const get = await account();
    const idsOf = async (query: string) =>
      (await get(`fields=id&${query}`)).json.data.map(({ id }: { id: number }) => id);
    expect(await idsOf('q=chr00012')).toEqual([1, 4]);
    expect(await idsOf('q=CHR-00012')).toEqual([1]);
    expect(await idsOf('q=chr.00012')).toEqual([1]);
    expect(await idsOf('q=r0011')).toEqual([3]);
    expect(await idsOf('q=b72')).toEqual([5]);
    expect(await idsOf('q=sp12')).toEqual([4]);
    expect(await idsOf('q=bruleeset')).toEqual([]);
  });

  test('sorts by relevance: code, beginning of a code, beginning of the name, the name, and then the rest', async () => {
    const get = await account();
    const idsOf = async (query: string) =>
      (await get(`fields=id&${query}`)).json.data.map(({ id }: { id: number }) => id);
    expect(await idsOf('q=oak&sort=relevance')).toEqual([7, 8, 1, 2]);
    expect(await idsOf('q=chair+oak&sort=relevance')).toEqual([1, 2]);
    expect(await idsOf('q=oak+chair&sort=relevance')).toEqual([1, 2]);
    expect(await idsOf('q=chr00012&sort=relevance')).toEqual([1, 4]);
    expect(await idsOf('q=chr+00012&sort=relevance')).toEqual([1, 4]);
    expect(await idsOf('q=chr&sort=relevance')).toEqual([1, 2, 3, 4]);
    expect(await idsOf('q=oak&sort=relevance&limit=2&page=2')).toEqual([1, 2]);
    expect(await idsOf('q=oak&sort=-name')).toEqual([7, 1, 8, 2]);
  });

  test('says which word finds nothing, and what is like it', async () => {
    const get = await account();
    const { json } = await get('q=steal+chiar&explain=true&filter=id>2');
    expect(json.meta).toEqual({
      count: 0,
      total: 0,
      conditions: [{ filter: 'id>2', alone: 6, others: 0 }],
      words: [
        { word: 'steal', alone: 0, others: 0, nearest: ['steel'] },
        { word: 'chiar', alone: 0, others: 0, nearest: ['chair'] },
      ],
    });
    const code = await get('q=CHR-0012&explain=true');
    expect(code.json.meta.words).toEqual([
      { word: 'chr-0012', alone: 0, others: 8, nearest: ['chr-00012', 'chr00012'] },
    ]);
    const found = await get('q=oak+sofa&explain=true');
    expect(found.json.meta).toEqual({
      count: 1,
      total: 1,
      conditions: [],
      words: [
        { word: 'oak', alone: 4, others: 1 },
        { word: 'sofa', alone: 1, others: 4 },
      ],
    });
    expect((await get('q=xylophone&explain=true')).json.meta.words).toEqual([
      { word: 'xylophone', alone: 0, others: 8, nearest: [] },
    ]);
  });

  test('aggregates, streams, changes and digests have the same records', async () => {
    const get = await account();
    const total = (await get('q=oak+chair', '/aggregate')).json;
    expect(total.data.measures).toEqual({ count: 2 });
    const stream = await get('q=oak+chair&format=ndjson&fields=id&sort=relevance');
    expect(stream.text).toBe('{"id":1}\n{"id":2}\n');
    const digest = await get('q=oak+chair', '/digest');
    const same = await get('filter=id[1,2]', '/digest');
    expect(digest.json.data.sha256).toBe(same.json.data.sha256);
    const changes = (await get('q=oak+chair&fields=id&limit=1000', '/changes')).json;
    expect(changes.data.filter((change: { removed?: true }) => change.removed === undefined)).toEqual([
      { id: 1 },
      { id: 2 },
    ]);
    expect(await get(`q=oak&since=${changes.meta.cursor}`, '/changes')).toRespond(400, { code: 'invalid_cursor' });
  });

  const words = (count: number) => Array.from({ length: count }, (_, n) => `w${n}`).join('+');
  test.each([
    [`q=${words(16)}`, 200],
    [`q=${words(17)}`, 400, 'invalid_search'],
    [`q=${'%C3%A9'.repeat(500)}`, 200],
    ['q=a&q=b', 400, 'repeated_parameter'],
    ['q=a%00', 400, 'malformed_encoding'],
    ['q=&sort=relevance', 400, 'invalid_sort'],
  ])('%s is a %i', async (query, status, code?: string) => {
    const get = await account();
    expect(await get(query)).toRespond(status, { ...(code && { code }) });
  });
});
