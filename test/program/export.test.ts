/** `stockbook export`: the real program, to standard output and to files, which are either complete or absent. */

import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  existsSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { partner } from '../../src/catalog/partner.ts';
import { plainLoad, type Store } from '../../src/store/store.ts';
import { commands } from '../support/commands.ts';
import { openDatabase } from '../support/engines.ts';
import { addAccount, companies, fill, NOW, valuesOf } from '../support/fixture.ts';
import { start } from '../support/program.ts';
import { sharedFolder } from '../support/shared.ts';
import { rowsOf } from '../support/workbooks.ts';

const MANY = 20_000;

const folder = sharedFolder();
const options = { folder: folder.path };
let store: Store;
beforeAll(async () => {
  mkdirSync(join(folder.path, 'data'));
  store = await openDatabase(join(folder.path, 'data/stockbook.db'));
  await fill(store);
  await addAccount(store, 'empty');
  const { id } = await addAccount(store, 'large');
  const batches = async function* () {
    for (let from = 0; from < MANY; from += 5_000)
      yield Array.from({ length: 5_000 }, (_, n) => ({
        line: from + n,
        values: valuesOf(partner, { name: `Partner ${from + n}`, street: 'x'.repeat(200) }),
      }));
  };
  await store.records.load({ account: id }, plainLoad(partner, NOW), batches());
});
afterAll(() => store.close());

const exported = (...args: string[]) => commands.run(['export', ...args], options);
const inFolder = (name: string) => join(folder.path, name);
const read = (name: string) => readFileSync(inFolder(name), 'utf8');
/** Files with the same name and another extension after it, such as a partial one. */
const siblingsOf = (name: string) => readdirSync(folder.path).filter((other) => other.startsWith(`${name}.`));

describe.concurrent('to standard output', () => {
  const csv =
    'id,name,company_code,branch_user,create_date,write_date\r\n' +
    '1,"Northwind",,"1001",2026-01-01T00:00:00.000Z,2026-01-02T00:00:00.000Z\r\n' +
    '2,"Northwind Suomi","NW02","0042",2026-01-01T00:00:00.000Z,2026-01-02T00:00:00.000Z\r\n';
  const ndjson = companies.map((record) => `${JSON.stringify(record)}\n`).join('');
  const json = `[\n${companies.map((record) => JSON.stringify(record)).join(',\n')}\n]\n`;

  test.each([
    ['csv', csv],
    ['ndjson', ndjson],
    ['json', json],
  ])('%s on stdout, a summary on stderr', async (format, stdout) => {
    expect(await exported('acme', 'company', '--format', format)).toEqual({
      code: 0,
      stdout,
      stderr: 'Exported 2 companies of acme.\n',
    });
  });

  test('a workbook', async () => {
    expect(await exported('acme', 'company', '--fields', 'id,name,create_date', '--output', 'companies.xlsx')).toEqual({
      code: 0,
      stdout: '',
      stderr: 'Exported 2 companies of acme to companies.xlsx.\n',
    });
    expect(statSync(inFolder('companies.xlsx')).mode & 0o777).toBe(0o600);
    const rows = await rowsOf(readFileSync(inFolder('companies.xlsx')));
    expect(rows.map(({ cells }) => cells.map((cell) => Object.values(cell)[1]))).toEqual([
      ['ID', 'Name', 'Created (UTC)'],
      [1, 'Northwind', '2026-01-01'],
      [2, 'Northwind Suomi', '2026-01-01'],
    ]);
    expect(await exported('acme', 'company', '--format', 'xlsx', '--excel-safe')).toMatchObject({ code: 2 });
  });

  test('the default format is ndjson', async () => {
    expect((await exported('acme', 'company')).stdout).toBe(ndjson);
  });

  test.each([
    ['csv', 'id,name,company_code,branch_user,create_date,write_date\r\n'],
    ['ndjson', ''],
    ['json', '[]\n'],
  ])('%s without records', async (format, stdout) => {
    expect(await exported('empty', 'company', '--format', format)).toEqual({
      code: 0,
      stdout,
      stderr: 'Exported 0 companies of empty.\n',
    });
  });

  test('filter, fields and sort are those of the API', async () => {
    const flags = [
      '--filter',
      'active=true&(name*oak|list_price>100)',
      '--fields',
      'name, id',
      '--sort',
      '-list_price,name',
    ];
    expect(await exported('acme', 'product', ...flags, '--format', 'csv')).toMatchObject({
      code: 0,
      stdout: 'name,id\r\n"Steel Desk",2\r\n"Screen 24"" (small), [new]",11\r\n"null",10\r\n"Oak Chair",1\r\n',
      stderr: 'Exported 4 products of acme.\n',
    });
  });

  test('an empty option counts as absent, as in the API', async () => {
    expect(await exported('acme', 'company', '--filter', '', '--fields', '', '--sort', '')).toMatchObject({
      code: 0,
      stdout: ndjson,
    });
  });

  test('--excel-safe adds a byte order mark, names columns by their labels, and escapes what looks like a formula', async () => {
    const { id } = await addAccount(store, 'formulas');
    const rows = async function* () {
      yield ['=1+1', '+1', 'plain'].map((name, line) => ({ line, values: valuesOf(partner, { name }) }));
    };
    await store.records.load({ account: id }, plainLoad(partner, NOW), rows());
    const flags = ['--format', 'csv', '--fields', 'name'];
    expect((await exported('formulas', 'partner', ...flags, '--excel-safe')).stdout).toBe(
      '\ufeff"Name"\r\n"\'=1+1"\r\n"\'+1"\r\n"plain"\r\n',
    );
    expect((await exported('formulas', 'partner', ...flags)).stdout).toBe('name\r\n"=1+1"\r\n"+1"\r\n"plain"\r\n');
  });

  test('ends quietly when its reader has seen enough', async () => {
    const program = start(['export', 'large', 'partner'], options);
    await once(program.child.stdout ?? program.child, 'data');
    program.child.stdout?.destroy();
    const { code, stderr } = await program.finished;
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  });

  test.skipIf(!existsSync('/dev/full'))('a full disk is an error, not the end of the records', async () => {
    const program = fileURLToPath(new URL('../../bin/stockbook.js', import.meta.url));
    const child = spawn(process.execPath, [program, 'export', 'large', 'partner'], {
      cwd: folder.path,
      stdio: ['ignore', openSync('/dev/full', 'w'), 'pipe'],
    });
    let stderr = '';
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      stderr += text;
    });
    const [code] = await once(child, 'close');
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining('ENOSPC') });
    expect(stderr).not.toMatch(/\n {4}at /);
  });
});

describe.concurrent('to a file', () => {
  test.each([
    ['out.csv', /^id,name,company_code/],
    ['out.jsonl', /^\{"id":1,/],
    ['out.json', /^\[\n\{"id":1,.*\},\n\{"id":2,.*\}\n\]\n$/],
  ])('%s: the format is inferred from the extension', async (name, content) => {
    expect(await exported('acme', 'company', '--output', name)).toEqual({
      code: 0,
      stdout: '',
      stderr: `Exported 2 companies of acme to ${name}.\n`,
    });
    expect(read(name)).toMatch(content);
    expect(siblingsOf(name)).toEqual([]);
  });

  test.each(['out.txt', 'out.ods', 'out', 'out.gz'])(
    '%s: the extension names no format, so --format is required',
    async (name) => {
      expect(await exported('acme', 'company', '--output', name)).toMatchObject({
        code: 2,
        stderr: expect.stringContaining(`The format of ${name} cannot be inferred from its extension.`),
      });
    },
  );

  test('--format overrides the extension', async () => {
    await exported('acme', 'company', '--output', 'data.out.json', '--format', 'csv');
    expect(read('data.out.json')).toMatch(/^id,name/);
  });

  test.each(['compressed.csv.gz', 'compressed.json.gz', 'COMPRESSED.CSV.GZ'])(
    '%s is compressed, and imports again unchanged',
    async (name) => {
      await exported('acme', 'company', '--output', name);
      expect(gunzipSync(readFileSync(inFolder(name))).toString('utf8')).toMatch(/Northwind Suomi/);
      expect((await commands.run(['import', 'acme', 'company', name], options)).stdout).toBe(
        'Imported 2 companies into acme: 0 created, 0 updated, 2 unchanged, 0 removed, 0 rejected.\n',
      );
    },
  );

  test('a link in the place of the temporary file is not followed', async () => {
    writeFileSync(inFolder('precious.txt'), 'precious');
    symlinkSync(inFolder('precious.txt'), inFolder('linked.csv.partial'));
    expect((await exported('acme', 'company', '--output', 'linked.csv')).code).toBe(0);
    expect(read('precious.txt')).toBe('precious');
    expect(read('linked.csv')).toMatch(/^id,name/);
  });

  test('a file that cannot be written is reported, and nothing is left behind', async () => {
    for (const [name, reason] of [
      ['no-folder/out.csv', 'no such file or directory (ENOENT)'],
      ['data', 'illegal operation on a directory (EISDIR)'],
    ] as const)
      expect(await exported('acme', 'company', '--output', name)).toEqual({
        code: 1,
        stdout: '',
        stderr: `stockbook: ${name} cannot be written: ${reason}.\n`,
      });
    expect(siblingsOf('data').filter((name) => name.includes('partial'))).toEqual([]);
    expect(statSync(inFolder('data')).isDirectory()).toBe(true);
  });

  test('a pipe is written to, not replaced', async () => {
    execFileSync('mkfifo', [inFolder('pipe.csv')]);
    const reader = spawn('cat', [inFolder('pipe.csv')]);
    let text = '';
    reader.stdout.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk;
    });
    const ended = once(reader, 'close');
    try {
      expect((await exported('acme', 'company', '--output', 'pipe.csv')).code).toBe(0);
      expect(lstatSync(inFolder('pipe.csv')).isFIFO()).toBe(true);
      await ended;
      expect(text).toMatch(/^id,name,.*\r\n1,.*\r\n2,.*\r\n$/);
    } finally {
      reader.kill();
    }
  });
});

// One at a time, so that the program is observed closely.
describe('an existing file', () => {
  test('is replaced once the new one is complete', async () => {
    const before = 'as it was before\n';
    writeFileSync(inFolder('atomic.json'), before);
    const program = start(['export', 'large', 'partner', '--output', 'atomic.json'], options);
    const sizes = new Set<number>();
    const isFinished = () => {
      sizes.add(statSync(inFolder('atomic.json')).size);
      return program.child.exitCode !== null;
    };
    await expect.poll(isFinished, { interval: 1 }).toBe(true);
    expect(await program.finished).toEqual({
      code: 0,
      stdout: '',
      stderr: 'Exported 20,000 partners of large to atomic.json.\n',
    });
    const complete = readFileSync(inFolder('atomic.json'));
    expect(JSON.parse(complete.toString('utf8'))).toHaveLength(MANY);
    expect([...sizes].filter((size) => size !== before.length && size !== complete.length)).toEqual([]);
    expect(siblingsOf('atomic.json')).toEqual([]);
  });

  test.each(['SIGINT', 'SIGTERM'] as const)('survives %s, and no partial file remains', async (signal) => {
    const name = `${signal}.csv`;
    writeFileSync(inFolder(name), 'as it was before\n');
    const program = start(['export', 'large', 'partner', '--output', name], options);
    await expect.poll(() => siblingsOf(name), { interval: 1 }).toEqual([`${name}.partial`]);
    program.child.kill(signal);
    expect(await program.finished).toEqual({
      code: signal === 'SIGINT' ? 130 : 143,
      stdout: '',
      stderr: 'stockbook: Interrupted.\n',
    });
    expect(read(name)).toBe('as it was before\n');
    expect(siblingsOf(name)).toEqual([]);
  });
});

describe.concurrent('errors are reported in one helpful line', () => {
  test.each([
    [['acme', 'product', '--filter', 'nmae=x'], 2, "--filter: product has no field 'nmae'. Did you mean name?"],
    [
      ['acme', 'product', '--filter', 'list_price>cheap'],
      2,
      "--filter: list_price must be a number in decimal notation, not 'cheap'.",
    ],
    [['acme', 'product', '--fields', 'id,nmae'], 2, "--fields: product has no field 'nmae'. Did you mean name?"],
    [['acme', 'product', '--sort', '-nmae'], 2, "--sort: product has no field 'nmae'. Did you mean name?"],
    [['acme', 'product', '--format', 'xml'], 2, '--format must be one of csv, xlsx, ndjson, json, not "xml".'],
    [['acme', 'product', '--excel-safe'], 2, '--excel-safe requires CSV: add --format csv.'],
    [['acme', 'product', '--excel-safe', '--output', 'x.ndjson'], 2, '--excel-safe requires CSV'],
    [['acme', 'prodct'], 2, 'There is no resource prodct. Did you mean product?'],
    [['acme', 'product', '--fitler', 'id=1'], 2, '(Did you mean --filter?)'],
    [['acne', 'product', '--output', 'never.csv'], 1, 'There is no account acne. Did you mean acme?'],
  ])('%j: exit code %i', async (args, code, message) => {
    const finished = await exported(...args);
    expect(finished).toEqual({ code, stdout: '', stderr: expect.stringContaining(message) });
    expect(finished.stderr).not.toMatch(/\n {4}at /);
    expect(existsSync(inFolder('never.csv'))).toBe(false);
  });

  test('--help lists every flag', async () => {
    const { code, stdout } = await exported('--help');
    expect(code).toBe(0);
    for (const flag of ['--filter', '--fields', '--sort', '--format', '--output', '--excel-safe', '--database'])
      expect(stdout).toContain(flag);
  });
});
