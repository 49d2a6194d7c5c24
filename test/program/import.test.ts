/** `stockbook import`: the real program on real files. */

import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { company } from '../../src/catalog/company.ts';
import { partner } from '../../src/catalog/partner.ts';
import { product } from '../../src/catalog/product.ts';
import type { Resource } from '../../src/catalog/resource.ts';
import { planList } from '../../src/plan/list.ts';
import type { Account, Store } from '../../src/store/store.ts';
import { openDatabase } from '../support/engines.ts';
import { addAccount, listPage, load, planned, type RecordValues, recordsIn, tabled } from '../support/fixture.ts';
import { run } from '../support/program.ts';
import { sharedCommands, sharedFolder } from '../support/shared.ts';

const folder = sharedFolder();
const options = { folder: folder.path };
/** The program's database, opened by the tests as well. */
let store: Store;
let account: Account;
let named = 0;
beforeAll(async () => {
  mkdirSync(join(folder.path, 'data'));
  store = await openDatabase(join(folder.path, 'data/stockbook.db'));
});
afterAll(() => store.close());

/** An account of its own keeps a test independent of the others. */
const withAccount = async () => {
  named += 1;
  account = await addAccount(store, `acme-${named}`);
};
const inFolder = (name: string) => join(folder.path, name);
const file = (name: string, content: string | Uint8Array) => {
  writeFileSync(inFolder(name), content);
  return name;
};
const commands = sharedCommands();
const imported = (resource: Resource, name: string, ...flags: string[]) =>
  commands.run(['import', account.name, resource.name, name, ...flags], options);

const listed = async (
  owner: Account,
  resource: Resource,
  values: Readonly<Record<string, string>> = {},
  of = store,
) => {
  const plan = planned(planList(resource, { values: { limit: '1000', ...values }, continuations: [] }));
  const page = await listPage(of, owner.id, plan);
  if (page === undefined) throw new Error('no such account');
  return { total: page.total, revision: page.version.revision, records: recordsIn(page.records) };
};
const rows = async (resource: Resource, fields = 'id,name') =>
  (await listed(account, resource, { fields })).records.map((record: RecordValues) => Object.values(record));

/** From counts such as `2 created, 1 rejected`; all others are 0. */
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

  test('renames columns, and ignores a column that is mapped to nothing', async () => {
    const csv = file('erp.csv', 'Item;Sales Price;Notes;a=b;default_code\r\nChair;9.5;old;1;C1\r\nDesk;20;;2;\r\n');
    const maps = ['Item=name', ' Sales Price = list_price ', 'Notes=', 'a=b=categ_id'].flatMap((map) => ['--map', map]);
    expect(await imported(product, csv, ...maps)).toEqual(succeeded('2 products', '2 created'));
    expect(await rows(product, 'name,list_price,categ_id,default_code')).toEqual([
      ['Chair', 9.5, 1, 'C1'],
      ['Desk', 20, 2, null],
    ]);
  });

  test('renames the keys of JSON objects, which may differ from row to row', async () => {
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
    [['--map', 'Price'], 2, '--map must be COLUMN=FIELD, such as "Price=list_price", not "Price".'],
    [['--map', 'Price=list_price', '--map', 'Price='], 2, '--map names the column "Price" twice.'],
    [
      ['--map', 'Prize=list_price', '--map', 'Price='],
      1,
      "--map names the column 'Prize', which is not in the file. Did you mean Price?",
    ],
    [['--map', 'Price=name'], 1, 'line 1, Price: duplicate column'],
    [[], 1, 'line 1, Price: product has no such field; did you mean list_price?'],
  ])('%j: exit code %i, %s', async (flags, code, message) => {
    const { code: ended, stdout, stderr } = await imported(product, file('price.csv', 'name,Price\nX,1\n'), ...flags);
    expect({ code: ended, stdout, stderr }).toEqual({ code, stdout: '', stderr: expect.stringContaining(message) });
    if (code === 1) expect(stderr).toContain('Nothing was changed.');
    expect(stderr).not.toMatch(/\n {4}at /);
  });

  test('fails at the end of the file if no object has the key', async () => {
    const ndjson = file('few.ndjson', '{"name":"A","Price":1}\n');
    const { code, stderr } = await imported(product, ndjson, '--map', 'Price=list_price', '--map', 'Notse=');
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining("'Notse'") });
  });
});

describe('--key', () => {
  beforeAll(withAccount);

  test('identifies records by that field', async () => {
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

  test('rejects a column of ids unless it is ignored', async () => {
    const csv = file('ids.csv', 'id,default_code,name\n77,A,Stool\n');
    expect(await imported(product, csv, '--key', 'default_code')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining(
        'line 1, id: records are identified by default_code; ignore this column with --map "id="',
      ),
    });
    expect(await imported(product, csv, '--key', 'default_code', '--map', 'id=')).toEqual(
      succeeded('1 product', '1 updated'),
    );
    expect((await rows(product))[0]).toEqual([1, 'Stool']);
  });

  test('requires a unique key in every row', async () => {
    const attempt = (name: string, content: string) => imported(product, file(name, content), '--key', 'default_code');
    const [empty, repeated, absent] = await Promise.all([
      attempt('empty-key.csv', 'default_code,name\n,none\nX,one\n"",empty\nX,two\n'),
      attempt('same-key.csv', 'default_code,name\nX,one\n"",empty\nX,two\n'),
      attempt('no-key.csv', 'name\nA\n'),
    ]);
    expect(empty.stderr).toBe(
      'stockbook: 1 error in the file:\nline 2, default_code: missing; it identifies the record\nThe other rows have not been compared with the records yet.\nNothing was changed.\n',
    );
    expect(repeated.stderr).toBe(
      'stockbook: 1 error in the file:\nline 4, default_code: duplicate X, first in line 2\nNothing was changed.\n',
    );
    expect(absent.stderr).toContain('line 2, default_code: missing; it identifies the record');
  });

  test.concurrent.each([
    ['defualt_code', '--key: product has no field defualt_code. Did you mean default_code?'],
    ['active', '--key must be a field that holds text or integers; active is a boolean.'],
  ])('%s is not a usable key', async (key, message) => {
    expect(await imported(product, 'night.csv', '--key', key)).toMatchObject({
      code: 2,
      stdout: '',
      stderr: expect.stringContaining(message),
    });
  });
});

describe('--dry-run', () => {
  beforeAll(withAccount);

  test('reports what would happen without changing anything', async () => {
    await load(store, account, company, tabled('id name branch_user', [1, 'A', '1'], [2, 'B', '2'], [3, 'C', '3']));
    const before = await listed(account, company);
    const csv = file('dry.csv', 'id,name,branch_user\n1,A,1\n2,BB,2\n,D,4\n');
    for (const [flags, counts] of [
      [[], '1 created, 1 updated, 1 unchanged'],
      [['--replace'], '1 created, 1 updated, 1 unchanged, 1 removed'],
    ] as const)
      expect(await imported(company, csv, '--dry-run', ...flags)).toEqual({
        code: 0,
        stdout: `Would import 3 companies into ${account.name}: ${summary(counts)}. Nothing was changed.\n`,
        stderr:
          flags.length === 0
            ? ''
            : 'Without --yes it would be refused: it removes more than a tenth of the companies.\n',
      });
    expect(await listed(account, company)).toEqual(before);
  });

  test('leaves the --reject file as it was', async () => {
    const rejects = file('kept.csv', 'precious\n');
    const csv = file('dry.csv', 'id,name,branch_user\n1,A,1\nx,Z,1\n');
    expect(await imported(company, csv, '--dry-run', '--reject', rejects)).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('1 rejected'),
    });
    expect(readFileSync(join(folder.path, rejects), 'utf8')).toBe('precious\n');
  });

  test('reports the same errors as the import itself', async () => {
    const csv = file('dry.csv', 'id,name,branch_user\n1,A,1\n9,Z,\n');
    expect(await imported(company, csv, '--dry-run')).toMatchObject({
      code: 1,
      stdout: '',
      stderr:
        'stockbook: 1 error in the file:\nline 3, branch_user: missing; a new record requires it\nNothing was changed.\n',
    });
  });
});

describe('--reject', () => {
  beforeAll(withAccount);

  test('csv: writes the bad rows unchanged under the same header; once fixed, they are imported', async () => {
    const good = 'id;name;list_price;default_code\r\n';
    const csv = file(
      'mixed.csv',
      `\ufeff${good}1;Chair;9.5;C\r\n2;"Desk; ""large""\r\nwith a break";cheap;"D"\r\n3;Lamp\r\n4;"Rug"x;1;R\r\n5;Vase;2;V\r\n5;Vase again;2;W\r\n6;;1;\r\n`,
    );
    expect(await imported(product, csv, '--reject', 'rejected.csv')).toEqual({
      code: 0,
      stdout: `Imported 2 products into ${account.name}: ${summary('2 created, 5 rejected')}.\n`,
      stderr: [
        '5 errors in the file:',
        "line 3, list_price: must be a number in decimal notation, not 'cheap'",
        'line 5: the row has 2 cells, but the first line names 4 columns',
        "line 6: expected ';' after the closing quote, found 'x'; inside quotes, write a quote twice",
        'line 8, id: duplicate 5, first in line 7',
        'line 9, name: missing; a new record requires it',
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
    const fixed = readFileSync(inFolder('rejected.csv'), 'utf8')
      .replace('cheap', '99')
      .replace('3;Lamp', '3;Lamp;;')
      .replace('"Rug"x', '"Rug x"')
      .replace('5;Vase again', '7;Vase again')
      .replace('6;;', '6;Six;');
    expect(await imported(product, file('fixed.csv', fixed), '--reject', 'rejected.csv')).toEqual(
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

  test('ndjson: writes the lines unchanged', async () => {
    await withAccount();
    const bad = ['{"name":"B",', '[1]', '{"name":5}', '{"nmae":"D"}', '{"nmae":"E"}', '{"email":"no name"}'];
    const ndjson = file('mixed.ndjson', `{"name":"A"}\n  ${bad.join('\r\n\n')}\n{"name":"Z"}`);
    const { code, stdout, stderr } = await imported(partner, ndjson, '--reject', 'rejected.ndjson');
    expect({ code, stdout }).toEqual({
      code: 0,
      stdout: `Imported 2 partners into ${account.name}: ${summary('2 created, 6 rejected')}.\n`,
    });
    expect(stderr).toMatch(/^line 2: not valid JSON: /m);
    expect(stderr).toContain("line 4: not a JSON object: '[1]'\nline 6, name: must be a string, not 5\n");
    expect(stderr).toContain('line 8, nmae: partner has no such field; did you mean name? (rename it with --map');
    expect(readFileSync(inFolder('rejected.ndjson'), 'utf8')).toBe(`${bad.join('\n')}\n`);
    const fixed = '{"name":"B"}\n{"name":"C"}\n{"name":"5"}\n{"name":"D"}\n{"name":"E"}\n{"name":"F"}\n';
    expect((await imported(partner, file('fixed.ndjson', fixed))).stdout).toContain(summary('6 created'));
    expect((await rows(partner)).map(([, name]) => name)).toEqual(['A', 'Z', 'B', 'C', '5', 'D', 'E', 'F']);
  });

  test('json: writes the elements into another array', async () => {
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
        '3 errors in the file:',
        'element 2, name: must be a string, not 5',
        "element 4: not a JSON object: '7'",
        'element 5, name: missing; a new record requires it',
        '',
      ].join('\n'),
    );
    const rejected = readFileSync(inFolder('rejected.json'), 'utf8');
    expect(rejected).toBe('[\n{"name": 5,\n  "ref": "[,]"},\n7,\n{"email":"x"}\n]\n');
    const fixed = rejected.replace('5', '"C"').replace('7', '{"name":"D"}').replace('"email"', '"name"');
    expect((await imported(partner, file('fixed.json', fixed))).stdout).toContain(summary('3 created'));
    expect((await rows(partner)).map(([, name]) => name)).toEqual(['A', 'B', 'C', 'D', 'x']);
  });

  test('json: an unmatched closing brace costs one element, not the rest of the file', async () => {
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

  test('reports the first 20 of many errors, and writes all rejected rows', async () => {
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

  test('leaves no file if nothing is imported', async () => {
    const contents = ['nmae\nA\n', 'name\n"A\n'];
    const finished = await Promise.all(
      contents.map((content, n) => imported(product, file(`hopeless-${n}.csv`, content), '--reject', `none-${n}.csv`)),
    );
    expect(finished.map(({ code }) => code)).toEqual([1, 1]);
    expect([existsSync(inFolder('none-0.csv')), existsSync(inFolder('none-1.csv'))]).toEqual([false, false]);
  });

  test('never overwrites the imported file, nor an earlier --reject file if nothing is imported', async () => {
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

  test('fails before anything is changed if the file cannot be written', async () => {
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

  test('removes records that are not in the file', async () => {
    const night = (content: string) => imported(partner, file('night.csv', content), '--replace', '--yes');
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
  ])('%s: a file without rows is refused', async (name, content) => {
    expect(await imported(partner, file(name, content), '--replace')).toEqual({
      code: 1,
      stdout: '',
      stderr: 'stockbook: The file has no rows, so --replace would remove all partners. Nothing was changed.\n',
    });
    expect(await rows(partner)).toHaveLength(3);
  });

  test('does not remove more than a tenth without --yes', async () => {
    const before = await rows(partner);
    const one = file('one.csv', 'id,name\n2,B\n');
    expect(await imported(partner, one, '--replace')).toEqual({
      code: 1,
      stdout: '',
      stderr: `stockbook: The import would remove 2 of the 3 partners of ${account.name}, more than a tenth. Nothing was changed. Add --yes if they are to be removed.\n`,
    });
    expect(await rows(partner)).toEqual(before);
  });

  test('cannot be combined with --reject', async () => {
    expect(await imported(partner, 'night.csv', '--replace', '--reject', 'r.csv')).toMatchObject({
      code: 2,
      stdout: '',
      stderr: expect.stringContaining('it cannot be combined with --reject.'),
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
    const compressed = gzipSync(content);
    const [one, other] = [await addAccount(store, `file-${format}`), await addAccount(store, `input-${format}`)];
    const args = (to: Account, name: string) => ['import', to.name, 'partner', name, '--format', format];
    const finished = await Promise.all([
      run(args(one, file(`compressed.${format}.gz`, compressed)).slice(0, 4), options),
      run(args(other, '-'), { ...options, input: compressed }),
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

  test('is recognized by its first bytes, whatever the extension, and may have several members', async () => {
    await withAccount();
    const members = Buffer.concat([gzipSync('name\nA\n'), gzipSync('B\n')]);
    expect(await imported(partner, file('members.csv', members))).toEqual(succeeded('2 partners', '2 created'));
    expect(await imported(partner, file('plain.csv.gz', 'name\nC\n'))).toEqual(succeeded('1 partner', '1 created'));
  });

  test('a damaged or truncated file is refused, and nothing is changed', async () => {
    await withAccount();
    const compressed = gzipSync(`name\n${Array.from({ length: 5_000 }, (_, n) => `P${n * 7919}\n`).join('')}`);
    const damaged = Buffer.from(compressed).fill(0xff, compressed.length / 2, compressed.length / 2 + 20);
    const wrongSum = Buffer.from(compressed);
    wrongSum.writeUInt8(wrongSum.readUInt8(compressed.length - 8) ^ 1, compressed.length - 8);
    const files = [damaged, wrongSum, compressed.subarray(0, compressed.length - 9), compressed.subarray(0, 5)];
    for (const finished of await Promise.all(
      files.map((bytes, index) => imported(partner, file(`bad-${index}.csv.gz`, bytes))),
    ))
      expect(finished).toEqual({
        code: 1,
        stdout: '',
        stderr: expect.stringMatching(
          /^stockbook: The gzip file is damaged or truncated \(.+\)\. Nothing was changed\.\n$/,
        ),
      });
    expect(await listed(account, partner)).toMatchObject({ total: 0, revision: 0 });
  });
});

describe('errors in a file', () => {
  beforeAll(withAccount);

  test.concurrent('of 25 errors, 20 are reported', async () => {
    const csv = file('bad.csv', `name,list_price\n${'x,y\n'.repeat(25)}`);
    const { code, stdout, stderr } = await imported(product, csv);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr.split('\n')).toEqual([
      'stockbook: 25 errors in the file:',
      ...Array.from(
        { length: 20 },
        (_, n) => `line ${n + 2}, list_price: must be a number in decimal notation, not 'y'`,
      ),
      '… and 5 more',
      'The other rows have not been compared with the records yet.',
      'Nothing was changed.',
      '',
    ]);
  });

  test.concurrent('a line that is not valid JSON does not hide the errors of other lines', async () => {
    const ndjson = file('bad.ndjson', '{"name":"A"}\n{"name":\n{"name":"B"}\nnull\n{"name":"C","list_price":"1"}\n');
    const { code, stderr } = await imported(product, ndjson);
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: expect.stringMatching(
        /^stockbook: 3 errors in the file:\nline 2: not valid JSON: .+\nline 4: not a JSON object: 'null'\nline 5, list_price: must be a number, not "1"\nThe other rows have not been compared with the records yet\.\nNothing was changed\.\n$/,
      ),
    });
  });

  test.concurrent('a value of the wrong kind is shown as the file has it', async () => {
    const values = ['null', '{}', '["A"]', '5', '" "', `"${'x'.repeat(1_001)}"`];
    const ndjson = file('kinds.ndjson', `${values.map((value) => `{"name":${value}}`).join('\n')}\n`);
    expect((await imported(product, ndjson)).stderr.split('\n').slice(1, -3)).toEqual([
      'line 1, name: must not be null',
      'line 2, name: must be a string, not an object',
      'line 3, name: must be a string, not an array',
      'line 4, name: must be a string, not 5',
      'line 5, name: must not be blank',
      'line 6, name: must have at most 1000 characters',
    ]);
  });

  test.concurrent('text after a closing quote', async () => {
    const csv = file('stray.csv', 'name,default_code\n"A" ,x\n"B","y"z\n"C""",ok\n"D"');
    expect((await imported(product, csv)).stderr.split('\n')).toEqual([
      'stockbook: 3 errors in the file:',
      "line 2: expected ',' after the closing quote, found ' '; inside quotes, write a quote twice",
      "line 3: expected ',' after the closing quote, found 'z'; inside quotes, write a quote twice",
      'line 5: the row has 1 cell, but the first line names 2 columns',
      'The other rows have not been compared with the records yet.',
      'Nothing was changed.',
      '',
    ]);
  });

  test.concurrent.each([
    ['a directory', 'data', 'data cannot be read: illegal operation on a directory (EISDIR). Nothing was changed.'],
    [
      'a name that is too long',
      `${'x'.repeat(300)}.csv`,
      'cannot be read: name too long (ENAMETOOLONG). Nothing was changed.',
    ],
  ])('%s is reported in one line', async (_, name, message) => {
    const { code, stdout, stderr } = await imported(product, name, '--format', 'csv');
    expect({ code, stdout, stderr }).toEqual({ code: 1, stdout: '', stderr: expect.stringContaining(message) });
    expect(stderr).not.toMatch(/\n {4}at /);
  });

  test('none of these files changed anything', async () => {
    expect(await listed(account, product)).toMatchObject({ total: 0, revision: 0 });
  });
});
