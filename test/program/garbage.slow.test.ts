/** What requests leave behind: nothing that has to be kept until a full garbage collection. */

import { Agent, get } from 'node:http';
import { expect, test } from 'vitest';
import { run, serve } from '../support/program.ts';
import { folderPerTest } from '../support/shared.ts';

const folder = folderPerTest();

const REQUESTS = 30_000;
const CONNECTIONS = 8;

/** If each of them kept what it consists of, these would be 200 MB. */
const MAX_HEAP = 60;

/** A line on stdout for every collection. */
const TRACE = "import{setFlagsFromString}from'node:v8';setFlagsFromString('--trace-gc')";

test('young objects die young', async () => {
  const options = { folder: folder.path };
  await run(['account', 'add', 'acme'], options);
  const key = (await run(['key', 'add', 'acme', '--name', 'test'], options)).stdout.trim();
  const env = { NODE_OPTIONS: `--import=data:text/javascript,${TRACE}` };
  const server = folder.killLater(await serve(['--workers', '1', '--rate-limit', '0'], { ...options, env }));
  const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS });
  const headers = { authorization: `Bearer ${key}` };
  const send = () =>
    new Promise<number | undefined>((resolve, reject) => {
      get({ port: server.port, host: '127.0.0.1', path: '/api/v1/inventory/product', headers, agent }, (response) =>
        response.resume().on('end', () => resolve(response.statusCode)),
      ).on('error', reject);
    });
  const client = async () => {
    for (let n = 0; n < REQUESTS / CONNECTIONS; n += 1) expect(await send()).toBe(200);
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, client));
  agent.destroy();
  const left = [...server.output().stdout.matchAll(/Scavenge .*? -> ([\d.]+) /g)].map(([, size]) => Number(size));
  expect(left.length).toBeGreaterThan(20);
  expect(Math.max(...left)).toBeLessThan(MAX_HEAP);
});
