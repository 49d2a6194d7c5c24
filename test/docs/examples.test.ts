/** Runs every `curl` command and every filter in the docs against the demo, except those that change it: writing.test.ts. */

import { symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { callTool } from '../support/mcp.ts';
import { type Serving, serve } from '../support/program.ts';
import { bodyOf } from '../support/rows.ts';
import { send } from '../support/service.ts';
import { sharedFolder } from '../support/shared.ts';
import { readCurl } from './curl.ts';
import { documents, fencesOf, inCode, readDocument, tableBelow, WRITING } from './markdown.ts';

let server: Serving;
let key: string;
const folder = sharedFolder();
beforeAll(async () => {
  server = await serve(['--demo'], { folder: folder.path });
  key = /sbk_\w+/.exec(server.output().stdout)?.[0] ?? '';
});
afterAll(async () => {
  server.child.kill('SIGTERM');
  await server.finished;
});

const fences = documents.flatMap(fencesOf);

describe('curl commands', () => {
  const lines = fences.flatMap(({ path, kind, content }, index) => {
    const after = fences[index + 1];
    const isExpected = after?.path === path && ['json', 'csv'].includes(after.kind);
    const { kind: format, content: expected } = isExpected ? after : {};
    const isRun = kind === 'sh' && content.startsWith('curl') && path !== WRITING;
    return isRun ? [{ path, content, format, expected }] : [];
  });

  test('are found in the docs', () => {
    expect(lines.length).toBeGreaterThan(5);
  });

  test.each(lines)('of $path return what it says: $content', async ({ content, format, expected }) => {
    const { url, ...request } = readCurl(content, { KEY: key });
    expect(url.host).toBe('127.0.0.1:8080');
    const reply = await send(server.port, request);
    if (format === 'csv') expect(reply.text).toBe(`${expected?.replaceAll('\n', '\r\n')}\r\n`);
    else if (url.searchParams.get('format') === 'xlsx') expect(reply.text).toMatch(/^PK/);
    else if (request.headers?.['accept'] !== undefined) {
      expect(reply).toRespond(200);
      expect(reply.text).toContain('\n');
    } else if (expected === undefined) {
      expect(reply).toRespond(200, { data: expect.anything() });
      expect(bodyOf(reply).meta.total).toBeGreaterThan(0);
    } else {
      expect(reply.json).toEqual(JSON.parse(expected, (_, value) => (value === '…' ? expect.anything() : value)));
    }
  });
});

test('hints', async () => {
  const rows = tableBelow(readDocument('docs/api.md'), '### Why are there no rows?');
  expect(rows.length).toBeGreaterThan(1);
  for (const [filter = '', hint = ''] of rows) {
    const [, path = ''] = / Try (.*)\?/.exec(hint) ?? [];
    const { headers } = await send(server.port, {
      path: `${path}?filter=${encodeURIComponent(inCode(filter))}`,
      headers: { authorization: `Bearer ${key}` },
    });
    expect(headers['stockbook-hint']).toBe(inCode(hint));
  }
});

test('addresses that spreadsheets import', async () => {
  const addresses = fences
    .filter(({ kind }) => ['powerquery', 'js'].includes(kind))
    .flatMap(({ content }) => /https:\/\/acme\.example\.com(\/api[^'"]*)/.exec(content)?.[1] ?? []);
  expect(addresses).toHaveLength(2);
  for (const path of addresses)
    expect(await send(server.port, { path, headers: { authorization: `Bearer ${key}` } })).toMatchObject({
      status: 200,
      text: expect.stringMatching(/^\uFEFF?(?:id,name,list_price|"ID","Name","Sales price")\r\n1,/),
    });
});

describe('tool calls', () => {
  const calls = fences.flatMap(({ kind, content }) => {
    const [, name = '', json = ''] = /^text (\w+) (\{.*\})$/.exec(kind) ?? [];
    return name === '' ? [] : [{ name, given: JSON.parse(json), content }];
  });

  test('are found in the docs', () => {
    expect(calls.length).toBeGreaterThan(1);
  });

  test.each(calls)('$name $given', async ({ name, given, content }) => {
    const { text } = await callTool({ port: server.port, key }, name, given);
    expect(text).toBe(content);
  });

  test('the program with the official client works', async () => {
    const program = fences.find(({ path, kind }) => path === 'docs/mcp.md' && kind === 'ts')?.content ?? '';
    symlinkSync(fileURLToPath(new URL('../../node_modules', import.meta.url)), join(folder.path, 'node_modules'));
    const file = join(folder.path, 'program.ts');
    writeFileSync(file, program);
    const { totalOf } = await import(pathToFileURL(file).href);
    const url = `http://127.0.0.1:${server.port}/mcp`;
    expect(await totalOf(url, key, 'name*chair&list_price<100')).toMatchObject({ total: 107 });
    await expect(totalOf(url, key, 'nam*chair')).rejects.toThrow(/Did you mean name\?/);
  });
});

describe('filters', () => {
  const paths: Readonly<Record<string, string>> = {
    product: 'inventory/product',
    partner: 'resources/partner',
    company: 'resources/company',
  };
  const filters = fences
    .filter(({ kind }) => kind.startsWith('filter '))
    .flatMap(({ path, kind, content }) =>
      content.split('\n').map((filter) => ({ path, resource: kind.split(' ')[1] ?? '', filter })),
    );

  test('are found in the docs', () => {
    expect(filters.length).toBeGreaterThan(25);
  });

  test.each(filters)('$path: $resource $filter', async ({ resource, filter }) => {
    const reply = await send(server.port, {
      path: `/api/v1/${paths[resource]}?filter=${encodeURIComponent(filter)}`,
      headers: { authorization: `Bearer ${key}` },
    });
    expect(reply).toRespond(200);
  });
});
