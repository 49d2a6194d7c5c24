/** An account with many connections, all of them busy, and another one that connects. */

import { connect, type Socket } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { LISTENERS } from '../../src/process/port.ts';
import { sqlite } from '../support/engines.ts';
import { sendRaw } from '../support/raw-socket.ts';
import { PRODUCTS } from '../support/rows.ts';
import { prepare } from './attack.ts';

/** How many the bully has, and how many the neighbour opens at once. */
const BUSY = 400;
const NEW = 64;

/** In so many turns of the event loop, all of the new ones have to be answered: with one accepted in a turn, it would be one for each of them. */
const MAX_TURNS = NEW / 3;

function requestOf(key: string, path: string, header = ''): string {
  return `GET ${path} HTTP/1.1\r\nhost: 127.0.0.1\r\nauthorization: Bearer ${key}\r\n${header}\r\n`;
}

// Elsewhere, a process has one socket.
test.skipIf(LISTENERS === 1)(
  'whoever connects waits for a few turns of the event loop, however busy it is',
  async () => {
    const scene = await prepare(sqlite, { bully: { products: 50 }, neighbour: { products: 1 } });
    onTestFinished(() => scene.drop());
    const { port } = await scene.serve('--rate-limit', 'unlimited');
    const sockets: Socket[] = [];
    onTestFinished(() => {
      for (const socket of sockets) socket.destroy();
    });
    let responses = 0;
    // In each turn, the loop answers what has arrived on all connections, and on each the next request follows.
    const busy = requestOf(scene.bully, `${PRODUCTS}?limit=50`);
    for (let n = 0; n < BUSY; n += 1) {
      const socket = connect(port, '127.0.0.1', () => socket.write(busy));
      socket.on('data', (bytes: Buffer) => {
        if (!bytes.includes('HTTP/1.1 ')) return;
        responses += 1;
        socket.write(busy);
      });
      sockets.push(socket);
    }
    await expect.poll(() => responses).toBeGreaterThan(10 * BUSY);
    const before = responses;
    const request = requestOf(scene.neighbour, '/api/v1/me', 'connection: close\r\n');
    const answers = await Promise.all(Array.from({ length: NEW }, () => sendRaw(port, request)));
    for (const answer of answers) expect(answer).toMatch(/^HTTP\/1\.1 200 /);
    expect((responses - before) / BUSY).toBeLessThan(MAX_TURNS);
  },
);
