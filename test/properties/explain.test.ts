/** For any records and any conditions, a list that is explained tells how many records each condition matches. */

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { product } from '../../src/catalog/product.ts';
import type { Filter } from '../../src/filter/ast.ts';
import { printFilter } from '../../src/filter/print.ts';
import { filterOf, recordsOf } from '../support/arbitraries.ts';
import { enginesAndColumns } from '../support/columns.ts';
import type { RecordValues } from '../support/fixture.ts';
import { matches } from '../support/oracle.ts';
import { rounds } from '../support/rounds.ts';
import { bodyOf, PRODUCTS } from '../support/rows.ts';
import { accountWith } from '../support/service.ts';
import { sharedService } from '../support/shared.ts';

const scenes = recordsOf(product).chain((records) =>
  fc.record({
    records: fc.constant(records),
    filters: fc.array(filterOf(product, records), { minLength: 1, maxLength: 10 }),
    sort: fc.constantFrom('id', '-id', 'list_price'),
  }),
);

function conditionsOf(filter: Filter): readonly Filter[] {
  return filter.kind === 'and' ? filter.operands : [filter];
}

describe.each(enginesAndColumns)('on $name, from $source', ({ engine, columns }) => {
  const service = sharedService(engine, columns && { columns: columns.options });

  test('each condition alone, and all others', async () => {
    await fc.assert(
      fc.asyncProperty(scenes, async ({ records, filters, sort }) => {
        const headers = await accountWith(service, product, records);
        const first = () => service.send({ path: `${PRODUCTS}?explain=true`, headers });
        await columns?.buildWith(first);
        const list = async (filter: string, explain: string) => {
          const query = new URLSearchParams({ filter, sort, limit: '3', explain });
          return (await service.send({ path: `${PRODUCTS}?${query}`, headers })).json;
        };
        for (const filter of filters) {
          const text = printFilter(filter);
          const counted = (conditions: readonly Filter[]) =>
            records.filter((record: RecordValues) => conditions.every((one) => matches(one, record, product))).length;
          const conditions = conditionsOf(filter).map((condition) => ({
            filter: printFilter(condition),
            alone: counted([condition]),
            others: counted(conditionsOf(filter).filter((other) => other !== condition)),
          }));
          const plain = Object(await list(text, 'false'));
          expect({ text, ...Object(await list(text, 'true')) }).toEqual({
            text,
            ...plain,
            meta: { ...plain.meta, conditions },
          });
        }
      }),
      { numRuns: rounds(5, 25) },
    );
  });

  test('without a filter there is nothing to explain', async () => {
    const body = bodyOf(await service.send({ path: `${PRODUCTS}?explain=true&limit=1` }));
    expect(body.meta).toMatchObject({ count: 1, conditions: [] });
  });

  test('20 conditions can be explained, and 21 cannot', async () => {
    const explained = (count: number) => {
      const filter = Array.from({ length: count }, (_, n) => `id!=${1_000 + n}`).join('&');
      return service.send({ path: `${PRODUCTS}?explain=true&filter=${encodeURIComponent(filter)}` });
    };
    expect(bodyOf(await explained(20)).meta.conditions).toHaveLength(20);
    expect(await explained(21)).toRespond(400, { code: 'invalid_explain' });
  });

  test('it is true or false, and for pages only', async () => {
    expect(await service.send({ path: `${PRODUCTS}?explain=yes` })).toRespond(400, {
      code: 'invalid_explain',
      parameter: 'explain',
    });
    const stream = { path: `${PRODUCTS}?explain=true`, headers: { accept: 'application/x-ndjson' } };
    expect(await service.send(stream)).toRespond(400, { code: 'unknown_parameter' });
  });
});
