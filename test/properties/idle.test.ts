/** Once a process has nothing to do, it holds nothing for the requests that it had, however their clients left. */

import { createHook } from 'node:async_hooks';
import { once } from 'node:events';
import { connect } from 'node:net';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { product } from '../../src/catalog/product.ts';
import { engines } from '../support/engines.ts';
import { rounds } from '../support/rounds.ts';
import { COMPANIES, PARTNERS, PRODUCTS } from '../support/rows.ts';
import { accountWith, sendUnchecked, startService, type TestService } from '../support/service.ts';

/** So many that a stream of them has several chunks. */
const RECORDS = 3_000;

const json = (value: unknown) => ({ 'content-type': 'application/json', body: JSON.stringify(value) });
const tool = (name: string, args: object) =>
  json({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args } });

interface Sent {
  readonly method?: string;
  readonly path: string;
  readonly body?: string;
  readonly [header: string]: string | undefined;
}

const requests: readonly Sent[] = [
  { path: PRODUCTS },
  { path: `${PRODUCTS}?limit=1000&filter=name*1` },
  { path: `${PRODUCTS}?limit=1000&sort=-name`, 'accept-encoding': 'gzip' },
  { path: `${PRODUCTS}?filter=name*x&explain=true` },
  { path: PRODUCTS, accept: 'application/x-ndjson' },
  { path: PRODUCTS, accept: 'text/csv', 'accept-encoding': 'zstd' },
  { path: `${PRODUCTS}?filter=name*1`, accept: 'application/x-ndjson; end=line', 'accept-encoding': 'gzip' },
  { path: `${PRODUCTS}/1` },
  { path: `${PRODUCTS}/changes?limit=1000` },
  { path: `${PRODUCTS}/changes`, accept: 'application/x-ndjson' },
  { path: `${PRODUCTS}/changes`, accept: 'text/event-stream' },
  { path: `${PRODUCTS}/changes`, accept: 'text/event-stream', 'accept-encoding': 'gzip' },
  { path: `${COMPANIES}/changes`, prefer: 'wait=60' },
  { path: `${COMPANIES}/changes`, accept: 'text/event-stream' },
  { path: `${PRODUCTS}/digest` },
  { path: `${PRODUCTS}/digest?filter=name*2` },
  { path: `${PRODUCTS}/aggregate?measures=count,sum:list_price&filter=name*3` },
  { method: 'POST', path: PARTNERS, ...json({ name: 'A' }) },
  { method: 'POST', path: PARTNERS, 'idempotency-key': 'once', ...json({ name: 'B' }) },
  { method: 'POST', path: '/mcp', accept: 'application/json', ...tool('query', { resource: 'product', limit: 100 }) },
  { path: '/api/v1/me' },
  { path: '/openapi.json' },
  { path: '/nowhere' },
];

/** Whether its response waits for changes. */
const isEndless = (request: object) => 'prefer' in request || Object.values(request).includes('text/event-stream');

/** How a client leaves: in the middle of its request, after this many bytes of the response, or when it has all. */
const exits = fc.oneof(
  fc.constant('in the request' as const),
  fc.integer({ min: 0, max: 400_000 }),
  fc.constant('at the end' as const),
);

const visits = fc.array(fc.record({ request: fc.constantFrom(...requests), exit: exits }), {
  minLength: 1,
  maxLength: 12,
});

/** The gauges of what is held for requests. */
const HELD =
  /^(stockbook_http_(?:connections|responses_sending|unsent_bytes)|stockbook_queue_(?:length|running)|stockbook_pool_waiting|stockbook_pool_connections\{.*state="used".*|stockbook_change_waiters|stockbook_exports|stockbook_imports)(?:\{.*\})? (?!0$)/;

const timers = new Set<number>();
const hook = createHook({
  init: (id, type) => type === 'Timeout' && timers.add(id),
  destroy: (id) => timers.delete(id),
});

describe.each(engines)('on $name', (engine) => {
  let service: TestService;
  let headers: Readonly<Record<string, string>>;
  beforeAll(async () => {
    hook.enable();
    service = await startService(engine, { settings: { 'max-connections': '1000' } });
    const products = Array.from({ length: RECORDS }, (_, n) => ({ name: `Product ${n} ${'x'.repeat(100)}` }));
    headers = { host: 'localhost', ...(await accountWith(service, product, products)) };
  });
  afterAll(async () => {
    await service.close();
    hook.disable();
  });

  const held = async () => {
    const { text } = await sendUnchecked(service.adminPort, { path: '/metrics' });
    return text.split('\n').filter((line) => HELD.test(line));
  };
  const isHeldForChanges = async () => (await held()).some((line) => line.startsWith('stockbook_change_waiters'));

  const visit = async (
    { method = 'GET', path, body = '', ...own }: Sent,
    exit: number | 'in the request' | 'at the end',
  ) => {
    const sent = { ...headers, ...own, 'content-length': String(Buffer.byteLength(body)), connection: 'close' };
    const lines = Object.entries(sent).map(([name, value]) => `${name}: ${value}`);
    const text = [`${method} ${path} HTTP/1.1`, ...lines, '', body].join('\r\n');
    const socket = connect(service.port, '127.0.0.1').on('error', () => undefined);
    const closed = once(socket, 'close');
    await once(socket, 'connect');
    socket.write(exit === 'in the request' ? text.slice(0, -5) : text);
    let read = 0;
    const isWaiting = isEndless(own);
    if (exit === 'in the request' || exit === 0) setImmediate(() => socket.destroy());
    else
      socket.on('data', (chunk) => {
        read += chunk.length;
        // A response that waits for changes has no end.
        if (isWaiting || (typeof exit === 'number' && read >= exit)) socket.destroy();
      });
    // It need not send anything, so that a client cannot tell when it waits.
    if (isWaiting) {
      await expect.poll(async () => socket.destroyed || (await isHeldForChanges())).toBe(true);
      socket.destroy();
    }
    await closed;
  };

  test('nothing is held after any sequence of requests and disconnects', async () => {
    // Everything that is started on demand; a request that waits could leave a timer.
    for (const request of requests) if (!isEndless(request)) await visit(request, 'at the end');
    await expect.poll(held).toEqual([]);
    const running = timers.size;
    await fc.assert(
      fc.asyncProperty(visits, async (sequence) => {
        await Promise.all(sequence.map(({ request, exit }) => visit(request, exit)));
        await expect.poll(held).toEqual([]);
        await expect.poll(() => timers.size).toBeLessThanOrEqual(running);
      }),
      { numRuns: rounds(10, 300) },
    );
  });
});
