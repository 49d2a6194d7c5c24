/**
 * CONTRIBUTING.md in practice: its examples are applied to a copy of the repository, which then passes its checks and tests, and
 * serves databases that the program as it is has filled.
 */

import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { SCHEMA_VERSION } from '../../src/store/migrations/schema-version.ts';
import { fencesOf, readDocument } from '../docs/markdown.ts';
import { copyModules, ROOT, shellIn } from '../support/checkout.ts';
import { engines, type TestDatabase } from '../support/engines.ts';
import { type Finished, run, type Serving, serve } from '../support/program.ts';
import { sendUnchecked } from '../support/service.ts';
import { sharedFolder } from '../support/shared.ts';

const PRODUCTS = '/api/v1/inventory/product';
const WAREHOUSES = '/api/v1/inventory/warehouse';

const folder = sharedFolder();
const copy = join(folder.path, 'stockbook');

/** What is not in the repository, and what the layer rules do not accept as a link. */
const NOT_COPIED = ['node_modules', '.git', 'dist', 'data', 'coverage'];

const VITEST = 'npx vitest run ';

/** The tests that CONTRIBUTING.md says to run. */
const documentedTests: string[] = [];

/** In milliseconds, on a machine that is busy with something else. */
const SLOWEST = 1_200_000;

beforeAll(() => {
  cpSync(ROOT, copy, { recursive: true, filter: (path) => !NOT_COPIED.includes(relative(ROOT, path)) });
  copyModules(copy);
  const { path, text } = readDocument('CONTRIBUTING.md');
  const additions = fencesOf({ path, text: text.slice(text.indexOf('## Adding a field')) });
  const commands = additions.flatMap(({ kind, content }) => (kind === 'sh' ? content.split('\n') : []));
  expect(commands).toContain('npm run generate');
  for (const { kind, content } of additions) {
    const [language, target = ''] = kind.split(' ');
    if (language === 'ts') writeFileSync(join(copy, target), `${content}\n`);
    if (language === 'diff') patch(join(copy, target), content);
    if (language !== 'sh') continue;
    // A migration is written from what there is at the time. Anything else has the same result if it runs once, at the end.
    for (const command of content.split('\n')) if (command.startsWith('npm run migration')) shell(command);
  }
  const others = new Set(commands.filter((command) => !command.startsWith('npm run migration')));
  // Vitest takes long to start, so all tests run together, below.
  for (const command of others)
    if (command.startsWith(VITEST)) documentedTests.push(command.slice(VITEST.length));
    else shell(command);
}, SLOWEST);

/** Lines that start with a space are context, lines with a minus go, lines with a plus come. */
function patch(path: string, diff: string): void {
  const lines = diff.split('\n');
  const side = (marks: string) =>
    lines
      .filter((line) => marks.includes(line.charAt(0)))
      .map((line) => line.slice(1))
      .join('\n');
  const before = readFileSync(path, 'utf8');
  expect({ path, parts: before.split(side(' -')).length }).toEqual({ path, parts: 2 });
  writeFileSync(
    path,
    before.replace(side(' -'), () => side(' +')),
  );
}

const shell = (command: string) => shellIn(copy, command);

test('the client gets the new resource, with its fields and their types', () => {
  const records = readFileSync(join(copy, 'src/client/generated/records.ts'), 'utf8');
  expect(records).toContain('readonly weight: number;');
  expect(records).toContain('readonly opened_on: string | null;');
  expect(readFileSync(join(copy, 'src/client/generated/stockbook.ts'), 'utf8')).toContain('readonly warehouses: ');
});

test('the additions pass npm run check', () => shell('npm run check'), SLOWEST);

test(
  'the tests of everything that derives from a table pass, on both engines',
  () => {
    const files = [
      ...['test/catalog', 'test/filter', 'test/tools/client.test.ts', 'test/tools/migration.test.ts'],
      ...['test/docs/docs.test.ts', 'test/openapi/document.test.ts', 'test/properties/oracle.test.ts'],
      ...['test/console/condition-draft.test.ts', 'test/console/complete-filter.test.ts'],
    ];
    expect(documentedTests).not.toEqual([]);
    shell(`${VITEST}${[...documentedTests, ...files].join(' ')}`);
  },
  SLOWEST,
);

describe.each(engines)('on $name, a database of the program as it is', (engine) => {
  let database: TestDatabase;
  let server: Serving;
  let key: string;

  const program = join(copy, 'bin/stockbook.js');
  const env = () => ({ STOCKBOOK_DATABASE: database.url });
  const command = (args: readonly string[], input = ''): Promise<Finished> =>
    run(args, { folder: folder.path, program, env: env(), input });
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
    database = await engine.makeDatabase();
    const before = { folder: folder.path, env: env() };
    await run(['account', 'add', 'acme'], before);
    await run(['import', 'acme', 'product', '-', '--format', 'csv'], { ...before, input: 'name\nOak Chair\nTable\n' });
    await load('product', [
      'id,name,weight,barcode,description',
      '3,Desk,12.5,4006381333931,Solid oak; three drawers',
      '4,Lamp,0.8,4006381333948,Brushed steel',
    ]);
    await load('warehouse', ['name,code,opened_on', 'Airport,AIR,2026-01-31', 'Old Town,OLD,1998-07-01', 'Dock,,']);
    key = (await command(['key', 'add', 'acme', '--name', 'test'])).stdout.trim();
    server = await serve([], { folder: folder.path, program, env: env() });
  });
  afterAll(async () => {
    server.child.kill();
    await server.finished;
    await database.drop();
  });

  test('is upgraded once, which the audit trail says', async () => {
    const { stdout } = await command(['audit', '--action', 'database upgraded', '--json']);
    const entries = stdout.trim().split('\n');
    expect(entries).toHaveLength(1);
    expect(JSON.parse(entries[0] ?? '')).toMatchObject({
      action: 'database upgraded',
      account: null,
      details: { from: SCHEMA_VERSION, to: SCHEMA_VERSION + 3 },
    });
  });

  test('has the new fields, with their defaults in existing records', async () => {
    const { json } = await get(PRODUCTS, { fields: 'id,weight,barcode,description', filter: 'id<3' });
    expect(json.data).toEqual([1, 2].map((id) => ({ id, weight: 0, barcode: null, description: null })));
  });

  test('finds records by the new fields', async () => {
    expect(await idsOf(PRODUCTS, { filter: 'weight>1' })).toEqual([3]);
    expect(await idsOf(PRODUCTS, { filter: 'barcode=4006381333948' })).toEqual([4]);
    expect(await idsOf(PRODUCTS, { filter: 'barcode=null' })).toEqual([1, 2]);
    expect(await idsOf(PRODUCTS, { filter: 'description*DRAWERS' })).toEqual([3]);
    expect(await idsOf(PRODUCTS, { filter: 'name*lamp' })).toEqual([4]);
    expect(await idsOf(PRODUCTS, { filter: 'name*chair' })).toEqual([1]);
    expect(await idsOf(PRODUCTS, { filter: 'weight>0', sort: '-weight' })).toEqual([3, 4]);
  });

  test('finds records with the new operator and its complement', async () => {
    expect(await idsOf(PRODUCTS, { filter: 'name^OAK' })).toEqual([1]);
    expect(await idsOf(PRODUCTS, { filter: 'name^chair' })).toEqual([]);
    expect(await idsOf(PRODUCTS, { filter: 'name!^oak' })).toEqual([2, 3, 4]);
    expect(await idsOf(PRODUCTS, { filter: 'description!^solid' })).toEqual([1, 2, 4]);
    expect(await get(PRODUCTS, { filter: 'weight^1' })).toMatchObject({ status: 400 });
  });

  test('serves the new resource', async () => {
    expect(await idsOf(WAREHOUSES, { filter: 'name*port' })).toEqual([1]);
    expect(await idsOf(WAREHOUSES, { filter: 'code=OLD' })).toEqual([2]);
    const { status, json } = await sendUnchecked(server.port, {
      method: 'POST',
      path: WAREHOUSES,
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: '{"name":"Harbour","code":"H"}',
    });
    expect({ status, json }).toEqual({ status: 201, json: { data: { id: 4 } } });
    expect((await get(`${WAREHOUSES}/4`)).json.data).toMatchObject({ name: 'Harbour', code: 'H', opened_on: null });
  });

  test('serves the new endpoint', async () => {
    expect(await get('/api/v1/scopes')).toEqual({ status: 200, json: { data: ['read', 'write'] } });
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
