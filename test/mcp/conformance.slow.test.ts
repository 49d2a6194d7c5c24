/**
 * The conformance suite of the protocol, for the current version and for the one before it. It is installed for this test alone, since it
 * has 120 packages. What it may fail is in `conformance/expected-failures.yaml`; whatever is there and passes is a failure as well.
 */

import { execFile } from 'node:child_process';
import { cpSync } from 'node:fs';
import { createServer, request as httpRequest, type Server } from 'node:http';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sqlite } from '../support/engines.ts';
import { bearer, startService, type TestService } from '../support/service.ts';
import { sharedFolder } from '../support/shared.ts';

const INSTALL_TIMEOUT = 300_000;

const folder = sharedFolder();
let service: TestService;
let proxy: Server;
let url: string;
beforeAll(async () => {
  service = await startService(sqlite);
  proxy = addKey(service);
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  const address = proxy.address();
  if (address === null || typeof address === 'string') throw new Error('the proxy has no port');
  url = `http://localhost:${address.port}/mcp`;
  cpSync(fileURLToPath(new URL('conformance', import.meta.url)), folder.path, { recursive: true });
  await promisify(execFile)('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund'], { cwd: folder.path });
}, INSTALL_TIMEOUT);
afterAll(async () => {
  proxy.closeAllConnections();
  proxy.close();
  await service.close();
});

test.each(['2025-11-25', '2026-07-28'])('the server conforms to %s', async (version) => {
  const program = join(folder.path, 'node_modules/@modelcontextprotocol/conformance/dist/index.js');
  const args = ['server', '--url', url, '--requirements', version, '--expected-failures', 'expected-failures.yaml'];
  const run = promisify(execFile)(process.execPath, [program, ...args], { cwd: folder.path });
  const { code = 0, stdout } = await run.catch((error) => error);
  expect(code, stdout).toBe(0);
});

/** The suite has no key to send. */
function addKey({ port, key }: TestService): Server {
  return createServer((incoming, outgoing) => {
    const headers = { ...incoming.headers, ...bearer(key) };
    const forwarded = httpRequest({ port, method: incoming.method, path: incoming.url, headers }, (response) => {
      outgoing.writeHead(response.statusCode ?? 502, response.headers);
      response.pipe(outgoing);
    });
    forwarded.on('error', () => outgoing.destroy());
    incoming.pipe(forwarded);
  });
}
