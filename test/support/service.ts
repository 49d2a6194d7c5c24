/** The service on a real socket, filled with the fixture, and an HTTP client that hides nothing of the response. */

import { type Agent, type ClientRequest, request as httpRequest } from 'node:http';
import { type AllowedOrigins, CrossOrigin } from '../../src/access/cross-origin.ts';
import { issueKey } from '../../src/access/issue-key.ts';
import { readKey } from '../../src/access/key.ts';
import { KeyUse } from '../../src/access/key-use.ts';
import { Sessions } from '../../src/access/sessions.ts';
import { App } from '../../src/app.ts';
import type { Resource } from '../../src/catalog/resource.ts';
import { DEFAULT_SCOPES, type Scope } from '../../src/catalog/scopes.ts';
import type { ConnectionLimits } from '../../src/http/connections.ts';
import { createHttpServer } from '../../src/http/server.ts';
import { Admission } from '../../src/limits/admission.ts';
import { FailedAttempts } from '../../src/limits/failed-attempts.ts';
import { ownBuckets } from '../../src/limits/limit-buckets.ts';
import { RateLimiter } from '../../src/limits/rate-limiter.ts';
import { UnsentBytes } from '../../src/limits/unsent-bytes.ts';
import { AdminApp } from '../../src/observe/admin/admin-app.ts';
import { startAdminServer } from '../../src/observe/admin/admin-server.ts';
import { ownProcess } from '../../src/observe/admin/processes.ts';
import { Events, type ServiceEvent } from '../../src/observe/events.ts';
import { eventNames } from '../../src/observe/log.ts';
import { ProcessReporter } from '../../src/observe/metrics/process-report.ts';
import { Outage } from '../../src/observe/outage.ts';
import { responseCache } from '../../src/reply/response-cache.ts';
import { TrustedProxies } from '../../src/request/trusted-proxies.ts';
import type { ColumnIndexOptions } from '../../src/store/column-index/column-indexes.ts';
import { CacheBudget } from '../../src/store/state/cache.ts';
import type { Account, Store } from '../../src/store/store.ts';
import { checkDocumented } from './documented.ts';
import { openTestStore, type TestDatabase, type TestEngine } from './engines.ts';
import { addAccount, type Fixture, fill, load, NOW, type RecordValues } from './fixture.ts';

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
  readonly status: number;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly text: string;
  /** The parsed body; undefined if it is not JSON. */
  readonly json: unknown;
}

export interface ServiceOptions {
  readonly domain?: string;
  readonly rateLimit?: number;
  /** 0, which is unlimited, unless a test is about it: all tests have the same address. */
  readonly failedAuthLimit?: number;
  readonly serverTiming?: boolean;
  /** Refuses nothing unless a test is about it. */
  readonly admission?: Admission;
  readonly corsOrigins?: AllowedOrigins;
  /** In milliseconds. */
  readonly requestTimeout?: number;
  /** In milliseconds. */
  readonly streamTimeout?: number;
  readonly connections?: ConnectionLimits;
  readonly proxies?: TrustedProxies;
  /** In bytes. */
  readonly maxImportSize?: number;
  /** Columns in memory; none unless a test is about them. */
  readonly columns?: ColumnIndexOptions;
  /** The clock of sessions and of rate limits, in milliseconds; the system's by default. */
  readonly now?: () => number;
}

export async function startService(engine: TestEngine, options: ServiceOptions = {}): Promise<TestService> {
  const budget = new CacheBudget(CACHE_SIZE);
  const { store, database, close } = await openTestStore(engine, budget, options.columns);
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
  {
    domain = 'localhost',
    rateLimit = 0,
    failedAuthLimit = 0,
    serverTiming = false,
    corsOrigins = [],
    requestTimeout = 300_000,
    streamTimeout = 300_000,
    connections = { total: 10_000, perAddress: 0 },
    proxies = new TrustedProxies(),
    // Tests share the thread with the service, so what delays it may be a test.
    admission = new Admission({ maxDelay: 0 }),
    now,
    maxImportSize = 64 * 1024 * 1024,
  }: ServiceOptions = {},
): Promise<TestServer> {
  const recorded: ServiceEvent[] = [];
  const reporter = new ProcessReporter({ events: eventNames, withValues: false });
  const events = new Events((event) => void recorded.push(event), reporter.listener);
  const keyUse = new KeyUse(store.keys, events.emit);
  const buckets = ownBuckets(now);
  const failedAttempts = new FailedAttempts(
    failedAuthLimit,
    buckets['failed attempts'],
    { keys: store.keys, accounts: store.accounts, domain },
    events.emit,
    now,
  );
  const sessions = new Sessions({ keys: store.keys, domain, budget, failedAttempts, now });
  const limiter = new RateLimiter(rateLimit, buckets.requests);
  const unsent = new UnsentBytes();
  const outage = new Outage(() => store.checkReadiness(), events.emit);
  const app = new App({
    store,
    responses: responseCache(budget),
    sessions,
    crossOrigin: new CrossOrigin(corsOrigins),
    keyUse,
    limiter,
    maxImportSize,
    admission,
    unsent,
    outage,
    emit: events.emit,
    serverTiming,
  });
  const server = createHttpServer(app, events, {
    timeout: requestTimeout,
    streamTimeout,
    connections,
    unsent,
    proxies,
  });
  reporter.use(store);
  reporter.serve({ budget, service: app.service, server });
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
  const port = await server.listen({ host: '127.0.0.1', port: 0 });
  return {
    port,
    adminPort: admin.port,
    events: recorded,
    unsent,
    async close() {
      await server.stop(0);
      reporter.close();
      outage.close();
      await Promise.all([admin.close(), keyUse.close()]);
    },
  };
}

/** The status of `GET /health/ready` on the admin address. */
export async function readiness({ adminPort }: Pick<TestServer, 'adminPort'>): Promise<number> {
  return (await sendUnchecked(adminPort, { path: '/health/ready' })).status;
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
        const isJson = /\bjson\b/.test(response.headers['content-type'] ?? '') && text !== '';
        const headers = Object.fromEntries(
          Object.entries(response.headers).map(([name, value]) => [name, value?.toString()]),
        );
        resolve({ status: response.statusCode ?? 0, headers, text, json: isJson ? JSON.parse(text) : undefined });
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
