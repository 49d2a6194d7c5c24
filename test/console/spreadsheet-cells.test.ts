/** Records as they are put on the clipboard. */

import { expect, test } from 'vitest';
import { cellsOf, htmlTable, tabSeparated } from '../../console/src/table/spreadsheet-cells.ts';
import { findField } from '../../src/catalog/catalog.ts';
import { product } from '../../src/catalog/product.ts';

const fields = ['id', 'name', 'list_price', 'active', 'default_code', 'write_date'].flatMap(
  (name) => findField(product, name) ?? [],
);
const written = new Date(2026, 0, 31, 9, 30, 5).toISOString();
const chair = { id: 7, name: 'Chair', list_price: 1234.5, active: true, default_code: null, write_date: written };

/** The start of a cell with text. */
const TEXT = String.raw`<td style="mso-number-format:'\@'">`;

test('labels, then values as spreadsheets read them, in the reader’s time zone', () => {
  expect(tabSeparated(cellsOf(fields, [chair]))).toBe(
    'ID\tName\tSales price\tActive\tProduct code\tChanged\r\n7\tChair\t1234.5\tTRUE\t\t2026-01-31 09:30:05',
  );
});

test('text that looks like a formula is text, and what separates cells is quoted', () => {
  const names = ['=1+1', '+49', 'two\nlines', 'a\tb', '24" screen'];
  const cells = cellsOf(
    fields.slice(1, 2),
    names.map((name, id) => ({ id, name })),
  );
  expect(tabSeparated(cells)).toBe(['Name', "'=1+1", "'+49", '"two\nlines"', '"a\tb"', '"24"" screen"'].join('\r\n'));
});

test('HTML has no markup from records', () => {
  const cells = cellsOf(fields.slice(1, 2), [{ id: 1, name: '<img src=x onerror="alert(1)"> & co\nsecond' }]);
  expect(htmlTable(cells)).toBe(
    `<table><tbody><tr>${TEXT}Name</td></tr><tr>${TEXT}&lt;img src=x onerror=&quot;alert(1)&quot;&gt; &amp; co<br>second</td></tr></tbody></table>`,
  );
});

test('HTML says which cells are text, so that codes keep their zeros', () => {
  const cells = cellsOf(
    fields.filter(({ name }) => name === 'list_price' || name === 'default_code'),
    [{ ...chair, default_code: '00012' }],
  );
  expect(htmlTable(cells)).toContain(`<tr><td>1234.5</td>${TEXT}00012</td></tr>`);
});
