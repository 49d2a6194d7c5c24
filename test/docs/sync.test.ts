/** The loops in docs/sync.md keep a copy, as they claim. */

import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline/promises';
import { pathToFileURL } from 'node:url';
import { describe, expect, test } from 'vitest';
import { partner } from '../../src/catalog/partner.ts';
import { plainLoad } from '../../src/store/store.ts';
import { aboveStore } from '../support/above-store.ts';
import { NOW, type RecordValues, valuesOf } from '../support/fixture.ts';
import { bodyOf, createPartner, PARTNERS } from '../support/rows.ts';
import type { TestService } from '../support/service.ts';
import { sharedFolder, sharedService } from '../support/shared.ts';
import { fencesOf, readDocument } from './markdown.ts';

type DigestOf = (copy: ReadonlyMap<number, unknown>) => string;
type Follow = (url: string, key: string, copy: Map<number, unknown>, cursor?: string) => Promise<string>;

const folder = sharedFolder();

async function documentedCode(): Promise<{ readonly follow: Follow; readonly digestOf: DigestOf }> {
  const [loop = '', digest = ''] = fencesOf(readDocument('docs/sync.md'))
    .filter(({ kind }) => kind === 'ts')
    .map(({ content }) => content);
  expect(loop.split('\n').length).toBeLessThanOrEqual(40);
  const path = join(folder.path, 'follow.ts');
  writeFileSync(path, `${digest}\n${loop}`);
  return import(pathToFileURL(path).href);
}

/** A copy that is kept by the documented Python, in a process of its own. */
const PYTHON_COPY = `
import json, sys
copy, cursor = {}, None
for line in sys.stdin:
    url, key, since = json.loads(line)
    cursor = follow(url, key, copy, since or cursor)
    print(json.dumps([len(copy), digest_of(copy), cursor]), flush=True)
`;

const hasPython = spawnSync('python3', ['--version']).status === 0;

async function replacePartners({ store, acme }: TestService, rows: readonly RecordValues[]): Promise<void> {
  async function* batches() {
    yield rows.map((values, index) => ({ line: index + 1, values: valuesOf(partner, values) }));
  }
  await store.records.load({ account: acme.id }, { ...plainLoad(partner, NOW), replace: true }, batches());
}

describe.each(aboveStore)('on $name', (engine) => {
  const service = sharedService(engine);

  test('the loop builds a copy, follows changes, and starts over when it has to', async () => {
    const { follow, digestOf } = await documentedCode();
    const url = `http://127.0.0.1:${service.port}${PARTNERS}`;
    const copy = new Map<number, unknown>();
    const list = async (): Promise<readonly RecordValues[]> =>
      bodyOf(await service.send({ path: `${PARTNERS}?limit=1000` })).data;
    const check = async () => {
      expect([...copy.values()].toSorted((a, b) => Object(a).id - Object(b).id)).toEqual(await list());
      const digest = bodyOf(await service.send({ path: `${PARTNERS}/digest` })).data;
      expect(digest).toMatchObject({ total: copy.size, sha256: digestOf(copy) });
    };
    let cursor = await follow(url, service.key, copy);
    await check();
    await service.send(createPartner('New'));
    await replacePartners(service, (await list()).slice(1));
    const early = cursor;
    cursor = await follow(url, service.key, copy, cursor);
    await check();
    // What was removed is forgotten, so the early cursor expires.
    await service.store.records.prune('2026-03-02T00:00:00.000Z');
    copy.set(-1, { id: -1 });
    await follow(url, service.key, copy, early);
    await check();
  });

  test.runIf(hasPython)('so does the loop in Python', async () => {
    const [program = ''] = fencesOf(readDocument('docs/sync.md'))
      .filter(({ kind }) => kind === 'python')
      .map(({ content }) => content);
    const python = spawn('python3', ['-c', `${program}\n${PYTHON_COPY}`], { stdio: ['pipe', 'pipe', 'inherit'] });
    const lines = createInterface(python.stdout)[Symbol.asyncIterator]();
    const url = `http://127.0.0.1:${service.port}${PARTNERS}`;
    /** Follows the changes, compares the copy with the account, and returns the cursor. */
    const check = async (since = ''): Promise<string> => {
      python.stdin.write(`${JSON.stringify([url, service.key, since])}\n`);
      const [size, digest, cursor] = JSON.parse((await lines.next()).value ?? 'null');
      expect(bodyOf(await service.send({ path: `${PARTNERS}/digest` })).data).toMatchObject({
        total: size,
        sha256: digest,
      });
      return cursor;
    };
    try {
      const early = await check();
      await service.send(createPartner('Zoë "the" Baker\\ \u2028\t'));
      await check();
      const { data } = Object((await service.send({ path: `${PARTNERS}?limit=1000` })).json);
      await replacePartners(service, data.slice(1));
      await check();
      await service.store.records.prune('2026-03-02T00:00:00.000Z');
      await check(early);
    } finally {
      python.stdin.end();
      await once(python, 'close');
    }
  });
});
