/** Imports of files whose first row does not name the columns, or which have more than one table. */

import { describe, expect, test } from 'vitest';
import { aboveStore } from '../support/above-store.ts';
import { addAccount } from '../support/fixture.ts';
import { bodyOf, checkReply, PRODUCTS } from '../support/rows.ts';
import { bearer } from '../support/service.ts';
import { sharedService } from '../support/shared.ts';
import { sheetOf, workbookFile } from '../support/workbooks.ts';

const XLSX = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet';

type Rows = readonly (readonly (string | number)[])[];

describe.each(aboveStore)('on $name', (engine) => {
  const service = sharedService(engine);
  let accounts = 0;

  const owner = async () => {
    accounts += 1;
    const account = await addAccount(service.store, `headers-${accounts}`);
    const headers = bearer(await service.issue(account, { scopes: ['read', 'edit'] }));
    const post = (query: string, body: string | Uint8Array, type: string, more: Record<string, string> = {}) =>
      service.send({
        method: 'POST',
        path: `${PRODUCTS}/import${query}`,
        headers: { ...headers, 'content-type': type, ...more },
        body,
      });
    const list = async (fields: string) =>
      bodyOf(await service.send({ path: `${PRODUCTS}?fields=${fields}`, headers })).data;
    return {
      sheet: (rows: Rows, query = '') => post(query, workbookFile({ sheets: { Sheet: sheetOf(...rows) } }), XLSX),
      csv: (body: string, query = '', more: Record<string, string> = {}) => post(query, body, 'text/csv', more),
      list,
    };
  };

  const notes = (found: readonly string[]) => expect.objectContaining({ notes: found });

  test.each<[string, Rows]>([
    [
      'names of images',
      [
        ['name', 'Image 1/Image 2'],
        ['Chair', 'https://a/b.png'],
        ['Desk', 'https://a/c.png'],
      ],
    ],
    [
      'dates',
      [
        ['name', 'list_price'],
        ['10/20', 1],
        ['11/20', 2],
      ],
    ],
    [
      'materials',
      [
        ['name', 'Material'],
        ['Holz/Stahl', 'Glas/Stahl'],
        ['Stahl/Glas', 'x'],
      ],
    ],
  ])('a slash makes no name of a column: %s', async (_, rows) => {
    const { sheet, list } = await owner();
    checkReply(await sheet(rows, '?ignore_unknown=true'), {
      status: 200,
      has: { data: { created: 2, recognised: { headerRow: 1 } } },
    });
    expect(await list('name')).toEqual(rows.slice(1).map(([name]) => ({ name })));
  });

  test('paths of Odoo are names of columns if they begin with a field', async () => {
    const { sheet } = await owner();
    checkReply(
      await sheet([
        ['Export', '2026'],
        ['Name', 'Product Category/.id', 'categ_id/name'],
        ['Chair', 4, 'A'],
      ]),
      {
        status: 200,
        has: { data: { created: 1, recognised: { headerRow: 2, origin: 'odoo' } } },
      },
    );
  });

  const TWO: Rows = [
    ['name', 'list_price'],
    ['Chair', 5],
    ['name', 'list_price', 'qty_available'],
    ['Desk', 7, 3],
  ];

  test.each<[string, Rows, readonly string[]]>([
    ['the second has more columns', TWO, ['name, list_price', 'name, list_price, qty_available']],
    [
      'the first has more columns',
      [...TWO.slice(2), ...TWO.slice(0, 2)],
      ['name, list_price, qty_available', 'name, list_price'],
    ],
  ])('which of two tables it is, is a question: %s', async (_, rows, names) => {
    const { sheet, list } = await owner();
    const asked = await sheet(rows);
    checkReply(asked, {
      status: 422,
      has: {
        code: 'decision_required',
        questions: [
          {
            parameter: 'header_row',
            question: 'The rows 1 and 3 name columns, so there are several tables. Which one is it?',
            choices: names.map((columns, index) => ({
              value: String(1 + 2 * index),
              meaning: `the one below ${columns}, without the others`,
            })),
          },
        ],
      },
    });
    checkReply(await sheet(rows, '?header_row=1&add=true'), {
      status: 200,
      has: { data: { created: 1, recognised: notes(['Another table was left out: 2 rows (3, 4).']) } },
    });
    checkReply(await sheet(rows, '?header_row=3&add=true'), {
      status: 200,
      has: {
        data: { created: 1, recognised: notes(['Above the names of the columns, 2 rows (1, 2) were left out.']) },
      },
    });
    expect(await list('name')).toEqual([{ name: rows[1]?.[0] }, { name: rows[3]?.[0] }]);
  });

  test('what is above the names of the columns and no title is in a note', async () => {
    const { sheet } = await owner();
    checkReply(
      await sheet([['Prices'], ['As of', '2026'], ['Valid', 'always'], ['name', 'list_price'], ['Chair', 5]]),
      {
        status: 200,
        has: {
          data: { created: 1, recognised: notes(['Above the names of the columns, 2 rows (2, 3) were left out.']) },
        },
      },
    );
  });

  test('a second table far below the first one is a question as well, and nothing is changed', async () => {
    const { csv, list } = await owner();
    const rows = Array.from({ length: 3_000 }, (_, n) => `P${n},${n}\n`).join('');
    checkReply(await csv(`name,list_price\n${rows}\nname,qty_available\nDesk,7\n`), {
      status: 422,
      has: { code: 'decision_required', detail: expect.stringContaining('The lines 1 and 3003 name columns') },
    });
    expect(await list('name')).toEqual([]);
  });

  test('names of columns that are repeated are skipped, with a note', async () => {
    const { csv } = await owner();
    const part = 'name,list_price\nChair,1\n';
    checkReply(await csv(part + part.replace('Chair', 'Desk') + part.replace('Chair', 'Lamp')), {
      status: 200,
      has: {
        data: {
          created: 3,
          recognised: notes(['2 lines (3, 5) with the names of the columns once more were skipped.']),
        },
      },
    });
  });

  test('rows of values are not taken for names of columns', async () => {
    const { csv } = await owner();
    const rows = 'Name,A-1,1\nActive,name,2\nPrice,Sales price,3\nname,,\n';
    checkReply(await csv(`name,default_code,list_price\n${rows}`), { status: 200, has: { data: { created: 4 } } });
  });

  test('header_row names a line of CSV', async () => {
    const { csv, list } = await owner();
    const body = 'Price list 2026\nas of,January\n\nname;list_price\nChair;1,5\n';
    checkReply(await csv(body, '?header_row=4'), {
      status: 200,
      has: { data: { created: 1, recognised: { headerRow: 4, delimiter: ';', notes: [] } } },
    });
    expect(await list('name,list_price')).toEqual([{ name: 'Chair', list_price: 1.5 }]);
    for (const [row, detail] of [
      ['3', 'There is nothing in line 3, which should name the columns.'],
      ['9', 'There is nothing in line 9, which should name the columns.'],
    ])
      checkReply(await csv(body, `?header_row=${row}`), { status: 400, has: { code: 'malformed_rows', detail } });
    checkReply(await csv(body, '?header_row=0', { prefer: 'wording=client' }), {
      status: 400,
      has: { code: 'invalid_import_option', parameter: 'headerRow' },
    });
  });

  test('header_row of a workbook names a row that exists', async () => {
    const { sheet } = await owner();
    for (const query of ['?header_row=100', '?header_row=100&sheet=Sheet'])
      checkReply(await sheet(TWO, query), {
        status: 400,
        has: { code: 'malformed_rows', detail: 'There is nothing in row 100, which should name the columns.' },
      });
  });

  test.each<[string, Rows, string]>([
    [
      'only values',
      [
        [1, 2],
        [3, 4],
      ],
      'No sheet of the workbook has names of fields in one of its first 30 rows.',
    ],
    ['only names', [['name', 'list_price']], 'No sheet of the workbook has a row below the names of its columns.'],
    ['only other words', [['Foo', 'Bar']], 'No sheet of the workbook has names of fields in one of its first 30 rows.'],
  ])('a sheet with %s', async (_, rows, detail) => {
    const { sheet } = await owner();
    for (const query of ['', '?dry_run=true'])
      checkReply(await sheet(rows, query), { status: 400, has: { code: 'malformed_rows', detail } });
  });

  test('a named sheet without names of columns is an error, also in a dry run', async () => {
    const { sheet } = await owner();
    const detail = 'None of the first 30 rows of the sheet has names of fields in its cells.';
    for (const rows of [[['Foo', 'Bar']], [[1, 2]]])
      checkReply(await sheet(rows, '?sheet=Sheet&dry_run=true'), {
        status: 400,
        has: { code: 'malformed_rows', detail },
      });
  });
});
