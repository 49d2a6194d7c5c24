/** `stockbook import`: the real program, on real files, with everything that can happen to it on the way. */

import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { company } from '../../src/catalog/company.ts';
import { partner } from '../../src/catalog/partner.ts';
import { product } from '../../src/catalog/product.ts';
import type { Resource } from '../../src/catalog/resource.ts';
import { planList } from '../../src/plan/list.ts';
import type { Account, Store } from '../../src/store/store.ts';
import { engines, openDatabase, type TestDatabase } from '../support/engines.ts';
import { addAccount, listPage, load, planned, type RecordValues, recordsIn } from '../support/fixture.ts';
import { peakMemory } from '../support/peak-memory.ts';
import { makeFolder, type Running, run, serve, start } from '../support/program.ts';
import { PARTNERS } from '../support/rows.ts';
import { send } from '../support/service.ts';

const folder = makeFolder();
const options = { folder: folder.path };
/** The same database as the program's, to see what has become of it. */
let store: Store;
let account: Account;
let named = 0;
beforeAll(async () => {
  mkdirSync(join(folder.path, 'data'));
  store = await openDatabase(join(folder.path, 'data/stockbook.db'));
});
afterAll(async () => {
  await store.close();
  folder.remove();
});

const running: Running[] = [];
afterEach(async () => {
  for (const { child, finished } of running.splice(0)) {
    child.kill('SIGKILL');
    await finished;
  }
});

/** Another account for each test, so that they do not meet. */
const withAccount = async () => {
  named += 1;
  account = await addAccount(store, `acme-${named}`);
};
const inFolder = (name: string) => join(folder.path, name);
const file = (name: string, content: string | Uint8Array) => {
  writeFileSync(inFolder(name), content);
  return name;
};
const imported = (resource: Resource, name: string, ...flags: string[]) =>
  run(['import', account.name, resource.name, name, ...flags], options);

const listed = async (
  owner: Account,
  resource: Resource,
  values: Readonly<Record<string, string>> = {},
  of = store,
) => {
  const plan = planned(planList(resource, { values: { limit: '1000', ...values }, continuations: [] }));
  const page = await listPage(of, owner.id, plan);
  if (page === undefined) throw new Error('no such account');
  return { total: page.total, revision: page.revision, records: recordsIn(page.records) };
};
const rows = async (resource: Resource, fields = 'id,name') =>
  (await listed(account, resource, { fields })).records.map((record: RecordValues) => Object.values(record));

/** `2 created, 1 rejected`: what is not named is 0. */
const summary = (counts: string) =>
  ['created', 'updated', 'unchanged', 'removed', 'rejected']
    .map((what) => `${new RegExp(`([\\d,]+) ${what}`).exec(counts)?.[1] ?? '0'} ${what}`)
    .join(', ');
const succeeded = (counted: string, counts: string) => ({
  code: 0,
  stdout: `Imported ${counted} into ${account.name}: ${summary(counts)}.\n`,
  stderr: '',
});

describe('--map', () => {
  beforeAll(withAccount);

  test('renames columns, and passes over what is mapped to nothing', async () => {
    const csv = file('erp.csv', 'Item;Sales Price;Notes;a=b;default_code\r\nChair;9.5;old;1;C1\r\nDesk;20;;2;\r\n');
    const maps = [
      '--map',
      'Item=name',
      '--map',
      ' Sales Price = list_price ',
      '--map',
      'Notes=',
      '--map',
      'a=b=categ_id',
    ];
    expect(await imported(product, csv, ...maps)).toEqual(succeeded('2 products', '2 created'));
    expect(await rows(product, 'name,list_price,categ_id,default_code')).toEqual([
      ['Chair', 9.5, 1, 'C1'],
      ['Desk', 20, 2, null],
    ]);
  });

  test('works on the keys of objects, each of which may have others', async () => {
    const ndjson = file('erp.ndjson', '{"Item":"Lamp"}\n{"Item":"Rug","Price":3,"Junk":{"a":[1]}}\n');
    const maps = ['--map', 'Item=name', '--map', 'Price=list_price', '--map', 'Junk='];
    expect((await imported(product, ndjson, ...maps)).stdout).toContain(summary('2 created'));
    expect((await rows(product, 'name,list_price')).slice(2)).toEqual([
      ['Lamp', 0],
      ['Rug', 3],
    ]);
  });

  test.concurrent.each([
    [['--map', 'Price=lst_price'], 2, '--map: product has no field lst_price. Did you mean list_price?'],
    [['--map', 'Price'], 2, '--map is "Price"; it has to be COLUMN=FIELD, such as "Price=list_price".'],
    [['--map', 'Price=list_price', '--map', 'Price='], 2, '--map names the column "Price" twice.'],
    [
      ['--map', 'Prize=list_price', '--map', 'Price='],
      1,
      "names the column 'Prize', which the file does not have. Did you mean Price?",
    ],
    [['--map', 'Price=name'], 1, 'line 1, Price: the column is there twice'],
    [[], 1, 'line 1, Price: product has no such field; did you mean list_price?'],
  ])('%j: exit code %i, %s', async (flags, code, message) => {
    const { code: ended, stdout, stderr } = await imported(product, file('price.csv', 'name,Price\nX,1\n'), ...flags);
    expect({ code: ended, stdout, stderr }).toEqual({ code, stdout: '', stderr: expect.stringContaining(message) });
    if (code === 1) expect(stderr).toContain('Nothing was changed.');
    expect(stderr).not.toMatch(/\n {4}at /);
  });

  test('of a key that no object has is told, once the file is read', async () => {
    const ndjson = file('few.ndjson', '{"name":"A","Price":1}\n');
    const { code, stderr } = await imported(product, ndjson, '--map', 'Price=list_price', '--map', 'Notse=');
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining("'Notse'") });
  });
});

describe('--key', () => {
  beforeAll(withAccount);

  test('finds the records by that field', async () => {
    const night = (content: string) => imported(product, file('night.csv', content), '--key', 'default_code');
    expect(await night('default_code,name,list_price\nA,Chair,1\nB,Desk,2\n')).toEqual(
      succeeded('2 products', '2 created'),
    );
    expect(await night('default_code,name,list_price\nB,Desk,2\nA,Chair,10\nC,Lamp,3\n')).toEqual(
      succeeded('3 products', '1 created, 1 updated, 1 unchanged'),
    );
    expect(await rows(product, 'id,name,list_price')).toEqual([
      [1, 'Chair', 10],
      [2, 'Desk', 2],
      [3, 'Lamp', 3],
    ]);
  });

  test('takes no ids from the file, unless they are passed over', async () => {
    const csv = file('ids.csv', 'id,default_code,name\n77,A,Stool\n');
    expect(await imported(product, csv, '--key', 'default_code')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('line 1, id: rows are found by default_code; pass it over with --map "id="'),
    });
    expect(await imported(product, csv, '--key', 'default_code', '--map', 'id=')).toEqual(
      succeeded('1 product', '1 updated'),
    );
    expect((await rows(product))[0]).toEqual([1, 'Stool']);
  });

  test('wants a key in every row, each once', async () => {
    const told = (name: string, content: string) => imported(product, file(name, content), '--key', 'default_code');
    const [empty, repeated, absent] = await Promise.all([
      told('empty-key.csv', 'default_code,name\n,none\nX,one\n"",empty\nX,two\n'),
      told('same-key.csv', 'default_code,name\nX,one\n"",empty\nX,two\n'),
      told('no-key.csv', 'name\nA\n'),
    ]);
    expect(empty.stderr).toBe(
      'stockbook: 1 fault in the file:\nline 2, default_code: missing; rows are found by it\nRows without a fault were not compared with the records yet.\nNothing was changed.\n',
    );
    expect(repeated.stderr).toBe(
      'stockbook: 1 fault in the file:\nline 4, default_code: X is given twice, first in line 2\nNothing was changed.\n',
    );
    expect(absent.stderr).toContain('line 2, default_code: missing; rows are found by it');
  });

  test.concurrent.each([
    ['defualt_code', '--key: product has no field defualt_code. Did you mean default_code?'],
    ['active', '--key is active, a boolean: records are found by text or by an integer.'],
  ])('%s is used wrongly', async (key, message) => {
    expect(await imported(product, 'night.csv', '--key', key)).toMatchObject({
      code: 2,
      stdout: '',
      stderr: expect.stringContaining(message),
    });
  });
});

describe('--dry-run', () => {
  beforeAll(withAccount);

  test('says what would happen, and changes nothing', async () => {
    await load(store, account, company, [
      { id: 1, name: 'A', branch_user: '1' },
      { id: 2, name: 'B', branch_user: '2' },
      { id: 3, name: 'C', branch_user: '3' },
    ]);
    const before = await listed(account, company);
    const csv = file('dry.csv', 'id,name,branch_user\n1,A,1\n2,BB,2\n,D,4\n');
    for (const [flags, counts] of [
      [[], '1 created, 1 updated, 1 unchanged'],
      [['--replace'], '1 created, 1 updated, 1 unchanged, 1 removed'],
    ] as const)
      expect(await imported(company, csv, '--dry-run', ...flags)).toEqual({
        code: 0,
        stdout: `Would import 3 companies into ${account.name}: ${summary(counts)}. Nothing was changed.\n`,
        stderr: '',
      });
    expect(await listed(account, company)).toEqual(before);
  });

  test('leaves the file of --reject as it was', async () => {
    const rejects = file('kept.csv', 'precious\n');
    const csv = file('dry.csv', 'id,name,branch_user\n1,A,1\nx,Z,1\n');
    expect(await imported(company, csv, '--dry-run', '--reject', rejects)).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('1 rejected'),
    });
    expect(readFileSync(join(folder.path, rejects), 'utf8')).toBe('precious\n');
  });

  test('tells what is wrong as the import itself does', async () => {
    const csv = file('dry.csv', 'id,name,branch_user\n1,A,1\n9,Z,\n');
    expect(await imported(company, csv, '--dry-run')).toMatchObject({
      code: 1,
      stdout: '',
      stderr:
        'stockbook: 1 fault in the file:\nline 3, branch_user: missing; a new record needs it\nNothing was changed.\n',
    });
  });
});

describe('--reject', () => {
  beforeAll(withAccount);

  test('csv: the bad rows as they stood, under the same first line; mended, they are imported', async () => {
    const good = 'id;name;list_price;default_code\r\n';
    const csv = file(
      'mixed.csv',
      `\ufeff${good}1;Chair;9.5;C\r\n2;"Desk; ""large""\r\nwith a break";cheap;"D"\r\n3;Lamp\r\n4;"Rug"x;1;R\r\n5;Vase;2;V\r\n5;Vase again;2;W\r\n6;;1;\r\n`,
    );
    expect(await imported(product, csv, '--reject', 'rejected.csv')).toEqual({
      code: 0,
      stdout: `Imported 2 products into ${account.name}: ${summary('2 created, 5 rejected')}.\n`,
      stderr: [
        '5 faults in the file:',
        "line 3, list_price: 'cheap' is not a number in decimal notation",
        'line 5: the row has 2 cells, the first line names 4 columns',
        'line 6: after a closing quote there is x where ; was expected; inside quotes, a quote is written twice',
        'line 8, id: 5 is given twice, first in line 7',
        'line 9, name: missing; a new record needs it',
        '',
      ].join('\n'),
    });
    expect(readFileSync(inFolder('rejected.csv'), 'utf8')).toBe(
      [
        'id;name;list_price;default_code',
        '2;"Desk; ""large""\r\nwith a break";cheap;"D"',
        '3;Lamp',
        '4;"Rug"x;1;R',
        '5;Vase again;2;W',
        '6;;1;',
        '',
      ].join('\n'),
    );
    const mended = readFileSync(inFolder('rejected.csv'), 'utf8')
      .replace('cheap', '99')
      .replace('3;Lamp', '3;Lamp;;')
      .replace('"Rug"x', '"Rug x"')
      .replace('5;Vase again', '7;Vase again')
      .replace('6;;', '6;Six;');
    expect(await imported(product, file('mended.csv', mended), '--reject', 'rejected.csv')).toEqual(
      succeeded('5 products', '5 created'),
    );
    expect(await rows(product)).toEqual([
      [1, 'Chair'],
      [2, 'Desk; "large"\r\nwith a break'],
      [3, 'Lamp'],
      [4, 'Rug x'],
      [5, 'Vase'],
      [6, 'Six'],
      [7, 'Vase again'],
    ]);
    expect(existsSync(inFolder('rejected.csv'))).toBe(false);
  });

  test('ndjson: the lines themselves', async () => {
    await withAccount();
    const bad = ['{"name":"B",', '[1]', '{"name":5}', '{"nmae":"D"}', '{"nmae":"E"}', '{"email":"no name"}'];
    const ndjson = file('mixed.ndjson', `{"name":"A"}\n  ${bad.join('\r\n\n')}\n{"name":"Z"}`);
    const { code, stdout, stderr } = await imported(partner, ndjson, '--reject', 'rejected.ndjson');
    expect({ code, stdout }).toEqual({
      code: 0,
      stdout: `Imported 2 partners into ${account.name}: ${summary('2 created, 6 rejected')}.\n`,
    });
    expect(stderr).toMatch(/^line 2: this is not JSON: /m);
    expect(stderr).toContain("line 4: this is not a JSON object: '[1]'\nline 6, name: '5' is not a string\n");
    expect(stderr).toContain('line 8, nmae: partner has no such field; did you mean name? (--map');
    expect(readFileSync(inFolder('rejected.ndjson'), 'utf8')).toBe(`${bad.join('\n')}\n`);
    const mended = '{"name":"B"}\n{"name":"C"}\n{"name":"5"}\n{"name":"D"}\n{"name":"E"}\n{"name":"F"}\n';
    expect((await imported(partner, file('mended.ndjson', mended))).stdout).toContain(summary('6 created'));
    expect((await rows(partner)).map(([, name]) => name)).toEqual(['A', 'Z', 'B', 'C', '5', 'D', 'E', 'F']);
  });

  test('json: the elements, in an array of their own', async () => {
    await withAccount();
    const json = file(
      'mixed.json',
      '[\n {"name": "A"},\n {"name": 5,\n  "ref": "[,]"} , {"name":"B"}, 7,{"email":"x"}\n]',
    );
    const { code, stdout, stderr } = await imported(partner, json, '--reject', 'rejected.json');
    expect({ code, stdout }).toEqual({
      code: 0,
      stdout: `Imported 2 partners into ${account.name}: ${summary('2 created, 3 rejected')}.\n`,
    });
    expect(stderr).toBe(
      [
        '3 faults in the file:',
        "element 2, name: '5' is not a string",
        "element 4: this is not a JSON object: '7'",
        'element 5, name: missing; a new record needs it',
        '',
      ].join('\n'),
    );
    const rejected = readFileSync(inFolder('rejected.json'), 'utf8');
    expect(rejected).toBe('[\n{"name": 5,\n  "ref": "[,]"},\n7,\n{"email":"x"}\n]\n');
    const mended = rejected.replace('5', '"C"').replace('7', '{"name":"D"}').replace('"email"', '"name"');
    expect((await imported(partner, file('mended.json', mended))).stdout).toContain(summary('3 created'));
    expect((await rows(partner)).map(([, name]) => name)).toEqual(['A', 'B', 'C', 'D', 'x']);
  });

  test('json: an element that closes what it never opened is one fault, and the next one is read', async () => {
    await withAccount();
    const json = file('braces.json', '[}, {"name":"A","ref":"1"}, }}, {"name":"B","ref":"2"}]');
    expect((await imported(partner, json, '--reject', 'rejected.json')).stdout).toContain(
      summary('2 created, 2 rejected'),
    );
    expect(await rows(partner, 'name,ref')).toEqual([
      ['A', '1'],
      ['B', '2'],
    ]);
  });

  test('of many, the first twenty are told, and all are written', async () => {
    await withAccount();
    const content = `name,list_price\n${Array.from({ length: 30_000 }, (_, n) => `P${n},${n % 3 === 0 ? 'x' : n}\n`).join('')}`;
    const { stdout, stderr } = await imported(product, file('third.csv', content), '--reject', 'rejected.csv');
    expect(stdout).toContain(`20,000 products into ${account.name}: ${summary('20,000 created, 10,000 rejected')}`);
    expect(stderr.match(/^line /gm)).toHaveLength(20);
    expect(stderr).toContain('… and 9,980 more\n');
    const rejected = readFileSync(inFolder('rejected.csv'), 'utf8').split('\n');
    expect(rejected).toHaveLength(10_002);
    expect([rejected[0], rejected[1], rejected[10_000]]).toEqual(['name,list_price', 'P0,x', 'P29997,x']);
  });

  test('leaves no file where nothing came of it', async () => {
    const contents = ['nmae\nA\n', 'name\n"A\n'];
    const finished = await Promise.all(
      contents.map((content, n) => imported(product, file(`hopeless-${n}.csv`, content), '--reject', `none-${n}.csv`)),
    );
    expect(finished.map(({ code }) => code)).toEqual([1, 1]);
    expect([existsSync(inFolder('none-0.csv')), existsSync(inFolder('none-1.csv'))]).toEqual([false, false]);
  });

  test('never costs the file that is imported, nor one that was there when nothing is imported', async () => {
    await withAccount();
    const content = 'name,list_price\nA,1\nB,x\n';
    const { code } = await imported(product, file('same.csv', content), '--reject', 'same.csv');
    expect({ code, content: readFileSync(inFolder('same.csv'), 'utf8') }).toEqual({
      code: expect.any(Number),
      content,
    });
    file('earlier.csv', 'from yesterday\n');
    expect((await imported(product, file('hopeless.csv', 'nmae\nA\n'), '--reject', 'earlier.csv')).code).toBe(1);
    expect(readFileSync(inFolder('earlier.csv'), 'utf8')).toBe('from yesterday\n');
  });

  test('to where nothing can be written is told before anything is changed', async () => {
    await withAccount();
    const one = file('one.csv', 'name\nA\n');
    const paths = ['no-folder/rejected.csv', 'data'];
    for (const finished of await Promise.all(paths.map((path) => imported(product, one, '--reject', path))))
      expect(finished).toEqual({
        code: 1,
        stdout: '',
        stderr: expect.stringMatching(/^stockbook: \S+ cannot be written: [^.]+\. Nothing was changed\.\n$/),
      });
    expect((await listed(account, product)).total).toBe(0);
  });
});

describe('--replace', () => {
  beforeAll(withAccount);

  test('removes what the file no longer has', async () => {
    const night = (content: string) => imported(partner, file('night.csv', content), '--replace');
    expect(await night('id,name\n1,A\n2,B\n3,C\n')).toEqual(succeeded('3 partners', '3 created'));
    expect(await night('id,name\n2,B\n3,CC\n9,D\n')).toEqual(
      succeeded('3 partners', '1 created, 1 updated, 1 unchanged, 1 removed'),
    );
    expect(await rows(partner)).toEqual([
      [2, 'B'],
      [3, 'CC'],
      [9, 'D'],
    ]);
    const { revision } = await listed(account, partner);
    expect(await night('id,name\n2,B\n3,CC\n9,D\n')).toEqual(succeeded('3 partners', '3 unchanged'));
    expect((await listed(account, partner)).revision).toBe(revision);
  });

  test.concurrent.each([
    ['empty.csv', 'id,name\n'],
    ['empty.ndjson', '\n\n'],
    ['empty.json', ' [ ] '],
  ])('a file without rows is refused: %s', async (name, content) => {
    expect(await imported(partner, file(name, content), '--replace')).toEqual({
      code: 1,
      stdout: '',
      stderr: 'stockbook: The file has no rows, and --replace would remove all partners. Nothing was changed.\n',
    });
    expect(await rows(partner)).toHaveLength(3);
  });

  test('cannot be combined with --reject', async () => {
    expect(await imported(partner, 'night.csv', '--replace', '--reject', 'r.csv')).toMatchObject({
      code: 2,
      stdout: '',
      stderr: expect.stringContaining('Use one of --replace and --reject.'),
    });
    expect(existsSync(inFolder('r.csv'))).toBe(false);
  });
});

describe('gzip', () => {
  const contents = {
    csv: 'id,name\n1,Crème\n2,Brûlée\n',
    ndjson: '{"id":1,"name":"Crème"}\n{"id":2,"name":"Brûlée"}\n',
    json: '[{"id":1,"name":"Crème"},{"id":2,"name":"Brûlée"}]',
  };

  test.each(Object.entries(contents))('%s, from a file and from standard input', async (format, content) => {
    const packed = gzipSync(content);
    const [one, other] = [await addAccount(store, `file-${format}`), await addAccount(store, `input-${format}`)];
    const args = (to: Account, name: string) => ['import', to.name, 'partner', name, '--format', format];
    const finished = await Promise.all([
      run(args(one, file(`packed.${format}.gz`, packed)).slice(0, 4), options),
      run(args(other, '-'), { ...options, input: packed }),
    ]);
    for (const [index, owner] of [one, other].entries()) {
      expect(finished[index]).toEqual({
        code: 0,
        stdout: `Imported 2 partners into ${owner.name}: ${summary('2 created')}.\n`,
        stderr: '',
      });
      expect((await listed(owner, partner, { fields: 'name' })).records).toEqual([
        { name: 'Crème' },
        { name: 'Brûlée' },
      ]);
    }
  });

  test('is known by its first bytes, whatever the ending; several parts are one file', async () => {
    await withAccount();
    const parts = Buffer.concat([gzipSync('name\nA\n'), gzipSync('B\n')]);
    expect(await imported(partner, file('parts.csv', parts))).toEqual(succeeded('2 partners', '2 created'));
    expect(await imported(partner, file('plain.csv.gz', 'name\nC\n'))).toEqual(succeeded('1 partner', '1 created'));
  });

  test('damaged or cut short it is refused, and nothing is changed', async () => {
    await withAccount();
    const packed = gzipSync(`name\n${Array.from({ length: 5_000 }, (_, n) => `P${n * 7919}\n`).join('')}`);
    const damaged = Buffer.from(packed).fill(0xff, packed.length / 2, packed.length / 2 + 20);
    const wrongSum = Buffer.from(packed);
    wrongSum.writeUInt8(wrongSum.readUInt8(packed.length - 8) ^ 1, packed.length - 8);
    const files = [damaged, wrongSum, packed.subarray(0, packed.length - 9), packed.subarray(0, 5)];
    for (const finished of await Promise.all(
      files.map((bytes, index) => imported(partner, file(`bad-${index}.csv.gz`, bytes))),
    ))
      expect(finished).toEqual({
        code: 1,
        stdout: '',
        stderr: expect.stringMatching(
          /^stockbook: The gzip file is damaged, or cut short \(.+\)\. Nothing was changed\.\n$/,
        ),
      });
    expect(await listed(account, partner)).toMatchObject({ total: 0, revision: 0 });
  });
});

describe('what is wrong with a file', () => {
  beforeAll(withAccount);

  test.concurrent('of 25 faults 20 are told', async () => {
    const csv = file('bad.csv', `name,list_price\n${'x,y\n'.repeat(25)}`);
    const { code, stdout, stderr } = await imported(product, csv);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr.split('\n')).toEqual([
      'stockbook: 25 faults in the file:',
      ...Array.from({ length: 20 }, (_, n) => `line ${n + 2}, list_price: 'y' is not a number in decimal notation`),
      '… and 5 more',
      'Rows without a fault were not compared with the records yet.',
      'Nothing was changed.',
      '',
    ]);
  });

  test.concurrent('a line that is not JSON is a fault of that row, and the others are looked through as well', async () => {
    const ndjson = file('bad.ndjson', '{"name":"A"}\n{"name":\n{"name":"B"}\nnull\n{"name":"C","list_price":"1"}\n');
    const { code, stderr } = await imported(product, ndjson);
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: expect.stringMatching(
        /^stockbook: 3 faults in the file:\nline 2: this is not JSON: .+\nline 4: this is not a JSON object: 'null'\nline 5, list_price: '1' is not a number\nRows without a fault were not compared with the records yet\.\nNothing was changed\.\n$/,
      ),
    });
  });

  test.concurrent('text behind a closing quote', async () => {
    const csv = file('stray.csv', 'name,default_code\n"A" ,x\n"B","y"z\n"C""",ok\n"D"');
    expect((await imported(product, csv)).stderr.split('\n')).toEqual([
      'stockbook: 3 faults in the file:',
      'line 2: after a closing quote there is   where , was expected; inside quotes, a quote is written twice',
      'line 3: after a closing quote there is z where , was expected; inside quotes, a quote is written twice',
      'line 5: the row has 1 cell, the first line names 2 columns',
      'Rows without a fault were not compared with the records yet.',
      'Nothing was changed.',
      '',
    ]);
  });

  test.concurrent.each([
    ['a folder', 'data', 'data cannot be read: illegal operation on a directory (EISDIR). Nothing was changed.'],
    [
      'a name that no file can have',
      `${'x'.repeat(300)}.csv`,
      'cannot be read: name too long (ENAMETOOLONG). Nothing was changed.',
    ],
  ])('%s is told in a line', async (_, name, message) => {
    const { code, stdout, stderr } = await imported(product, name, '--format', 'csv');
    expect({ code, stdout, stderr }).toEqual({ code: 1, stdout: '', stderr: expect.stringContaining(message) });
    expect(stderr).not.toMatch(/\n {4}at /);
  });

  test('nothing of all that was imported', async () => {
    expect(await listed(account, product)).toMatchObject({ total: 0, revision: 0 });
  });
});

describe.each(engines)('while it runs on $name', (engine) => {
  const own = makeFolder();
  let database: TestDatabase;
  let opened: Store;
  let owner: Account;
  beforeAll(async () => {
    database = await engine.makeDatabase();
    opened = await openDatabase(database.url);
    owner = await addAccount(opened, 'acme');
    await load(opened, owner, partner, [
      { id: 1, name: 'There before' },
      { id: 2, name: 'There too' },
    ]);
  });
  afterAll(async () => {
    await opened.close();
    await database.drop();
    own.remove();
  });

  const begun = (...args: string[]) => {
    const program = start(args, { folder: own.path, env: { STOCKBOOK_DATABASE: database.url } });
    running.push(program);
    return program;
  };
  const importing = (...flags: string[]) => {
    const program = begun('import', 'acme', 'partner', '-', '--format', 'csv', ...flags);
    program.child.stdin?.on('error', () => {});
    return program;
  };
  const state = async () => {
    const { total, revision, records } = await listed(owner, partner, { limit: '3', fields: 'id,name' }, opened);
    return { total, revision, records };
  };
  const asBefore = {
    total: 2,
    revision: 1,
    records: [
      { id: 1, name: 'There before' },
      { id: 2, name: 'There too' },
    ],
  };
  /** Resolves once all of it has been taken, but for what a pipe holds. */
  const feed = async ({ child }: Running, from: number, to: number) => {
    for (let at = from; at < to; at += 5_000) {
      const lines = Array.from({ length: 5_000 }, (_, n) => `Partner ${at + n},${at + n}@example.com\n`).join('');
      await new Promise<void>((resolve) => {
        child.stdin?.write((at === 0 ? 'name,email\n' : '') + lines, () => resolve());
      });
    }
  };

  test('a kill in the middle of the file leaves everything as it was', async () => {
    const program = importing();
    await feed(program, 0, 100_000);
    program.child.kill('SIGKILL');
    expect((await program.finished).code).toBeNull();
    expect(await state()).toEqual(asBefore);
  });

  test('Ctrl-C says that nothing was changed, and nothing was', async () => {
    const program = importing('--reject', 'rejected.csv');
    program.child.stdin?.write(`name,email\n,bad\n${'x,y\n'.repeat(60_000)}`);
    await expect.poll(() => program.child.stdin?.writableLength, { timeout: 10_000 }).toBe(0);
    program.child.kill('SIGINT');
    expect(await program.finished).toEqual({
      code: 130,
      stdout: '',
      stderr: 'stockbook: Interrupted. Nothing was changed.\n',
    });
    expect(await state()).toEqual(asBefore);
    expect(existsSync(join(own.path, 'rejected.csv'))).toBe(false);
  });

  test('Ctrl-C while the rows are being written says where to see whether they are there', async () => {
    const release = await database.holdWrites();
    const program = importing();
    program.child.stdin?.end('name\nA\n');
    // Long enough for it to get there, and not so long that it gives up.
    await setTimeout(3_000);
    program.child.kill('SIGINT');
    expect(await program.finished).toEqual({
      code: 130,
      stdout: '',
      stderr: expect.stringMatching(
        /They are there all together or not at all\. With ids, or with --key, import them again: nothing is added twice\. Without, see first in "stockbook account list" whether there are more records than before\.\n$/,
      ),
    });
    await release();
    expect(await state()).toEqual(asBefore);
  });

  test('a kill while the rows are being written leaves all of them or none', async () => {
    const program = importing();
    await feed(program, 0, 20_000);
    program.child.stdin?.end();
    await setTimeout(150);
    program.child.kill('SIGKILL');
    await program.finished;
    await expect.poll(async () => [2, 20_002].includes((await state()).total)).toBe(true);
    const { total, revision } = await state();
    expect(revision).toBe(total === 2 ? 1 : 2);
    // Back to the beginning for the next test.
    const rest = await run(['import', 'acme', 'partner', '-', '--format', 'csv', '--replace'], {
      folder: own.path,
      env: { STOCKBOOK_DATABASE: database.url },
      input: 'id,name\n1,There before\n2,There too\n',
    });
    expect(rest).toMatchObject({ code: 0, stdout: expect.stringContaining('2 unchanged') });
    expect((await state()).records).toEqual(asBefore.records);
  });

  test('a server goes on answering, with all of the rows or none, and then the import is there', async () => {
    const env = { STOCKBOOK_DATABASE: database.url };
    const { stdout: key } = await run(['key', 'add', 'acme', '--name', 'reader'], { folder: own.path, env });
    const server = await serve([], { folder: own.path, env });
    running.push(server);
    const program = importing();
    let isDone = false;
    void program.finished.then(() => {
      isDone = true;
    });
    const fed = feed(program, 0, 20_000).then(() => program.child.stdin?.end());
    const seen = new Set<number>();
    let slowest = 0;
    while (!isDone) {
      const asked = performance.now();
      const { status, json } = await send(server.port, {
        path: `${PARTNERS}?limit=1`,
        headers: { authorization: `Bearer ${key.trim()}` },
      });
      slowest = Math.max(slowest, performance.now() - asked);
      expect(status).toBe(200);
      seen.add(Object(json).meta.total);
      await setTimeout(5);
    }
    await fed;
    expect((await program.finished).stdout).toBe(`Imported 20,000 partners into acme: ${summary('20,000 created')}.\n`);
    expect((await state()).total).toBe(20_002);
    expect([...seen].filter((total) => total !== 2 && total !== 20_002)).toEqual([]);
    expect(slowest).toBeLessThan(2_000);
  });
});

describe.concurrent.each(engines)('memory on $name', (engine) => {
  const MEBIBYTE = 1024 * 1024;
  const ROWS = engine.name === 'SQLite' ? 300_000 : 100_000;

  test('does not grow with the file, neither in nor out', { timeout: 120_000 }, async () => {
    const own = makeFolder();
    const database = await engine.makeDatabase();
    const opened = await openDatabase(database.url);
    await addAccount(opened, 'acme');
    await opened.close();
    const on = { folder: own.path, env: { STOCKBOOK_DATABASE: database.url } };
    const line = (n: number) => `"Company ${n}, of many",${n % 1_000},C${n},2026-01-01\n`;
    writeFileSync(
      join(own.path, 'many.csv'),
      `name,branch_user,company_code,create_date\n${Array.from({ length: ROWS }, (_, n) => line(n)).join('')}`,
    );

    const inside = await peakMemory(start(['import', 'acme', 'company', 'many.csv'], on));
    expect(inside.stdout).toContain(`${ROWS.toLocaleString('en-US')} created`);
    const outside = await peakMemory(start(['export', 'acme', 'company', '--output', 'all.ndjson'], on));
    expect(outside.code).toBe(0);

    expect(statSync(join(own.path, 'all.ndjson')).size).toBeGreaterThan(120 * ROWS);
    for (const { peak = 0 } of [inside, outside]) expect(peak / MEBIBYTE).toBeLessThan(300);
    await database.drop();
    own.remove();
  });
});
