/** The load generator: sends the requests of a case and measures latencies, in a process controlled by the benchmark. */

import { caseNamed, type LoadStats, type StreamName } from './cases.ts';
import { Connection } from './connection.ts';
import type { BenchRequest, RequestStream, StreamFactory } from './requests.ts';
import { summarize } from './statistics.ts';

export interface LoadJob {
  readonly kind: 'load';
  readonly name: string;
  readonly stream: StreamName;
  readonly round: number;
  readonly rows: number;
  readonly port: number;
  /** The keys of the accounts. Without them, requests take the form that the floor expects. */
  readonly keys: readonly string[] | undefined;
  readonly connections: number;
  /** No request starts after this many seconds. */
  readonly seconds: number;
}

/** Sends the requests of all lanes of a case at the same time, each on a connection of its own. */
export interface LanesJob extends Omit<LoadJob, 'kind' | 'stream' | 'connections'> {
  readonly kind: 'lanes';
}

export type LoadCommand = LoadJob | LanesJob | { readonly kind: 'stop' };

/** `lanes` has the statistics of each lane by its name. */
export type LoadResult =
  | { readonly stats: LoadStats }
  | { readonly lanes: Readonly<Record<string, LoadStats>> }
  | { readonly error: string };

/** How long a client waits between two requests of a lane, in milliseconds: it is not to use up a core by itself. */
const LANE_PAUSE = 2;

let isStopped = false;

process.on('message', (command: LoadCommand) => {
  isStopped = command.kind === 'stop';
  if (command.kind === 'stop') return;
  (command.kind === 'load' ? loadStream(command) : loadLanes(command)).then(
    (result) => process.send?.(result satisfies LoadResult),
    (error: unknown) => process.send?.({ error: `${command.name}: ${error}` } satisfies LoadResult),
  );
});
process.on('disconnect', () => process.exit());

async function loadStream(job: LoadJob): Promise<LoadResult> {
  const stream = caseNamed(job.name)?.streams?.[job.stream];
  if (stream === undefined) throw new Error(`the case has no stream "${job.stream}"`);
  return { stats: await load(job, stream) };
}

async function loadLanes(job: LanesJob): Promise<LoadResult> {
  const lanes = Object.entries(caseNamed(job.name)?.lanes ?? {});
  const one: Pacing = { ...job, connections: 1, pause: LANE_PAUSE };
  const loaded = await Promise.all(lanes.map(async ([name, stream]) => [name, await load(one, stream)] as const));
  return { lanes: Object.fromEntries(loaded) };
}

/** What a job says about how its requests are sent. */
interface Pacing extends Pick<LoadJob, 'round' | 'rows' | 'port' | 'keys' | 'connections' | 'seconds'> {
  readonly pause?: number;
}

async function load(job: Pacing, stream: StreamFactory): Promise<LoadStats> {
  const failure = Promise.withResolvers<never>();
  const connections = await Promise.all(
    Array.from({ length: job.connections }, () => Connection.open(job.port, failure.reject)),
  );
  try {
    return await Promise.race([failure.promise, send(stream(job.round, job.rows), connections, job)]);
  } finally {
    for (const connection of connections) connection.close();
  }
}

async function send(stream: RequestStream, connections: readonly Connection[], job: Pacing): Promise<LoadStats> {
  for (const request of stream.warmUp ?? []) {
    await new Promise((resolve) => connections[0]?.send(requestText(request, job), resolve));
  }
  const latencies: number[] = [];
  let [next, bytes] = [0, 0];
  const began = performance.now();
  const end = began + job.seconds * 1_000;
  await Promise.all(
    connections.map(
      (connection) =>
        new Promise<void>((resolve) => {
          const sendNext = () => {
            const sent = performance.now();
            const request = isStopped || sent > end ? undefined : stream.request(next);
            next += 1;
            if (request === undefined) return resolve();
            connection.send(requestText(request, job), (size) => {
              latencies.push(performance.now() - sent);
              bytes += size;
              if (job.pause === undefined) sendNext();
              else setTimeout(sendNext, job.pause);
            });
          };
          sendNext();
        }),
    ),
  );
  return summarize(latencies, (performance.now() - began) / 1_000, bytes);
}

function requestText({ path, values = [], account = 0, accept, body }: BenchRequest, { keys }: Pacing): string {
  const method = body === undefined ? 'GET' : 'POST';
  if (keys === undefined) {
    const target = `/${values.map(encodeURIComponent).join('/')}`;
    return `${method} ${target} HTTP/1.1\r\nHost: 127.0.0.1\r\n${body === undefined ? '' : 'Content-Length: 0\r\n'}\r\n`;
  }
  const head = `${method} ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${keys[account]}\r\n`;
  const acceptHeader = accept === undefined ? '' : `Accept: ${accept}\r\n`;
  if (body === undefined) return `${head}${acceptHeader}\r\n`;
  return `${head}Content-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
}
