/** Pages that are too large to be read as one text. They have the same bytes as any other list. */

import { beforeAll, describe, expect, test } from 'vitest';
import { partner } from '../../src/catalog/partner.ts';
import { aboveStore } from '../support/above-store.ts';
import { addAccount, load, type RecordValues } from '../support/fixture.ts';
import { checkReply, PARTNERS } from '../support/rows.ts';
import { bearer } from '../support/service.ts';
import { sharedService } from '../support/shared.ts';

const ROWS = 200;

/** Texts that take up to six bytes per character, all of them as long as texts may be. */
const ALPHABETS = ['x', 'é', '漢', '😀', '\u0001', '"\\'];

function textOf(n: number): string {
  const alphabet = ALPHABETS[n % ALPHABETS.length] ?? '';
  return `${n} ${alphabet.repeat(1_000)}`.slice(0, 998);
}

const rows: readonly RecordValues[] = Array.from({ length: ROWS }, (_, index) => {
  const text = textOf(index);
  const texts = { name: text, street: text, city: text, vat: String(index), zip: text };
  return { id: index + 1, ...texts, phone: text, country_code: text };
});

describe.each(aboveStore)('on $name', (engine) => {
  let headers: ReturnType<typeof bearer>;
  const service = sharedService(engine);
  beforeAll(async () => {
    const account = await addAccount(service.store, 'large');
    await load(service.store, account, partner, rows);
    headers = bearer(await service.issue(account));
  });

  const get = (query: string, more: Readonly<Record<string, string>> = {}, path = PARTNERS) =>
    service.send({ path: `${path}${query}`, headers: { ...headers, ...more } });

  test.each([
    ...'?limit=100 ?limit=75&page=2 ?limit=75&page=3&sort=-id'.split(' '),
    ...'?limit=100&sort=-name ?limit=100&filter=id>50 ?limit=100&filter=name!*7&sort=city,-id ?limit=200&fields=name,zip'.split(
      ' ',
    ),
  ])('%s has the records of the export, first and again', async (query) => {
    const lines = (await get(query, { accept: 'application/x-ndjson' })).text.split('\n').slice(0, -1);
    expect(Buffer.byteLength(lines.join())).toBeGreaterThan(512 * 1024);
    const first = await get(query);
    expect(first).toRespond(200);
    expect(first.text).toContain(`{"data":[${lines.join(',')}],"meta":{"count":${lines.length},"total":`);
    // The account is known to have large pages by now, and the response is cached at last.
    for (let n = 0; n < 3; n += 1) expect((await get(query)).text).toBe(first.text);
    const tag = { 'if-none-match': first.headers['etag'] ?? '' };
    expect(await get(query, tag)).toRespond(304);
    const head = await service.send({ method: 'HEAD', path: `${PARTNERS}${query}`, headers });
    expect(head.headers['content-length']).toBe(String(Buffer.byteLength(first.text)));
  });

  test('small pages of the same account are not affected', async () => {
    const { json } = await get('?limit=3&fields=id');
    expect(json).toMatchObject({ data: [{ id: 1 }, { id: 2 }, { id: 3 }], meta: { count: 3, total: ROWS } });
  });

  test('empty pages are empty', async () => {
    expect((await get('?limit=400&page=9')).json).toMatchObject({ data: [], meta: { count: 0, total: ROWS } });
  });

  test('more than 16 MiB is a 400 that says what to do', async () => {
    const wide = rows.map((row) => ({ ...row, name: '\u0001'.repeat(998), street: '\u0001'.repeat(998) }));
    const all = Array.from({ length: 1_000 }, (_, index) => ({ ...wide[index % ROWS], id: index + 1 }));
    const full = ['city', 'zip', 'phone', 'country_code'];
    const wider = all.map((row) => ({
      ...row,
      ...Object.fromEntries(full.map((name) => [name, '\u0001'.repeat(998)])),
    }));
    await load(service.store, service.acme, partner, wider);
    const path = `${PARTNERS}?limit=1000`;
    for (let n = 0; n < 2; n += 1)
      checkReply(await service.send({ path }), { status: 400, has: { code: 'page_too_large' } });
    expect(await service.send({ path: `${PARTNERS}?limit=300` })).toRespond(200);
  });

  test('a page of changes has fewer of them instead, and none is missed', async () => {
    const ids: number[] = [];
    let pages = 0;
    for (let since: string | undefined, more = true; more; pages += 1) {
      const query = since === undefined ? '' : `&since=${since}`;
      const { status, json } = await get(`?limit=1000${query}`, {}, `${PARTNERS}/changes`);
      expect(status).toBe(200);
      const { data, meta } = Object(json);
      expect(meta.count).toBe(data.length);
      ids.push(...data.map((one: RecordValues) => Number(one['id'])));
      ({ cursor: since, more } = meta);
    }
    expect(pages).toBeGreaterThan(1);
    const own = ids.filter((id) => id <= ROWS);
    expect(own).toHaveLength(new Set(own).size);
    expect(new Set(own)).toEqual(new Set(rows.map(({ id }) => id)));
    const lines = (await get('', { accept: 'application/x-ndjson' }, `${PARTNERS}/changes`)).text.split('\n');
    expect(lines.slice(0, -1).map((line) => JSON.parse(line).id)).toEqual(ids);
  });
});
