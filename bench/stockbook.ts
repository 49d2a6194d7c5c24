/** Stockbook under test: starts the real program as a server, and sends it single requests. */

import { closeSync, createReadStream, mkdirSync, openSync, readdirSync, readFileSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { DATA } from './engines.ts';
import { type Running, run, start, waitForOutput } from './processes.ts';

/** The program of this checkout. */
export const PROGRAM = fileURLToPath(new URL('../bin/stockbook.js', import.meta.url));

/** The line a server prints once it is ready. Programs that `--against` may name say "listens on". */
const READY = /(?:is listening|listens) on http:\/\/\S+:(\d+)\s/;

export interface Server extends Running {
  readonly port: number;
}

/** `more` are flags that the program at another commit may not have, and `nodeFlags` those of Node. */
export async function serve(
  program: string,
  url: string,
  more: readonly string[] = [],
  nodeFlags: readonly string[] = [],
): Promise<Server> {
  const flags = [...(await serveFlags(program)), ...more];
  // As operators run it: every request has a line in the log.
  mkdirSync(DATA, { recursive: true });
  const log = openSync(join(DATA, 'stockbook.log'), 'w');
  const running = start(process.execPath, [...nodeFlags, program, 'serve', '--database', url, ...flags], {
    stderr: log,
  });
  closeSync(log);
  return { ...running, port: Number(await waitForOutput(running.child, READY)) };
}

const flagsByProgram = new Map<string, readonly string[]>();

/** A single worker, any admin port, and room for the index of ten million products, if the program has them at all. */
async function serveFlags(program: string): Promise<readonly string[]> {
  const known = flagsByProgram.get(program);
  if (known !== undefined) return known;
  const flags = ['--port', '0', '--rate-limit', '0'];
  const help = await run(program, ['serve', '--help']);
  if (help.includes('--workers')) flags.push('--workers', '1');
  if (help.includes('--admin-port')) flags.push('--admin-port', '0');
  if (help.includes('--index-size')) flags.push('--index-size', '3000');
  flagsByProgram.set(program, flags);
  return flags;
}

export interface RecordedResponse {
  readonly status: number;
  readonly headers: readonly (readonly [name: string, value: string])[];
  /** In base64. */
  readonly body: string;
}

/** Sends one GET request on its own connection. Any status but 200 is an error. */
export async function get(port: number, path: string, key?: string): Promise<RecordedResponse> {
  const { promise, resolve, reject } = Promise.withResolvers<RecordedResponse>();
  const headers = key === undefined ? {} : { authorization: `Bearer ${key}` };
  request({ port, host: '127.0.0.1', path, headers, agent: false }, async (response) => {
    const body = Buffer.concat(await response.toArray());
    const { statusCode: status = 0, rawHeaders: raw } = response;
    if (status !== 200) reject(new Error(`GET ${path} returned ${status}: ${body}`));
    const pairs = raw.flatMap((name, at) => (at % 2 === 0 ? [[name, raw[at + 1] ?? ''] as const] : []));
    resolve({ status, headers: pairs, body: body.toString('base64') });
  })
    .on('error', reject)
    .end();
  return promise;
}

/** Sends a CSV file as the body of one request. */
export async function postFile(port: number, path: string, key: string | undefined, file: string): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'text/csv' };
  const sent = request({ port, host: '127.0.0.1', path, method: 'POST', headers, agent: false }, async (response) => {
    const body = Buffer.concat(await response.toArray());
    if (response.statusCode === 200) resolve();
    else reject(new Error(`POST ${path} returned ${response.statusCode}: ${body}`));
  }).on('error', reject);
  createReadStream(file).pipe(sent);
  return promise;
}

/** Anonymous memory in MB of the process that has most, among a process and its descendants. */
export function largestMemory(pid: number): number {
  return Math.max(ownMemory(pid), ...childrenOf(pid).map(largestMemory));
}

/** Anonymous memory in MB of a process and its descendants together. */
export function totalMemory(pid: number): number {
  return childrenOf(pid).reduce((sum, child) => sum + totalMemory(child), ownMemory(pid));
}

function ownMemory(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Number(/^RssAnon:\s+(\d+) kB/m.exec(status)?.[1]) / 1_024;
}

/** The kernel counts in hundredths of a second. */
const TICK = 10;

/** What a process and its descendants have used, in milliseconds. */
export function cpuTime(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
  const own = (Number(fields[11]) + Number(fields[12])) * TICK;
  return own + childrenOf(pid).reduce((sum, child) => sum + cpuTime(child), 0);
}

function childrenOf(pid: number): readonly number[] {
  return readdirSync(`/proc/${pid}/task`).flatMap((thread) =>
    readFileSync(`/proc/${pid}/task/${thread}/children`, 'utf8').split(' ').filter(Boolean).map(Number),
  );
}
