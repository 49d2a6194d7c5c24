/** The examples in docs/writing.md, one after the other: each finds what the ones before have written. */

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { aboveStore } from '../support/above-store.ts';
import { commands } from '../support/commands.ts';
import { type Serving, serve } from '../support/program.ts';
import { bodyOf, PARTNERS } from '../support/rows.ts';
import { send } from '../support/service.ts';
import { sharedFolder, sharedService } from '../support/shared.ts';
import { readCurl } from './curl.ts';
import { fencesOf, readDocument, WRITING } from './markdown.ts';

const fences = fencesOf(readDocument(WRITING));
const folder = sharedFolder();

describe('the commands', () => {
  let server: Serving;
  beforeAll(async () => {
    server = await serve(['--demo'], { folder: folder.path });
  });
  afterAll(async () => {
    server.child.kill('SIGTERM');
    await server.finished;
  });

  const files = Object.fromEntries(
    fences.flatMap(({ kind, content }) => {
      const [, name] = /^csv (\S+)$/.exec(kind) ?? [];
      return name === undefined ? [] : [[name, `${content}\n`]];
    }),
  );
  const variables: Record<string, string> = {};
  const examples = fences.flatMap(({ kind, content }, index) => {
    const after = fences[index + 1];
    const expected = after?.kind === 'json' ? after.content : undefined;
    return kind === 'sh' ? [{ content, expected }] : [];
  });

  test('are found', () => {
    expect(examples.length).toBeGreaterThan(10);
  });

  test.each(examples)('do what it says: $content', async ({ content, expected }) => {
    const [, command] = /^npx stockbook (.*)$/.exec(content) ?? [];
    if (command !== undefined) {
      const words = [...command.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, bare]) => quoted ?? bare ?? '');
      variables['KEY'] = (await commands.run(words, { folder: folder.path })).stdout.trim();
      expect(variables['KEY']).toMatch(/^sbk_\w+$/);
      return;
    }
    const { url, ...request } = readCurl(content, variables, files);
    expect(url.host).toBe('127.0.0.1:8080');
    if (expected === undefined) {
      expect(await send(server.port, request)).toMatchObject({ status: 204, text: '' });
      return;
    }
    const json = JSON.parse(expected, (_, value) => (value === '…' ? expect.anything() : value));
    const isImport = url.pathname.startsWith('/api/v1/imports/');
    if (isImport) await expect.poll(async () => stateOf(await send(server.port, request))).not.toBe('running');
    const reply = await send(server.port, request);
    expect(reply.json).toEqual(json);
    if (reply.status === 202) variables['IMPORT'] = bodyOf(reply).data.id;
  });
});

function stateOf({ json }: { readonly json: unknown }): unknown {
  return Object(json).data?.state;
}

interface CopiedAccount {
  readonly url: string;
  readonly key: string;
}

type CopyChanges = (path: string, from: CopiedAccount, to: CopiedAccount, source: string) => Promise<void>;

async function documentedCopy(): Promise<CopyChanges> {
  const path = join(folder.path, 'copy.ts');
  writeFileSync(path, fences.find(({ kind }) => kind === 'ts')?.content ?? '');
  return (await import(pathToFileURL(path).href)).copyChanges;
}

describe.each(aboveStore)('on $name', (engine) => {
  const service = sharedService(engine);

  test('the program keeps a copy, and starts over when it has to', async () => {
    const copyChanges = await documentedCopy();
    const url = `http://127.0.0.1:${service.port}`;
    const keyOf = (account: typeof service.acme) => service.issue(account, { scopes: ['read', 'edit'] });
    const [from, to] = [
      { url, key: await keyOf(service.acme) },
      { url, key: await keyOf(service.globex) },
    ];
    const headers = ({ key }: CopiedAccount) => ({ authorization: `Bearer ${key}` });
    const digestOf = async (account: CopiedAccount) =>
      bodyOf(await service.send({ path: `${PARTNERS}/digest`, headers: headers(account) })).data;
    const copy = async () => {
      await copyChanges(PARTNERS, from, to, 'acme');
      const { total, sha256 } = await digestOf(from);
      expect(await digestOf(to)).toMatchObject({ total, sha256 });
    };
    const removeAny = async (account: CopiedAccount) => {
      const { data } = Object((await service.send({ path: `${PARTNERS}?limit=1`, headers: headers(account) })).json);
      const path = `${PARTNERS}/${data[0].id}`;
      expect(await service.send({ method: 'DELETE', path, headers: headers(account) })).toRespond(204);
    };
    // What the account had before is not part of the copy.
    const everything = bodyOf(await service.send({ path: `${PARTNERS}?limit=1000`, headers: headers(to) })).data;
    for (const _ of everything) await removeAny(to);
    await copy();
    await removeAny(from);
    await copy();
    await copy();
    // What was removed is forgotten, so the cursor expires.
    await removeAny(from);
    await service.store.records.prune('2100-01-01T00:00:00.000Z');
    await copy();
  });
});
