/** The plans of statements on one PostgreSQL server. What a cluster does is in `cluster/engine.test.ts`. */

import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { builtInCatalog } from '../../../src/catalog/catalog.ts';
import { partner } from '../../../src/catalog/partner.ts';
import { product } from '../../../src/catalog/product.ts';
import { planCreate } from '../../../src/plan/create.ts';
import { planList } from '../../../src/plan/list.ts';
import { planRecord } from '../../../src/plan/record.ts';
import { Problem } from '../../../src/problem/problem.ts';
import { PROFILES } from '../../../src/store/postgres/connection-profiles.ts';
import { postgresDialect } from '../../../src/store/postgres/dialect.ts';
import type { Parameter } from '../../../src/store/sql/dialect.ts';
import { findKeyStatement, removeExpiredKeyStatement } from '../../../src/store/sql/idempotency-statements.ts';
import { enterStatements, versionsStatement } from '../../../src/store/sql/ledger.ts';
import { listStatement } from '../../../src/store/sql/list-statements.ts';
import { createStatements, findStatement } from '../../../src/store/sql/record-statements.ts';
import type { Statement } from '../../../src/store/sql/statement.ts';
import type { Store } from '../../../src/store/store.ts';
import { openDatabase } from '../../support/engines.ts';
import { addAccount, load, NOW, planned } from '../../support/fixture.ts';
import { freshDatabase } from '../../support/fresh-database.ts';
import { connectTo, type TestConnection } from '../../support/postgres-connection.ts';

describe.skipIf(inject('isCluster'))('plans', () => {
  let connection: TestConnection;
  let store: Store;
  beforeAll(async () => {
    const { url } = await freshDatabase();
    store = await openDatabase(url);
    for (const name of ['one', 'two', 'three']) {
      const account = await addAccount(store, name);
      await load(
        store,
        account,
        product,
        Array.from({ length: 20_000 }, (_, n) => ({ id: n + 1, name: `Product ${n} of ${name}`, list_price: n })),
      );
    }
    connection = connectTo(url);
    await connection.query(`INSERT INTO idempotency_key
      SELECT account, 'partner', md5(n::text), '', n, now() - n * interval '1 minute'
      FROM generate_series(1, 3) AS account, generate_series(1, 2000) AS n`);
    await connection.query('ANALYZE');
  });
  afterAll(async () => {
    await connection.end();
    await store.close();
  });

  interface Node {
    readonly 'Node Type': string;
    readonly 'Relation Name'?: string;
    readonly 'Index Name'?: string;
    readonly 'Index Cond'?: string;
    readonly 'Recheck Cond'?: string;
    readonly Filter?: string;
    readonly Plans?: readonly Node[];
  }
  /** A node, and the types of the nodes above it. */
  interface PlacedNode extends Node {
    readonly above: readonly string[];
  }
  const nodesOf = (node: Node, above: readonly string[] = []): readonly PlacedNode[] => [
    { ...node, above },
    ...(node.Plans ?? []).flatMap((child) => nodesOf(child, [...above, node['Node Type']])),
  ];
  const [short, long] = [PROFILES.reserved, PROFILES.slow].map((profile) =>
    ['RESET ALL', ...Object.entries(profile).map(([name, value]) => `SET ${name} = ${value}`)].join('; '),
  );
  const literal = (value: Parameter) =>
    typeof value === 'string' ? `'${value.replaceAll("'", "''")}'` : String(value);
  /** As the program's connections plan it: for any values, or for the given ones if it is slow. */
  const plan = async ({ text, parameters }: Statement, settings = short): Promise<readonly PlacedNode[]> => {
    await connection.query(`${settings}; PREPARE statement AS ${text}`);
    const values = parameters.length === 0 ? '' : `(${parameters.map(literal).join(', ')})`;
    const [row] = await connection.query(`EXPLAIN (FORMAT JSON) EXECUTE statement${values}`);
    await connection.query('DEALLOCATE statement');
    const [{ Plan }]: [{ Plan: Node }] = Object(row?.['QUERY PLAN']);
    return nodesOf(Plan);
  };

  const lists = [
    {},
    { filter: 'list_price>5&name*product' },
    { filter: 'name*rare|default_code=x|id[1,2,3]' },
    { filter: 'categ_id!=null', sort: '-name,list_price', page: '7' },
    { filter: 'id=5' },
    { page: '1000' },
    { filter: 'create_date>2026-01-01', sort: 'write_date' },
  ];
  const statements: readonly (readonly [string, Statement])[] = builtInCatalog.resources.flatMap((resource) => [
    ...lists
      .map(
        (values) =>
          [
            `list ${resource.name} ${JSON.stringify(values)}`,
            planList(resource, { values, continuations: [] }),
          ] as const,
      )
      .flatMap(([name, each]) =>
        each instanceof Problem
          ? []
          : [[name, listStatement({ account: 1, access: 7 }, each, postgresDialect)] as const],
      ),
    [
      `one ${resource.name}`,
      findStatement(
        { account: 1, access: 7 },
        planned(planRecord(resource, '5', { values: {}, continuations: [] })),
        postgresDialect,
      ),
    ] as const,
  ]);
  const created = planned(planCreate(partner, { name: 'x' }, NOW));
  const keyed = { ...created, idempotency: { key: 'k', fingerprint: 'f' } };
  const creates: readonly (readonly [string, Statement])[] = [
    ...[created, keyed].flatMap((each) =>
      createStatements({ account: 1, access: 7 }, partner, [each], { records: 0, bytes: 0 }, postgresDialect).map(
        (statement) => [each === keyed ? 'create with a key' : 'create', statement] as const,
      ),
    ),
    ['find a key', findKeyStatement({ account: 1, access: 7 }, partner, 'k', postgresDialect)],
    ['remove a key', removeExpiredKeyStatement(1, partner, 'k', postgresDialect)],
  ];

  const entering: readonly (readonly [string, Statement])[] = Object.entries(
    enterStatements(1, partner, postgresDialect),
  );

  const conditionsOf = (scan: Node) => [scan['Index Cond'], scan['Recheck Cond'], scan.Filter].join(' ');

  test.each([...statements, ...creates, ...entering])('%s reads rows of one account only', async (_, statement) => {
    for (const [settings, account] of [
      [short, '\\$\\d+'],
      [long, "'1'"],
    ] as const) {
      const scans = (await plan(statement, settings)).filter(
        (node) => /Scan/.test(node['Node Type']) && node['Relation Name'] !== undefined,
      );
      expect(scans.length).toBeGreaterThan(0);
      for (const scan of scans) {
        const table = scan['Relation Name'] ?? '';
        const name = `${scan['Node Type']} on ${table}`;
        switch (table) {
          case 'generation':
            // It belongs to no account. Its latest row is read.
            expect(scan.above, name).toContain('Limit');
            break;
          case 'account':
            expect(conditionsOf(scan), name).toMatch(new RegExp(`\\bid = ${account}`));
            break;
          default:
            expect([
              'ledger',
              'ledger_history',
              'idempotency_key',
              ...builtInCatalog.resources.map((resource) => resource.name),
            ]).toContain(table);
            expect(conditionsOf(scan), name).toMatch(new RegExp(`\\baccount_id = ${account}`));
        }
        if (table === 'idempotency_key')
          expect(scan['Index Cond'], name).toMatch(/\baccount_id = .* AND \(+resource = .* AND \(+key_hash (?:=|>) /);
        if (settings === long && table === 'product')
          expect(scan['Index Cond'] ?? scan['Recheck Cond'], name).toMatch(/\baccount_id = '1'/);
      }
    }
  });

  test.each([[[1]], [[1, 2, 3]]])('the versions of the accounts %j are read from their rows only', async (accounts) => {
    const scans = (await plan(versionsStatement(accounts, postgresDialect))).filter((node) =>
      /Scan/.test(node['Node Type']),
    );
    expect(new Set(scans.flatMap((node) => node['Relation Name'] ?? []))).toEqual(new Set(['account', 'ledger']));
    for (const scan of scans.filter((node) => node['Relation Name'] !== undefined)) {
      expect(conditionsOf(scan), scan['Relation Name']).toMatch(/\b(?:account_)?id = (?:ANY \()?\$1/);
    }
  });

  test.each(['categ_id=3', 'name*product'])(
    '%s: the page is found once, even in an account that is newer than the statistics',
    async (filter) => {
      const values = { filter, limit: '100', page: '9' };
      const statement = listStatement(
        { account: 4 },
        planned(planList(product, { values, continuations: [] })),
        postgresDialect,
      );
      for (const settings of [short, long]) {
        const joins = (await plan(statement, settings)).filter((node) => /Loop|Join/.test(node['Node Type']));
        // Of the ledger's row and the page.
        expect(joins).toHaveLength(1);
      }
    },
  );

  test('the records before a deep page are skipped in an index, without being read', async () => {
    const values = { page: '1000' };
    const statement = listStatement(
      { account: 1 },
      planned(planList(product, { values, continuations: [] })),
      postgresDialect,
    );
    const scans = (await plan(statement, long)).filter((node) => node['Relation Name'] === 'product');
    expect(scans.map((node) => node['Node Type'])).toContain('Index Only Scan');
  });

  test('a search for text without three letters in a row does not use the trigram index', async () => {
    for (const filter of ['name*du', 'name*"- 7"', 'name*%']) {
      const statement = listStatement(
        { account: 1 },
        planned(planList(product, { values: { filter }, continuations: [] })),
        postgresDialect,
      );
      expect((await plan(statement)).filter((node) => node['Index Name']?.endsWith('_search'))).toEqual([]);
    }
  });

  test('a search uses the trigram index, which starts with the account', async () => {
    const statement = listStatement(
      { account: 1 },
      planned(planList(product, { values: { filter: 'name*product 77' }, continuations: [] })),
      postgresDialect,
    );
    const conditionOf = async (settings: string | undefined) =>
      (await plan(statement, settings)).find((node) => node['Index Name'] === 'product_name_fold_search')?.[
        'Index Cond'
      ];
    expect(await conditionOf(short)).toMatch(/account_id = \$\d+.*name_fold ~~ \$\d+/);
    expect(await conditionOf(long)).toMatch(/account_id = '1'.*name_fold ~~ '%product 77%'/);
  });

  test('a wide filter on numbers is counted by an index-only scan', async () => {
    // Index-only scans need pages that were vacuumed.
    await connection.query('VACUUM ANALYZE product');
    const statement = listStatement(
      { account: 1 },
      planned(
        planList(product, { values: { filter: 'list_price>9000&qty_available<5&active=true' }, continuations: [] }),
      ),
      postgresDialect,
    );
    const counting = (await plan(statement, long)).filter((node) => node['Node Type'] === 'Index Only Scan');
    expect(counting).toMatchObject([
      { 'Relation Name': 'product', 'Index Cond': expect.stringMatching(/account_id = '1'/) },
    ]);
  });
});
