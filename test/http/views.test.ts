/** Saved views: who may read and save them, what they may contain, and what happens if several people save at the same time. */

import { describe, expect, test } from 'vitest';
import type { Scope } from '../../src/catalog/scopes.ts';
import { Stockbook } from '../../src/client/index.ts';
import { MAX_VIEW_NAME, MAX_VIEW_QUERY } from '../../src/plan/view.ts';
import { MAX_VIEW_CHARACTERS, MAX_VIEWS } from '../../src/store/store.ts';
import { aboveStore } from '../support/above-store.ts';
import { addAccount } from '../support/fixture.ts';
import { bodyOf, checkReply, checkRow, type Row } from '../support/rows.ts';
import { bearer, type TestReply, type TestRequest } from '../support/service.ts';
import { sharedService } from '../support/shared.ts';

const VIEWS = '/api/v1/views';
const VIEW = { name: 'Low stock', resource: 'product', query: 'filter=name*low&sort=-id' };

function put(id: string, body: unknown, headers: TestRequest['headers'] = {}): TestRequest {
  return {
    method: 'PUT',
    path: `${VIEWS}/${id}`,
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  };
}

/** What is refused, whatever there is. */
const refused: readonly Row[] = [
  {
    name: 'a view without a name',
    request: put('refused', { ...VIEW, name: undefined }),
    status: 400,
    has: { code: 'invalid_body', parameter: 'name', detail: 'name is missing.' },
  },
  {
    name: 'a query that the console cannot show',
    request: put('refused', { ...VIEW, query: 'filter=nane*chair' }),
    status: 400,
    has: { code: 'invalid_body', parameter: 'query', suggestion: 'Did you mean name?' },
  },
  { name: 'the id é', request: put('%C3%A9', VIEW), status: 400, has: { code: 'invalid_view_id' } },
  { name: 'a broken body', request: { ...put('a', {}), body: '{' }, status: 400, has: { code: 'malformed_json' } },
  {
    name: 'a body of another type',
    request: put('a', VIEW, { 'content-type': 'text/plain' }),
    status: 415,
    has: { code: 'unsupported_media_type' },
  },
  {
    name: 'a parameter',
    request: { ...put('a', VIEW), path: `${VIEWS}/a?limit=1` },
    status: 400,
    has: { code: 'unknown_parameter' },
  },
  {
    name: 'a list with a parameter',
    request: { path: `${VIEWS}?page=2` },
    status: 400,
    has: { code: 'unknown_parameter' },
  },
  { name: 'an id that no view has', request: { path: `${VIEWS}/none` }, status: 404, has: { code: 'view_not_found' } },
  { name: 'an id with NUL', request: { path: `${VIEWS}/a%00` }, status: 404, has: { code: 'view_not_found' } },
  {
    name: 'the removal of no view',
    request: { method: 'DELETE', path: `${VIEWS}/none` },
    status: 404,
    has: { code: 'view_not_found' },
  },
  {
    name: 'the removal of an impossible id',
    request: { method: 'DELETE', path: `${VIEWS}/a%00` },
    status: 404,
    has: { code: 'view_not_found' },
  },
  {
    name: 'a removal with a body',
    request: { method: 'DELETE', path: `${VIEWS}/none`, headers: { 'content-length': '2' }, body: '{}' },
    status: 400,
    has: { code: 'invalid_body' },
  },
  {
    name: 'POST',
    request: { method: 'POST', path: VIEWS, body: '{}' },
    status: 405,
    has: { code: 'method_not_allowed' },
    headers: { allow: 'GET, HEAD, OPTIONS' },
  },
  {
    name: 'OPTIONS',
    request: { method: 'OPTIONS', path: `${VIEWS}/a` },
    status: 204,
    headers: { allow: 'PUT, GET, HEAD, DELETE, OPTIONS' },
  },
];

describe.each(aboveStore)('on $name', (engine) => {
  const service = sharedService(engine);
  let accounts = 0;

  const owner = async (scopes: readonly Scope[] = ['read', 'write']) => {
    accounts += 1;
    const account = await addAccount(service.store, `viewer-${accounts}`);
    const headers = bearer(await service.issue(account, { scopes }));
    const save = (id: string, body: unknown, more: TestRequest['headers'] = {}) =>
      service.send(put(id, body, { ...headers, ...more }));
    const get = (id: string, more: TestRequest['headers'] = {}) =>
      service.send({ path: `${VIEWS}/${id}`, headers: { ...headers, ...more } });
    const list = (more: TestRequest['headers'] = {}) => service.send({ path: VIEWS, headers: { ...headers, ...more } });
    const remove = (id: string, more: TestRequest['headers'] = {}) =>
      service.send({ method: 'DELETE', path: `${VIEWS}/${id}`, headers: { ...headers, ...more } });
    return { account, headers, save, get, list, remove };
  };
  const dataOf = (reply: TestReply) => bodyOf(reply).data;

  test.each(refused)('$name is a $status', (row) => checkRow(service, row));

  test('a view is saved, read, replaced and removed', async () => {
    const { save, get, list, remove } = await owner();
    checkReply(await list(), { status: 200, body: { data: [], meta: { count: 0 } } });
    const created = await save('low-stock', { ...VIEW, name: ' Low stock ', query: `?${VIEW.query}` });
    checkReply(created, { status: 201, headers: { location: `${VIEWS}/low-stock`, 'cache-control': 'no-store' } });
    const view = dataOf(created);
    expect(view).toStrictEqual({
      id: 'low-stock',
      ...VIEW,
      isFirstPage: false,
      savedAt: expect.stringMatching(/^\d{4}-.*Z$/),
      etag: created.headers['etag'],
    });
    checkReply(await get('low-stock'), { status: 200, body: { data: view }, headers: { etag: view.etag } });
    checkReply(await list(), { status: 200, body: { data: [view], meta: { count: 1 } } });
    // What a response has can be sent back.
    checkReply(await save('low-stock', view), { status: 200, has: { data: VIEW } });
    const replaced = await save('low-stock', { ...VIEW, name: 'Nearly out', resource: 'partner', isFirstPage: true });
    checkReply(replaced, {
      status: 200,
      has: { data: { name: 'Nearly out', resource: 'partner', isFirstPage: true } },
      headers: { location: undefined },
    });
    expect(dataOf(replaced).etag).not.toBe(view.etag);
    expect(await remove('low-stock')).toRespond(204);
    checkReply(await get('low-stock'), { status: 404, has: { code: 'view_not_found' } });
    checkReply(await list(), { status: 200, has: { data: [] } });
    // Its id, and so its link, can be used again: that is how a removal is undone.
    checkReply(await save('low-stock', VIEW), { status: 201 });
  });

  test('the longest id, name and query, and an empty query', async () => {
    const { save, get } = await owner();
    const longest = { ...VIEW, name: '😀'.repeat(MAX_VIEW_NAME), query: 'filter=name='.padEnd(MAX_VIEW_QUERY, 'é') };
    const id = 'Az09_-'.padEnd(64, '0');
    checkReply(await save(id, longest), { status: 201 });
    checkReply(await get(id), { status: 200, has: { data: longest } });
    checkReply(await save('empty', { ...VIEW, query: '' }), { status: 201, has: { data: { query: '' } } });
  });

  test('text is text', async () => {
    const { save, list } = await owner();
    const view = { ...VIEW, name: `"'; DROP TABLE saved_view; -- \u2028 <b>\\`, query: `filter=name="'--"&q=%3Cb%3E` };
    checkReply(await save('text', view), { status: 201, has: { data: view } });
    checkReply(await list(), { status: 200, has: { data: [view] } });
  });

  test('everything that the console writes into its address can be saved', async () => {
    const { save } = await owner();
    for (const query of [
      '?filter=name*a%26active=true|id[1,2]&fields=id,name&sort=-name,id&page=2&limit=50&panel=none&live=true&record=7',
      'q=oak+chair&sort=relevance&group=create_date:month&order=sum(list_price*qty_available)&widths=name:240,id:80',
      'filter=create_date%3E=2026-11-12&today=2026-11-19&view=low-stock&panel=code&live=false&group=active&order=value',
      '&filter=&q=&',
    ])
      expect(dataOf(await save('page', { ...VIEW, query })).query).toBe(query.replace('?', ''));
  });

  test('a query that was right when it was saved stays', async () => {
    const { account, save } = await owner();
    const view = { ...VIEW, query: 'filter=x_removed_since=1' };
    await service.store.views.save({ account: account.id }, { ...view, id: 'old', isFirstPage: false });
    checkReply(await save('old', { ...view, name: 'Renamed', isFirstPage: true }), { status: 200 });
    for (const [id, other] of [
      ['new', { ...view, name: 'Another' }],
      ['old', { ...view, resource: 'partner' }],
      ['old', { ...view, query: `${view.query}2` }],
    ] as const)
      checkReply(await save(id, other), { status: 400, has: { parameter: 'query' } });
  });

  test('views are listed by resource and name', async () => {
    const { save, list } = await owner();
    for (const [id, resource, name] of [
      ['1', 'product', 'b'],
      ['2', 'product', 'B'],
      ['3', 'company', 'z'],
      ['4', 'product', 'a'],
    ] as const)
      await save(id, { ...VIEW, resource, name });
    expect(dataOf(await list()).map(({ id }: { id: string }) => id)).toEqual(['3', '2', '4', '1']);
  });

  test('a name is unique in its resource', async () => {
    const { save } = await owner();
    await save('first', VIEW);
    checkReply(await save('second', VIEW), {
      status: 409,
      has: {
        code: 'view_name_taken',
        parameter: 'name',
        detail: "Another view of product is called 'Low stock': first.",
      },
    });
    checkReply(await save('second', { ...VIEW, resource: 'partner' }), { status: 201 });
    checkReply(await save('second', { ...VIEW, name: 'Other' }), { status: 200 });
    checkReply(await save('second', VIEW), { status: 409 });
    checkReply(await save('first', VIEW), { status: 200 });
  });

  test('one view of a resource is the first page', async () => {
    const { save, get } = await owner();
    const isFirst = async (id: string) => dataOf(await get(id)).isFirstPage;
    await save('a', { ...VIEW, name: 'a', isFirstPage: true });
    await save('other', { ...VIEW, resource: 'partner', isFirstPage: true });
    const before = dataOf(await get('a')).etag;
    await save('b', { ...VIEW, name: 'b', isFirstPage: true });
    expect([await isFirst('a'), await isFirst('b'), await isFirst('other')]).toEqual([false, true, true]);
    expect(dataOf(await get('a')).etag).not.toBe(before);
    await save('b', { ...VIEW, name: 'b' });
    expect(await isFirst('b')).toBe(false);
  });

  test('an account may have 200 views, and can still change them', async () => {
    const { account, headers, save, remove } = await owner();
    const stockbook = new Stockbook({ url: `http://127.0.0.1:${service.port}`, key: headers.authorization.slice(7) });
    const named = (n: number) => ({ ...VIEW, name: `View ${n}` });
    for (let n = 1; n < MAX_VIEWS; n += 1)
      await service.store.views.save({ account: account.id }, { ...named(n), id: `v${n}`, isFirstPage: false });
    // Of several that come last, one gets the last place.
    const last = await Promise.all([200, 201, 202].map((n) => save(`v${n}`, named(n))));
    expect(last.map(({ status }) => status).toSorted()).toEqual([201, 403, 403]);
    checkReply(await save('one-more', VIEW), { status: 403, has: { code: 'too_many_views' } });
    checkReply(await save('v1', { ...VIEW, name: 'Changed' }), { status: 200 });
    expect(await stockbook.views.list()).toHaveLength(MAX_VIEWS);
    await remove('v1');
    checkReply(await save('one-more', VIEW), { status: 201 });
  });

  test('the queries of all views of an account have a limited length', async () => {
    const { save } = await owner();
    const long = (n: number, length = MAX_VIEW_QUERY) => ({
      ...VIEW,
      name: `View ${n}`,
      query: 'filter=name='.padEnd(length, 'x'),
    });
    const most = MAX_VIEW_CHARACTERS / MAX_VIEW_QUERY;
    for (let n = 0; n < most; n += 1) checkReply(await save(`v${n}`, long(n)), { status: 201 });
    checkReply(await save('more', long(most, 13)), { status: 403, has: { code: 'too_many_views' } });
    checkReply(await save('v0', long(0, MAX_VIEW_QUERY - 13)), { status: 200 });
    checkReply(await save('more', long(most, 13)), { status: 201 });
  });

  test('with If-Match, a view that somebody else has changed or removed is left as it is', async () => {
    const { save, get, remove } = await owner();
    const etag = dataOf(await save('v', VIEW)).etag;
    const theirs = { ...VIEW, query: 'filter=name=theirs' };
    const now = dataOf(await save('v', theirs, { 'if-match': etag })).etag;
    for (const reply of [
      await save('v', { ...VIEW, query: 'filter=name=mine' }, { 'if-match': etag }),
      await save('v', { ...VIEW, query: 'filter=name=mine' }, { 'if-match': '"unknown", W/"weak"' }),
      await remove('v', { 'if-match': etag }),
    ])
      checkReply(reply, { status: 412, has: { code: 'view_changed', etag: now }, headers: { etag: now } });
    checkReply(await get('v'), { status: 200, has: { data: theirs } });
    expect(await remove('v', { 'if-match': `"other", W/${now}` })).toRespond(204);
    for (const ifMatch of [now, '*'])
      checkReply(await save('v', VIEW, { 'if-match': ifMatch }), {
        status: 412,
        has: { code: 'view_changed', detail: "There is no view with the id 'v' any more." },
        headers: { etag: undefined },
      });
    checkReply(await remove('v', { 'if-match': '*' }), { status: 404 });
    await save('v', VIEW);
    checkReply(await save('v', theirs, { 'if-match': '*' }), { status: 200 });
  });

  test('a change whose response was lost can be repeated', async () => {
    const { save } = await owner();
    const ifMatch = dataOf(await save('v', VIEW)).etag;
    const changed = { ...VIEW, name: 'Changed' };
    checkReply(await save('v', changed, { 'if-match': ifMatch }), { status: 200 });
    checkReply(await save('v', changed, { 'if-match': ifMatch }), { status: 200, has: { data: changed } });
  });

  test('of several changes that name the same tag, one wins', async () => {
    const { save, get } = await owner();
    const ifMatch = dataOf(await save('v', VIEW)).etag;
    const replies = await Promise.all(
      Array.from({ length: 8 }, (_, n) => save('v', { ...VIEW, name: `by ${n}` }, { 'if-match': ifMatch })),
    );
    expect(replies.map(({ status }) => status).toSorted()).toEqual([200, ...Array.from({ length: 7 }, () => 412)]);
    const winner = replies.find(({ status }) => status === 200);
    expect(dataOf(await get('v'))).toEqual(winner && dataOf(winner));
  });

  test('people who save at the same time share neither a name nor the first page', async () => {
    const { save, list } = await owner();
    const replies = await Promise.all(
      Array.from({ length: 10 }, (_, n) => save(`v${n}`, { ...VIEW, name: `by ${n % 5}`, isFirstPage: true })),
    );
    expect(replies.map(({ status }) => status).toSorted()).toEqual([201, 201, 201, 201, 201, 409, 409, 409, 409, 409]);
    const views: readonly { name: string; isFirstPage: boolean }[] = dataOf(await list());
    expect(new Set(views.map(({ name }) => name)).size).toBe(5);
    expect(views.filter(({ isFirstPage }) => isFirstPage)).toHaveLength(1);
  });

  test('nothing is sent again while no view has changed', async () => {
    const { save, get, list, remove } = await owner();
    const empty = await list();
    checkReply(await list({ 'if-none-match': empty.headers['etag'] }), { status: 304 });
    const { etag } = dataOf(await save('v', VIEW));
    const one = await list({ 'if-none-match': empty.headers['etag'] });
    checkReply(one, { status: 200, headers: { 'cache-control': 'private, no-cache' } });
    checkReply(await get('v', { 'if-none-match': etag }), { status: 304 });
    await remove('v');
    checkReply(await list({ 'if-none-match': one.headers['etag'] }), { status: 200 });
  });

  test('every key of the account reads views, and the scope write saves them', async () => {
    const { account, save } = await owner();
    await save('v', VIEW);
    for (const scope of ['read', 'write', 'edit', 'company:read', 'partner:write'] as const) {
      const headers = bearer(await service.issue(account, { scopes: [scope] }));
      const expected = scope === 'write' ? { status: 200 } : { status: 403, has: { code: 'scope_missing' } };
      checkReply(await service.send({ path: VIEWS, headers }), { status: 200, has: { meta: { count: 1 } } });
      checkReply(await service.send({ path: `${VIEWS}/v`, headers }), { status: 200 });
      checkReply(await service.send(put('v', VIEW, headers)), expected);
      if (scope !== 'write')
        checkReply(await service.send({ method: 'DELETE', path: `${VIEWS}/v`, headers }), expected);
    }
    checkReply(await service.send({ path: VIEWS, headers: { authorization: undefined } }), { status: 401 });
  });

  test('accounts do not see the views of others, and may use the same ids and names', async () => {
    const [mine, theirs] = [await owner(), await owner()];
    const { etag } = dataOf(await mine.save('v', { ...VIEW, isFirstPage: true }));
    checkReply(await theirs.get('v'), { status: 404 });
    checkReply(await theirs.list(), { status: 200, has: { data: [] } });
    checkReply(await theirs.remove('v'), { status: 404 });
    checkReply(await theirs.save('v', VIEW, { 'if-match': etag }), { status: 412 });
    checkReply(await theirs.save('v', { ...VIEW, isFirstPage: true }), { status: 201 });
    checkReply(await theirs.save('v', VIEW, { 'if-match': etag }), { status: 412 });
    checkReply(await mine.get('v'), { status: 200, has: { data: { isFirstPage: true, etag } } });
  });

  test('views are removed with their account, and another one of its name has none', async () => {
    const { account, save } = await owner();
    await save('v', VIEW);
    await service.store.accounts.remove(account.id);
    for (const table of ['saved_view', 'view_list'])
      expect(await service.database.count(table, `account_id = ${account.id}`)).toBe(0);
    const again = await addAccount(service.store, account.name);
    expect(await service.store.views.list({ account: again.id })).toEqual({ views: [], version: 0 });
  });

  test('a key that was revoked saves nothing', async () => {
    const { account, save, list } = await owner();
    const found = await service.store.keys.list(account.id);
    const access = { account: account.id, access: -1 };
    expect(await service.store.views.save(access, { ...VIEW, id: 'v', isFirstPage: false })).toBe('no access');
    expect(await service.store.views.remove(access, 'v')).toBe('no access');
    expect(await service.store.views.list(access)).toBe('no access');
    expect(await service.store.views.find(access, 'v')).toBe('no access');
    await list();
    await service.store.keys.revoke(found[0]?.id ?? '', new Date().toISOString());
    checkReply(await save('v', VIEW), { status: 401 });
    expect(await service.store.views.find({ account: account.id }, 'v')).toBeUndefined();
  });

  test('the client has methods for them', async () => {
    const { headers } = await owner();
    const { views } = new Stockbook({
      url: `http://127.0.0.1:${service.port}`,
      key: headers.authorization.slice('Bearer '.length),
    });
    expect(await views.get('v')).toBeUndefined();
    const saved = await views.save('v', VIEW);
    expect(await views.get('v')).toEqual(saved);
    expect(await views.list()).toEqual([saved]);
    const changed = await views.save('v', { ...VIEW, isFirstPage: true }, { ifMatch: saved.etag });
    await expect(views.save('v', VIEW, { ifMatch: saved.etag })).rejects.toMatchObject({ code: 'view_changed' });
    await expect(views.remove('v', { ifMatch: saved.etag })).rejects.toMatchObject({ code: 'view_changed' });
    await views.remove('v', { ifMatch: changed.etag });
    await expect(views.remove('v')).rejects.toMatchObject({ code: 'view_not_found' });
  });
});
