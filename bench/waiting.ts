/** The contenders of the cases in which clients wait for changes: how soon they are woken up, and what they cost. */

import { type ClientRequest, type IncomingMessage, request } from 'node:http';
import { setTimeout } from 'node:timers/promises';
import { type Case, type Sample, TWO_NODES } from './cases.ts';
import type { Contenders, TestBed } from './contender.ts';
import { scratchDatabase } from './databases.ts';
import { summarize } from './statistics.ts';
import { cpuTime, largestMemory, type Server, serve } from './stockbook.ts';

const PARTNERS = '/api/v1/resources/partner';

/** How often a client is woken up in a round. */
const WAKES = 10;

/** Before a change is made, its client waits for this many milliseconds, and for up to as many again. */
const PAUSE = 100;

/** How many clients wait at the same time, of each kind. */
const WAITERS = 1_000;

/** The maximum time that a client may wait, in seconds. */
const LONGEST_WAIT = 60;

/** A server on a new database, and another one on the same. */
export async function waitingContenders(one: Case, { engine, instances: [{ program }] }: TestBed): Promise<Contenders> {
  const { url, keys, drop } = await scratchDatabase(engine, program);
  const flags = ['--max-connections-per-address', String(3 * WAITERS)];
  const servers = await Promise.all([serve(program, url, flags), serve(program, url, flags)]);
  const [first, second] = servers;
  const key = keys[0] ?? '';
  const isWake = one.name === 'wake';
  const measures: Readonly<Record<string, () => Promise<Sample>>> = isWake
    ? {
        stockbook: () => measureWake(client(first, key), client(first, key)),
        [TWO_NODES]: () => measureWake(client(first, key), client(second, key)),
      }
    : { stockbook: () => measureWaiters(first, key, one.unit === 'MB' ? memoryOf : cpuOf) };
  return {
    all: Object.entries(measures).map(([name, measure]) => ({
      name,
      measure: async () => ({ [name]: await measure() }),
    })),
    async stop() {
      await Promise.all(servers.map((server) => server.stop()));
      await drop();
    },
  };
}

type Client = (path: string, headers?: Readonly<Record<string, string>>, body?: string) => Promise<Feed>;

interface Feed {
  readonly meta: { readonly cursor: string };
}

function client({ port }: Server, key: string): Client {
  return async (path, headers = {}, body) => {
    const response = await responseTo(send(port, path, { authorization: `Bearer ${key}`, ...headers }, body));
    const text = Buffer.concat(await response.toArray()).toString();
    if (response.statusCode !== 200 && response.statusCode !== 201) throw new Error(`${path} returned ${text}`);
    return JSON.parse(text);
  };
}

/** From sending a create to the response of a request that waits for it. */
async function measureWake(reader: Client, writer: Client): Promise<Sample> {
  const latencies: number[] = [];
  const began = performance.now();
  let { cursor } = (await reader(`${PARTNERS}/changes?limit=1000`)).meta;
  for (let n = 0; n < WAKES; n += 1) {
    const woken = reader(`${PARTNERS}/changes?since=${cursor}`, { prefer: `wait=${LONGEST_WAIT}` });
    await setTimeout(PAUSE + Math.random() * PAUSE);
    const sent = performance.now();
    const body = JSON.stringify({ name: `Partner ${n}` });
    const [{ meta }] = await Promise.all([woken, writer(PARTNERS, { 'content-type': 'application/json' }, body)]);
    latencies.push(performance.now() - sent);
    cursor = meta.cursor;
  }
  const load = summarize(latencies, (performance.now() - began) / 1_000, 0);
  return { value: load.median, load };
}

type Meter = (pid: number) => Promise<() => Promise<number>>;

/** What it costs the server that clients wait, one half with long polls and the other with event streams. */
async function measureWaiters(server: Server, key: string, meter: Meter): Promise<Sample> {
  const { port, child } = server;
  const headers = { authorization: `Bearer ${key}` };
  const { cursor } = (await client(server, key)(`${PARTNERS}/changes?limit=1000`)).meta;
  const read = await meter(child.pid ?? 0);
  const waiters: ClientRequest[] = [];
  // One after another: a service that thousands connect to at the same moment refuses some of them.
  for (let n = 0; n < WAITERS; n += 1) {
    const wait = (more: Readonly<Record<string, string>>) =>
      send(port, `${PARTNERS}/changes?since=${cursor}`, { ...headers, ...more });
    const stream = wait({ accept: 'text/event-stream' });
    waiters.push(wait({ prefer: `wait=${LONGEST_WAIT}` }), stream);
    if ((await responseTo(stream)).statusCode !== 200) throw new Error('an event stream was refused');
  }
  const value = await read();
  for (const waiter of waiters) waiter.on('error', () => undefined).destroy();
  return { value };
}

/** How much more memory the server takes, in MB. */
async function memoryOf(pid: number): Promise<() => Promise<number>> {
  const before = largestMemory(pid);
  return async () => largestMemory(pid) - before;
}

/** How many seconds the CPU is measured for. */
const CPU_PERIOD = 5;

/** How many milliseconds of CPU time the server takes per second once everybody waits. */
async function cpuOf(pid: number): Promise<() => Promise<number>> {
  return async () => {
    await setTimeout(1_000);
    const before = cpuTime(pid);
    await setTimeout(CPU_PERIOD * 1_000);
    return (cpuTime(pid) - before) / CPU_PERIOD;
  };
}

function send(port: number, path: string, headers: Readonly<Record<string, string>>, body?: string): ClientRequest {
  const method = body === undefined ? 'GET' : 'POST';
  const sent = request({ port, host: '127.0.0.1', method, path, headers, agent: false });
  sent.end(body);
  return sent;
}

function responseTo(sent: ClientRequest): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => sent.once('response', resolve).once('error', reject));
}
