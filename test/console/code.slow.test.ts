/** The code that the console shows does what the view does, whatever is in the filter: it is run, in every language. */

import { spawn, spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { text as readText } from 'node:stream/consumers';
import { pathToFileURL } from 'node:url';
import fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import { type ApiRequest, requestOf, type Scope } from '../../console/src/code/api-request.ts';
import { type LanguageName, languages } from '../../console/src/code/languages.ts';
import { facetOf, groupsQuery } from '../../console/src/groups/grouping.ts';
import { newView, type View } from '../../console/src/view/view.ts';
import { product } from '../../src/catalog/product.ts';
import { valueTypes } from '../../src/catalog/value-types.ts';
import { Stockbook } from '../../src/client/index.ts';
import { printFilter, quote } from '../../src/filter/print.ts';
import { filterOf } from '../support/arbitraries.ts';
import { CLIENT } from '../support/bundle.ts';
import { sqlite } from '../support/engines.ts';
import type { RecordValues } from '../support/fixture.ts';
import { uniqueName } from '../support/random.ts';
import { accountWith } from '../support/service.ts';
import { sharedFolder, sharedService } from '../support/shared.ts';

/** Names that mean something to a shell, to URLs, to a language, or to whoever reads the code. */
const NAMES = [
  ...valueTypes.text.examples.map(String).filter((text) => text.trim() !== ''),
  ...[
    "it's",
    '$KEY',
    '`id`',
    '$(id)',
    '\\',
    "\\'",
    '"; id; "',
    '!!',
    '#{x}',
    '{x}',
    '%41',
    '@/etc/passwd',
    '-d x',
    '\n',
  ],
  ...[
    'a\u202eb',
    'a\u200bb',
    '\u{e0041}',
    '\r\n\r\n',
    '</script>',
    "'''",
    '"""',
    '$' + '{x}',
    '\\u0041',
    '&page=2',
    '?',
    '#',
  ],
];

const records: readonly RecordValues[] = NAMES.filter((name) => name.trim() !== '').map((name, index) => ({
  id: index + 1,
  name,
  list_price: index / 4,
  qty_available: index % 3,
}));

let key: string;
let stockbook: Stockbook;
const folder = sharedFolder();
const service = sharedService(sqlite);
beforeAll(async () => {
  const { authorization } = await accountWith(service, product, records);
  key = authorization.replace('Bearer ', '');
  stockbook = new Stockbook({ url: `http://127.0.0.1:${service.port}`, key });
});

/** What a program has received: a page of records, all of them, or groups. */
type Received = readonly unknown[];

type Result = ApiRequest['result'];

/** Runs programs, and returns what each of them has received. */
type Runner = (programs: readonly string[], result: Result) => Promise<readonly Received[]>;

const SEPARATOR = '\u001e';

function received(body: string, result: Result): Received {
  if (result === 'all') return parseLines<unknown>(body);
  const { data } = JSON.parse(body);
  return result === 'page' ? data : Object.values<{ groups: Received }>(data.facets).flatMap(({ groups }) => groups);
}

/** JSON, one value per line. */
function parseLines<Value>(text: string): readonly Value[] {
  return text
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line));
}

/** The records in CSV, whose texts are quoted. */
function parseCsv(text: string): readonly unknown[] {
  const [names = [], ...rows] = (text.match(/(?:"(?:[^"]|"")*"|[^"\n])*\n/g) ?? []).map((line) =>
    [...line.matchAll(/("(?:[^"]|"")*"|[^,\r]*)(?:,|\r\n)/g)].map(([, cell = '']) => cell),
  );
  const readCell = (cell: string) =>
    cell.startsWith('"') ? cell.slice(1, -1).replaceAll('""', '"') : JSON.parse(cell || 'null');
  return rows.map((cells) => Object.fromEntries(cells.map((cell, index) => [names[index], readCell(cell)])));
}

const runners: Readonly<Record<LanguageName, Runner>> = {
  async curl(programs, result) {
    const script = programs.map((program) => `${program} -sSf\nprintf '\\036'\n`).join('');
    const stdout = await outputOf('sh', ['-e'], script);
    return stdout
      .split(SEPARATOR)
      .slice(0, -1)
      .map((body) => received(body, result));
  },
  url: (programs, result) =>
    Promise.all(
      programs.map(async (url) => {
        const response = await fetch(url, { headers: { authorization: `Bearer ${key}` } });
        const body = await response.text();
        return result === 'all' ? parseCsv(body) : received(body, result);
      }),
    ),
  async typescript(programs, result) {
    const modules = programs.map((program) => {
      const path = join(folder.path, `${uniqueName('program-')}.mts`);
      writeFileSync(path, program.replace("'@stockbook/client'", JSON.stringify(pathToFileURL(CLIENT).href)));
      return pathToFileURL(path).href;
    });
    const runner = `
import { json } from 'node:stream/consumers';
for (const module of await json(process.stdin)) {
  const printed = [];
  console.log = (...values) => printed.push(values);
  await import(module);
  process.stdout.write(JSON.stringify(${result === 'all' ? 'printed.flat()' : 'printed[0][1]'}) + '\\n');
}
`;
    const args = ['--input-type=module', '--eval', runner];
    return parseLines(await outputOf(process.execPath, args, JSON.stringify(modules)));
  },
  async python(programs, result) {
    const runner = `
import json, sys
for program in json.load(sys.stdin):
    printed = []
    exec(compile(program, "program", "exec"), {"print": printed.append})
    sys.stdout.write(json.dumps(printed[${result === 'all' ? 0 : 1}:]) + "\\n")
`;
    return parseLines(await outputOf('python3', ['-c', runner], JSON.stringify(programs)));
  },
  async http(programs, result) {
    return Promise.all(programs.map(async (program) => received(await bodyOf(program.replace('$KEY', key)), result)));
  },
};

/** What a program prints, with the key in its environment. */
async function outputOf(command: string, args: readonly string[], input: string): Promise<string> {
  const child = spawn(command, args, { env: { ...process.env, KEY: key }, stdio: ['pipe', 'pipe', 'inherit'] });
  child.stdin.end(input);
  return readText(child.stdout);
}

/** Sends bytes, and returns the body of the response. */
async function bodyOf(request: string): Promise<string> {
  const socket = connect(service.port, '127.0.0.1');
  socket.write(request);
  const chunks: Buffer[] = [];
  for await (const chunk of socket) chunks.push(chunk);
  const [head = '', body = ''] = Buffer.concat(chunks)
    .toString('latin1')
    .split(/\r\n\r\n(.*)/s);
  expect(head).toMatch(/^HTTP\/1\.1 200 /);
  const whole = /^transfer-encoding: chunked$/im.test(head) ? withoutChunks(body) : body;
  return Buffer.from(whole, 'latin1').toString('utf8');
}

function withoutChunks(body: string): string {
  const [, size = '0', rest = ''] = /^([0-9a-f]+)\r\n(.*)$/is.exec(body) ?? [];
  const length = Number.parseInt(size, 16);
  return length === 0 ? '' : rest.slice(0, length) + withoutChunks(rest.slice(length + 2));
}

const hasPython = spawnSync('python3', ['--version']).status === 0;

const view: View = { ...newView(product), fields: ['id', 'name', 'list_price'], limit: 25 };

/** Every record by its name, and the first one in any case. */
const hostileFilters = records.map(({ name }) => `id=1 | name=${quote(String(name))}`);

/** Longer than a URL should be. */
const longFilter = `name[${records.map(({ name }) => quote(`${name}`)).join()}]|name="${'é'.repeat(900)}"`;

function request(filter: string, scope: Scope, change: Partial<View> = {}): ApiRequest {
  return requestOf({ ...view, ...change, filter }, `http://127.0.0.1:${service.port}`, scope);
}

/** By what was requested: all languages are to receive the same. */
const known = new Map<string, Promise<Received>>();

function expected(request: ApiRequest): Promise<Received> {
  const name = JSON.stringify(request);
  const reading = known.get(name) ?? read(request);
  known.set(name, reading);
  return reading;
}

async function read({ result, query }: ApiRequest): Promise<Received> {
  if (result === 'groups') {
    const { facets } = await stockbook.products.aggregate(Object(query));
    return Object.values<{ groups: Received }>(facets).flatMap(({ groups }) => groups);
  }
  const { filter, fields, sort, page, limit } = Object(query);
  const wanted = { filter, fields: ['id', 'name', 'list_price'] as const, sort: sort && (['-list_price'] as const) };
  expect(fields).toEqual(wanted.fields);
  if (result === 'page') return (await stockbook.products.list({ ...wanted, page, limit })).data;
  const all: unknown[] = [];
  for await (const record of stockbook.products.stream(wanted)) all.push(record);
  return all;
}

async function check(name: LanguageName, requests: readonly ApiRequest[], result: Result): Promise<void> {
  const programs = requests.map(languages[name].print);
  for (const program of programs) expect(program).not.toContain(key);
  const results = await runners[name](programs, result);
  expect(results).toHaveLength(requests.length);
  for (const [index, one] of requests.entries()) expect(results[index], programs[index]).toEqual(await expected(one));
}

describe.each(['curl', 'url', 'typescript', 'python', 'http'] as const)('the code in %s', (name) => {
  const isPossible = name !== 'python' || hasPython;

  test.runIf(isPossible)('reads the same page, whatever is in the filter', async () => {
    const sorted = { sort: [{ field: 'list_price', isDescending: true }], page: 2, limit: 25 };
    const requests = [
      ...hostileFilters.map((filter) => request(filter, 'page')),
      request('', 'page'),
      request('', 'page', sorted),
      request(longFilter, 'page', sorted),
    ];
    await check(name, requests, 'page');
  });

  test.runIf(isPossible)('does so for any filter', async () => {
    const generated = fc.sample(filterOf(product, records), { numRuns: 40, seed: 17 });
    await check(
      name,
      generated.map((filter) => request(printFilter(filter), 'page')),
      'page',
    );
  });

  test.runIf(isPossible)('reads everything', async () => {
    const filters = ['', 'list_price>3', longFilter, 'name="none of them"'];
    await check(
      name,
      filters.map((filter) => request(filter, 'all')),
      'all',
    );
  });

  test.runIf(isPossible)('reads the groups that are shown', async () => {
    const requests = [...hostileFilters.slice(0, 5), '', longFilter].flatMap((filter) => [
      request(filter, 'page', { group: 'qty_available:5' }),
      request(filter, 'all', { group: 'create_date:month', groupOrder: 'count' }),
    ]);
    for (const { result } of requests) expect(result).toBe('groups');
    await check(name, requests, 'groups');
  });
});

test('the code for groups asks for what the table shows', () => {
  const grouped: View = { ...view, q: 'oak', group: 'categ_id' };
  const facet = facetOf(product, 'categ_id');
  expect(requestOf(grouped, 'http://x', 'page').query).toEqual(facet && groupsQuery(grouped, facet));
});

test('invisible characters are escaped in the code', () => {
  const filter = 'name="a\u202eb\u2028c"';
  for (const name of ['typescript', 'python'] as const)
    expect(languages[name].print(requestOf({ ...view, filter }, 'http://x', 'page'))).not.toMatch(/[\u202e\u2028]/);
});
