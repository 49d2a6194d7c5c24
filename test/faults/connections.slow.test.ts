/** Clients that send slowly, send nothing, leave in the middle or never read, by the thousand, while a neighbour is served. */

import { EventEmitter, once } from 'node:events';
import { readdirSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { product } from '../../src/catalog/product.ts';
import { makeKey } from '../support/account-key.ts';
import { printDurations } from '../support/durations.ts';
import { engines, type TestDatabase } from '../support/engines.ts';
import { products } from '../support/fixture.ts';
import { kill, type Serving, serve } from '../support/program.ts';
import { rounds } from '../support/rounds.ts';
import { PARTNERS, PRODUCTS } from '../support/rows.ts';
import { bearer, send } from '../support/service.ts';
import { sharedFolder } from '../support/shared.ts';

/** Of each kind. */
const CLIENTS = rounds(100, 1_000);

/** How many connect at once. Linux forgets connections if more than 511 wait to be accepted. */
const BATCH = 200;

describe.each(engines)('on $name', (engine) => {
  const folder = sharedFolder();
  let database: TestDatabase;
  let server: Serving;
  let key: string;
  beforeAll(async () => {
    database = await engine.makeMigrated();
    key = await makeKey(database.url, { records: [[product, products]] });
    const limit = String(2 * CLIENTS);
    const flags = ['--max-connections', String(3 * CLIENTS), '--max-connections-per-address', limit];
    server = await serve(['--database', database.url, ...flags], { folder: folder.path });
  });
  afterAll(async () => {
    await kill(server);
    await database.drop();
  });

  const get = (path: string) => `GET ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\n\r\n`;
  const post = (length: number) =>
    `POST ${PARTNERS} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\nContent-Type: application/json\r\nContent-Length: ${length}\r\n\r\n`;

  const ATTACKS: Readonly<Record<string, (socket: Socket) => void>> = {
    'a head that arrives byte by byte': (socket) => trickle(socket, get(PRODUCTS)),
    'a body that arrives byte by byte': (socket) => trickle(socket, '{"name":"Slow"}', post(15)),
    'a connection without a request': () => {},
    'half of a request, and no more': (socket) => socket.end(get(PRODUCTS).slice(0, 30)),
    'a body that is announced, and never sent': (socket) => socket.write(post(1_000_000)),
    'a reset after half of a request': (socket) => socket.write(post(10), () => socket.resetAndDestroy()),
    'a reset in the middle of the response': (socket) => {
      socket.write(get(PRODUCTS).repeat(5));
      socket.once('data', () => socket.resetAndDestroy());
    },
    'responses that are not read': (socket) => {
      socket.pause();
      socket.write(get(PRODUCTS).repeat(20));
    },
  };

  /** Emits `served` when the neighbour was. */
  const neighbour = new EventEmitter().setMaxListeners(0);

  /** A byte whenever the neighbour was served. */
  async function trickle(socket: Socket, text: string, start = ''): Promise<void> {
    socket.write(start);
    for (const byte of text) {
      if (socket.destroyed) return;
      socket.write(byte);
      await once(neighbour, 'served');
    }
  }

  /** Their address is another than the neighbour's. */
  async function openAll(attack: (socket: Socket) => void): Promise<readonly Socket[]> {
    const sockets: Socket[] = [];
    while (sockets.length < CLIENTS) {
      const batch = Array.from({ length: Math.min(BATCH, CLIENTS - sockets.length) }, () => {
        const socket = connect({ port: server.port, host: '127.0.0.1', localAddress: '127.0.0.2' });
        socket.on('error', () => {});
        return socket;
      });
      sockets.push(...batch);
      await Promise.all(
        batch.map((socket) => new Promise((resolve) => socket.once('connect', resolve).once('close', resolve))),
      );
      for (const socket of batch) if (!socket.destroyed) attack(socket);
    }
    return sockets;
  }

  const descriptors = () => readdirSync(`/proc/${server.child.pid}/fd`).length;

  // Other systems have no 127.0.0.2, and no /proc.
  test.runIf(process.platform === 'linux').for(Object.entries(ATTACKS))(
    'a neighbour is served during %s',
    async ([, attack], { annotate }) => {
      const serve = async () => {
        expect(await send(server.port, { path: `${PRODUCTS}?limit=1`, headers: bearer(key) })).toRespond(200);
        neighbour.emit('served');
      };
      await serve();
      const before = descriptors();
      const sockets = await openAll(attack);
      const responses: number[] = [];
      for (let n = 0; n < 10; n += 1) {
        const began = performance.now();
        await serve();
        responses.push(performance.now() - began);
      }
      await annotate(`${sockets.length} connections; ${printDurations('requests of a neighbour', responses)}`);
      for (const socket of sockets) socket.destroy();
      await expect.poll(descriptors).toBeLessThanOrEqual(before + 10);
      await serve();
      expect(server.output().stderr).not.toContain('"request failed"');
    },
  );
});
