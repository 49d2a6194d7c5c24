/** The change feed over HTTP: pages, lines, events, and waiting. */

import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { get as httpGet, type IncomingMessage } from 'node:http';
import { describe, expect, test } from 'vitest';
import { partner } from '../../src/catalog/partner.ts';
import { printCursor } from '../../src/reply/cursor.ts';
import { plainLoad } from '../../src/store/store.ts';
import { engines } from '../support/engines.ts';
import { NOW, type RecordValues, valuesOf } from '../support/fixture.ts';
import { bodyOf, checkReply, createPartner, PARTNERS } from '../support/rows.ts';
import { awaitedLater, bearer, keyId, type TestReply } from '../support/service.ts';
import { sharedService } from '../support/shared.ts';

const CHANGES = `${PARTNERS}/changes`;

interface Page {
  readonly data: readonly RecordValues[];
  readonly meta: { readonly count: number; readonly cursor: string; readonly more: boolean };
}

const pageOf = ({ json }: TestReply): Page => Object(json);

describe.each(engines)('on $name', (engine) => {
  const service = sharedService(engine);

  const changes = async (query: Record<string, string> = {}, headers: Record<string, string> = {}) =>
    service.send({ path: `${CHANGES}?${new URLSearchParams(query)}`, headers });
  /** The cursor after everything there is. */
  const now = async (query: Record<string, string> = {}) => {
    let page = pageOf(await changes({ ...query, limit: '1000' }));
    while (page.meta.more) page = pageOf(await changes({ ...query, limit: '1000', since: page.meta.cursor }));
    return page.meta.cursor;
  };
  const load = (rows: readonly RecordValues[], replace = false) =>
    service.store.records.load(
      { account: service.acme.id },
      { ...plainLoad(partner, NOW), replace },
      (async function* () {
        yield rows.map((values, index) => ({ line: index + 1, values: valuesOf(partner, values) }));
      })(),
    );

  test('starts with everything, in pages', async () => {
    const first = pageOf(await changes({ limit: '1', fields: 'id,name' }));
    expect(first).toMatchObject({ data: [{ id: expect.any(Number) }], meta: { count: 1, more: true } });
    const names = new Set<unknown>();
    for (let since: string | undefined = undefined; ; ) {
      const page = pageOf(await changes({ limit: '2', fields: 'id,name', ...(since !== undefined && { since }) }));
      for (const { id } of page.data) names.add(id);
      since = page.meta.cursor;
      if (!page.meta.more) break;
    }
    const list = pageOf(await service.send({ path: `${PARTNERS}?limit=1000&fields=id` }));
    expect(names).toEqual(new Set(list.data.map(({ id }) => id)));
  });

  test('then has what was created, changed and removed since, and nothing twice', async () => {
    await load([
      { id: 501, name: 'Kept' },
      { id: 502, name: 'Gone' },
      { id: 503, name: 'Changed' },
    ]);
    const since = await now();
    const sinceFiltered = await now({ filter: 'name=New' });
    expect(pageOf(await changes({ since }))).toEqual({ data: [], meta: { count: 0, cursor: since, more: false } });
    const created = Object(pageOf(await service.send(createPartner('New'))).data).id;
    const all = pageOf(await service.send({ path: `${PARTNERS}?limit=1000&fields=id,name` })).data;
    await load(
      [...all.filter(({ id }) => id !== 502 && id !== 503), { id: 503, name: 'Changed now' }].map((row) => ({
        ...row,
      })),
      true,
    );
    const page = pageOf(await changes({ since, fields: 'id,name', limit: '100' }));
    expect(page.data).toEqual([
      { id: created, name: 'New' },
      { id: 502, removed: true },
      { id: 503, name: 'Changed now' },
    ]);
    const filtered = pageOf(await changes({ since: sinceFiltered, fields: 'id', filter: 'name=New', limit: '100' }));
    expect(filtered.data).toEqual([{ id: created }, { id: 502, removed: true }, { id: 503, removed: true }]);
  });

  describe('a copy with a filter', () => {
    const filter = 'city=Ghent';
    const ghent = (id: number) => ({ id, name: `Partner ${id}`, city: 'Ghent' });
    const elsewhere = (id: number) => ({ ...ghent(id), city: 'Liège' });
    const idsOf = (page: Page) => page.data.map(({ id, removed }) => (removed ? -Number(id) : id));

    test('begins with what matches, and is told of removals from then on', async () => {
      await load(
        [801, 802, 803, 804, 805, 806].map((id) => (id % 2 ? ghent(id) : elsewhere(id))),
        true,
      );
      await load([801, 803, 805].map(ghent), true);
      await load([807, 808, 809].map(elsewhere));
      await load([{ ...ghent(801), name: 'Changed' }]);
      const query = { filter, fields: 'id', limit: '2' };
      const first = pageOf(await changes(query));
      expect(idsOf(first)).toEqual([803, 805]);
      expect(first.meta.more).toBe(true);
      // What it has, what it would have got next, and what it never had.
      await load([elsewhere(803), elsewhere(801), { ...elsewhere(807), name: 'Changed' }, ghent(808)]);
      const second = pageOf(await changes({ ...query, since: first.meta.cursor }));
      expect(second).toMatchObject({ data: [], meta: { count: 0, more: true } });
      const third = pageOf(await changes({ ...query, limit: '9', since: second.meta.cursor }));
      expect(idsOf(third)).toEqual([-801, -803, -807, 808]);
      expect(third.meta.more).toBe(false);
      expect(idsOf(pageOf(await changes({ ...query, limit: '9' })))).toEqual([805, 808]);
      const lines = await changes({ ...query, limit: '9' }, { accept: 'application/x-ndjson' });
      expect(lines.text).toBe('{"id":805}\n{"id":808}\n');
    });

    test('gets pages that cost about the same, however few records match', async () => {
      await load(
        Array.from({ length: 3_100 }, (_, n) => elsewhere(3001 + n)),
        true,
      );
      await load([ghent(9000)]);
      // A record costs as much as 996 without a filter, so 3,011 are checked for a page.
      const conditions = Array.from({ length: 199 }, (_, n) => `name!*zq${n}`);
      const query = { filter: ['city=Ghent', ...conditions].join('&'), fields: 'id', limit: '9' };
      const first = pageOf(await changes(query));
      expect(first).toMatchObject({ data: [], meta: { count: 0, more: true } });
      expect(pageOf(await changes({ ...query, since: first.meta.cursor }))).toMatchObject({
        data: [{ id: 9000 }],
        meta: { more: false },
      });
      const waiting = pageOf(await changes(query, { prefer: 'wait=60' }));
      expect(waiting).toMatchObject({ data: [], meta: { more: true } });
      const lines = await changes(query, { accept: 'application/x-ndjson' });
      expect(lines.text).toBe('{"id":9000}\n');
      await load([ghent(9000)], true);
    });
  });

  test('refuses numbers that no cursor has, even with the right checksum', async () => {
    const { acme } = service;
    const position = { revision: 1, id: 1 };
    for (const number of [2 ** 53, 2 ** 64, 2 ** 70]) {
      const forged = [
        { issued: { generation: number, revision: 1 }, position, begun: 1 },
        { issued: { generation: 1, revision: number }, position, begun: 1 },
        { issued: { generation: 1, revision: 1 }, position: { revision: 1, id: number }, begun: 1 },
        { issued: { generation: 1, revision: 1 }, position, begun: number },
      ];
      for (const cursor of forged)
        checkReply(
          await changes({ since: printCursor(cursor, { account: acme, resource: partner, where: undefined }) }),
          {
            status: 400,
            has: { code: 'invalid_cursor' },
          },
        );
    }
  });

  test('refuses cursors of others, and what is none', async () => {
    const since = await now();
    for (const bad of ['x', `${since}x`, '', 'Li4uLg'])
      if (bad !== '') checkReply(await changes({ since: bad }), { status: 400, has: { code: 'invalid_cursor' } });
    const other = bearer(await service.issue(service.globex));
    checkReply(await changes({ since }, other), { status: 400, has: { code: 'invalid_cursor' } });
    checkReply(await service.send({ path: `${PARTNERS.replace('partner', 'company')}/changes?since=${since}` }), {
      status: 400,
      has: { code: 'invalid_cursor' },
    });
  });

  test('a cursor is good for its filter only, however that is written', async () => {
    const since = await now({ filter: 'name=New&id>1' });
    expect(await changes({ since, filter: ' id>1 & name="New"' })).toRespond(200);
    for (const other of [{}, { filter: 'name=New' }, { filter: 'name=New|id>1' }])
      checkReply(await changes({ since, ...other }), { status: 400, has: { code: 'invalid_cursor' } });
    checkReply(await changes({ since: await now(), filter: 'id>1' }), { status: 400, has: { code: 'invalid_cursor' } });
  });

  test('needs the id of each record', async () => {
    checkReply(await changes({ fields: 'name,city' }), {
      status: 400,
      has: { code: 'invalid_value', parameter: 'fields', suggestion: expect.stringContaining('fields=id,name,city') },
    });
  });

  test('a cursor that is older than what was pruned is a 410, unless its copy was begun later', async () => {
    await load([{ id: 601, name: 'Short-lived' }]);
    const before = await now();
    const all = pageOf(await service.send({ path: `${PARTNERS}?limit=1000&fields=id,name` })).data;
    await load(
      all.filter(({ id }) => id !== 601),
      true,
    );
    const after = await now();
    const begun = pageOf(await changes({ limit: '1' })).meta.cursor;
    expect(await changes({ since: before })).toRespond(200);
    // The removals were recorded with the time of the fixture.
    await service.store.records.prune('2026-03-02T00:00:00.000Z');
    checkReply(await changes({ since: before }), { status: 410, has: { code: 'cursor_expired' } });
    const reply = await changes({ since: after });
    expect(reply).toRespond(200);
    expect(await changes({ since: begun })).toRespond(200);
    expect(await changes({ since: reply.headers['stockbook-oldest-cursor'] ?? '' })).toRespond(200);
  });

  test('a cursor in the middle of a revision that was pruned is a 410, one at its end is not', async () => {
    const ids = [701, 702, 703];
    await load(ids.map((id) => ({ id, name: `Short-lived ${id}` })));
    const begun = await now();
    const all = pageOf(await service.send({ path: `${PARTNERS}?limit=1000&fields=id,name` })).data;
    await load(
      all.filter(({ id }) => !ids.includes(Number(id))),
      true,
    );
    const middle = pageOf(await changes({ since: begun, limit: '1' }));
    expect(middle).toMatchObject({ data: [{ id: 701, removed: true }], meta: { more: true } });
    const end = await now();
    await service.store.records.prune('2026-03-02T00:00:00.000Z');
    checkReply(await changes({ since: middle.meta.cursor }), { status: 410, has: { code: 'cursor_expired' } });
    expect(await changes({ since: end })).toRespond(200);
  });

  test('a cursor from a history that was abandoned is a 410', async () => {
    const since = await now();
    await service.send(createPartner('Lost'));
    const later = await now();
    await service.database.execute(
      `UPDATE ledger SET revision = revision - 1, rows = rows - 1 WHERE account_id = ${service.acme.id} AND resource = 'partner'`,
    );
    await service.database.execute(`DELETE FROM partner WHERE account_id = ${service.acme.id} AND name = 'Lost'`);
    checkReply(await changes({ since: later }), { status: 410, has: { code: 'cursor_expired' } });
    expect(await changes({ since })).toRespond(200);
  });

  test('as lines: everything there is, and the cursor at its end', async () => {
    const reply = await changes({ fields: 'id' }, { accept: 'application/x-ndjson' });
    expect(reply).toRespond(200);
    const lines = reply.text
      .split('\n')
      .slice(0, -1)
      .map((line) => Object(JSON.parse(line)).id);
    expect(new Set(lines).size).toBe(lines.length);
    const list = pageOf(await service.send({ path: `${PARTNERS}?limit=1000&fields=id` }));
    expect(lines.filter((id) => list.data.some((row) => row['id'] === id))).toHaveLength(list.data.length);
  });

  test('as lines: no more than limit, and whether there are more', async () => {
    const accept = 'application/x-ndjson; end=line';
    const filter = Array.from({ length: 40 }, (_, n) => `name!*zq${n}`).join('&');
    await load(Array.from({ length: 120 }, (_, n) => ({ id: 2001 + n, name: `Many ${n}` })));
    // A page of a costly filter has at least 50 changes, so 100 are two of them.
    for (const query of [{ limit: '1' }, { limit: '7', filter: 'name*many' }, { limit: '100', filter }]) {
      const ids: unknown[] = [];
      const oldest = (await changes({ ...query, fields: 'id' })).headers['stockbook-oldest-cursor'] ?? '';
      for (let since = oldest, more = true; more; ) {
        const reply = await changes({ ...query, fields: 'id', since }, { accept });
        const lines = reply.text.split('\n').slice(0, -1);
        const { end } = JSON.parse(lines.pop() ?? '');
        const found = lines.map((line) => Object(JSON.parse(line)).id);
        ids.push(...found);
        expect(end).toMatchObject({ rows: found.length, more: expect.any(Boolean) });
        ({ cursor: since, more } = end);
        const limit = Number(query.limit);
        expect(found.length).toBe(more ? limit : Math.min(found.length, limit));
      }
      const all = await changes(
        { ...query, since: oldest, limit: '', fields: 'id' },
        { accept: 'application/x-ndjson' },
      );
      expect(ids.map((id) => String(id))).toEqual(
        all.text
          .split('\n')
          .slice(0, -1)
          .map((line) => String(Object(JSON.parse(line)).id)),
      );
    }
  });

  describe('Prefer: wait', () => {
    test('holds the response until something changes', async () => {
      const since = await now();
      const waiting = awaitedLater(changes({ since, fields: 'id,name' }, { prefer: 'wait=60' }));
      await service.send(createPartner('Awaited'));
      const reply = await waiting;
      expect(pageOf(reply).data).toEqual([{ id: expect.any(Number), name: 'Awaited' }]);
      expect(reply.headers['preference-applied']).toBe('wait=60');
    });

    test('responds with nothing when the time is up', async () => {
      const since = await now();
      const reply = await changes({ since }, { prefer: 'respond-async, wait=1' });
      expect(pageOf(reply)).toEqual({ data: [], meta: { count: 0, cursor: since, more: false } });
    });

    test('works for lists with If-None-Match', async () => {
      const { headers } = await service.send({ path: PARTNERS });
      const tag = { 'if-none-match': headers['etag'] };
      const unchanged = await service.send({ path: PARTNERS, headers: { ...tag, prefer: 'wait=1' } });
      expect(unchanged).toMatchObject({ status: 304, headers: { 'preference-applied': 'wait=1' } });
      const waiting = awaitedLater(service.send({ path: PARTNERS, headers: { ...tag, prefer: 'wait=60' } }));
      await service.send(createPartner('Seen'));
      expect(await waiting).toMatchObject({ status: 200, headers: { 'preference-applied': 'wait=60' } });
    });

    test('does not wait to report a mistake', async () => {
      const { headers } = await service.send({ path: PARTNERS });
      const waited = { 'if-none-match': headers['etag'], prefer: 'wait=60' };
      checkReply(await service.send({ path: `${PARTNERS}?filter=nonsense`, headers: waited }), { status: 400 });
    });

    test('is a 429 for the 2,049th request of an account', async () => {
      const since = await now();
      const ledger = (await service.store.version(service.acme.id))?.ledger.get(partner.name);
      if (ledger === undefined) throw new Error('there is no ledger');
      const over = new AbortController();
      const waiting = Array.from({ length: 2_048 }, () =>
        service.store.changed(service.acme.id, partner, ledger, over.signal),
      );
      const wait = () => changes({ since }, { prefer: 'wait=1' });
      checkReply(await wait(), {
        status: 429,
        has: { code: 'too_many_waiting', detail: '2048 requests of this account are waiting for changes.' },
        headers: { 'retry-after': '10' },
      });
      over.abort();
      await Promise.all(waiting);
      checkReply(await wait(), { status: 200 });
    });

    test('does not wait if there is something already', async () => {
      expect(await changes({ limit: '1' }, { prefer: 'wait=60' })).toRespond(200);
    });
  });

  /** An event stream, and the events it has had so far. */
  const openEvents = async (headers: Record<string, string>, query = 'fields=id,name&limit=1000') => {
    const request = httpGet({
      host: '127.0.0.1',
      port: service.port,
      path: `${CHANGES}?${query}`,
      headers: { accept: 'text/event-stream', ...bearer(service.key), ...headers },
      agent: false,
    });
    const [response]: IncomingMessage[] = await once(request, 'response');
    if (response === undefined) throw new Error('there is no response');
    response.setEncoding('utf8');
    let text = '';
    response.on('data', (chunk: string) => {
      text += chunk;
    });
    response.on('error', () => {});
    const events = () =>
      text
        .split('\n\n')
        .slice(0, -1)
        .filter((event) => event.startsWith('event:'))
        .map((event) => ({
          id: /^id: (.*)$/m.exec(event)?.[1] ?? '',
          names: Object(JSON.parse(/^data: (.*)$/m.exec(event)?.[1] ?? '')).data.map(
            (one: Record<string, unknown>) => one['name'],
          ),
        }));
    return { response, events };
  };

  test('as events: what there is, then what is written, resumed with Last-Event-ID', async () => {
    const stream = await openEvents({});
    expect(stream.response.headers['content-type']).toBe('text/event-stream');
    await expect.poll(() => stream.events().length).toBe(1);
    await service.send(createPartner('Live'));
    await expect.poll(() => stream.events().at(-1)?.names).toEqual(['Live']);
    const last = stream.events().at(-1)?.id ?? '';
    stream.response.destroy();
    await service.send(createPartner('While away'));
    const resumed = await openEvents({ 'last-event-id': last });
    await expect.poll(() => resumed.events().map(({ names }) => names)).toEqual([['While away']]);
    // Keys come and go. The stream ends when its own does.
    const other = await service.issue(service.acme);
    await service.send(createPartner('After a key was added'));
    await expect.poll(() => resumed.events().at(-1)?.names).toEqual(['After a key was added']);
    const revoked = await openEvents(bearer(other));
    await expect.poll(() => revoked.events().length).toBe(1);
    await service.store.keys.revoke(keyId(other), NOW);
    await service.send(createPartner('After a key was revoked'));
    await expect.poll(() => revoked.response.complete).toBe(true);
    expect(revoked.events()).toHaveLength(1);
    await expect.poll(() => resumed.events().at(-1)?.names).toEqual(['After a key was revoked']);
    resumed.response.destroy();
  });

  test('as events: no event has more changes than limit', async () => {
    const stream = await openEvents({}, 'fields=id,name&limit=2');
    await expect.poll(() => stream.events().length).toBeGreaterThan(3);
    for (const { names } of stream.events().slice(0, 3)) expect(names).toHaveLength(2);
    stream.response.destroy();
  });

  test('as events: a crowd with a costly filter is woken up, one after another', async () => {
    const filter = Array.from({ length: 40 }, (_, n) => `name!*zq${n}`).join('&');
    const query = new URLSearchParams({ since: await now({ filter }), fields: 'id,name', filter });
    // More than may wait for a slow read, so they are not opened all at once.
    const streams: Awaited<ReturnType<typeof openEvents>>[] = [];
    while (streams.length < 150)
      streams.push(...(await Promise.all(Array.from({ length: 50 }, () => openEvents({}, String(query))))));
    expect(new Set(streams.map(({ response }) => response.statusCode))).toEqual(new Set([200]));
    await service.send(createPartner('For all'));
    for (const { events } of streams)
      await expect.poll(() => events().map(({ names }) => names)).toEqual([['For all']]);
    for (const { response } of streams) response.destroy();
  });

  describe('a digest', () => {
    const digest = (query = '', headers = {}) => service.send({ path: `${PARTNERS}/digest${query}`, headers });

    test.each(['', '?fields=id,name', '?filter=is_company=true&fields=id', '?filter=name=nobody'])(
      'is the hash of the NDJSON stream: %s',
      async (query) => {
        const stream = await service.send({ path: `${PARTNERS}${query}`, headers: { accept: 'application/x-ndjson' } });
        const sha256 = createHash('sha256').update(stream.text).digest('hex');
        for (const status of ['fwd=miss', 'hit']) {
          const reply = await digest(query);
          expect(reply.json).toEqual({
            data: {
              total: Number(stream.headers['stockbook-total']),
              revision: Number(stream.headers['stockbook-revision']),
              cursor: expect.any(String),
              sha256,
            },
          });
          expect(reply.headers['cache-status']).toContain(status);
        }
      },
    );

    test('is computed once, however many ask for it', async () => {
      await service.send(createPartner('Hashed'));
      const replies = await Promise.all(Array.from({ length: 20 }, () => digest('?fields=id,name,ref')));
      expect(new Set(replies.map(({ text }) => text)).size).toBe(1);
      const misses = replies.filter(({ headers }) => headers['cache-status']?.includes('fwd=miss'));
      expect({ statuses: new Set(replies.map(({ status }) => status)), misses: misses.length }).toEqual({
        statuses: new Set([200]),
        misses: 1,
      });
    });

    test('changes with the resource, and its cursor is the end of the feed', async () => {
      const before = await digest();
      expect(await digest('', { 'if-none-match': before.headers['etag'] })).toRespond(304);
      await service.send(createPartner('Digested'));
      const after = await digest('', { 'if-none-match': before.headers['etag'] });
      expect(bodyOf(after).data.sha256).not.toBe(bodyOf(before).data.sha256);
      const since = bodyOf(after).data.cursor;
      expect(pageOf(await changes({ since }))).toMatchObject({ data: [], meta: { more: false } });
    });
  });

  describe('end=line', () => {
    const accept = 'application/x-ndjson; end=line';
    const lastLine = (text: string) => JSON.parse(text.split('\n').at(-2) ?? '');

    test('adds a last line to a list', async () => {
      const reply = await service.send({ path: `${PARTNERS}?fields=id`, headers: { accept } });
      expect(reply.headers['content-type']).toBe(accept);
      const rows = reply.text.split('\n').length - 2;
      expect(lastLine(reply.text)).toEqual({ end: { rows, revision: Number(reply.headers['stockbook-revision']) } });
    });

    test.each([{}, { filter: 'name=nobody' }])('adds a last line to the changes: %o', async (query) => {
      const reply = await changes(query, { accept });
      const rows = reply.text.split('\n').length - 2;
      expect(lastLine(reply.text)).toEqual({
        end: { rows, revision: Number(reply.headers['stockbook-revision']), cursor: await now(query), more: false },
      });
    });
  });
});
