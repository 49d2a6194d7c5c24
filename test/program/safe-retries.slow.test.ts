/** Creates with an `Idempotency-Key`, retried through a network that loses responses, while the program is killed. */

import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { commands } from '../support/commands.ts';
import { engines, type TestDatabase } from '../support/engines.ts';
import { makeFolder, type Serving, serve } from '../support/program.ts';
import { seededRandom } from '../support/random.ts';
import { rounds } from '../support/rounds.ts';
import { createPartner, PARTNERS } from '../support/rows.ts';
import { bearer, send, type TestReply } from '../support/service.ts';

/** What can happen to a request after it was forwarded. */
const FATES = ['delivered', 'client cut off', 'both cut off', 'response dropped', 'response truncated'] as const;

/** A TCP proxy that loses most responses. Each connection carries one request. */
async function startLossyProxy(targetPort: () => number): Promise<Server> {
  const random = seededRandom('lossy proxy');
  const proxy = createServer((client) => {
    const fate = random.pick(FATES);
    const upstream = connect(targetPort(), '127.0.0.1');
    const end = (socket: Socket) => socket.destroy();
    // The server may be down, or killed meanwhile.
    upstream.on('error', () => end(client)).on('close', () => end(client));
    client.on('error', () => end(upstream)).on('close', () => fate !== 'client cut off' && end(upstream));
    client.on('data', (request) => {
      upstream.write(request, () => {
        if (fate === 'client cut off' || fate === 'both cut off') end(client);
        if (fate === 'both cut off') end(upstream);
      });
    });
    upstream.on('data', (response) => {
      if (fate === 'delivered') client.write(response);
      else if (fate === 'response truncated') client.write(response.subarray(0, 20), () => end(client));
      else end(client);
    });
  });
  proxy.listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  return proxy;
}

function portOf(server: Server): number {
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the proxy does not listen');
  return address.port;
}

describe.each(engines)('on $name', (engine) => {
  let folder: ReturnType<typeof makeFolder>;
  let database: TestDatabase;
  let server: Serving;
  let key: string;
  const start = async (...flags: string[]) => {
    server = await serve(['--database', database.url, ...flags], { folder: folder.path });
  };
  const kill = async () => {
    server.child.kill('SIGKILL');
    await server.finished;
  };
  beforeEach(async () => {
    folder = makeFolder();
    database = await engine.makeMigrated();
    const stockbook = (...args: string[]) =>
      commands.run([...args, '--database', database.url], { folder: folder.path });
    await stockbook('account', 'add', 'acme');
    key = (await stockbook('key', 'add', 'acme', '--name', 'test')).stdout.trim();
  });
  afterEach(async () => {
    await kill();
    await database.drop();
    folder.remove();
  });

  const create = (port: number, name: string): Promise<TestReply> =>
    send(port, createPartner(name, { ...bearer(key), 'idempotency-key': name }));

  /** Retries until there is a response. */
  const createOnce = async (
    port: number,
    name: string,
  ): Promise<{ readonly id: number; readonly attempts: number }> => {
    for (let attempts = 1; ; attempts += 1) {
      const reply = await create(port, name).catch(() => undefined);
      if (reply?.status === 201) return { id: Object(reply.json).data.id, attempts };
      if (reply !== undefined) expect(['idempotency_key_in_progress', 'store_busy']).toContain(Object(reply.json).code);
    }
  };

  const CLIENTS = 8;
  const RECORDS = rounds(6, 15);
  const createAll = async (port: number) => {
    const created = await Promise.all(
      Array.from({ length: CLIENTS }, async (_, client) => {
        const mine: { readonly name: string; readonly id: number; readonly attempts: number }[] = [];
        for (let n = 0; n < RECORDS; n += 1) {
          const name = `${client}-${n}`;
          mine.push({ name, ...(await createOnce(port, name)) });
        }
        return mine;
      }),
    );
    return created.flat();
  };
  /** Every name was created once, with the id that the client was told. */
  const checkAll = async (created: Awaited<ReturnType<typeof createAll>>) => {
    const { json } = await send(server.port, { path: `${PARTNERS}?fields=name,id&limit=1000`, headers: bearer(key) });
    const stored = new Map<string, number>();
    for (const { name, id } of Object(json).data) stored.set(name, id);
    expect(Object(json).meta).toEqual({ count: CLIENTS * RECORDS, total: CLIENTS * RECORDS });
    expect(stored).toEqual(new Map(created.map(({ name, id }) => [name, id])));
    expect(created.filter(({ attempts }) => attempts > 1).length).toBeGreaterThan(0);
  };

  test('through a proxy that drops responses, two processes create every record once', async () => {
    await start('--workers', '2');
    const proxy = await startLossyProxy(() => server.port);
    try {
      await checkAll(await createAll(portOf(proxy)));
    } finally {
      proxy.close();
    }
  });

  test('a process that is killed and started again loses no create, and makes none twice', async () => {
    await start();
    const proxy = await startLossyProxy(() => server.port);
    try {
      const creating = createAll(portOf(proxy));
      for (const share of [1 / 4, 1 / 2, 3 / 4]) {
        await expect.poll(() => database.count('partner', '1 = 1')).toBeGreaterThan(share * CLIENTS * RECORDS);
        await kill();
        await start();
      }
      await checkAll(await creating);
    } finally {
      proxy.close();
    }
  });

  test('a record that was committed right before the process was killed is not created again', async () => {
    await start();
    const ignored = create(server.port, 'Last').catch(() => undefined);
    await expect.poll(() => database.count('partner', '1 = 1'), { interval: 1 }).toBe(1);
    await kill();
    await ignored;
    await start();
    const replayed = await create(server.port, 'Last');
    expect(replayed).toMatchObject({
      status: 201,
      json: { data: { id: 1 } },
      headers: { 'idempotent-replayed': 'true' },
    });
    expect(await database.count('partner', '1 = 1')).toBe(1);
  });
});
