/** Sends the requests of the examples to the demo, and records the responses. */

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type ExampleRequest, exampleRequests } from '../../src/openapi/example-requests.ts';
import type { Json } from '../../src/openapi/json.ts';

const PROGRAM = fileURLToPath(new URL('../../bin/stockbook.js', import.meta.url));

export interface RecordedExample {
  readonly request: string;
  readonly response: Json;
}

export async function recordExamples(): Promise<Readonly<Record<string, RecordedExample>>> {
  const folder = await mkdtemp(join(tmpdir(), 'stockbook-examples-'));
  const args = [
    PROGRAM,
    'serve',
    '--demo',
    '--port',
    '0',
    '--admin-port',
    '0',
    '--workers',
    '1',
    '--database',
    join(folder, 'demo.db'),
  ];
  const server = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'ignore'] });
  try {
    const { address, key } = await demoOf(server);
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

/** Resolves when it has printed its address and a key. */
function demoOf(server: ChildProcess): Promise<{ readonly address: string; readonly key: string }> {
  return new Promise((resolve, reject) => {
    let text = '';
    server.stdout?.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk;
      const [address] = /http:\/\/\S+:\d+/.exec(text) ?? [];
      const [key] = /sbk_\w+/.exec(text) ?? [];
      if (address !== undefined && key !== undefined) resolve({ address, key });
    });
    server.once('close', (code) => reject(new Error(`the demo ended with exit code ${code}`)));
  });
}

async function responseTo(
  address: string,
  key: string,
  { method, target, body }: ExampleRequest,
): Promise<{ readonly status: number; readonly response: Json }> {
  const response = await fetch(`${address}${target}`, {
    method,
    headers: {
      authorization: `Bearer ${key}`,
      ...(body !== undefined && { 'content-type': 'application/json', 'idempotency-key': 'example' }),
    },
    ...(body !== undefined && { body }),
  });
  return { status: response.status, response: stable(await response.json()) };
}

/** Values that differ from one database or request to the next. */
const VOLATILE: Readonly<Record<string, string>> = {
  cursor: 'MXp4dGM0LjQuNC4yLjA',
  requestId: '7f0f6a0e-0d6b-4a0c-8a2e-3c2d1b0a9f8e',
  createdAt: '2026-12-30T12:00:00.000Z',
  expiresAt: '2026-12-31T12:00:00.000Z',
};

/** The id of a key, which unlike that of a record is text. */
const KEY_ID = '4fJ0aPq2LwZ8';

function stable(json: unknown): Json {
  return JSON.parse(JSON.stringify(json), (member, value) =>
    member === 'id' && typeof value === 'string' ? KEY_ID : (VOLATILE[member] ?? value),
  );
}
