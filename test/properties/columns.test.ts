/** Lists that are found in columns in memory are those of the oracle, whatever is written, built or dropped meanwhile. */

import fc from 'fast-check';
import { afterEach, describe, expect, test } from 'vitest';
import { builtInCatalog } from '../../src/catalog/catalog.ts';
import { product } from '../../src/catalog/product.ts';
import type { Resource } from '../../src/catalog/resource.ts';
import { printFilter } from '../../src/filter/print.ts';
import { planList } from '../../src/plan/list.ts';
import type { ColumnIndexOptions } from '../../src/store/column-index/column-indexes.ts';
import { CacheBudget } from '../../src/store/state/cache.ts';
import type { Store } from '../../src/store/store.ts';
import { filterOf, recordsOf, searchOf } from '../support/arbitraries.ts';
import { eagerColumns } from '../support/columns.ts';
import { engines, type OpenedStore, openDatabase, openTestStore } from '../support/engines.ts';
import { addAccount, listPageOfLarge, load, planned, type RecordValues } from '../support/fixture.ts';
import { answer, type Question } from '../support/oracle.ts';
import { rounds } from '../support/rounds.ts';
import { sharedStore } from '../support/shared.ts';

const ALWAYS: ColumnIndexOptions = eagerColumns().options;

/** So many that reading them is considered slow. */
const MANY = 10_000;

const opened: OpenedStore[] = [];
const stores: Store[] = [];
let accounts = 0;

async function open(engine: (typeof engines)[number], columns: ColumnIndexOptions): Promise<OpenedStore> {
  const store = await openTestStore(engine, new CacheBudget(0), columns);
  opened.push(store);
  return store;
}

afterEach(async () => {
  await Promise.all(stores.splice(0).map((store) => store.close()));
  await Promise.all(opened.splice(0).map(({ close }) => close()));
});

interface PageQuestion extends Question {
  readonly page: number;
  readonly limit: number;
}

function questionsAbout(resource: Resource, records: readonly RecordValues[]) {
  const names = resource.fields.map(({ name }) => name);
  const word = fc.constantFrom(...names).chain((name) => fc.constantFrom(name, `-${name}`));
  return fc
    .array(
      fc.record<PageQuestion>({
        q: fc.option(searchOf(resource, records), { nil: undefined }),
        filter: fc.option(filterOf(resource, records), { nil: undefined, freq: 20 }),
        sort: fc.oneof(
          fc.constantFrom([], ['-id']),
          fc.uniqueArray(word, { maxLength: 3, selector: (item) => item.replace('-', '') }),
        ),
        page: fc.integer({ min: 1, max: 5 }),
        limit: fc.integer({ min: 1, max: 15 }),
      }),
      { minLength: 1, maxLength: 8 },
    )
    .map((questions) =>
      questions.map((question, index) =>
        question.q !== undefined && index % 2 === 0 ? { ...question, sort: ['relevance'] } : question,
      ),
    );
}

/** Records, then other records with partly the same ids, then others again, and questions about all of them. */
function scenesOf(resource: Resource) {
  return fc
    .array(recordsOf(resource), { minLength: 1, maxLength: 4 })
    .chain((steps) => fc.record({ steps: fc.constant(steps), questions: questionsAbout(resource, steps.flat()) }));
}

async function ask(store: Store, account: number, resource: Resource, { q, filter, sort, page, limit }: PageQuestion) {
  const values = {
    ...(q !== undefined && { q }),
    ...(filter !== undefined && { filter: printFilter(filter) }),
    ...(sort.length > 0 && { sort: sort.join(',') }),
    page: String(page),
    limit: String(limit),
  };
  const found = await listPageOfLarge(store, account, planned(planList(resource, { values, continuations: [] })), MANY);
  if (found === undefined) throw new Error('the account does not exist');
  return { question: values, total: found.total, records: found.records, source: found.source };
}

function expected(records: readonly RecordValues[], resource: Resource, question: PageQuestion) {
  const { page, limit } = question;
  const found = answer(records, resource, question);
  const onPage = found.slice((page - 1) * limit, page * limit);
  return { total: found.length, records: onPage.map((record) => JSON.stringify(record)).join(',') };
}

const EVERYTHING: PageQuestion = { filter: undefined, sort: ['name'], page: 1, limit: 1 };

/** Resolves when lists are found in columns. */
async function indexed(store: Store, account: number, resource: Resource): Promise<void> {
  await expect.poll(async () => (await ask(store, account, resource, EVERYTHING)).source).toBe('index');
}

describe.each(engines)('on $name', (engine) => {
  describe('after every change', () => {
    const shared = sharedStore(engine, new CacheBudget(0), ALWAYS);

    test.each(builtInCatalog.resources)('$plural', async (resource) => {
      const { store } = shared;
      await fc.assert(
        fc.asyncProperty(scenesOf(resource), async ({ steps, questions }) => {
          accounts += 1;
          const { id } = await addAccount(store, `account-${accounts}`);
          const held = new Map<unknown, RecordValues>();
          for (const [step, records] of steps.entries()) {
            // Every other step removes what it does not name.
            if (step % 2 === 1) held.clear();
            for (const record of records) held.set(record['id'], record);
            await load(store, { id }, resource, records, { replace: step % 2 === 1 });
            if (step === 0) await indexed(store, id, resource);
            for (const question of [EVERYTHING, ...questions])
              expect(await ask(store, id, resource, question)).toMatchObject(
                expected([...held.values()], resource, question),
              );
            expect(await ask(store, id, resource, EVERYTHING)).toMatchObject({ source: 'index' });
          }
        }),
        { numRuns: rounds(3, 12) },
      );
    });
  });

  const modes: readonly (ColumnIndexOptions & { readonly name: string })[] = [
    { name: 'while they are built', ...ALWAYS },
    { name: 'while they displace each other', ...ALWAYS, maxBytes: 2_500_000, replaceableAfter: 0 },
    { name: 'if none fits', ...ALWAYS, maxBytes: 100_000 },
    { name: 'if they are dropped at once', ...ALWAYS, droppedAfter: 10 },
  ];
  test.each(modes)('columns answer like the oracle $name', async ({ name: _, ...columns }) => {
    const { store } = await open(engine, columns);
    const other = await addAccount(store, 'other');
    await load(store, other, product, [{ id: 1, name: 'Chair' }]);
    await fc.assert(
      fc.asyncProperty(scenesOf(product), async ({ steps, questions }) => {
        accounts += 1;
        const { id } = await addAccount(store, `account-${accounts}`);
        for (const records of steps) {
          await load(store, { id }, product, records, { replace: true });
          const answers = questions.map(async (question) => {
            await ask(store, other.id, product, question);
            expect(await ask(store, id, product, question)).toMatchObject(expected(records, product, question));
          });
          await Promise.all(answers);
        }
      }),
      { numRuns: rounds(3, 10) },
    );
  });

  test('while several processes write', async () => {
    const { store: first, database } = await open(engine, ALWAYS);
    const second = await openDatabase(database.url, new CacheBudget(0), ALWAYS);
    stores.push(second);
    await fc.assert(
      fc.asyncProperty(scenesOf(product), async ({ steps, questions }) => {
        accounts += 1;
        const { id } = await addAccount(first, `account-${accounts}`);
        for (const [step, records] of steps.entries()) {
          const [writer, reader] = step % 2 === 0 ? [first, second] : [second, first];
          await load(writer, { id }, product, records, { replace: true });
          if (step < 2) await indexed(reader, id, product);
          for (const store of [reader, writer])
            for (const question of questions)
              expect(await ask(store, id, product, question)).toMatchObject(expected(records, product, question));
        }
      }),
      { numRuns: rounds(3, 10) },
    );
  });
});
