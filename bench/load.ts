/** Sends the requests of a case and times the answers: a process of its own, which takes its orders from the benchmark. */

import { caseNamed, type LoadStats, type StreamName } from './cases.ts';
import { Connection } from './connection.ts';
import type { Ask, Requests } from './requests.ts';

export interface LoadOrder {
  readonly kind: 'load';
  readonly name: string;
  readonly stream: StreamName;
  readonly round: number;
  readonly rows: number;
  readonly port: number;
  /** The accounts' keys; without any, it is the floor that is asked. */
  readonly keys: readonly string[] | undefined;
  readonly connections: number;
  /** No request is begun after so many seconds. */
  readonly seconds: number;
}

export type Order = LoadOrder | { readonly kind: 'stop' };

export type LoadResult = { readonly stats: LoadStats } | { readonly error: string };

let isStopped = false;

process.on('message', (order: Order) => {
  isStopped = order.kind === 'stop';
  if (order.kind === 'stop') return;
  load(order).then(
    (stats) => process.send?.({ stats } satisfies LoadResult),
    (error: unknown) => process.send?.({ error: String(error) } satisfies LoadResult),
  );
});
process.on('disconnect', () => process.exit());

async function load(order: LoadOrder): Promise<LoadStats> {
  const stream = caseNamed(order.name)?.streams?.[order.stream];
  if (stream === undefined) throw new Error(`${order.name} has no requests "${order.stream}"`);
  const failed = Promise.withResolvers<never>();
  const requests = stream(order.round, order.rows);
  const connections = await Promise.all(
    Array.from({ length: order.connections }, () => Connection.open(order.port, failed.reject)),
  );
  try {
    return await Promise.race([failed.promise, run(connections, requests, order)]);
  } finally {
    for (const connection of connections) connection.close();
  }
}

async function run(connections: readonly Connection[], requests: Requests, order: LoadOrder): Promise<LoadStats> {
  for (const ask of requests.warm ?? []) {
    await new Promise((resolve) => connections[0]?.send(requestText(ask, order), resolve));
  }
  const times: number[] = [];
  let [next, bytes] = [0, 0];
  const begun = performance.now();
  const end = begun + order.seconds * 1_000;
  await Promise.all(
    connections.map(
      (connection) =>
        new Promise<void>((resolve) => {
          const sendNext = () => {
            const sent = performance.now();
            const ask = isStopped || sent > end ? undefined : requests.ask(next);
            next += 1;
            if (ask === undefined) return resolve();
            connection.send(requestText(ask, order), (size) => {
              times.push(performance.now() - sent);
              bytes += size;
              sendNext();
            });
          };
          sendNext();
        }),
    ),
  );
  return summary(times, (performance.now() - begun) / 1_000, bytes);
}

function requestText({ path, values = [], account = 0, accept, body }: Ask, { keys }: LoadOrder): string {
  const method = body === undefined ? 'GET' : 'POST';
  if (keys === undefined) {
    const target = `/${values.map(encodeURIComponent).join('/')}`;
    return `${method} ${target} HTTP/1.1\r\nHost: 127.0.0.1\r\n${body === undefined ? '' : 'Content-Length: 0\r\n'}\r\n`;
  }
  const head = `${method} ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${keys[account]}\r\n`;
  const wanted = accept === undefined ? '' : `Accept: ${accept}\r\n`;
  if (body === undefined) return `${head}${wanted}\r\n`;
  return `${head}Content-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
}

function summary(times: readonly number[], seconds: number, bytes: number): LoadStats {
  const sum = (part: readonly number[]) => part.reduce((total, time) => total + time, 0);
  const sorted = Float64Array.from(times).sort();
  const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
  const tenth = Math.ceil(times.length / 10);
  return {
    requests: times.length,
    seconds,
    bytes,
    rate: times.length / seconds,
    mean: sum(times) / times.length,
    median: at(0.5),
    p99: at(0.99),
    first: sum(times.slice(0, tenth)),
    last: sum(times.slice(-tenth)),
  };
}
