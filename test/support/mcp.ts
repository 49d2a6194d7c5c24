/** Clients of `/mcp`: the official one, and one that sends any bytes. */

import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { expect } from 'vitest';
import { CURRENT_VERSION } from '../../src/mcp/protocol.ts';
import { NOTICE } from '../../src/mcp/tool-reply.ts';
import { bearer, send, type TestReply, type TestRequest, type TestService } from './service.ts';

/** How the official client finds out which version to speak. */
export type Negotiation = 'legacy' | 'auto' | { readonly pin: string };

export const negotiations: readonly { readonly title: string; readonly mode: Negotiation; readonly version: string }[] =
  [
    { title: 'the current version', mode: { pin: CURRENT_VERSION }, version: CURRENT_VERSION },
    { title: 'the version that it finds', mode: 'auto', version: CURRENT_VERSION },
    { title: 'an earlier version, after initialize', mode: 'legacy', version: '2025-11-25' },
  ];

export async function connectClient(port: number, key: string, mode: Negotiation): Promise<Client> {
  const client = new Client({ name: 'test', version: '1.0.0' }, { versionNegotiation: { mode } });
  const url = new URL(`http://127.0.0.1:${port}/mcp`);
  await client.connect(new StreamableHTTPClientTransport(url, { requestInit: { headers: bearer(key) } }));
  return client;
}

const META = {
  'io.modelcontextprotocol/protocolVersion': CURRENT_VERSION,
  'io.modelcontextprotocol/clientCapabilities': {},
};

/** A request of the current version. */
export function rpcRequest(
  method: string,
  params: Readonly<Record<string, unknown>> = {},
  id: unknown = 1,
): TestRequest {
  const { name } = params;
  return {
    method: 'POST',
    path: '/mcp',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': CURRENT_VERSION,
      'mcp-method': method,
      ...(typeof name === 'string' && { 'mcp-name': name }),
    },
    body: JSON.stringify({ jsonrpc: '2.0', id, method, params: { ...params, _meta: META } }),
  };
}

/** A request of an earlier version. Its client has sent `initialize` before, or not: nobody remembers. */
export function earlierRequest(message: unknown, headers: TestRequest['headers'] = {}): TestRequest {
  return {
    method: 'POST',
    path: '/mcp',
    headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...headers },
    body: typeof message === 'string' ? message : JSON.stringify(message),
  };
}

export function toolRequest(name: string, given: unknown = {}): TestRequest {
  return rpcRequest('tools/call', { name, arguments: given });
}

export interface Called {
  readonly isError: boolean;
  readonly text: string;
  /** The lines of the text. */
  readonly lines: readonly string[];
  readonly structured: Record<string, unknown>;
}

/** Calls a tool with acme's key, or another one. */
export async function callTool(
  { port, key }: Pick<TestService, 'port' | 'key'>,
  name: string,
  given: unknown = {},
): Promise<Called> {
  const { headers, ...request } = toolRequest(name, given);
  return readCalled(await send(port, { ...request, headers: { ...bearer(key), ...headers } }));
}

export function readCalled({ status, json, text: body }: TestReply): Called {
  const { result } = Object(json);
  if (status !== 200 || result === undefined) throw new Error(`not the result of a tool: ${status} ${body}`);
  const [{ text }] = result.content;
  return { isError: result.isError ?? false, text, lines: text.split('\n'), structured: result.structuredContent };
}

/** Calls of tools with acme's key, of which it is known whether they succeed. */
export function toolsOf(service: Pick<TestService, 'port' | 'key'>) {
  const expectCall = async (isError: boolean, name: string, given: unknown): Promise<Called> => {
    const called = await callTool(service, name, given);
    expect(called).toMatchObject({ isError });
    return called;
  };
  return {
    succeed: (name: string, given: unknown = {}) => expectCall(false, name, given),
    fail: async (name: string, given: unknown) => (await expectCall(true, name, given)).lines,
  };
}

/** The values after the notice. */
export function dataIn({ lines }: Called): readonly unknown[] {
  const start = lines.indexOf(NOTICE);
  expect(start).toBeGreaterThan(0);
  return lines.slice(start + 1).map((line) => JSON.parse(line));
}

/** The call that a line suggests. */
export function suggested(lines: readonly string[], label: string): { tool: string; given: Record<string, unknown> } {
  const line = lines.find((text) => text.startsWith(`${label}: `)) ?? `${label}: none {}`;
  const [, tool = '', json = ''] = /: (\w+) (\{.*\})$/.exec(line) ?? [];
  return { tool, given: JSON.parse(json) };
}
