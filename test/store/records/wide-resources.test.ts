/** Resources may have any number of fields. What one column or one function call of the database holds no longer limits them. */

import { beforeAll, describe, expect, test } from 'vitest';
import {
  builtIn,
  createDate,
  type Field,
  id,
  nullable,
  type Resource,
  required,
  searched,
  withDefault,
  writeDate,
} from '../../../src/catalog/resource.ts';
import { planList } from '../../../src/plan/list.ts';
import { postgresDialect } from '../../../src/store/postgres/dialect.ts';
import { sqliteDialect } from '../../../src/store/sqlite/dialect.ts';
import type { Account } from '../../../src/store/store.ts';
import { differenceOf } from '../../../tools/migration/schema.ts';
import { statementsFor } from '../../../tools/migration/statements.ts';
import { engines } from '../../support/engines.ts';
import { CSV, exportedFile, NDJSON } from '../../support/exports.ts';
import { addAccount, listPage, planned, recordsIn } from '../../support/fixture.ts';
import { sharedStore } from '../../support/shared.ts';

/** `id`, `name`, `create_date`, `write_date`, then texts and numbers alternately; the last field is required. */
function wideResource(width: number): Resource {
  const first = [id, searched(required('name', 'Name', 'text', 'name')), createDate, writeDate];
  const others = Array.from(
    { length: width - first.length - 1 },
    (_, index): Field =>
      index % 2 === 0
        ? nullable(`text_${index}`, `Text ${index}`, 'text', 'some text')
        : withDefault(`number_${index}`, `Number ${index}`, 'number', 0, 'some number'),
  );
  const fields = [...first, ...others, required('last', 'Last', 'text', 'the last field')];
  const name = `wide_${width}`;
  return builtIn({
    name,
    path: `wide/${width}`,
    plural: `${name}s`,
    meaning: 'wide',
    exampleFilter: 'id=1',
    fields,
    creatable: [],
  });
}

/** Around one and two columns of 31 bits, then more than 100 arguments of a function, which are 50 fields. */
const widths = [31, 32, 63, 101];
const resources = widths.map(wideResource);

describe.each(engines)('on $name', (engine) => {
  const opened = sharedStore(engine);
  let account: Account;
  beforeAll(async () => {
    account = await addAccount(opened.store, 'acme');
    const differences = resources.flatMap((resource) => differenceOf(resource, undefined) ?? []);
    const statements = statementsFor(differences, engine.name === 'SQLite' ? sqliteDialect : postgresDialect);
    await opened.database.execute(...statements);
  });

  test.each(resources)('$name: an import changes the fields that it gives, and no others', async (resource) => {
    const pageOf = async (values: Readonly<Record<string, string>>) => {
      const plan = planned(planList(resource, { values, continuations: [] }));
      return recordsIn((await listPage(opened.store, account.id, plan))?.records ?? '');
    };
    const texts = resource.fields.filter(({ name }) => name.startsWith('text_'));
    const old = Object.fromEntries(texts.map(({ name }) => [name, `old ${name}`]));
    const half = Object.fromEntries(texts.filter((_, index) => index % 2 === 0).map(({ name }) => [name, 'new']));

    const created = await opened.load(account, resource, [
      { name: 'Chair', last: 'z', ...old },
      { name: 'Table', last: 'y', ...old },
    ]);
    expect(created).toMatchObject({ created: 2 });
    const updates = [
      { id: 1, ...half },
      { id: 2, last: 'y' },
    ];
    expect(await opened.load(account, resource, updates)).toMatchObject({ updated: 1, unchanged: 1 });
    const expected = [
      { id: 1, name: 'Chair', last: 'z', ...old, ...half },
      { id: 2, name: 'Table', last: 'y', ...old },
    ];
    expect(await pageOf({})).toMatchObject(expected);
    expect(await pageOf({ sort: 'last' })).toMatchObject(expected.toReversed());

    const incomplete = [{ name: 'Desk' }, { last: 'x' }, { text_0: 'Desk' }];
    expect(await opened.load(account, resource, incomplete)).toMatchObject({
      errors: { first: ['last', 'name', 'name, last'].map((column) => ({ column })) },
    });

    const names = resource.fields.map(({ name }) => name);
    const found = await pageOf({ filter: 'last=z&name*chair' });
    expect(found.map((record) => Object.keys(record))).toEqual([names]);
    const csv = await exportedFile(opened.store, account.id, resource, CSV);
    expect(csv.split('\r\n').map((line) => line.split(',').length)).toEqual([...Array(3).fill(names.length), 1]);
    const [line = ''] = (await exportedFile(opened.store, account.id, resource, NDJSON)).split('\n');
    expect(Object.keys(JSON.parse(line))).toEqual(names);
  });
});
