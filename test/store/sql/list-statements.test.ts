/** Statements that read lists: their text never contains anything from a request. */

import { describe, expect, test } from 'vitest';
import { product } from '../../../src/catalog/product.ts';
import { planList } from '../../../src/plan/list.ts';
import { Problem } from '../../../src/problem/problem.ts';
import { postgresDialect } from '../../../src/store/postgres/dialect.ts';
import { listStatement } from '../../../src/store/sql/list-statements.ts';
import { bind, sql, trusted } from '../../../src/store/sql/sql.ts';
import { compile } from '../../../src/store/sql/statement.ts';
import { sqliteDialect } from '../../../src/store/sqlite/dialect.ts';

const dialects = [
  { name: 'SQLite', dialect: sqliteDialect },
  { name: 'PostgreSQL', dialect: postgresDialect },
];

describe.each(dialects)('$name', ({ dialect }) => {
  const statement = (values: Readonly<Record<string, string>>, account = 1) => {
    const plan = planList(product, { values, continuations: [] });
    if (plan instanceof Problem) throw new Error(plan.detail);
    return listStatement({ account }, plan, dialect);
  };

  test.each([
    [{ filter: 'list_price>1&name*chair' }, { filter: 'list_price>999&name*"; DROP TABLE product"' }],
    [{ filter: 'id[1,2]' }, { filter: 'id[1,2,3,4,5,6]' }],
    [
      { filter: 'name=a', page: '1' },
      { filter: 'name="it\'s"', page: '1', limit: '1000' },
    ],
    // What is skipped first is found by id.
    [
      { filter: 'name=a', page: '80000' },
      { filter: 'name="it\'s"', page: '90000', limit: '1000' },
    ],
  ])('lists of the same shape have the same text: %j and %j', (one, other) => {
    expect(statement(other, 2).text).toBe(statement(one).text);
  });

  test('no text of a request becomes part of a statement', () => {
    const marker = 'zzMARKERzz';
    for (const filter of [
      `name=${marker}`,
      `name!=${marker}`,
      `name*${marker}`,
      `name!*${marker}`,
      `name[${marker},b]`,
      `name![${marker},b]`,
    ]) {
      const { text, parameters } = statement({ filter });
      expect(text).not.toContain(marker);
      expect(JSON.stringify(parameters).toLowerCase()).toContain(marker.toLowerCase());
    }
  });

  test('a value that is used several times is bound once', () => {
    const value = bind('integer', 7);
    const { parameters } = compile(sql`SELECT ${value}, ${value}, ${bind('text', 'x')}, ${trusted('y')}`, dialect);
    expect(parameters).toEqual([7, 'x']);
  });
});
