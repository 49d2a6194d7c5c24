/** The real program as a server, and single questions to a server. */

import { readdirSync, readFileSync } from 'node:fs';
import { request } from 'node:http';
import { fileURLToPath } from 'node:url';
import { printed, type Running, run, start } from './processes.ts';

/** The program of this checkout. */
export const PROGRAM = fileURLToPath(new URL('../bin/stockbook.js', import.meta.url));

export interface Server extends Running {
  readonly port: number;
}

/** One process, whatever the default is. */
export async function serve(program: string, url: string): Promise<Server> {
  const flags = await serveFlags(program);
  const running = start(process.execPath, [program, 'serve', '--database', url, ...flags]);
  return { ...running, port: Number(await printed(running.child, /listens on http:\/\/\S+:(\d+)/)) };
}

const knownFlags = new Map<string, readonly string[]>();

async function serveFlags(program: string): Promise<readonly string[]> {
  const known = knownFlags.get(program);
  if (known !== undefined) return known;
  const flags = ['--port', '0', '--log-level', 'error', '--rate-limit', '0'];
  if ((await run(program, ['serve', '--help'])).includes('--workers')) flags.push('--workers', '1');
  knownFlags.set(program, flags);
  return flags;
}

export interface Answered {
  readonly status: number;
  readonly headers: readonly (readonly [name: string, value: string])[];
  /** In base64. */
  readonly body: string;
}

/** One request on a connection of its own. */
export async function askOnce(port: number, path: string, key?: string): Promise<Answered> {
  const { promise, resolve, reject } = Promise.withResolvers<Answered>();
  const headers = key === undefined ? {} : { authorization: `Bearer ${key}` };
  request({ port, host: '127.0.0.1', path, headers, agent: false }, async (response) => {
    const body = Buffer.concat(await response.toArray());
    const { statusCode: status = 0, rawHeaders: raw } = response;
    if (status !== 200) reject(new Error(`${path} was answered with ${status}: ${body}`));
    const pairs = raw.flatMap((name, at) => (at % 2 === 0 ? [[name, raw[at + 1] ?? ''] as const] : []));
    resolve({ status, headers: pairs, body: body.toString('base64') });
  })
    .on('error', reject)
    .end();
  return promise;
}

/** The anonymous memory of the largest of a process and its children, in MB. */
export function largestMemory(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const children = readdirSync(`/proc/${pid}/task`).flatMap((thread) =>
    readFileSync(`/proc/${pid}/task/${thread}/children`, 'utf8').split(' ').filter(Boolean).map(Number),
  );
  const own = Number(/^RssAnon:\s+(\d+) kB/m.exec(status)?.[1]) / 1_024;
  return Math.max(own, ...children.map(largestMemory));
}
