/** Imports over HTTP of files as other programs write them: what the response says about them, and the rows that cannot be imported. */

import { describe, expect, test } from 'vitest';
import { aboveStore } from '../support/above-store.ts';
import { addAccount } from '../support/fixture.ts';
import { bodyOf, checkReply, PRODUCTS } from '../support/rows.ts';
import { bearer } from '../support/service.ts';
import { sharedService } from '../support/shared.ts';

describe.each(aboveStore)('on $name', (engine) => {
  const service = sharedService(engine);
  let accounts = 0;

  const owner = async () => {
    accounts += 1;
    const account = await addAccount(service.store, `files-${accounts}`);
    const headers = bearer(await service.issue(account, { scopes: ['read', 'edit'] }));
    const post = (query: string, body: string | Uint8Array, type = 'text/csv', more: Record<string, string> = {}) =>
      service.send({
        method: 'POST',
        path: `${PRODUCTS}/import${query}`,
        headers: { ...headers, 'content-type': type, ...more },
        body,
      });
    const list = async (fields: string) =>
      bodyOf(await service.send({ path: `${PRODUCTS}?fields=${fields}`, headers })).data;
    const csv = async (format: string) =>
      (await service.send({ path: `${PRODUCTS}?format=${encodeURIComponent(format)}`, headers })).text;
    const page = async (query: string) => (await service.send({ path: `${PRODUCTS}?${query}`, headers })).text;
    return { post, list, csv, page };
  };

  test('a file that was exported for spreadsheets can be imported again: its columns are labels', async () => {
    const { post, list, csv } = await owner();
    await post('', 'name,list_price,active\n"Stuhl, alt",1234.5,false\nTisch,7,true\n');
    const exported = await csv('csv;excel-safe=true');
    expect(exported).toContain('"Product code","Sales price","Quantity on hand"');
    const edited = exported.replace('Tisch', 'Neuer Tisch');
    checkReply(await post('', edited), { status: 200, has: { data: { created: 0, updated: 2, removed: 0 } } });
    expect(await list('name,list_price,active')).toEqual([
      { name: 'Stuhl, alt', list_price: 1234.5, active: false },
      { name: 'Neuer Tisch', list_price: 7, active: true },
    ]);
  });

  test('what was recognised is part of the response, and more of it in a dry run', async () => {
    const { post, list } = await owner();
    const csv = 'Nummer;Name;List Price;Notiz\nA;Stuhl;1.234,50;alt\n';
    const dryRun = await post('?map=Nummer:default_code&map=Notiz:&dry_run=true', csv);
    checkReply(dryRun, {
      status: 200,
      has: {
        data: {
          created: 1,
          recognised: {
            format: 'csv',
            encoding: 'utf-8',
            delimiter: ';',
            decimal: ',',
            columns: [
              { column: 'Nummer', field: 'default_code', examples: ['A'] },
              { column: 'Name', field: 'name', examples: ['Stuhl'] },
              { column: 'List Price', field: 'list_price', examples: ['1.234,50'] },
              { column: 'Notiz', field: null, reason: 'ignored', examples: ['alt'] },
            ],
            notes: [],
          },
          preview: [{ default_code: 'A', name: 'Stuhl', list_price: 1234.5 }],
        },
      },
    });
    const made = await post('?ignore_unknown=true&map=Nummer:default_code', csv);
    checkReply(made, { status: 200, has: { data: { created: 1, recognised: { delimiter: ';' } } } });
    expect(bodyOf(made).data).not.toHaveProperty('preview');
    expect(bodyOf(made).data.recognised.columns[0]).toEqual({ column: 'Nummer', field: 'default_code' });
    expect(await list('default_code,list_price')).toEqual([{ default_code: 'A', list_price: 1234.5 }]);
  });

  test('what has two meanings is a question, and a parameter answers it', async () => {
    const { post, list } = await owner();
    const csv = 'name;list_price;create_date\nA;1.299;03/04/2024\n';
    checkReply(await post('', csv), {
      status: 422,
      has: {
        code: 'decision_required',
        questions: [
          {
            parameter: 'decimal',
            column: 'list_price',
            question: expect.any(String),
            choices: [
              { value: ',', meaning: '1299: with a decimal comma' },
              { value: '.', meaning: '1.299: with a decimal point' },
            ],
          },
          {
            parameter: 'dates',
            column: 'create_date',
            question: expect.any(String),
            choices: [
              { value: 'DD/MM/YYYY', meaning: '2024-04-03' },
              { value: 'MM/DD/YYYY', meaning: '2024-03-04' },
            ],
          },
        ],
      },
    });
    checkReply(await post('?decimal=,&dates=MM/DD/YYYY', csv), { status: 200, has: { data: { created: 1 } } });
    expect(await list('list_price,create_date')).toEqual([
      { list_price: 1299, create_date: '2024-03-04T00:00:00.000Z' },
    ]);
  });

  test('a character set is that of the Content-Type', async () => {
    const { post, list } = await owner();
    const latin = Buffer.from('name\nStühle\n', 'latin1');
    checkReply(await post('', latin), {
      status: 422,
      has: { code: 'decision_required', questions: [expect.objectContaining({ parameter: 'charset' })] },
    });
    checkReply(await post('', latin, 'text/csv; charset=windows-1252'), { status: 200, has: { data: { created: 1 } } });
    checkReply(await post('', latin, 'text/csv; charset=klingon'), {
      status: 400,
      has: { code: 'invalid_import_option', parameter: 'charset' },
    });
    expect(await list('name')).toEqual([{ name: 'Stühle' }]);
  });

  test('the content decides if the type says nothing', async () => {
    const { post, list } = await owner();
    for (const body of ['name\nA\n', '{"name":"B"}\n', '[{"name":"C"}]'])
      checkReply(await post('', body, 'application/octet-stream'), { status: 200, has: { data: { created: 1 } } });
    for (const body of ['[Code];name\nX;D\n', '{Code};name\nX;E\n'])
      checkReply(await post('?ignore_unknown=true', body, 'application/octet-stream'), { status: 200 });
    expect(await list('name')).toEqual(['A', 'B', 'C', 'D', 'E'].map((name) => ({ name })));
  });

  test('currencies, percent signs and words for nothing name the option that reads them', async () => {
    const { post, list } = await owner();
    const csv = 'name;default_code;list_price;qty_available;categ_id\nA;-;"19,90 €";19%;NULL\nB;#N/A;EUR 5;2,5 %;-\n';
    const refused = await post('', csv);
    checkReply(refused, { status: 422, has: { code: 'rows_rejected' } });
    expect(
      Object(refused.json).errors.map(({ column, suggestion }: Record<string, string>) => [column, suggestion]),
    ).toEqual([
      ['list_price', 'Did you mean 19,90? Add lenient=true to read it without the currency'],
      ['qty_available', 'Add lenient=true to read it as hundredths'],
      ['categ_id', 'Add lenient=true to read it as an empty cell'],
      ['list_price', 'Did you mean 5? Add lenient=true to read it without the currency'],
      ['qty_available', 'Add lenient=true to read it as hundredths'],
      ['categ_id', 'Add lenient=true to read it as an empty cell'],
    ]);
    checkReply(await post('?lenient=true', csv), {
      status: 200,
      has: { data: { created: 2, recognised: { decimal: ',' } } },
    });
    expect(await list('name,default_code,list_price,qty_available,categ_id')).toEqual([
      { name: 'A', default_code: null, list_price: 19.9, qty_available: 0.19, categ_id: null },
      { name: 'B', default_code: null, list_price: 5, qty_available: 0.025, categ_id: null },
    ]);
    checkReply(await post('', csv, 'text/csv', { prefer: 'wording=client' }), {
      status: 422,
      has: {
        errors: expect.arrayContaining([
          expect.objectContaining({ suggestion: expect.stringContaining('lenient: true') }),
        ]),
      },
    });
  });

  test.each([
    ['', 'Chair,""', ''],
    ['', '"Chair",""', null],
    ['?empty_text=null', 'Chair,""', null],
    ['?empty_text=keep', '"Chair",""', ''],
  ])('with "%s", the empty cell of %s is %j', async (query, row, value) => {
    const { post, list } = await owner();
    const header = row.startsWith('"') ? '"name","default_code"' : 'name,default_code';
    checkReply(await post(query, `${header}\n${row}\n`), { status: 200, has: { data: { created: 1 } } });
    expect(await list('default_code')).toEqual([{ default_code: value }]);
  });

  test('in JSON, texts are read as in CSV', async () => {
    const { post, list } = await owner();
    const rows = '{"name":"A","list_price":"19.90","categ_id":"7","active":"no"}\n';
    checkReply(await post('', rows, 'application/x-ndjson'), { status: 200, has: { data: { created: 1 } } });
    expect(await list('list_price,categ_id,active')).toEqual([{ list_price: 19.9, categ_id: 7, active: false }]);
    checkReply(await post('', '{"name":"B","list_price":"1.299"}\n', 'application/x-ndjson'), {
      status: 422,
      has: { code: 'decision_required', suggestion: expect.stringContaining('decimal=.') },
    });
    checkReply(await post('', '{"name":"B","list_price":"cheap"}\n', 'application/x-ndjson'), {
      status: 422,
      has: { errors: [{ line: 1, column: 'list_price', reason: 'must be a number in decimal notation, not "cheap"' }] },
    });
  });

  test('a page of a list can be imported if it is complete', async () => {
    const [original, { post, list }] = [await owner(), await owner()];
    await original.post('', 'name\n"Stuhl ]},{"\nTisch\n');
    const page = await original.page('limit=1');
    expect(page).toMatch(/^\{"data":\[.*\],"meta":\{.*\}\}$/);
    const json = 'application/json';
    const data = '{"data":[{"name":"x"}]';
    const rests = [
      '',
      ' garbage',
      '}garbage',
      ',"meta":{"tot',
      ',"data":[{"name":"y"}]}',
      ',}',
      ']}',
      `,"meta":"${'x'.repeat(100_000)}"}`,
    ];
    for (const body of [
      ...rests.map((rest) => `${data}${rest}`),
      page.slice(0, -1),
      '{"rows":[]}',
      '{"data":{}}',
      '[]x',
    ])
      checkReply(await post('', body, json), { status: 400, has: { code: 'malformed_rows' } });
    expect(await list('name')).toEqual([]);
    checkReply(await post('', ` ${page}\n`, json), { status: 200, has: { data: { created: 1 } } });
    checkReply(await post('', `${data} } `, json), { status: 200, has: { data: { created: 1 } } });
    expect(await list('name')).toEqual([{ name: 'Stuhl ]},{' }, { name: 'x' }]);
  });

  test('codes that a spreadsheet has shortened, and formulas, are in notes with their rows', async () => {
    const { post } = await owner();
    const codes = ['4.00638E+12', 'A-1', '="00123"', '4,1E+12'];
    checkReply(
      await post(
        '',
        `name;default_code\n${codes.map((code) => `X;${code.includes('"') ? `"${code.replaceAll('"', '""')}"` : code}\n`).join('')}`,
      ),
      {
        status: 200,
        has: {
          data: {
            recognised: {
              notes: [
                "default_code: the values of 2 lines (2, 5), such as '4.00638E+12', look like numbers that a spreadsheet has shortened, so their last digits are lost.",
                `default_code: the values of 1 line (4), such as '="00123"', look like formulas, and are stored as such.`,
              ],
            },
          },
        },
      },
    );
  });

  test('all unknown columns are one error, with the map that is ready to be used', async () => {
    const { post } = await owner();
    const csv = 'name,lst_price,Sales prise,Notes & more\nA,1,2,x\n';
    const refused = await post('', csv);
    checkReply(refused, {
      status: 422,
      has: {
        errorCount: 1,
        errors: [
          {
            line: 1,
            column: 'lst_price, Sales prise, Notes & more',
            reason: 'product has no such fields',
            suggestion:
              'Rename or ignore them with map=lst_price:list_price&map=Sales%20prise:&map=Notes%20%26%20more:, or ignore all of them with ignore_unknown=true',
          },
        ],
      },
    });
    const [, map] = /with (map=.*), or/.exec(Object(refused.json).errors[0].suggestion) ?? [];
    checkReply(await post(`?${map}`, csv), { status: 200, has: { data: { created: 1 } } });
  });

  test('what is suggested for one unknown column works as it is', async () => {
    const { post } = await owner();
    const rename = async (column: string) => {
      const refused = await post('', `name,"${column.replaceAll('"', '""')}"\nA,7\n`);
      const [, map] = /rename it with (map=\S+), ignore/.exec(Object(refused.json).errors[0].suggestion) ?? [];
      return map;
    };
    const long = 'x'.repeat(80);
    for (const column of ['VAT %:', 'a&b=c#d+e', 'Zusatz, alt/neu', '"x"', long]) {
      const map = String(await rename(column)).replace('FIELD', 'list_price');
      checkReply(await post(`?${map}`, `name,"${column.replaceAll('"', '""')}"\nA,7\n`), {
        status: 200,
        has: { data: { created: 1 } },
      });
    }
    const longest = 'x'.repeat(101);
    checkReply(await post('', `name,${longest}\nA,7\n`), {
      status: 422,
      has: { errors: [{ suggestion: expect.stringMatching(/ \(ignore all of them with ignore_unknown=true\)$/) }] },
    });
    const withId = await post(`?key=default_code&map=${longest}:id`, `name,default_code,${longest}\nA,B,7\n`);
    expect(Object(withId.json).errors).toEqual([
      { line: 1, column: `${'x'.repeat(60)}…`, reason: 'records are identified by default_code' },
    ]);
  });

  test('spaces around the name of a member do not matter, as in CSV', async () => {
    const { post, list } = await owner();
    const json = 'application/json';
    const rows = '[{" name ":"A","\\tNotes ":"x"},{"name":"B","Notes":"y"}]';
    checkReply(await post('', rows, json), {
      status: 422,
      has: { errorCount: 1, errors: [{ line: 1, column: 'Notes' }] },
    });
    for (const map of ['Notes:', '%20Notes%20:'])
      checkReply(await post(`?map=${map}&dry_run=true`, rows, json), { status: 200, has: { data: { created: 2 } } });
    checkReply(await post('?map=Notes:default_code', rows, json), { status: 200, has: { data: { created: 2 } } });
    expect(await list('name,default_code')).toEqual([
      { name: 'A', default_code: 'x' },
      { name: 'B', default_code: 'y' },
    ]);
    checkReply(await post('', '[{"name":"A","name ":"B"}]', json), {
      status: 422,
      has: { errors: [{ column: 'name', reason: 'duplicate column' }] },
    });
  });

  test('of a thousand unknown columns, an error lists some', async () => {
    const { post } = await owner();
    const names = Array.from({ length: 999 }, (_, n) => `unknown ${n}`);
    const refused = await post('', `name,${names.join(',')}\nA${',1'.repeat(999)}\n`);
    const [error, ...others] = Object(refused.json).errors;
    expect(others).toEqual([]);
    expect(error.column).toMatch(/^unknown 0, unknown 1, .*, unknown 49, 949 more$/);
    checkReply(await post('?ignore_unknown=true', `name,${names.join(',')}\nA${',1'.repeat(999)}\n`), { status: 200 });
  });

  test('rows that have to be fixed alike are one group', async () => {
    const { post } = await owner();
    const csv = `name,list_price\n${Array.from({ length: 30 }, (_, n) => `P${n},x${n}\n`).join('')}`;
    checkReply(await post('', csv), {
      status: 422,
      has: {
        code: 'rows_rejected',
        errorCount: 30,
        errorGroups: [{ column: 'list_price', reason: expect.any(String), rows: 30, lines: [2, 3, 4, 5, 6] }],
        recognised: { format: 'csv' },
      },
    });
  });

  test('the rows that cannot be imported are a file', async () => {
    const { post, list } = await owner();
    const csv = 'name,list_price,default_code\nA,1,x\nB,cheap,y\n"C",2,z\nD,3,z\n';
    const query = '?dry_run=true&on_error=skip&key=default_code';
    const rejected = await post(query, csv, 'text/csv', { accept: 'text/csv' });
    expect(rejected).toMatchObject({ status: 200, text: 'name,list_price,default_code\nB,cheap,y\nD,3,z\n' });
    expect(rejected.headers['content-type']).toBe('text/csv');
    expect(await post(query, 'name,default_code\nA,x\n', 'text/csv', { accept: 'text/csv' })).toRespond(204);
    checkReply(await post(query, csv, 'text/csv', { accept: '*/*' }), { status: 200, has: { data: { skipped: 2 } } });
    expect(await list('name')).toEqual([]);
  });

  test.each([
    ['decimal=;', 'decimal'],
    ['dates=DD', 'dates'],
    ['timezone=Mars', 'timezone'],
    ['delimiter=x', 'delimiter'],
    ['empty_text=maybe', 'empty_text'],
    ['ignore_unknown=yes', 'ignore_unknown'],
  ])('%s is refused', async (query, parameter) => {
    const { post } = await owner();
    checkReply(await post(`?${query}`, 'name\nA\n'), {
      status: 400,
      has: { code: 'invalid_import_option', parameter },
    });
  });
});
