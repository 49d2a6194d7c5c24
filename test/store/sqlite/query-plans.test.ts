/** Statements use the index that they are meant to use. */

import { expect, onTestFinished, test } from 'vitest';
import { partner } from '../../../src/catalog/partner.ts';
import { product } from '../../../src/catalog/product.ts';
import { planChanges } from '../../../src/plan/changes.ts';
import { planCreate } from '../../../src/plan/create.ts';
import { planList } from '../../../src/plan/list.ts';
import { changesStatement } from '../../../src/store/sql/change-statements.ts';
import { findKeyStatement, removeExpiredKeyStatement } from '../../../src/store/sql/idempotency-statements.ts';
import { listStatement } from '../../../src/store/sql/list-statements.ts';
import { createStatements } from '../../../src/store/sql/record-statements.ts';
import { textOf } from '../../../src/store/sql/row.ts';
import type { Statement } from '../../../src/store/sql/statement.ts';
import { Connection } from '../../../src/store/sqlite/connection.ts';
import { sqliteDialect } from '../../../src/store/sqlite/dialect.ts';
import { openSqlite as openWith, type SqliteOptions } from '../../../src/store/sqlite/open.ts';
import { CacheBudget } from '../../../src/store/state/cache.ts';
import { NOW, planned } from '../../support/fixture.ts';
import { sharedPaths } from '../../support/shared.ts';

const openSqlite = (path: string, options: SqliteOptions) => openWith(path, options, new CacheBudget(1024 * 1024));

const freshPath = sharedPaths();

/** The steps of a statement's query plan, on an empty database. */
async function explainer(): Promise<(statement: Statement) => readonly string[]> {
  const path = freshPath();
  await openSqlite(path, { create: true }).close();
  const connection = new Connection(path);
  onTestFinished(() => connection.close());
  return ({ text, parameters }) =>
    connection.read({ text: `EXPLAIN QUERY PLAN ${text}`, parameters }).map((step) => textOf(step, 'detail'));
}

test('a list reads through the index that was chosen for it, and no other', async () => {
  const explain = await explainer();
  for (const [filter, index] of [
    ['categ_id=7&product_tmpl_id=9', 'product_categ_id'],
    ['list_price=0&default_code=x', 'product_default_code'],
    ['id=3&name*chair', 'PRIMARY KEY'],
    ['name!*chair&default_code=x', 'product_default_code'],
    ['list_price=0&name*chair', undefined],
  ] as const) {
    const plan = planned(planList(product, { values: { filter }, continuations: [] }));
    const operands = plan.where !== undefined && 'operands' in plan.where ? plan.where.operands : [];
    const leading = operands.filter(
      (one) => 'field' in one && ['categ_id', 'default_code', 'id'].includes(one.field.name),
    );
    const steps = explain(listStatement({ account: 1 }, plan, sqliteDialect, undefined, new Set(leading)));
    const searches = steps.filter((step) => / product(?:_search)? /.test(step));
    expect(searches.length).toBeGreaterThan(0);
    for (const search of searches)
      expect(search).toMatch(
        index === undefined ? /PRIMARY KEY \(account_id=\?/ : new RegExp(`${index} \\(account_id=\\? AND `),
      );
  }
});

test('a copy that begins reads the records in the order of their changes, and no more than it needs', async () => {
  const explain = await explainer();
  const cursor = { issued: { generation: 1, revision: 9 }, position: { revision: 3, id: 4 }, begun: 8 };
  for (const filter of [undefined, 'list_price>5', 'categ_id=7&name*chair'])
    for (const since of [undefined, cursor]) {
      const plan = {
        ...planned(planChanges(product, { values: filter === undefined ? {} : { filter }, continuations: [] })),
        cursor: since,
      };
      const steps = explain(changesStatement({ account: 1 }, plan, sqliteDialect, 'comma'));
      const searches = steps.filter((step) => step.startsWith('SEARCH product '));
      expect(
        searches.some((step) => step.includes('INDEX product_revision (account_id=? AND (revision,id)>(?,?)')),
      ).toBe(true);
      for (const search of searches) expect(search).toMatch(/product_revision|PRIMARY KEY \(account_id=\? AND id=\?\)/);
      // Filtered row by row, until the page is full.
      expect(steps.includes('CO-ROUTINE product')).toBe(filter !== undefined);
    }
});

test('idempotency keys are found, and expired ones removed, through an index', async () => {
  const explain = await explainer();
  const plan = { ...planned(planCreate(partner, { name: 'A' }, NOW)), idempotency: { key: 'K', fingerprint: 'F' } };
  const statements = [
    ...createStatements({ account: 1, access: 7 }, partner, [plan], { records: 0, bytes: 0 }, sqliteDialect),
    findKeyStatement({ account: 1, access: 7 }, partner, 'K', sqliteDialect),
    removeExpiredKeyStatement(1, partner, 'K', sqliteDialect),
  ];
  const steps = statements.flatMap(explain).filter((step) => step.includes('idempotency_key'));
  expect(steps).toHaveLength(4);
  for (const step of steps)
    expect(step).toMatch(/^SEARCH .* PRIMARY KEY \(account_id=\? AND resource=\? AND key_hash[=>]\?\)/);
});

test('a search is within one account, together with its newest records', async () => {
  const explain = await explainer();
  const queries = [
    { filter: 'name*azure' },
    { filter: 'name*azure&email*example' },
    { filter: 'name*azure|email*azure' },
    { filter: 'name*azure&city=Liège' },
    { q: 'azure int-0012' },
  ];
  for (const values of queries) {
    const plan = planned(planList(partner, { values, continuations: [] }));
    const steps = explain(listStatement({ account: 1 }, plan, sqliteDialect));
    expect(steps).toContain('SCAN partner_search VIRTUAL TABLE INDEX 0:M4><');
    expect(steps).toContain('SEARCH partner USING PRIMARY KEY (account_id=? AND id>?)');
    expect(steps.filter((step) => /^SCAN (?:partner\b|ledger)(?! VIRTUAL)/.test(step))).toEqual([]);
  }
});
