/** The service on a real socket, with the fixture behind it, and a client that shows every byte it gets. */

import { type Agent, request as httpRequest } from 'node:http';
import { issueKey } from '../../src/access/issue-key.ts';
import { KeyUse } from '../../src/access/key-use.ts';
import { RateLimiter } from '../../src/access/rate-limiter.ts';
import { App } from '../../src/app.ts';
import type { Emit, ServiceEvent } from '../../src/events.ts';
import { createService } from '../../src/http/service.ts';
import { type Account, SCOPES, type Scope, type Store } from '../../src/store/store.ts';
import { openTestStore, type TestDatabase, type TestEngine } from './engines.ts';
import { type Fixture, fill, NOW } from './fixture.ts';

/** Small enough that answers have to make room for each other. */
const CACHE_SIZE = 256 * 1024;

export interface TestService extends Fixture {
  readonly store: Store;
  readonly database: TestDatabase;
  readonly port: number;
  /** A key of acme that may do everything. */
  readonly key: string;
  readonly events: readonly ServiceEvent[];
  issue(account: Account, options?: { scopes?: readonly Scope[]; expiresAt?: string | null }): Promise<string>;
  /** As acme, with the key in the header, unless the headers say otherwise. */
  send(request: TestRequest): Promise<TestReply>;
  close(): Promise<void>;
}

export interface TestRequest {
  readonly method?: string;
  readonly path: string;
  /** A header that is undefined is not sent. */
  readonly headers?: Readonly<Record<string, string | undefined>>;
  readonly body?: string | Uint8Array;
}

export interface TestReply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly text: string;
  /** The body as JSON; undefined where there is none. */
  readonly json: unknown;
}

export async function startService(
  engine: TestEngine,
  { domain = 'localhost', rateLimit = 0 } = {},
): Promise<TestService> {
  const { store, database, close } = await openTestStore(engine);
  const fixture = await fill(store);
  const events: ServiceEvent[] = [];
  const emit: Emit = (event) => void events.push(event);
  const keyUse = new KeyUse(store.keys, emit);
  const service = createService(
    new App({ store, keyUse, limiter: new RateLimiter(rateLimit), domain, emit, cacheSize: CACHE_SIZE }),
    emit,
  );
  const port = await service.listen({ host: '127.0.0.1', port: 0 });
  const issue: TestService['issue'] = (account, { scopes = SCOPES, expiresAt = null } = {}) =>
    issueKey(store.keys, { account: account.id, name: 'test', scopes, createdAt: NOW, expiresAt });
  const key = await issue(fixture.acme);
  return {
    ...fixture,
    store,
    database,
    port,
    key,
    events,
    issue,
    send: ({ headers, ...request }) =>
      send(port, { ...request, headers: { authorization: `Bearer ${key}`, ...headers } }),
    async close() {
      await service.stop(0);
      await keyUse.close();
      await close();
    },
  };
}

export function send(
  port: number,
  { method = 'GET', path, headers = {}, body }: TestRequest,
  agent: Agent | false = false,
): Promise<TestReply> {
  const sent = Object.fromEntries(Object.entries(headers).filter(([, value]) => value !== undefined));
  return new Promise((resolve, reject) => {
    const request = httpRequest({ host: '127.0.0.1', port, method, path, headers: sent, agent }, (response) => {
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
    request.on('error', reject);
    request.end(body);
  });
}
