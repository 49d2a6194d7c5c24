/** The service on a real store, whose requests and responses do not pass a socket. */

import { issueKey } from '../../../src/access/issue-key.ts';
import { Events } from '../../../src/observe/events.ts';
import { ProcessReporter } from '../../../src/observe/metrics/process-report.ts';
import { assemble } from '../../../src/process/assembly.ts';
import { isStreamed, type Reply } from '../../../src/reply/reply.ts';
import { readTarget } from '../../../src/request/target.ts';
import type { Clock } from '../../../src/schedule/clock.ts';
import { Deadline } from '../../../src/schedule/deadline.ts';
import { CacheBudget } from '../../../src/store/state/cache.ts';
import type { Account, Store } from '../../../src/store/store.ts';
import { openTestStore, sqlite } from '../../support/engines.ts';
import { addAccount, NOW } from '../../support/fixture.ts';
import { settingValues } from '../../support/service.ts';
import type { Host, HostReply, HostRequest } from './network.ts';
import { HOUR, type SimulatedTime } from './time.ts';

/** In bytes. */
const CACHE_SIZE = 1024 * 1024;

const HOST = 'localhost';

/** How long a request may take, in milliseconds. */
const TIMEOUT = 300_000;

/** How often the service looks for changes that somebody waits for, in milliseconds. A tenth of a second would be most of the work. */
const LOOK = 5_000;

export interface SimulatedService {
  readonly store: Store;
  readonly host: Host;
  addAccount(name: string): Promise<SimulatedAccount>;
  close(): Promise<void>;
}

export interface SimulatedAccount {
  readonly account: Account;
  readonly key: string;
  /** The body of a response to a request with its key, as JSON. */
  read<Body>(path: string): Promise<Body>;
  /** Imports objects. */
  write(path: string, rows: readonly object[]): Promise<void>;
}

export async function openSimulatedService(time: SimulatedTime): Promise<SimulatedService> {
  const clock = seldom(time.clock);
  const budget = new CacheBudget(CACHE_SIZE);
  const { store: opened, close } = await openTestStore(sqlite, budget, undefined, clock);
  // Waiting for a change is not work.
  const store: Store = {
    ...opened,
    changed: (account, resource, version, signal) =>
      time.waiting(() => opened.changed(account, resource, version, signal)),
  };
  const events = new Events(() => {});
  const reporter = new ProcessReporter({ events: [], withValues: false });
  const { app, close: closeApp } = assemble(settingValues({}), {
    store,
    events,
    budget,
    reporter,
    connections: { total: 0, perAddress: 0 },
    delay: () => 0,
    clock,
  });
  let requests = 0;
  const respond = async ({ method, path, headers, body }: HostRequest, signal?: AbortSignal): Promise<HostReply> => {
    const deadline = new Deadline(TIMEOUT, clock);
    const leave = () => deadline.cancel('disconnected');
    signal?.addEventListener('abort', leave);
    let isRead = false;
    requests += 1;
    try {
      const { reply, keyHeaders } = await app.respond({
        id: `simulated-${requests}`,
        address: '127.0.0.1',
        deadline,
        method,
        target: readTarget(path),
        httpVersion: '1.1',
        headers: { host: HOST, ...headers },
        rawHeaders: ['host', HOST],
        body: async () => body,
        async *stream() {
          isRead = true;
          yield body;
        },
        isStreamed: () => isRead,
      });
      return { status: reply.status, headers: { ...reply.headers, ...keyHeaders }, body: await bytesOf(reply) };
    } finally {
      deadline.end();
      signal?.removeEventListener('abort', leave);
    }
  };
  const host: Host = (request, signal) => time.working(() => respond(request, signal));
  return {
    store,
    host,
    async addAccount(name) {
      const account = await addAccount(store, name);
      const key = await issueKey(store.keys, {
        account: account.id,
        name: 'simulated',
        scopes: ['read', 'write', 'edit'],
        createdAt: NOW,
        expiresAt: null,
        rateLimit: null,
      });
      const send = async (method: string, path: string, type: string, body: string): Promise<string> => {
        const headers = { authorization: `Bearer ${key}`, 'content-type': type };
        const bytes = new Uint8Array(Buffer.from(body));
        const reply = await host({ method, path: `/api/v1/${path}`, headers, body: bytes });
        const text = Buffer.from(reply.body).toString();
        if (reply.status !== 200) throw new Error(`${path}: ${reply.status} ${text}`);
        return text;
      };
      return {
        account,
        key,
        read: async (path) => JSON.parse(await send('GET', path, '', '')),
        async write(path, rows) {
          await send('POST', path, 'application/x-ndjson', rows.map((row) => JSON.stringify(row)).join('\n'));
        },
      };
    },
    async close() {
      reporter.close();
      await time.through(time.working(closeApp));
      await time.through(time.working(close));
    },
  };
}

/** What is done again and again, such as a look at the length of the log, is done once an hour: nothing here depends on it. */
function seldom(clock: Clock): Clock {
  return {
    wall: () => clock.wall(),
    monotonic: () => clock.monotonic(),
    jitter: () => clock.jitter(),
    pause: (milliseconds, signal) => clock.pause(milliseconds, signal),
    after: (milliseconds, act) => clock.after(Math.max(milliseconds, LOOK), act),
    every: (milliseconds, act) => clock.every(Math.max(milliseconds, HOUR), act),
  };
}

async function bytesOf({ body }: Reply): Promise<Uint8Array<ArrayBuffer>> {
  if (body === undefined) return new Uint8Array();
  if (typeof body === 'string') return new Uint8Array(Buffer.from(body));
  if (!isStreamed(body)) return new Uint8Array(Buffer.concat(body));
  const chunks: Uint8Array[] = [];
  try {
    for (let chunk = await body.next(); chunk !== undefined; chunk = await body.next()) chunks.push(chunk);
  } finally {
    await body.close();
  }
  return new Uint8Array(Buffer.concat(chunks));
}
