/** Copies that are kept while two nodes are written and killed, and while the reader itself is killed. */

import { once } from 'node:events';
import { type ClientRequest, get, type IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { commands } from '../support/commands.ts';
import { Copy, FEED_FORMATS, type FeedFormat, type Source } from '../support/copy.ts';
import { engines, type TestDatabase } from '../support/engines.ts';
import { makeFolder, run, type Serving, serve } from '../support/program.ts';
import { seededRandom } from '../support/random.ts';
import { rounds } from '../support/rounds.ts';
import { createPartner, PARTNERS } from '../support/rows.ts';
import { bearer, send } from '../support/service.ts';

const WRITERS = 4;
const RECORDS = rounds(20, 40);

/** Of each kind. */
const WAITERS = rounds(200, 1_000);

/** How many of each kind connect at once. On a busy machine all of them may be queued, and a queue has 100 places. */
const BATCH = 10;

describe.each(engines)('on $name', (engine) => {
  let folder: ReturnType<typeof makeFolder>;
  let database: TestDatabase;
  let nodes: Serving[];
  let key: string;
  const random = seededRandom(engine.name);
  const stockbook = (input: string, ...args: string[]) =>
    run([...args, '--database', database.url], { folder: folder.path, input });
  const start = () => serve(['--database', database.url], { folder: folder.path });
  beforeEach(async () => {
    folder = makeFolder();
    database = await engine.makeMigrated();
    const [options, flags] = [{ folder: folder.path }, ['--database', database.url]];
    await commands.run(['account', 'add', 'acme', ...flags], options);
    key = (await commands.run(['key', 'add', 'acme', '--name', 'test', ...flags], options)).stdout.trim();
    nodes = await Promise.all([start(), start()]);
  });
  afterEach(async () => {
    for (const { child } of nodes) child.kill('SIGKILL');
    await Promise.all(nodes.map(({ finished }) => finished));
    nodes = [];
    await database.drop();
    folder.remove();
  });

  const anyNode = () => random.pick(nodes).port;
  const anyFormat = (): FeedFormat => random.pick(FEED_FORMATS);
  const source = (): Source => ({ url: `http://127.0.0.1:${anyNode()}${PARTNERS}`, key });

  const restart = async (index: number, signal: NodeJS.Signals) => {
    nodes[index]?.child.kill(signal);
    await nodes[index]?.finished;
    nodes[index] = await start();
  };

  /** Retried until it is certain, on whichever node is up. */
  const create = async (name: string) => {
    while (nodes.length > 0) {
      const request = createPartner(name, { ...bearer(key), 'idempotency-key': name });
      const reply = await send(anyNode(), request).catch(() => undefined);
      if (reply?.status === 201) return;
    }
  };
  const writeAll = () =>
    Promise.all(
      Array.from({ length: WRITERS }, async (_, writer) => {
        for (let n = 0; n < RECORDS; n += 1) await create(`${writer}-${n}`);
      }),
    );
  /** Removes what was there, and adds some. */
  const replaceAll = async () => {
    const rows = Array.from({ length: 20 }, (_, n) => `${1 + n},Imported ${random.below(1_000)}\n`);
    expect(
      await stockbook(
        `id,name\n${rows.join('')}`,
        'import',
        'acme',
        'partner',
        '-',
        '--format',
        'csv',
        '--replace',
        '--yes',
      ),
    ).toMatchObject({ code: 0 });
  };

  test('nothing is missed, whoever is killed', async () => {
    let copy = new Copy({ limit: '7' });
    let saved = copy.clone();
    let isWritten = false;
    const writing = writeAll().finally(() => {
      isWritten = true;
    });
    const reading = (async () => {
      while (!isWritten) {
        // A node that is down, or goes down, is an error, and the reader tries another.
        await copy.read(source(), anyFormat(), random.below(10)).catch(() => undefined);
        // A reader that is killed continues with what it had stored.
        if (random.chance(1 / 3)) copy = saved.clone();
        else if (random.chance(1 / 2)) saved = copy.clone();
      }
    })();
    const total = WRITERS * RECORDS;
    const isWrittenUpTo = (share: number) =>
      expect.poll(() => database.count('idempotency_key', '1 = 1')).toBeGreaterThan(share * total);
    await isWrittenUpTo(1 / 5);
    await restart(0, 'SIGKILL');
    await isWrittenUpTo(2 / 5);
    await replaceAll();
    await restart(1, 'SIGTERM');
    await isWrittenUpTo(3 / 5);
    await Promise.all(nodes.map((_, index) => restart(index, 'SIGKILL')));
    await Promise.all([writing, reading]);

    for (const format of FEED_FORMATS) {
      const one = copy.clone();
      await one.follow(source(), format);
      const list = await send(anyNode(), { path: `${PARTNERS}?limit=1000`, headers: bearer(key) });
      expect([...one.records.values()].toSorted((a, b) => Number(a['id']) - Number(b['id']))).toEqual(
        Object(list.json).data,
      );
      const digest = await send(anyNode(), { path: `${PARTNERS}/digest`, headers: bearer(key) });
      expect(Object(digest.json).data).toMatchObject({ total: one.records.size, sha256: one.digest });
    }
  });

  test(`${2 * WAITERS} clients that wait get complete responses when the service stops`, async () => {
    const limit = String(3 * WAITERS);
    const flags = ['--max-connections', limit, '--max-connections-per-address', limit];
    const server = await serve(['--database', database.url, ...flags], { folder: folder.path });
    nodes.push(server);
    const wait = (headers: Readonly<Record<string, string>>) =>
      get({
        host: '127.0.0.1',
        port: server.port,
        path: `${PARTNERS}/changes`,
        headers: { ...bearer(key), ...headers },
        agent: false,
      });
    const polls: Promise<string>[] = [];
    const responses: IncomingMessage[] = [];
    while (responses.length < WAITERS) {
      const batch = Array.from({ length: BATCH }, () => wait({ prefer: 'wait=60' }));
      polls.push(...batch.map(async (poll) => bodyOf(await responseTo(poll))));
      await Promise.all(batch.map((poll) => once(poll, 'finish')));
      // These connect later, so when they have a response, the others wait for theirs.
      const streams = Array.from({ length: BATCH }, () => wait({ accept: 'text/event-stream' }));
      responses.push(...(await Promise.all(streams.map(responseTo))));
    }
    const pages = Promise.all(polls);
    server.child.kill('SIGTERM');
    for (const [index, page] of (await pages).entries())
      expect(JSON.parse(page), `poll ${index}`).toMatchObject({ data: [], meta: { more: false } });
    for (const [index, response] of responses.entries())
      expect(await bodyOf(response), `stream ${index}`).toMatch(/^(?:: heartbeat\n\n)+$/);
    expect((await server.finished).code).toBe(0);
  });
});

async function responseTo(request: ClientRequest): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => request.once('response', resolve).once('error', reject));
}

async function bodyOf(response: IncomingMessage): Promise<string> {
  expect(response.statusCode).toBe(200);
  const body = await text(response);
  expect(response.complete).toBe(true);
  return body;
}
