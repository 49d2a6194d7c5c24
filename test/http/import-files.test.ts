/** Imports over HTTP of files as other programs write them: what the response says about them, and the rows that cannot be imported. */

import { describe, expect, test } from 'vitest';
import { aboveStore } from '../support/above-store.ts';
import { addAccount } from '../support/fixture.ts';
import { checkReply, PRODUCTS } from '../support/rows.ts';
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
      Object((await service.send({ path: `${PRODUCTS}?fields=${fields}`, headers })).json).data;
    const csv = async (format: string) =>
      (await service.send({ path: `${PRODUCTS}?format=${encodeURIComponent(format)}`, headers })).text;
    return { post, list, csv };
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
    expect(Object(made.json).data).not.toHaveProperty('preview');
    expect(Object(made.json).data.recognised.columns[0]).toEqual({ column: 'Nummer', field: 'default_code' });
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
    expect(await post(query, 'name,default_code\nA,x\n', 'text/csv', { accept: 'text/csv' })).toMatchObject({
      status: 204,
    });
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
