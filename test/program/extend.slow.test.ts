/**
 * CONTRIBUTING.md in practice: its examples are applied to a copy of the program, which then serves new databases and
 * databases that the program as it is has filled.
 */

import { spawnSync } from 'node:child_process';
import { cpSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { fencesOf, readDocument } from '../docs/markdown.ts';
import { engines, type TestDatabase, type TestEngine } from '../support/engines.ts';
import { type Finished, makeFolder, run, type Serving, serve } from '../support/program.ts';
import { sendUnchecked } from '../support/service.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const PRODUCTS = '/api/v1/inventory/product';
const WAREHOUSES = '/api/v1/inventory/warehouse';

const folder = makeFolder();
const copy = join(folder.path, 'stockbook');

beforeAll(() => {
  for (const part of ['bin', 'src', 'tools', 'package.json', 'tsconfig.json'])
    cpSync(join(ROOT, part), join(copy, part), { recursive: true });
  symlinkSync(join(ROOT, 'node_modules'), join(copy, 'node_modules'));
  for (const { kind, content } of fencesOf(readDocument('CONTRIBUTING.md'))) {
    const [language, target = ''] = kind.split(' ');
    if (language === 'ts') writeFileSync(join(copy, target), `${content}\n`);
    if (language === 'diff') patch(join(copy, target), content);
    if (kind === 'sh migration') shell(content);
  }
});
afterAll(() => folder.remove());

/** Lines that start with a space are context, lines with a minus go, lines with a plus come. */
function patch(path: string, diff: string): void {
  const lines = diff.split('\n');
  const side = (marks: string) =>
    lines
      .filter((line) => marks.includes(line.charAt(0)))
      .map((line) => line.slice(1))
      .join('\n');
  const before = readFileSync(path, 'utf8');
  expect(before.split(side(' -'))).toHaveLength(2);
  writeFileSync(
    path,
    before.replace(side(' -'), () => side(' +')),
  );
}

function shell(command: string): void {
  const { status, stdout, stderr } = spawnSync('sh', ['-c', command], { cwd: copy, encoding: 'utf8' });
  expect({ status, stdout, stderr }).toMatchObject({ status: 0, stdout: expect.stringContaining('Wrote src/') });
}

test('the client gets the new resource, with its fields and their types', () => {
  const { status } = spawnSync(process.execPath, ['tools/client/client.ts'], { cwd: copy });
  expect(status).toBe(0);
  const records = readFileSync(join(copy, 'src/client/generated/records.ts'), 'utf8');
  expect(records).toContain('readonly weight: number;');
  expect(records).toContain('readonly opened_on: string | null;');
  expect(readFileSync(join(copy, 'src/client/generated/stockbook.ts'), 'utf8')).toContain('readonly warehouses: ');
});

test('the examples pass the type check', () => {
  const { stdout, status } = spawnSync(join(copy, 'node_modules/.bin/tsc'), ['--noEmit'], {
    cwd: copy,
    encoding: 'utf8',
  });
  expect({ stdout, status }).toEqual({ stdout: '', status: 0 });
});

describe.each(engines)('on $name', (engine) => {
  describe.each(['new', 'upgraded'] as const)('a database that is %s', (age) => {
    let database: TestDatabase;
    let server: Serving;
    let key: string;

    const program = join(copy, 'bin/stockbook.js');
    const command = (args: readonly string[], input = ''): Promise<Finished> =>
      run(args, { folder: folder.path, program, env: { STOCKBOOK_DATABASE: database.url }, input });
    const load = async (resource: string, rows: readonly string[], account = 'acme') => {
      const finished = await command(['import', account, resource, '-', '--format', 'csv'], rows.join('\n'));
      expect(finished).toMatchObject({ code: 0, stdout: expect.stringContaining(`${rows.length - 1} created`) });
    };
    const get = async (path: string, query: Readonly<Record<string, string>> = {}) => {
      const headers = { authorization: `Bearer ${key}` };
      const { status, json } = await sendUnchecked(server.port, {
        path: `${path}?${new URLSearchParams(query)}`,
        headers,
      });
      return { status, json: Object(json) };
    };
    const idsOf = async (path: string, query: Readonly<Record<string, string>>): Promise<readonly number[]> => {
      const { status, json } = await get(path, query);
      expect({ status, json }).toMatchObject({ status: 200 });
      return json.data.map(({ id }: { id: number }) => id);
    };

    beforeAll(async () => {
      database = await makeDatabase(engine, age);
      if (age === 'new') await command(['account', 'add', 'acme']);
      await load('product', [
        'id,name,weight,barcode,description',
        '3,Desk,12.5,4006381333931,Solid oak; three drawers',
        '4,Lamp,0.8,4006381333948,Brushed steel',
      ]);
      await load('warehouse', ['name,code,opened_on', 'Airport,AIR,2026-01-31', 'Old Town,OLD,1998-07-01', 'Dock,,']);
      key = (await command(['key', 'add', 'acme', '--name', 'test'])).stdout.trim();
      server = await serve([], { folder: folder.path, program, env: { STOCKBOOK_DATABASE: database.url } });
    });
    afterAll(async () => {
      server.child.kill();
      await server.finished;
      await database.drop();
    });

    test('has the new fields, with their defaults in existing records', async () => {
      const { json } = await get(PRODUCTS, { fields: 'id,weight,barcode,description', filter: 'id<3' });
      const defaults = { weight: 0, barcode: null, description: null };
      expect(json.data).toEqual(age === 'new' ? [] : [1, 2].map((id) => ({ id, ...defaults })));
    });

    test('finds records by the new fields', async () => {
      expect(await idsOf(PRODUCTS, { filter: 'weight>1' })).toEqual([3]);
      expect(await idsOf(PRODUCTS, { filter: 'barcode=4006381333948' })).toEqual([4]);
      expect(await idsOf(PRODUCTS, { filter: 'barcode=null' })).toEqual(age === 'new' ? [] : [1, 2]);
      expect(await idsOf(PRODUCTS, { filter: 'description*DRAWERS' })).toEqual([3]);
      expect(await idsOf(PRODUCTS, { filter: 'name*lamp' })).toEqual([4]);
      expect(await idsOf(PRODUCTS, { filter: 'name*chair' })).toEqual(age === 'new' ? [] : [1]);
      expect(await idsOf(PRODUCTS, { filter: 'weight>0', sort: '-weight' })).toEqual([3, 4]);
    });

    test('serves the new resource', async () => {
      expect(await idsOf(WAREHOUSES, { filter: 'name*port' })).toEqual([1]);
      expect(await idsOf(WAREHOUSES, { filter: 'code=OLD' })).toEqual([2]);
      const { status, json } = await sendUnchecked(server.port, {
        method: 'POST',
        path: WAREHOUSES,
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
        body: '{"name":"Harbour"}',
      });
      expect({ status, json }).toEqual({ status: 201, json: { data: { id: 4 } } });
      expect((await get(`${WAREHOUSES}/4`)).json.data).toMatchObject({ id: 4, name: 'Harbour', opened_on: null });
    });

    test('compares, sorts, exports and checks values of the new type', async () => {
      expect(await idsOf(WAREHOUSES, { filter: 'opened_on>=2026-01-31' })).toEqual([1]);
      expect(await idsOf(WAREHOUSES, { filter: 'opened_on<2026-01-31' })).toEqual([2]);
      expect(await idsOf(WAREHOUSES, { filter: 'opened_on=1998-07-01' })).toEqual([2]);
      expect(await idsOf(WAREHOUSES, { filter: 'opened_on!=null', sort: 'opened_on' })).toEqual([2, 1]);
      const exported = async (format: string) =>
        (
          await command([
            ...['export', 'acme', 'warehouse', '--format', format],
            ...['--fields', 'id,opened_on', '--filter', 'id<4'],
          ])
        ).stdout;
      expect(await exported('csv')).toBe('id,opened_on\r\n1,2026-01-31\r\n2,1998-07-01\r\n3,\r\n');
      expect(await exported('ndjson')).toBe(
        '{"id":1,"opened_on":"2026-01-31"}\n{"id":2,"opened_on":"1998-07-01"}\n{"id":3,"opened_on":null}\n',
      );
      expect(await get(WAREHOUSES, { filter: 'opened_on=2026-02-30' })).toMatchObject({
        status: 400,
        json: { detail: expect.stringContaining('opened_on must be a date such as 2026-01-31') },
      });
      expect(await get(WAREHOUSES, { filter: 'opened_on*2026' })).toMatchObject({
        status: 400,
        json: { code: 'operator_not_allowed' },
      });
    });

    test('removes an account with its new records', async () => {
      await command(['account', 'add', 'globex']);
      await load('warehouse', ['name', 'Globex Depot'], 'globex');
      expect(await database.count('warehouse', "name = 'Globex Depot'")).toBe(1);
      expect(await command(['account', 'remove', 'globex', '--yes'])).toMatchObject({ code: 0 });
      expect(await database.count('warehouse', "name = 'Globex Depot'")).toBe(0);
    });
  });
});

/** An upgraded database has an account with two products from before. */
async function makeDatabase(engine: TestEngine, age: 'new' | 'upgraded'): Promise<TestDatabase> {
  const database = await engine.makeDatabase();
  if (age === 'new') return database;
  const options = { folder: folder.path, env: { STOCKBOOK_DATABASE: database.url } };
  await run(['account', 'add', 'acme'], options);
  await run(['import', 'acme', 'product', '-', '--format', 'csv'], { ...options, input: 'name\nOak Chair\nTable\n' });
  return database;
}
