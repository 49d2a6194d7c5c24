/** The service on a real socket, filled with the fixture, and an HTTP client that hides nothing of the response. */

import { type Agent, type ClientRequest, request as httpRequest } from 'node:http';
import { issueKey } from '../../src/access/issue-key.ts';
import { readKey } from '../../src/access/key.ts';
import type { Resource } from '../../src/catalog/resource.ts';
import { DEFAULT_SCOPES, type Scope } from '../../src/catalog/scopes.ts';
import type { UnsentBytes } from '../../src/limits/unsent-bytes.ts';
import { AdminApp } from '../../src/observe/admin/admin-app.ts';
import { startAdminServer } from '../../src/observe/admin/admin-server.ts';
import { ownProcess } from '../../src/observe/admin/processes.ts';
import { Events, type ServiceEvent } from '../../src/observe/events.ts';
import { eventNames } from '../../src/observe/log.ts';
import { ProcessReporter } from '../../src/observe/metrics/process-report.ts';
import { assemble } from '../../src/process/assembly.ts';
import { type Flags, InvalidSetting, rawSetting, readSetting } from '../../src/settings/read.ts';
import type { SettingValues } from '../../src/settings/settings.ts';
import type { ColumnIndexOptions } from '../../src/store/column-index/column-indexes.ts';
import { CacheBudget } from '../../src/store/state/cache.ts';
import type { Account, Store } from '../../src/store/store.ts';
import { checkDocumented } from './documented.ts';
import { openDatabase, openTestStore, type TestDatabase, type TestEngine } from './engines.ts';
import { addAccount, type Fixture, fill, load, NOW, type RecordValues } from './fixture.ts';
import type { TestClock } from './test-clock.ts';

/** In bytes: so small that responses displace each other. */
const CACHE_SIZE = 256 * 1024;

export interface TestService extends Fixture, TestServer {
  readonly store: Store;
  readonly database: TestDatabase;
  /** A key of acme with all scopes. */
  readonly key: string;
  issue(account: Account, options?: KeyOptions): Promise<string>;
  /** Sent with acme's key, unless the headers say otherwise. */
  send(request: TestRequest): Promise<TestReply>;
  /** Closes the store as well, and drops the database. */
  close(): Promise<void>;
}

export interface KeyOptions {
  readonly scopes?: readonly Scope[];
  readonly expiresAt?: string | null;
  readonly rateLimit?: number | null;
}

export interface TestRequest {
  readonly method?: string;
  readonly path: string;
  /** An undefined header is not sent. */
  readonly headers?: Readonly<Record<string, string | undefined>>;
  readonly body?: string | Uint8Array;
}

export interface TestReply {
  /** Undefined if a test has sent the bytes of a request itself. */
  readonly request?: { readonly method: string; readonly path: string };
  readonly status: number;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly text: string;
  /** The parsed body; undefined if it is not JSON. */
  readonly json: unknown;
}

export interface ServiceOptions {
  /** Those that differ from what tests need, as one would write them. */
  readonly settings?: Flags;
  /** How long requests have waited for the serving thread, in milliseconds. */
  readonly delay?: () => number;
  /** Columns in memory; none unless a test is about them. */
  readonly columns?: ColumnIndexOptions;
  /** Of the store as well; the system's by default. */
  readonly clock?: TestClock;
}

/** All tests have the same address, and may be slow. */
const TEST_SETTINGS: Flags = {
  'failed-auth-limit': 'unlimited',
  'max-connections': '10000',
  'max-connections-per-address': 'unlimited',
  'request-timeout': '300',
  'stream-timeout': '300',
  'max-import-size': '64',
  // Tests share the thread with the service, so what delays it may be a test.
  'max-delay': 'unlimited',
};

/** The settings of a test: those that differ, as one would write them. */
export function settingValues(flags: Flags): SettingValues {
  return {
    get(name) {
      const value = readSetting(name, rawSetting(name, { ...TEST_SETTINGS, ...flags }, {}));
      if (value instanceof InvalidSetting) throw new Error(value.message);
      return value;
    },
  };
}

export async function startService(engine: TestEngine, options: ServiceOptions = {}): Promise<TestService> {
  const budget = new CacheBudget(CACHE_SIZE);
  const { store, database, close } = await openTestStore(engine, budget, options.columns, options.clock);
  const fixture = await fill(store);
  const server = await serveStore(store, budget, options);
  const issue: TestService['issue'] = (account, { scopes = DEFAULT_SCOPES, expiresAt = null, rateLimit = null } = {}) =>
    issueKey(store.keys, { account: account.id, name: 'test', scopes, createdAt: NOW, expiresAt, rateLimit });
  const key = await issue(fixture.acme);
  return {
    ...fixture,
    ...server,
    store,
    database,
    key,
    issue,
    send: ({ headers, ...request }) => send(server.port, { ...request, headers: { ...bearer(key), ...headers } }),
    async close() {
      await server.close();
      await close();
    },
  };
}

export interface TestServer {
  readonly port: number;
  /** For metrics and health checks. */
  readonly adminPort: number;
  /** In the order in which they were emitted. */
  readonly events: readonly ServiceEvent[];
  readonly unsent: UnsentBytes;
  /** Leaves the store open. */
  close(): Promise<void>;
}

/** The service on top of a store. */
export async function serveStore(
  store: Store,
  budget: CacheBudget,
  { settings: flags = {}, delay, clock }: ServiceOptions = {},
): Promise<TestServer> {
  const recorded: ServiceEvent[] = [];
  const reporter = new ProcessReporter({ events: eventNames, withValues: false }, clock);
  const events = new Events((event) => void recorded.push(event), reporter.listener);
  const settings = settingValues(flags);
  const connections = {
    total: settings.get('max-connections'),
    perAddress: settings.get('max-connections-per-address'),
  };
  const service = assemble(settings, { store, events, budget, reporter, connections, delay, clock });
  reporter.use(store);
  const processes = ownProcess(reporter, store);
  const adminApp = new AdminApp({
    processes,
    accounts: store.accounts,
    imports: store.imports,
    engine: 'test',
    emit: events.emit,
    audit: store.audit,
  });
  const admin = await startAdminServer(adminApp, { host: '127.0.0.1', port: 0 });
  const port = await service.server.listen({ host: '127.0.0.1', port: 0 });
  return {
    port,
    adminPort: admin.port,
    events: recorded,
    unsent: service.unsent,
    async close() {
      const stopping = service.server.stop(0);
      await (clock?.through(stopping) ?? stopping);
      reporter.close();
      await Promise.all([admin.close(), service.close()]);
    },
  };
}

/** The service on a database that exists, which commands may use at the same time. */
export async function serveDatabase(url: string, options?: ServiceOptions): Promise<TestServer> {
  const budget = new CacheBudget(CACHE_SIZE);
  const store = await openDatabase(url, budget);
  const server = await serveStore(store, budget, options);
  let closed: Promise<void> | undefined;
  const close = () => server.close().then(() => store.close());
  return {
    ...server,
    close() {
      closed ??= close();
      return closed;
    },
  };
}

/** `GET /health/ready` on the admin address. */
export function readiness({ adminPort }: Pick<TestServer, 'adminPort'>): Promise<TestReply> {
  return sendUnchecked(adminPort, { path: '/health/ready' });
}

let filledAccounts = 0;

/** The headers of a request to a new account with these records. */
export async function accountWith(
  { store, issue }: TestService,
  resource: Resource,
  records: readonly RecordValues[],
): Promise<{ readonly authorization: string }> {
  filledAccounts += 1;
  const account = await addAccount(store, `filled-${filledAccounts}`);
  await load(store, account, resource, records);
  return bearer(await issue(account));
}

export function bearer(key: string): { readonly authorization: string } {
  return { authorization: `Bearer ${key}` };
}

/** The public id in a key, by which the store knows it. */
export function keyId(key: string): string {
  const id = readKey(key)?.id;
  if (id === undefined) throw new Error('this is not a key');
  return id;
}

/** Fails if the response is not what the OpenAPI document says. */
export async function send(port: number, request: TestRequest, agent: Agent | false = false): Promise<TestReply> {
  const reply = await sendUnchecked(port, request, agent);
  checkDocumented(request, reply);
  return reply;
}

/** Undefined if it is not JSON. */
export function parseBody(text: string, type = ''): unknown {
  return /\bjson\b/.test(type) && text !== '' ? JSON.parse(text) : undefined;
}

/** For a program with another catalog. */
export function sendUnchecked(
  port: number,
  { method = 'GET', path, headers = {}, body }: TestRequest,
  agent: Agent | false = false,
): Promise<TestReply> {
  const options = { host: '127.0.0.1', port, method, path, headers: outgoing(headers), agent };
  return new Promise((resolve, reject) => {
    const request = httpRequest(options, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('error', reject);
      response.on('end', () => {
        const text = Buffer.concat(chunks).toString('utf8');
        const headers = Object.fromEntries(
          Object.entries(response.headers).map(([name, value]) => [name, value?.toString()]),
        );
        resolve({
          request: { method, path },
          status: response.statusCode ?? 0,
          headers,
          text,
          json: parseBody(text, response.headers['content-type']),
        });
      });
    });
    request.on('error', (error) => {
      if (isOutdated(request, error))
        resolve(sendUnchecked(port, { method, path, headers, ...(body && { body }) }, agent));
      else reject(error);
    });
    request.end(body);
  });
}

/** The server may have closed an idle connection at the moment at which it was used again. */
export function isOutdated({ reusedSocket }: ClientRequest, error: NodeJS.ErrnoException): boolean {
  return reusedSocket && error.code === 'ECONNRESET';
}

/** The headers without the undefined ones, which Node's client rejects. */
export function outgoing(headers: TestRequest['headers'] = {}): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
}

/** For a promise that is awaited later: a rejection before that is not reported as unhandled. */
export function awaitedLater<Result>(promise: Promise<Result>): Promise<Result> {
  promise.catch(() => undefined);
  return promise;
}
