/** The HTTP server on a real socket, with an application that a test defines. */

import type { Session } from '../../src/access/authenticate.ts';
import type { Response } from '../../src/app.ts';
import { builtInCatalog } from '../../src/catalog/catalog.ts';
import type { ConnectionLimits } from '../../src/http/connections.ts';
import { createHttpServer } from '../../src/http/server.ts';
import { UnsentBytes } from '../../src/limits/unsent-bytes.ts';
import { Events, type ServiceEvent } from '../../src/observe/events.ts';
import { Observed } from '../../src/observe/observed.ts';
import type { StreamedBody } from '../../src/reply/reply.ts';
import type { Request } from '../../src/request/request.ts';
import type { TrustedProxies } from '../../src/request/trusted-proxies.ts';
import { NO_LIMITS } from '../../src/store/accounts/account-limits.ts';
import { NOW } from './fixture.ts';
import type { TestClock } from './test-clock.ts';

export interface HttpApp {
  readonly port: number;
  readonly events: readonly ServiceEvent[];
  readonly unsent: UnsentBytes;
  stop(gracePeriod?: number): Promise<void>;
}

export interface HttpAppOptions {
  /** All timeouts are in milliseconds. */
  readonly timeout?: number;
  readonly streamTimeout?: number;
  readonly arrivalTimeout?: number;
  readonly connections?: ConnectionLimits;
  readonly proxies?: TrustedProxies;
  readonly clock?: TestClock;
}

/** Limits are high unless a test sets them. */
export async function serveApp(
  respond: (request: Request) => Promise<Response>,
  { timeout = 300_000, streamTimeout = 300_000, clock, ...options }: HttpAppOptions = {},
): Promise<HttpApp> {
  const recorded: ServiceEvent[] = [];
  const events = new Events((event) => void recorded.push(event));
  const unsent = new UnsentBytes();
  const connections = { total: 10_000, perAddress: 0 };
  const server = createHttpServer({ respond }, events, {
    timeout,
    streamTimeout,
    connections,
    unsent,
    ...(clock && { clock }),
    ...options,
  });
  return {
    port: await server.listen({ host: '127.0.0.1', port: 0 }),
    events: recorded,
    unsent,
    stop(gracePeriod = 0) {
      const stopping = server.stop(gracePeriod);
      return clock?.through(stopping) ?? stopping;
    },
  };
}

export function textResponse(text: string, account?: number): Response {
  const reply = { status: 200, headers: { 'content-type': 'text/plain; charset=utf-8' }, body: text };
  return { reply, observed: observedOf(account) };
}

/** The same text in pieces of this many bytes. */
export function piecesResponse(text: string, pieceBytes: number, account: number): Response {
  const bytes = Buffer.from(text);
  const pieces = Array.from({ length: Math.ceil(bytes.length / pieceBytes) }, (_, n) =>
    bytes.subarray(n * pieceBytes, (n + 1) * pieceBytes),
  );
  return { reply: { status: 200, headers: {}, body: pieces }, observed: observedOf(account) };
}

function observedOf(account: number | undefined): Observed {
  const observed = new Observed();
  if (account !== undefined) observed.session = sessionOf(account);
  return observed;
}

function sessionOf(id: number): Session {
  const account = { id, name: `account-${id}`, createdAt: NOW, ...NO_LIMITS, currency: null };
  return {
    account,
    catalog: builtInCatalog,
    keyId: 'key',
    keyName: 'test',
    scopes: [],
    granted: [],
    sessionOf: null,
    access: 1,
    keyCreatedAt: NOW,
    expiresAt: Number.POSITIVE_INFINITY,
    keyExpiresAt: Number.POSITIVE_INFINITY,
    rateLimits: { key: null, account: null },
  };
}

export function streamResponse(next: StreamedBody['next'], close: () => void = () => {}): Response {
  return {
    reply: { status: 200, headers: {}, body: { next, close: async () => close(), trailers: () => ({ done: 'yes' }) } },
  };
}
