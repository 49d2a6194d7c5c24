/** A hostile account and a well-behaved one on the real program: a test attacks as the bully and looks at its neighbour. */

import { Agent, request as httpRequest } from 'node:http';
import { connect, type Socket } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import { expect, onTestFinished } from 'vitest';
import { issueKey } from '../../src/access/issue-key.ts';
import { partner } from '../../src/catalog/partner.ts';
import { product } from '../../src/catalog/product.ts';
import type { Resource } from '../../src/catalog/resource.ts';
import { DEFAULT_SCOPES, type Scope } from '../../src/catalog/scopes.ts';
import { type Account, plainLoad, type Store } from '../../src/store/store.ts';
import { openDatabase, type TestDatabase, type TestEngine } from '../support/engines.ts';
import { addAccount, NOW, type RecordValues, valuesOf } from '../support/fixture.ts';
import { kill, makeFolder, type Serving, serve } from '../support/program.ts';
import { seededRandom } from '../support/random.ts';
import { readReply } from '../support/raw-socket.ts';
import { PRODUCTS } from '../support/rows.ts';
import { awaitedLater, bearer, isOutdated, readiness, send, type TestReply } from '../support/service.ts';

/** How many records each account has. */
export interface Sizes {
  readonly bully: RecordCounts;
  readonly neighbour: RecordCounts;
}

interface RecordCounts {
  readonly products: number;
  /** Partners whose texts have 1,000 characters each, so that a page of 1,000 has 9 MB. */
  readonly largePartners?: number;
  /** Of its key. */
  readonly scopes?: readonly Scope[];
}

export interface Scene {
  readonly database: TestDatabase;
  /** The keys of the accounts. */
  readonly bully: string;
  readonly neighbour: string;
  /** Starts the program. It is killed at the end of the test. */
  serve(...flags: readonly string[]): Promise<Target>;
  drop(): Promise<void>;
}

/** The program under attack. */
export interface Target extends Serving {
  readonly pid: number;
  readonly bully: Client;
  readonly neighbour: Client;
  /** `GET /health/ready` on the admin address. */
  ready(): Promise<TestReply>;
}

export async function prepare(engine: TestEngine, { bully, neighbour }: Sizes): Promise<Scene> {
  const folder = makeFolder();
  const database = await engine.makeMigrated();
  const store = await openDatabase(database.url);
  const keys = {
    bully: await addFilled(store, 'bully', bully),
    neighbour: await addFilled(store, 'neighbour', neighbour),
  };
  await store.close();
  await database.execute('ANALYZE');
  return {
    database,
    ...keys,
    async serve(...flags) {
      const server = await serve(['--database', database.url, ...flags], { folder: folder.path });
      onTestFinished(async () => {
        await kill(server);
      });
      return {
        ...server,
        pid: server.child.pid ?? 0,
        bully: new Client(server.port, keys.bully),
        neighbour: new Client(server.port, keys.neighbour),
        ready: () => readiness(server),
      };
    },
    async drop() {
      await database.drop();
      folder.remove();
    },
  };
}

/** Returns a key of the new account. */
async function addFilled(
  store: Store,
  name: string,
  { products, largePartners = 0, scopes = DEFAULT_SCOPES }: RecordCounts,
): Promise<string> {
  const account = await addAccount(store, name);
  await fill(store, account, product, products, ordinaryProduct);
  await fill(store, account, partner, largePartners, largePartner);
  return issueKey(store.keys, {
    account: account.id,
    name: 'test',
    scopes,
    createdAt: NOW,
    expiresAt: null,
  });
}

export async function fill(
  store: Store,
  account: Account,
  resource: Resource,
  count: number,
  recordOf: (id: number) => RecordValues,
): Promise<void> {
  async function* batches() {
    for (let from = 1; from <= count; from += 1_000)
      yield Array.from({ length: Math.min(1_000, count - from + 1) }, (_, n) => ({
        line: from + n,
        values: valuesOf(resource, recordOf(from + n)),
      }));
  }
  await store.records.load({ account: account.id }, plainLoad(resource, NOW), batches());
}

function ordinaryProduct(id: number): RecordValues {
  return {
    id,
    name: `Adjustable oak bookcase ${id} with drawers`,
    default_code: `SKU-${id}`,
    list_price: (id * 7_919) % 1_000,
    qty_available: (id * 104_729) % 1_000,
  };
}

export function largePartner(id: number): RecordValues {
  const text = `${id}`.padStart(1_000, 'x');
  const texts = ['name', 'ref', 'email', 'phone', 'vat', 'street', 'city', 'zip', 'country_code'];
  return { id, ...Object.fromEntries(texts.map((field) => [field, text])) };
}

let coldFilters = 0;

/** A filter that no request has had before, so that all products have to be read. */
export function coldFilter(): string {
  coldFilters += 1;
  return filtered(`list_price>${500 + coldFilters / 1_000}|qty_available>999.5`);
}

/** Likewise, with this many conditions, each of which is a search in every name. */
export function heavyFilter(conditions: number): string {
  coldFilters += 1;
  const texts = Array.from({ length: conditions }, (_, n) => `name!*q${coldFilters}x${n}`);
  return filtered(texts.join('&'));
}

function filtered(filter: string): string {
  return `${PRODUCTS}?limit=10&filter=${encodeURIComponent(filter)}`;
}

/** Sends requests with one key, on as many connections as are needed. */
export class Client {
  readonly #port: number;
  readonly #key: string;
  readonly #agent = new Agent({ keepAlive: true });

  constructor(port: number, key: string) {
    this.#port = port;
    this.#key = key;
    onTestFinished(() => this.leave());
  }

  get(path: string, headers: Readonly<Record<string, string>> = {}): Promise<TestReply> {
    return send(this.#port, { path, headers: { ...bearer(this.#key), ...headers } }, this.#agent);
  }

  post(path: string, body: string): Promise<TestReply> {
    const headers = { ...bearer(this.#key), 'content-type': 'application/json' };
    return send(this.#port, { method: 'POST', path, headers, body }, this.#agent);
  }

  /** Reads the response without keeping it, unless it is an error. */
  discard(path: string): Promise<TestReply> {
    const options = { port: this.#port, host: '127.0.0.1', path, headers: bearer(this.#key), agent: this.#agent };
    return new Promise((resolve, reject) => {
      const request = httpRequest(options, (response) => {
        const status = response.statusCode ?? 0;
        const headers = { 'retry-after': response.headers['retry-after'] };
        let text = '';
        response.on('data', (chunk: Buffer) => {
          if (status !== 200) text += chunk.toString('utf8');
        });
        response.once('error', reject);
        response.once('end', () =>
          resolve({ status, headers, text, json: text === '' ? undefined : JSON.parse(text) }),
        );
      });
      request
        .once('error', (error) => {
          if (isOutdated(request, error)) resolve(this.discard(path));
          else reject(error);
        })
        .end();
    });
  }

  /** Closes all connections, whatever is in progress on them. */
  leave(): void {
    this.#agent.destroy();
  }

  /** Sends requests on one connection without waiting for responses. Nothing is read. */
  sendUnread(paths: readonly string[], headers: Readonly<Record<string, string>> = {}): UnreadConnection {
    const lines = Object.entries({ host: '127.0.0.1', ...bearer(this.#key), ...headers });
    const head = lines.map(([name, value]) => `${name}: ${value}\r\n`).join('');
    const socket = connect(this.#port, '127.0.0.1').pause();
    socket.write(paths.map((path) => `GET ${path} HTTP/1.1\r\n${head}\r\n`).join(''));
    return new UnreadConnection(socket);
  }
}

/** The status and the headers of a response. */
export type Head = Pick<TestReply, 'status' | 'headers'>;

/** A connection on which nothing is read but the head of the first response. */
export class UnreadConnection {
  readonly #socket: Socket;

  constructor(socket: Socket) {
    this.#socket = socket;
    socket.on('error', () => {});
    onTestFinished(() => this.leave());
  }

  /** Reads the rest, and resolves when the server closes the connection. */
  async readToEnd(): Promise<string> {
    const chunks: Buffer[] = [];
    this.#socket.on('data', (chunk: Buffer) => chunks.push(chunk)).resume();
    if (!this.#socket.closed) await new Promise((resolve) => this.#socket.once('close', resolve));
    return Buffer.concat(chunks).toString('latin1');
  }

  async firstHead(): Promise<Head> {
    let text = '';
    while (!text.includes('\r\n\r\n')) {
      await new Promise((resolve) => this.#socket.once('readable', resolve));
      text += this.#socket.read()?.toString('latin1') ?? '';
    }
    return readReply(text.slice(0, text.indexOf('\r\n\r\n')));
  }

  leave(): void {
    this.#socket.destroy();
  }
}

/** How long a client waits on average before it tries again after a response other than 200, in milliseconds. */
const RETRY_DELAY = 500;

/** Clients that send one request after another, each on a connection of its own, until they leave. */
export class Flood {
  readonly #client: Client;
  readonly #random = seededRandom('attack');
  readonly #nextPath: () => string;
  readonly #clients: readonly Promise<void>[];
  #isOver = false;
  #pending = 0;
  /** In the order in which they arrived. */
  readonly replies: TestReply[] = [];

  constructor(client: Client, clients: number, nextPath: () => string) {
    this.#client = client;
    this.#nextPath = nextPath;
    this.#clients = Array.from({ length: clients }, () => awaitedLater(this.#attack()));
    onTestFinished(() => this.#client.leave());
  }

  /** Requests without a response so far. */
  get pending(): number {
    return this.#pending;
  }

  /** How many requests were executed, whether or not they took too long. The others were refused. */
  get executed(): number {
    return this.replies.length - this.refused;
  }

  get refused(): number {
    return this.replies.filter(({ status }) => status === 429).length;
  }

  /** All clients disconnect. Throws if one of them was disconnected before. */
  async leave(): Promise<void> {
    this.#isOver = true;
    this.#client.leave();
    await Promise.all(this.#clients);
  }

  async #attack(): Promise<void> {
    while (!this.#isOver) {
      this.#pending += 1;
      try {
        const reply = await this.#client.discard(this.#nextPath());
        this.replies.push(reply);
        if (reply.status !== 200) await setTimeout(2 * RETRY_DELAY * this.#random.next());
      } catch (error) {
        if (!this.#isOver) throw error;
      } finally {
        this.#pending -= 1;
      }
    }
  }
}

/**
 * Expects that the bully has at most N turns while the neighbour waits. On a busy machine the neighbour also waits
 * for a processor, so it may try again; in a common queue, no try would succeed.
 */
export function expectTurns(flood: Flood, maxTurns: number, wait: () => Promise<void>): Promise<void> {
  return expect
    .poll(async () => {
      const before = flood.executed;
      await wait();
      return flood.executed - before;
    })
    .toBeLessThanOrEqual(maxTurns);
}
