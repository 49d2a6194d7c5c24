/** `stockbook import` of files with errors: what is reported, and what `--reject` writes. */

import { existsSync, readFileSync, statSync } from 'node:fs';
import { beforeAll, describe, expect, test } from 'vitest';
import { partner } from '../../src/catalog/partner.ts';
import { product } from '../../src/catalog/product.ts';
import { Imports, summary } from '../support/imports.ts';

const imports = new Imports();
const { withAccount, inFolder, file, imported, listed, rows, succeeded } = imports;

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
      stdout: `Imported 2 products into ${imports.account.name}: ${summary('2 created, 5 rejected')}.\n`,
      stderr: [
        'Recognised: semicolons.',
        '5 errors in the file:',
        "line 3, list_price: must be a number in decimal notation, not 'cheap'",
        'line 5: the row has 2 cells, but 4 columns are named',
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
    expect(statSync(inFolder('rejected.csv')).mode & 0o777).toBe(0o600);
    const fixed = readFileSync(inFolder('rejected.csv'), 'utf8')
      .replace('cheap', '99')
      .replace('3;Lamp', '3;Lamp;;')
      .replace('"Rug"x', '"Rug x"')
      .replace('5;Vase again', '7;Vase again')
      .replace('6;;', '6;Six;');
    expect(await imported(product, file('fixed.csv', fixed), '--reject', 'rejected.csv')).toEqual({
      ...succeeded('5 products', '5 created'),
      stderr: 'Recognised: semicolons.\n',
    });
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
      stdout: `Imported 2 partners into ${imports.account.name}: ${summary('2 created, 6 rejected')}.\n`,
    });
    expect(stderr).toMatch(/^line 2: not valid JSON: /m);
    expect(stderr).toContain("line 4: not a JSON object: '[1]'\nline 6, name: must be a string, not 5\n");
    expect(stderr).toContain('line 8, nmae: partner has no such field; did you mean name? (rename it with --map');
    expect(readFileSync(inFolder('rejected.ndjson'), 'utf8')).toBe(`${bad.join('\n')}\n`);
    const fixed = '{"name":"B"}\n{"name":"C"}\n{"name":"5"}\n{"name":"D"}\n{"name":"E"}\n{"name":"F"}\n';
    expect((await imported(partner, file('fixed.ndjson', fixed))).stdout).toContain(summary('6 created'));
    expect((await rows(partner)).map(([, name]) => name)).toEqual(['A', 'Z', 'B', 'C', '5', 'D', 'E', 'F']);
  });

  test.each([
    ['x.ndjson', '{"name":"A"}\n{"name":"B","n\\u0061me":"C"}\n', 'line 2'],
    ['x.json', '[{"name":"A"},{"name":"B","x":{"y":1,"y":2}}]', 'element 2'],
  ])('%s: a row with a member twice is an error', async (name, content, place) => {
    await withAccount();
    const { code, stderr } = await imported(partner, file(name, content));
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: expect.stringMatching(new RegExp(`${place}: has the member '(name|y)' more than once`)),
    });
    expect(await rows(partner)).toEqual([]);
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
      stdout: `Imported 2 partners into ${imports.account.name}: ${summary('2 created, 3 rejected')}.\n`,
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

  test('reports many errors once, and writes all rejected rows', async () => {
    await withAccount();
    const content = `name,list_price\n${Array.from({ length: 30_000 }, (_, n) => `P${n},${n % 3 === 0 ? 'x' : n}\n`).join('')}`;
    const { stdout, stderr } = await imported(product, file('third.csv', content), '--reject', 'rejected.csv');
    expect(stdout).toContain(
      `20,000 products into ${imports.account.name}: ${summary('20,000 created, 10,000 rejected')}`,
    );
    expect(stderr).toContain(
      "10,000 rows, list_price: must be a number in decimal notation (lines 2, 5, 8, 11, 14, …; the first is 'x')",
    );
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
      code: 2,
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
    expect((await listed(imports.account, product)).total).toBe(0);
  });
});

describe('errors in a file', () => {
  beforeAll(withAccount);

  test.concurrent('25 rows with the same error are one line', async () => {
    const csv = file('bad.csv', `name,list_price\n${'x,y\n'.repeat(25)}`);
    const { code, stdout, stderr } = await imported(product, csv);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr.split('\n')).toEqual([
      'stockbook: 25 errors in the file:',
      "25 rows, list_price: must be a number in decimal notation (lines 2, 3, 4, 5, 6, …; the first is 'y')",
      'The other rows have not been compared with the records yet.',
      'Nothing was changed.',
      '',
    ]);
  });

  test.concurrent('a line that is not valid JSON does not hide the errors of other lines', async () => {
    const ndjson = file('bad.ndjson', '{"name":"A"}\n{"name":\n{"name":"B"}\nnull\n{"name":"C","list_price":"one"}\n');
    const { code, stderr } = await imported(product, ndjson);
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: expect.stringMatching(
        /^stockbook: 3 errors in the file:\nline 2: not valid JSON: .+\nline 4: not a JSON object: 'null'\nline 5, list_price: must be a number in decimal notation, not "one"\nThe other rows have not been compared with the records yet\.\nNothing was changed\.\n$/,
      ),
    });
  });

  test.concurrent('a value of the wrong kind is shown as the file has it', async () => {
    const values = ['null', '{}', '["A"]', '5', '" "', `"${'x'.repeat(1_001)}"`];
    const ndjson = file('kinds.ndjson', `${values.map((value) => `{"name":${value}}`).join('\n')}\n`);
    expect((await imported(product, ndjson)).stderr.split('\n').slice(1, -3)).toEqual([
      'line 1, name: must not be null',
      "3 rows, name: must be a string (lines 2, 3, 4; the first is 'an object')",
      'line 5, name: must not be blank',
      'line 6, name: must have at most 1000 characters',
    ]);
  });

  test.concurrent('text after a closing quote', async () => {
    const csv = file('stray.csv', 'name,default_code\n"A" b,x\n"B","y"z\n"C""",ok\n"D"');
    expect((await imported(product, csv)).stderr.split('\n')).toEqual([
      'stockbook: 3 errors in the file:',
      "line 2: expected ',' after the closing quote, found 'b'; inside quotes, write a quote twice",
      "line 3: expected ',' after the closing quote, found 'z'; inside quotes, write a quote twice",
      'line 5: the row has 1 cell, but 2 columns are named',
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

  test('errors name the line, the column and the reason, and nothing is changed', async () => {
    const csv = file(
      'bad.csv',
      'id,name,list_price,write_date\n1,Chair,12.5,2026-01-01\n2,"Desk\nwith a break",cheap,2026-01-01\n0,Lamp,1,tomorrow\n4,Rug\n',
    );
    expect(await imported(product, csv)).toEqual({
      code: 1,
      stdout: '',
      stderr: [
        'stockbook: 4 errors in the file:',
        "line 3, list_price: must be a number in decimal notation, not 'cheap'",
        "line 5, id: must be a whole number from 1 to 9007199254740991, not '0'",
        "line 5, write_date: must be an ISO 8601 date or timestamp such as 2026-01-31 or 2026-01-31T09:30:00Z, not 'tomorrow'",
        'line 6: the row has 2 cells, but 4 columns are named',
        'The other rows have not been compared with the records yet.',
        'Nothing was changed.\n',
      ].join('\n'),
    });
  });

  test.each([
    ['x.csv', 'id,name\n1,"A\n2,B\n', 'Line 2: a quote is opened but never closed.'],
    ['x.json', '{"name":"A"}', 'Line 1: unexpected { before the array; expected one JSON array of objects.'],
    ['x.json', '[{"name":"A"}', 'a ] is missing'],
    ['x.json', '[{"name":"A"},]', 'Line 1: an element is missing before the ].'],
    ['x.json', '[{"name":"A"}] []', 'Line 1: unexpected [ after the array; expected one JSON array of objects.'],
    ['x.json', '[{"prize":1}]', 'element 1, prize: product has no such field; its fields are id, name'],
    ['x.csv', '', 'There is no first line'],
    [
      'x.csv',
      'wrong,cols\n',
      'line 1, wrong, cols: product has no such fields; rename or ignore them with --map "wrong=" --map "cols=", or',
    ],
    [
      'x.csv',
      'id,nmae,lst_price\n1,A,x\n',
      'line 1, nmae, lst_price: product has no such fields; rename or ignore them with --map "nmae=name" --map "lst_price=list_price"',
    ],
    ['x.csv', 'id,name\r1,A,\r', 'line 2: the row has 3 cells, but 2 columns are named'],
    [
      'x.csv',
      'name,list_price\nA,"9,99"\nB,9.99\n',
      "list_price has '9,99', with a decimal comma, and '9.99', with a decimal point. Which one is right?",
    ],
    ['x.csv', 'id,list_price\n1,5\n', 'line 2, name: missing; a new record requires it'],
  ])('%s %j: %s', async (name, content, message) => {
    const { code, stderr } = await imported(product, file(name, content));
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining(message) });
    expect(stderr).toContain('Nothing was changed.');
  });

  test('a file that is not UTF-8', async () => {
    const latin1 = file('latin1.csv', Buffer.from('name\nCr\xe8me\n', 'latin1'));
    expect(await imported(product, latin1)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('not UTF-8'),
    });
  });

  test('none of these files changed anything', async () => {
    expect(await listed(imports.account, product)).toMatchObject({ total: 0, revision: 0 });
  });
});
