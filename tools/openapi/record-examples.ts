/** Sends the requests of the examples to the demo, and records the responses. */

import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Json } from '../../src/openapi/json.ts';
import { type ExampleRequest, exampleRequests } from './example-requests.ts';

const PROGRAM = fileURLToPath(new URL('../../bin/stockbook.js', import.meta.url));

/** The key of the demo does not permit editing. */
const KEY_ADD = ['key', 'add', 'demo', '--name', 'ERP connector', '--scope', 'read,write,edit', '--expires', '90d'];

export interface RecordedExample {
  readonly request: string;
  readonly response: Json;
}

export async function recordExamples(): Promise<Readonly<Record<string, RecordedExample>>> {
  const folder = await mkdtemp(join(tmpdir(), 'stockbook-examples-'));
  const database = ['--database', join(folder, 'demo.db')];
  const args = [PROGRAM, 'serve', '--demo', '--port', '0', '--admin-port', '0', '--workers', '1', ...database];
  const server = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'ignore'] });
  try {
    const address = await addressOf(server);
    const key = execFileSync(process.execPath, [PROGRAM, ...KEY_ADD, ...database], { encoding: 'utf8' }).trim();
    const recorded: [string, RecordedExample][] = [];
    for (const request of exampleRequests()) {
      const { status, response } = await responseTo(address, key, request);
      // The demo may have no records of a resource.
      if (request.name.endsWith(` ${status}`))
        recorded.push([request.name, { request: `${request.method} ${request.target}`, response }]);
    }
    return Object.fromEntries(recorded);
  } finally {
    server.kill('SIGTERM');
    await once(server, 'close');
    await rm(folder, { recursive: true });
  }
}

/** Resolves when it has printed its address, and that of the account. */
function addressOf(server: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = '';
    server.stdout?.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk;
      const [address] = /http:\/\/\S+:\d+/.exec(text) ?? [];
      if (address !== undefined && text.includes('sbk_')) resolve(address);
    });
    server.once('close', (code) => reject(new Error(`the demo ended with exit code ${code}`)));
  });
}

async function responseTo(
  address: string,
  key: string,
  { method, target, body, ifMatch }: ExampleRequest,
): Promise<{ readonly status: number; readonly response: Json }> {
  const response = await fetch(`${address}${target}`, {
    method,
    headers: {
      authorization: `Bearer ${key}`,
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...(ifMatch !== undefined && { 'if-match': ifMatch }),
    },
    ...(body !== undefined && { body }),
  });
  return { status: response.status, response: stable(await response.json()) };
}

/** Values that differ from one database or request to the next. */
const VOLATILE: Readonly<Record<string, string | number>> = {
  cursor: 'MXp4dGM0LjQuNC4yLjA',
  requestId: '7f0f6a0e-0d6b-4a0c-8a2e-3c2d1b0a9f8e',
  createdAt: '2026-12-30T12:00:00.000Z',
  expiresAt: '2026-12-31T12:00:00.000Z',
  startedAt: '2026-11-17T08:00:00.000Z',
  endedAt: '2026-11-17T08:00:01.000Z',
  savedAt: '2026-11-17T08:00:01.000Z',
  checkedAt: '2026-11-17T08:00:16.000Z',
  lag: 4,
  write_date: '2026-11-17T08:00:00.000Z',
  etag: '"1k7qk9z-3f2a9c-7"',
  actor: 'key 4fJ0aPq2LwZ8',
};

/** The ids of a key and of an import, which unlike that of a record are text. */
const KEY_ID = '4fJ0aPq2LwZ8';
const IMPORT_ID = '0mi3w0x2s5f1c09d2b7a4e638';

/** That of a view is chosen by the request. */
const VIEW_ID = 'low-stock';

function stable(json: unknown): Json {
  return JSON.parse(JSON.stringify(json), (member, value) =>
    member === 'id' && typeof value === 'string' && value !== VIEW_ID
      ? value.length === IMPORT_ID.length
        ? IMPORT_ID
        : KEY_ID
      : value === null
        ? null
        : (VOLATILE[member] ?? value),
  );
}
