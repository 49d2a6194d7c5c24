/** `stockbook import`: the real program on real files. */

import { existsSync, readFileSync } from 'node:fs';
import { gzipSync, zstdCompressSync } from 'node:zlib';
import { beforeAll, describe, expect, test } from 'vitest';
import { company } from '../../src/catalog/company.ts';
import { partner } from '../../src/catalog/partner.ts';
import { product } from '../../src/catalog/product.ts';
import type { Account } from '../../src/store/store.ts';
import { commands } from '../support/commands.ts';
import { addAccount, load, tabled } from '../support/fixture.ts';
import { Imports, summary } from '../support/imports.ts';

const imports = new Imports();
const { withAccount, inFolder, file, imported, listed, rows, succeeded } = imports;

describe('--map', () => {
  beforeAll(withAccount);

  test('renames columns, and ignores a column that is mapped to nothing', async () => {
    const csv = file('erp.csv', 'Item;Sales Price;Notes;a=b;default_code\r\nChair;9.5;old;1;C1\r\nDesk;20;;2;\r\n');
    const maps = ['Item=name', ' Sales Price = list_price ', 'Notes=', 'a=b=categ_id'].flatMap((map) => ['--map', map]);
    expect(await imported(product, csv, ...maps)).toEqual({
      ...succeeded('2 products', '2 created'),
      stderr: 'Recognised: semicolons.\n',
    });
    expect(await rows(product, 'name,list_price,categ_id,default_code')).toEqual([
      ['Chair', 9.5, 1, 'C1'],
      ['Desk', 20, 2, null],
    ]);
  });

  test('renames the keys of JSON objects, which may differ from row to row', async () => {
    const ndjson = file('erp.ndjson', '{"Item":"Lamp"}\n{"Item":"Rug","Price":3,"Junk":{"a":[1]}}\n');
    // As parameters of a request are written, too.
    const maps = ['--map', 'Item=name', '--map', 'Price:list_price', '--map', 'Junk:'];
    expect((await imported(product, ndjson, ...maps)).stdout).toContain(summary('2 created'));
    expect((await rows(product, 'name,list_price')).slice(2)).toEqual([
      ['Lamp', 0],
      ['Rug', 3],
    ]);
  });

  test.concurrent.each([
    [
      ['--map', 'Price=lst_price'],
      2,
      "--map names a field that product does not have: 'lst_price'. Did you mean list_price?",
    ],
    [['--map', 'Price'], 2, "--map must be COLUMN=FIELD or COLUMN:FIELD, such as Price=list_price, not 'Price'."],
    [['--map', 'Price=list_price', '--map', 'Price='], 2, "--map names the column 'Price' twice."],
    [
      ['--map', 'Prize=list_price', '--map', 'Price='],
      1,
      "--map names the column 'Prize', which does not exist. Did you mean Price?",
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
      attempt('same-key.csv', 'default_code,name\nX,one\nY,other\nX,two\n'),
      attempt('no-key.csv', 'name\nA\n'),
    ]);
    expect(empty.stderr).toBe(
      'stockbook: 2 errors in the file:\n2 rows, default_code: missing; it identifies the record (lines 2, 4)\nThe other rows have not been compared with the records yet.\nNothing was changed.\n',
    );
    expect(repeated.stderr).toBe(
      'stockbook: 1 error in the file:\nline 4, default_code: duplicate X, first in line 2\nNothing was changed.\n',
    );
    expect(absent.stderr).toContain('line 2, default_code: missing; it identifies the record');
  });

  test.concurrent.each([
    ['defualt_code', "--key names a field that product does not have: 'defualt_code'. Did you mean default_code?"],
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
    await load(
      imports.store,
      imports.account,
      company,
      tabled('id name branch_user', [1, 'A', '1'], [2, 'B', '2'], [3, 'C', '3']),
    );
    const before = await listed(imports.account, company);
    const csv = file('dry.csv', 'id,name,branch_user\n1,A,1\n2,BB,2\n,D,4\n');
    for (const [flags, counts] of [
      [[], '1 created, 1 updated, 1 unchanged'],
      [['--replace'], '1 created, 1 updated, 1 unchanged, 1 removed'],
    ] as const)
      expect(await imported(company, csv, '--dry-run', ...flags)).toEqual({
        code: 0,
        stdout: `Would import 3 companies into ${imports.account.name}: ${summary(counts)}. Nothing was changed.\n`,
        stderr:
          flags.length === 0
            ? ''
            : 'Without --yes it would be refused: it removes more than a tenth of the companies.\n',
      });
    expect(await listed(imports.account, company)).toEqual(before);
  });

  test('leaves the --reject file as it was', async () => {
    const rejects = file('kept.csv', 'precious\n');
    const csv = file('dry.csv', 'id,name,branch_user\n1,A,1\nx,Z,1\n');
    expect(await imported(company, csv, '--dry-run', '--reject', rejects)).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('1 rejected'),
    });
    expect(readFileSync(inFolder(rejects), 'utf8')).toBe('precious\n');
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
    const { revision } = await listed(imports.account, partner);
    expect(await night('id,name\n2,B\n3,CC\n9,D\n')).toEqual(succeeded('3 partners', '3 unchanged'));
    expect((await listed(imports.account, partner)).revision).toBe(revision);
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
      stderr: `stockbook: The import would remove 2 of 3 partners, more than a tenth. Nothing was changed. Add --yes if they are to be removed.\n`,
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
    const [one, other] = [
      await addAccount(imports.store, `file-${format}`),
      await addAccount(imports.store, `input-${format}`),
    ];
    const args = (to: Account, name: string) => ['import', to.name, 'partner', name, '--format', format];
    const finished = await Promise.all([
      commands.run(args(one, file(`compressed.${format}.gz`, compressed)).slice(0, 4), { folder: imports.folder }),
      commands.run(args(other, '-'), { folder: imports.folder, input: compressed }),
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
          /^stockbook: The gzip data is damaged or truncated \(.+\)\. Nothing was changed\.\n$/,
        ),
      });
    expect(await listed(imports.account, partner)).toMatchObject({ total: 0, revision: 0 });
  });
});

test('files that are compressed with zstd, and rows that remove records', async () => {
  await withAccount();
  const bytes = zstdCompressSync('id,name\n1,A\n2,B\n');
  expect(await imported(partner, file('all.csv.zst', bytes))).toEqual(succeeded('2 partners', '2 created'));
  expect(await imported(partner, file('plain.csv', bytes))).toEqual(succeeded('2 partners', '2 unchanged'));
  const changes = file('changes.csv', 'id,name,removed\n1,,true\n2,B2,\n9,,TRUE\n');
  expect((await imported(partner, changes)).stdout).toContain(summary('1 updated, 1 unchanged, 1 removed'));
  expect(await rows(partner)).toEqual([[2, 'B2']]);
  const listedImports = await imports.store.imports.list({ account: imports.account.id }, [partner], {
    page: 1,
    limit: 10,
  });
  expect(listedImports).toMatchObject({ imports: [{ state: 'done', rows: 3 }, { rows: 2 }, { rows: 2 }], total: 3 });
});
