/** The loop in docs/sync.md keeps a copy, as it claims. */

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { partner } from '../../src/catalog/partner.ts';
import { plainLoad } from '../../src/store/store.ts';
import { engines } from '../support/engines.ts';
import { NOW, type RecordValues, valuesOf } from '../support/fixture.ts';
import { makeFolder } from '../support/program.ts';
import { createPartner, PARTNERS } from '../support/rows.ts';
import { startService, type TestService } from '../support/service.ts';
import { fencesOf, readDocument } from './markdown.ts';

type DigestOf = (copy: ReadonlyMap<number, unknown>) => string;
type Follow = (url: string, key: string, copy: Map<number, unknown>, cursor?: string) => Promise<string>;

const folder = makeFolder();
afterAll(() => folder.remove());

async function documentedCode(): Promise<{ readonly follow: Follow; readonly digestOf: DigestOf }> {
  const [loop = '', digest = ''] = fencesOf(readDocument('docs/sync.md'))
    .filter(({ kind }) => kind === 'ts')
    .map(({ content }) => content);
  expect(loop.split('\n').length).toBeLessThanOrEqual(40);
  const path = join(folder.path, 'follow.ts');
  writeFileSync(path, `${digest}\n${loop}`);
  return import(pathToFileURL(path).href);
}

describe.each(engines)('on $name', (engine) => {
  let service: TestService;
  beforeAll(async () => {
    service = await startService(engine);
  });
  afterAll(() => service.close());

  test('the loop builds a copy, follows changes, and starts over when it has to', async () => {
    const { follow, digestOf } = await documentedCode();
    const url = `http://127.0.0.1:${service.port}${PARTNERS}`;
    const copy = new Map<number, unknown>();
    const list = async (): Promise<readonly RecordValues[]> =>
      Object((await service.send({ path: `${PARTNERS}?limit=1000` })).json).data;
    const check = async () => {
      expect([...copy.values()].toSorted((a, b) => Object(a).id - Object(b).id)).toEqual(await list());
      const digest = Object((await service.send({ path: `${PARTNERS}/digest` })).json).data;
      expect(digest).toMatchObject({ total: copy.size, sha256: digestOf(copy) });
    };
    const replace = async (rows: readonly RecordValues[]) => {
      const batches = async function* () {
        yield rows.map((values, index) => ({ line: index + 1, values: valuesOf(partner, values) }));
      };
      await service.store.records.load(service.acme.id, { ...plainLoad(partner, NOW), replace: true }, batches());
    };
    let cursor = await follow(url, service.key, copy);
    await check();
    await service.send(createPartner('New'));
    await replace((await list()).slice(1));
    const early = cursor;
    cursor = await follow(url, service.key, copy, cursor);
    await check();
    // What was removed is forgotten, so the early cursor expires.
    await service.store.records.prune('2026-03-02T00:00:00.000Z');
    copy.set(-1, { id: -1 });
    await follow(url, service.key, copy, early);
    await check();
  });
});
