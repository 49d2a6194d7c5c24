import { describe, expect, test } from 'vitest';
import { partner } from '../../src/catalog/partner.ts';
import { product } from '../../src/catalog/product.ts';
import { planList } from '../../src/plan/list.ts';
import { Problem } from '../../src/problem/problem.ts';
import { postgresDialect } from '../../src/store/postgres/dialect.ts';
import { migrations } from '../../src/store/sql/migrations.ts';
import { listStatement } from '../../src/store/sql/record-statements.ts';
import { recordTables } from '../../src/store/sql/schema.ts';
import { bind, sql, trusted } from '../../src/store/sql/sql.ts';
import { compile } from '../../src/store/sql/statement.ts';
import { sqliteDialect } from '../../src/store/sqlite/dialect.ts';

const dialects = [
  { name: 'SQLite', dialect: sqliteDialect },
  { name: 'PostgreSQL', dialect: postgresDialect },
];

describe.each(dialects)('$name', ({ dialect }) => {
  const statement = (values: Readonly<Record<string, string>>, account = 1) => {
    const plan = planList(product, { values, continuations: [] });
    if (plan instanceof Problem) throw new Error(plan.detail);
    return listStatement(account, plan, dialect);
  };

  test.each([
    [{ filter: 'list_price>1&name*chair' }, { filter: 'list_price>999&name*"; DROP TABLE product"' }],
    [{ filter: 'id[1,2]' }, { filter: 'id[1,2,3,4,5,6]' }],
    [
      { filter: 'name=a', page: '1' },
      { filter: 'name="it\'s"', page: '90000', limit: '1000' },
    ],
  ])('lists of one shape are one statement: %j and %j', (one, other) => {
    expect(statement(other, 2).text).toBe(statement(one).text);
  });

  test('no text of a request is ever part of a statement', () => {
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

  test('a value that stands in several places is bound once', () => {
    const value = bind('integer', 7);
    const { parameters } = compile(sql`SELECT ${value}, ${value}, ${bind('text', 'x')}, ${trusted('y')}`, dialect);
    expect(parameters).toEqual([7, 'x']);
  });

  test('texts stay right when there are more shapes than are remembered', () => {
    const text = (n: number) =>
      compile(sql`SELECT ${trusted(`column_${n}`)} FROM a WHERE b = ${bind('integer', n)}`, dialect).text;
    for (let n = 0; n < 30_000; n += 1) text(n);
    expect(text(7)).toBe(`SELECT column_7 FROM a WHERE b = ${dialect.placeholder(1, 'integer')}`);
  });

  test('a released migration never changes', () => {
    expect(
      migrations.map(({ number, name, statements, afterwards }) => ({
        number,
        name,
        statements: statements(dialect),
        ...(afterwards && { afterwards: afterwards(dialect) }),
      })),
    ).toMatchSnapshot();
  });

  test('a field that joins later comes with its own migration', () => {
    const later = {
      ...partner,
      fields: [...partner.fields, { ...partner.fields[8], name: 'website', since: 7 }],
    } as typeof partner;
    expect(recordTables([later], 1, dialect)).toEqual(recordTables([partner], 1, dialect));
    expect(recordTables([later], 7, dialect)).toEqual([
      `ALTER TABLE partner ADD COLUMN website ${dialect.columnTypes.text}`,
      `ALTER TABLE partner ADD COLUMN website_fold ${dialect.columnTypes.text}`,
    ]);
    expect(recordTables([later], 2, dialect)).toEqual([]);
  });

  test('a table that joins later has no reference to the account beside its ledger row', () => {
    expect(recordTables([partner], 1, dialect).join()).toContain('REFERENCES account');
    expect(recordTables([{ ...partner, name: 'order', since: 7 }], 7, dialect).join()).not.toContain('REFERENCES');
  });
});
