/** Imports over HTTP: formats, options, errors, sources, and what a repeated one does. */

import { gzipSync, zstdCompressSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { engines } from '../support/engines.ts';
import { addAccount } from '../support/fixture.ts';
import { bodyOf, COMPANIES, checkReply, PARTNERS, PRODUCTS } from '../support/rows.ts';
import { bearer, type TestReply } from '../support/service.ts';
import { sharedService } from '../support/shared.ts';

const NDJSON = 'application/x-ndjson';
const IMPORTED = { created: 0, updated: 0, unchanged: 0, removed: 0, skipped: 0, errors: [] };

describe.each(engines)('on $name', (engine) => {
  const service = sharedService(engine, { settings: { 'max-import-size': '1' } });
  let accounts = 0;

  /** A new account, and what can be done there. */
  const owner = async () => {
    accounts += 1;
    const account = await addAccount(service.store, `importer-${accounts}`);
    const headers = bearer(await service.issue(account, { scopes: ['read', 'edit'] }));
    const post = (
      query: string,
      body: string | Uint8Array,
      type = NDJSON,
      more: Record<string, string> = {},
      path = PARTNERS,
    ) =>
      service.send({
        method: 'POST',
        path: `${path}/import${query}`,
        headers: { ...headers, 'content-type': type, ...more },
        body,
      });
    const get = (path: string) => service.send({ path, headers });
    const list = async (fields = 'id,name', path = PARTNERS) =>
      bodyOf(await get(`${path}?fields=${fields}&limit=1000`)).data;
    return { account, headers, post, get, list };
  };
  const lines = (...rows: readonly object[]) => rows.map((row) => `${JSON.stringify(row)}\n`).join('');
  const dataOf = (reply: TestReply) => bodyOf(reply).data;

  const rows = [
    { id: 7, name: 'Ä', city: 'Köln' },
    { id: 9, name: 'B, "b"', city: null },
  ];
  const csv = 'id,name,city\r\n7,Ä,Köln\r\n9,"B, ""b""",\r\n';

  test.each([
    ['NDJSON', lines(...rows), NDJSON, {}],
    ['a JSON array', JSON.stringify(rows), 'application/json', {}],
    ['CSV', csv, 'text/csv; charset=utf-8', {}],
    ['CSV with gzip', gzipSync(csv), 'text/csv', { 'content-encoding': 'gzip' }],
    ['NDJSON with zstd', zstdCompressSync(Buffer.from(lines(...rows))), NDJSON, { 'content-encoding': 'zstd' }],
    [
      'NDJSON in several frames of zstd',
      Buffer.concat(rows.map((one) => zstdCompressSync(Buffer.from(lines(one))))),
      NDJSON,
      { 'content-encoding': 'zstd' },
    ],
    [
      'NDJSON in several members of gzip',
      Buffer.concat(rows.map((one) => gzipSync(lines(one)))),
      NDJSON,
      { 'content-encoding': 'gzip' },
    ],
    ['CSV with a byte order mark', `\uFEFF${csv}`, 'text/csv', {}],
  ])('%s is imported', async (_, body, type, headers) => {
    const { post, list } = await owner();
    checkReply(await post('', body, type, headers), {
      status: 200,
      has: { data: { ...IMPORTED, created: 2, revision: 1, cursor: expect.any(String) } },
    });
    expect(await list('id,name,city')).toEqual(rows);
    checkReply(await post('', body, type, headers), {
      status: 200,
      has: { data: { ...IMPORTED, unchanged: 2, revision: 1 } },
    });
  });

  test('creates, updates and removes in one revision, and the cursor follows it', async () => {
    const { post, list, get } = await owner();
    await post('', lines({ id: 1, name: 'A' }, { id: 2, name: 'B' }, { id: 3, name: 'C' }));
    const reply = await post(
      '',
      lines(
        { id: 1, name: 'AA' },
        { id: 2, removed: true },
        { id: 3, name: 'C' },
        { name: 'D' },
        { id: 8, removed: true },
      ),
    );
    expect(dataOf(reply)).toMatchObject({ created: 1, updated: 1, removed: 1, unchanged: 2, revision: 2 });
    expect(await list()).toEqual([
      { id: 1, name: 'AA' },
      { id: 3, name: 'C' },
      { id: 4, name: 'D' },
    ]);
    await post('', lines({ id: 3, removed: true }));
    const changes = await get(`${PARTNERS}/changes?since=${dataOf(reply).cursor}`);
    expect(dataOf(changes)).toEqual([{ id: 3, removed: true }]);
  });

  test('accepts what changes returns, so that a copy follows another Stockbook', async () => {
    const [original, copy] = [await owner(), await owner()];
    const follow = async (cursor: string) => {
      const page = await original.get(`${PARTNERS}/changes?limit=1000&since=${cursor}`);
      const next: string = bodyOf(page).meta.cursor;
      const expected = cursor === '' ? '&expect=' : `&expect=${cursor}`;
      const reply = await copy.post(
        `?source=original&position=${next}${expected}`,
        JSON.stringify(dataOf(page)),
        'application/json',
      );
      checkReply(reply, { status: 200 });
      const digests = await Promise.all(
        [original, copy].map(async ({ get }) => dataOf(await get(`${PARTNERS}/digest`)).sha256),
      );
      expect(digests[1]).toBe(digests[0]);
      return next;
    };
    await original.post('', lines({ id: 1, name: 'A', city: 'X' }, { id: 5, name: 'B' }));
    const first = await follow('');
    await original.post('', lines({ id: 1, name: 'A', city: null }, { id: 5, removed: true }, { name: 'C' }));
    const second = await follow(first);
    expect(dataOf(await copy.get('/api/v1/sources/original'))).toMatchObject({
      name: 'original',
      resource: 'partner',
      position: second,
    });
    // A connector that was replaced meanwhile does not overwrite what the other has done.
    checkReply(await copy.post(`?source=original&position=x&expect=${first}`, lines({ id: 1, name: 'Old' })), {
      status: 409,
      has: { code: 'position_changed', currentPosition: second },
    });
    expect(await copy.list()).toEqual(await original.list());
  });

  test('accepts a page of changes as it is', async () => {
    const [original, copy] = [await owner(), await owner()];
    await original.post('', lines({ id: 1, name: 'A' }, { id: 2, name: 'B' }));
    const first = await original.get(`${PARTNERS}/changes?limit=10`);
    checkReply(await copy.post('', first.text, 'application/json'), { status: 200, has: { data: { created: 2 } } });
    await original.post('', lines({ id: 1, removed: true }, { id: 2, name: 'B' }, { id: 3, removed: true }));
    const { text } = await original.get(`${PARTNERS}/changes?limit=10&since=${bodyOf(first).meta.cursor}`);
    checkReply(await copy.post('', text, 'application/json'), { status: 200, has: { data: { removed: 1 } } });
    expect(await copy.list()).toEqual([{ id: 2, name: 'B' }]);
  });

  test('long names of columns do not make long responses', async () => {
    const { post } = await owner();
    const reply = await post('', `{"${'x'.repeat(50_000)}":1}\n`);
    checkReply(reply, { status: 422 });
    expect(reply.text.length).toBeLessThan(3_000);
  });

  test('a row has up to 1,000 columns', async () => {
    const { post } = await owner();
    const names = (count: number) => ['name', ...Array.from({ length: count - 1 }, (_, n) => `x${n}`)].join(',');
    checkReply(await post('', `${names(1_000)}\n`, 'text/csv'), { status: 422, has: { errorCount: 1 } });
    checkReply(await post('', `${names(1_001)}\n`, 'text/csv'), {
      status: 422,
      has: { errorCount: 1, errors: [{ line: 1, reason: 'has more than 1000 columns' }] },
    });
  });

  test.each(['/api/v1/sources/a%00b', '/api/v1/imports/%00'])('%s is a 404', async (path) => {
    const { get, headers } = await owner();
    checkReply(await get(path), { status: 404 });
    if (path.includes('imports')) checkReply(await service.send({ method: 'DELETE', path, headers }), { status: 404 });
  });

  test('a source belongs to one resource', async () => {
    const { post, get } = await owner();
    await post('?source=s&position=secret', lines({ id: 1, name: 'A' }));
    for (const expected of ['', '&expect=', '&expect=x'])
      checkReply(await post(`?source=s&position=2${expected}`, lines({ name: 'P' }), NDJSON, {}, PRODUCTS), {
        status: 400,
        has: { code: 'invalid_import_option', parameter: 'source', detail: expect.not.stringContaining('secret') },
      });
    expect(dataOf(await get('/api/v1/sources/s'))).toMatchObject({ resource: 'partner', position: 'secret' });
  });

  test('rows and positions agree after concurrent imports', async () => {
    const { post, get, list } = await owner();
    const send = (name: string) => post(`?source=s&position=${name}`, lines({ id: 1, name }));
    await send('A');
    for (let round = 0; round < 15; round += 1) {
      await Promise.all([send('A'), send('A'), send('B'), send('A')]);
      const { position } = dataOf(await get('/api/v1/sources/s'));
      expect(await list('name')).toEqual([{ name: position }]);
    }
  });

  test('rows that cannot be imported change nothing, and the errors say where and why', async () => {
    const { post, list } = await owner();
    const body = 'id,name,is_company,city\n1,A,maybe,\n2,"  ",true,X\n1,B,false,\n,C,false\n';
    const reply = await post('', body, 'text/csv');
    checkReply(reply, { status: 422, has: { code: 'rows_rejected', errorCount: 3 } });
    expect(Object(reply.json).errors).toEqual([
      {
        line: 2,
        column: 'is_company',
        value: 'maybe',
        reason: "must be true or false, not 'maybe'",
      },
      { line: 3, column: 'name', value: '  ', reason: 'must not be blank' },
      { line: 5, reason: 'the row has 3 cells, but 4 columns are named' },
    ]);
    expect(await list()).toEqual([]);
    checkReply(await post('', lines({ id: 1, name: 'A' }, { id: 1, name: 'B' }, { id: 2 })), {
      status: 422,
      has: {
        errors: [
          { line: 2, column: 'id', reason: 'duplicate 1, first in line 1' },
          { line: 3, column: 'name', reason: 'missing; a new record requires it' },
        ],
      },
    });
    expect(await list()).toEqual([]);
  });

  test('a number that is too large is not called null', async () => {
    const { post } = await owner();
    const reply = await post('', '{"id":1,"name":"A","list_price":1e400}\n', NDJSON, {}, PRODUCTS);
    const reason = 'must be within the range of double precision, not Infinity';
    checkReply(reply, { status: 422, has: { errors: [{ line: 1, column: 'list_price', reason }] } });
  });

  test('on_error=skip imports the others', async () => {
    const { post, list, get } = await owner();
    const body = lines({ id: 1, name: 'A' }, { id: 'x', name: 'B' }, { id: 1, name: 'C' }, { id: 4, name: 'D' });
    const reply = await post('?on_error=skip', body);
    const errors = [
      { line: 2, column: 'id', value: 'x', reason: expect.any(String) },
      { line: 3, column: 'id', reason: 'duplicate 1, first in line 1' },
    ];
    checkReply(reply, { status: 200, has: { data: { ...IMPORTED, created: 2, skipped: 2, errors } } });
    expect(await list()).toEqual([
      { id: 1, name: 'A' },
      { id: 4, name: 'D' },
    ]);
    expect(dataOf(await get('/api/v1/imports'))).toMatchObject([
      { state: 'done', rows: 4, result: { created: 2, skipped: 2, errors: [{ line: 2 }, { line: 3 }] } },
    ]);
  });

  test('at most 20 errors are listed, and all are counted', async () => {
    const { post } = await owner();
    const reply = await post('', lines(...Array.from({ length: 25 }, () => ({ id: 0, name: 'A' }))));
    checkReply(reply, { status: 422, has: { errorCount: 25 } });
    expect(Object(reply.json).errors).toHaveLength(20);
  });

  test('key identifies records by another field', async () => {
    const { post, list } = await owner();
    const send = (...given: readonly object[]) => post('?key=default_code', lines(...given), NDJSON, {}, PRODUCTS);
    await send({ default_code: 'a', name: 'A' }, { default_code: 'b', name: 'B' });
    expect(dataOf(await send({ default_code: 'b', name: 'BB' }, { default_code: 'a', removed: true }))).toMatchObject({
      updated: 1,
      removed: 1,
    });
    expect(await list('default_code,name', PRODUCTS)).toEqual([{ default_code: 'b', name: 'BB' }]);
    checkReply(await send({ name: 'C' }), {
      status: 422,
      has: { errors: [{ line: 1, column: 'default_code', reason: 'missing; it identifies the record' }] },
    });
    checkReply(await send({ default_code: 'c', id: 7, name: 'C' }), {
      status: 422,
      has: { errors: [{ column: 'id', suggestion: 'Ignore this column with map=id:' }] },
    });
  });

  test('replace removes the others, but more than a tenth only if that is confirmed', async () => {
    const { post, list } = await owner();
    const all = Array.from({ length: 20 }, (_, n) => ({ id: n + 1, name: 'A' }));
    await post('', lines(...all));
    expect(dataOf(await post('?replace=true', lines(...all.slice(2))))).toMatchObject({ removed: 2, unchanged: 18 });
    const few = lines({ id: 20, name: 'A' });
    checkReply(await post('?replace=true', few), {
      status: 409,
      has: {
        code: 'confirmation_required',
        detail: 'The import would remove 17 of 18 partners, more than a tenth.',
        suggestion: 'Add confirm=true if they are to be removed.',
      },
    });
    const dry = await post('?replace=true&dry_run=true', few);
    expect(dataOf(dry)).toMatchObject({ removed: 17, refusal: { code: 'confirmation_required' } });
    expect(await list()).toHaveLength(18);
    checkReply(await post('?replace=true&confirm=true', few), { status: 200, has: { data: { removed: 17 } } });
    expect(await list()).toEqual([{ id: 20, name: 'A' }]);
    checkReply(await post('?replace=true&confirm=true', ''), { status: 400, has: { code: 'malformed_rows' } });
  });

  test('dry_run changes nothing', async () => {
    const { post, list, get } = await owner();
    const reply = await post('?dry_run=true&source=s&position=1', lines({ id: 1, name: 'A' }));
    checkReply(reply, { status: 200, has: { data: { ...IMPORTED, created: 1, revision: 0 } } });
    expect(await list()).toEqual([]);
    expect(dataOf(await get('/api/v1/imports'))).toEqual([]);
    checkReply(await get('/api/v1/sources/s'), { status: 404, has: { code: 'source_not_found' } });
  });

  test('map renames and ignores columns', async () => {
    const { post, list } = await owner();
    const body = 'id;Price tag;Notes;Name: full\n1;2.5;x;A\n';
    checkReply(await post('', body, 'text/csv', {}, PRODUCTS), {
      status: 422,
      has: {
        errors: [
          {
            column: 'Price tag, Notes, Name: full',
            suggestion: expect.stringContaining('map=Price%20tag:&map=Notes:&'),
          },
        ],
      },
    });
    // The last one is written as on the command line.
    const query = '?map=Price%20tag:list_price&map=Notes:&map=Name:+full=name';
    checkReply(await post(query, body, 'text/csv', {}, PRODUCTS), { status: 200 });
    expect(await list('id,name,list_price', PRODUCTS)).toEqual([{ id: 1, name: 'A', list_price: 2.5 }]);
    checkReply(await post('?map=Nots:', 'id,Notes\n', 'text/csv'), { status: 400 });
    checkReply(await post('?map=Nots:&map=Notes:', 'id,Notes\n1,a\n', 'text/csv'), {
      status: 400,
      has: {
        code: 'malformed_rows',
        detail: "map names the column 'Nots', which does not exist. Did you mean Notes?",
      },
    });
  });

  test.each([
    ['?key=nmae', 'key'],
    ['?key=active', 'key'],
    ['?replace=yes', 'replace'],
    ['?dry_run=1', 'dry_run'],
    ['?confirm=TRUE', 'confirm'],
    ['?on_error=ignore', 'on_error'],
    ['?on_error=skip&replace=true', 'on_error'],
    ['?map=name', 'map'],
    ['?map=a:nmae', 'map'],
    ['?map=a:&map=a:name', 'map'],
    ['?source=a', 'position'],
    ['?position=a', 'source'],
    ['?expect=', 'source'],
    [`?source=a&position=${'x'.repeat(1_025)}`, 'position'],
    [`?source=${'x'.repeat(256)}&position=1`, 'source'],
  ])('%s is a 400', async (query, parameter) => {
    const { post } = await owner();
    checkReply(await post(query, ''), { status: 400, has: { code: 'invalid_import_option', parameter } });
  });

  test('a position has up to 1,024 bytes, and is what it was', async () => {
    const { post, get } = await owner();
    const position = `${'€'.repeat(341)}x`;
    checkReply(await post(`?source=s%20/1&position=${encodeURIComponent(position)}`, ''), { status: 200 });
    expect(dataOf(await get('/api/v1/sources/s%20%2F1'))).toMatchObject({ name: 's /1', position });
  });

  test('a position is saved even if no row changes anything, and only then', async () => {
    const { post, get } = await owner();
    await post('?source=s&position=1', lines({ id: 1, name: 'A' }));
    const reply = await post('?source=s&position=2&expect=1', lines({ id: 1, name: 'A' }));
    expect(dataOf(reply)).toMatchObject({ unchanged: 1, revision: 1 });
    checkReply(await post('?source=s&position=3&expect=2', lines({ id: 1 }, { id: 1 })), { status: 422 });
    checkReply(await post('?source=s&position=3&expect=', lines({ id: 1, name: 'B' })), { status: 409 });
    checkReply(await post('?source=other&position=3&expect=2', lines({ id: 1, name: 'B' })), {
      status: 409,
      has: { code: 'position_changed', currentPosition: null },
    });
    expect(dataOf(await get('/api/v1/sources'))).toMatchObject([{ name: 's', position: '2' }]);
  });

  test.each([
    ['a JSON object', '{"id":1}', 'application/json'],
    ['an unclosed array', '[{"id":1}', 'application/json'],
    ['an unclosed quote', 'id,name\n1,"A\n', 'text/csv'],
    ['no text', Buffer.from([0x69, 0x64, 0x0a, 0xff, 0x01]), 'text/csv'],
    ['damaged gzip', Buffer.from([0x1f, 0x8b, 8, 0, 1, 2, 3]), 'text/csv', 'gzip'],
    ['truncated gzip', gzipSync('id,name\n1,A\n').subarray(0, 20), 'text/csv', 'gzip'],
    ['damaged zstd', Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 1, 2, 3, 4, 5, 6]), 'text/csv', 'zstd'],
    ['truncated zstd', zstdCompressSync('id,name\n1,A\n').subarray(0, 15), 'text/csv', 'zstd'],
    [
      'zstd and something else',
      Buffer.concat([zstdCompressSync('id,name\n1,A\n'), Buffer.from('x')]),
      'text/csv',
      'zstd',
    ],
    ['gzip and something else', Buffer.concat([gzipSync('id,name\n1,A\n'), Buffer.from('x')]), 'text/csv', 'gzip'],
    ['no gzip, although it is said to be', 'id,name\n1,A\n', 'text/csv', 'gzip'],
    ['gzip, although it is not said to be', gzipSync('id,name\n1,A\n'), 'text/csv'],
    ['no header', '', 'text/csv'],
  ])('a body that is %s is a 400', async (_, body, type, coding = 'identity') => {
    const { post, list } = await owner();
    checkReply(await post('', body, type, { 'content-encoding': coding }), {
      status: 400,
      has: { code: 'malformed_rows' },
    });
    expect(await list()).toEqual([]);
  });

  test.each([[{ 'content-type': 'application/xml' }], [{ 'content-encoding': 'br' }]])(
    '%j is a 415',
    async (headers) => {
      const { post } = await owner();
      checkReply(await post('', 'id\n', 'text/csv', headers), { status: 415, has: { code: 'unsupported_media_type' } });
    },
  );

  test('a body may have as many bytes as the setting says, also once it is decompressed', async () => {
    const { post, list } = await owner();
    const row = `${JSON.stringify({ id: 1, name: 'A' })}\n`;
    const body = row + ' '.repeat(1024 * 1024 - row.length);
    checkReply(await post('', body), { status: 200 });
    const larger = `{"id":2,"name":"B"}\n${body.slice(19)}`;
    checkReply(await post('', larger), { status: 413, has: { code: 'body_too_large' } });
    checkReply(await post('', gzipSync(larger), NDJSON, { 'content-encoding': 'gzip' }), {
      status: 413,
      has: { code: 'body_too_large' },
    });
    expect(await list()).toEqual([{ id: 1, name: 'A' }]);
  });

  test('a repeated import with the same key is not made again', async () => {
    const { post, list, get } = await owner();
    const once = { 'idempotency-key': 'first' };
    const body = lines({ name: 'A' }, { name: 'B' });
    const original = await post('', body, NDJSON, once);
    const repeated = await post('', body, NDJSON, once);
    expect(repeated.headers['idempotent-replayed']).toBe('true');
    expect(repeated.json).toEqual(original.json);
    checkReply(await post('', lines({ name: 'C' }), NDJSON, once), {
      status: 422,
      has: { code: 'idempotency_key_reused' },
    });
    checkReply(await post('?dry_run=true', body, NDJSON, once), { status: 422 });
    expect(await list()).toHaveLength(2);
    expect(dataOf(await get('/api/v1/imports'))).toHaveLength(1);
  });

  test('a repeated import has the same errors of skipped rows', async () => {
    const { post } = await owner();
    const body = lines({ id: 1, name: 'A' }, { id: 1, name: 'B' }, { id: 0, name: 'C' });
    const [original, repeated] = [
      await post('?on_error=skip', body, NDJSON, { 'idempotency-key': 's' }),
      await post('?on_error=skip', body, NDJSON, { 'idempotency-key': 's' }),
    ];
    expect(dataOf(original).errors).toHaveLength(2);
    expect(repeated.json).toEqual(original.json);
  });

  test('of many at once with the same key, one is made', async () => {
    const { post, list } = await owner();
    const replies = await Promise.all(
      Array.from({ length: 6 }, () => post('', lines({ name: 'A' }), NDJSON, { 'idempotency-key': 'k' })),
    );
    for (const { status, json } of replies)
      expect({ status, json }).toBeOneOf([
        { status: 200, json: { data: expect.objectContaining({ created: 1 }) } },
        { status: 409, json: expect.objectContaining({ code: 'idempotency_key_in_progress' }) },
      ]);
    expect(replies.map(({ status }) => status)).toContain(200);
    expect(await list()).toHaveLength(1);
  });

  test('concurrent imports and creates of one account are all made', async () => {
    const { post, account, list, get } = await owner();
    const writer = bearer(await service.issue(account));
    const body = JSON.stringify({ name: 'created' });
    const replies = await Promise.all(
      Array.from({ length: 30 }, (_, n) =>
        n % 3 === 0
          ? service.send({
              method: 'POST',
              path: PARTNERS,
              headers: { ...writer, 'content-type': 'application/json' },
              body,
            })
          : post('', lines({ name: `imported ${n}` }, { name: 'another' })),
      ),
    );
    for (const { status } of replies) expect([200, 201]).toContain(status);
    const all = await list();
    expect(all).toHaveLength(10 + 2 * 20);
    expect(new Set(all.map(({ id }: { id: number }) => id)).size).toBe(all.length);
    expect(dataOf(await get('/api/v1/imports'))).toHaveLength(20);
  });

  test('is in the audit trail, with key, counts and source', async () => {
    const { post, account } = await owner();
    await post('?source=s&position=1', lines({ id: 1, name: 'A' }));
    await post('', lines({ id: 1, name: 'A' }));
    const entries: object[] = [];
    for await (const batch of service.store.audit.entries({ account: account.name, action: 'records imported' }))
      entries.push(...batch);
    expect(entries.map((entry) => ({ ...entry, details: JSON.parse(Object(entry).details) }))).toMatchObject([
      { actor: expect.stringMatching(/^key /), origin: '127.0.0.1', details: { source: 's', created: 1, revision: 1 } },
      { details: { source: null, unchanged: 1, revision: 1 } },
    ]);
  });

  test.each([
    [['read', 'write'] as const, PARTNERS, 403],
    [['partner:edit'] as const, PARTNERS, 200],
    [['partner:edit'] as const, PRODUCTS, 403],
  ])('%j permits %s: %i', async (scopes, path, status) => {
    const { account } = await owner();
    const headers = { ...bearer(await service.issue(account, { scopes })), 'content-type': NDJSON };
    const reply = await service.send({
      method: 'POST',
      path: `${path}/import`,
      headers,
      body: lines({ id: 1, name: 'A' }),
    });
    expect(reply).toRespond(status);
  });

  test('thousands of rows are staged first, with the same outcome', async () => {
    const { post, list } = await owner();
    const all = Array.from({ length: 1_500 }, (_, n) => ({ id: n + 1, name: `N${n}`, branch_user: '1' }));
    const body = gzipSync(lines(...all));
    const send = (given: Uint8Array) => post('', given, NDJSON, { 'content-encoding': 'gzip' }, COMPANIES);
    checkReply(await send(body), { status: 200, has: { data: { created: 1_500, revision: 1 } } });
    checkReply(await send(body), { status: 200, has: { data: { unchanged: 1_500, revision: 1 } } });
    const removed = all.map(({ id }) => ({ id, removed: id > 3 }));
    checkReply(await send(gzipSync(lines(...removed))), {
      status: 200,
      has: { data: { removed: 1_497, unchanged: 3, revision: 2 } },
    });
    expect(await list('id', COMPANIES)).toEqual([{ id: 1 }, { id: 2 }, { id: 3 }]);
  });
});
