/** A copy that is built from the feed alone equals the account, whatever was written and wherever the reader stopped. */

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { partner } from '../../src/catalog/partner.ts';
import { printFilter } from '../../src/filter/print.ts';
import { type Account, plainLoad } from '../../src/store/store.ts';
import { filterOf, recordOf } from '../support/arbitraries.ts';
import { Copy, FEED_FORMATS } from '../support/copy.ts';
import { engines } from '../support/engines.ts';
import { addAccount, NOW, type RecordValues, valuesOf } from '../support/fixture.ts';
import { matches } from '../support/oracle.ts';
import { rounds } from '../support/rounds.ts';
import { bodyOf, createPartner, PARTNERS } from '../support/rows.ts';
import { bearer } from '../support/service.ts';
import { sharedService } from '../support/shared.ts';

const record = recordOf(partner).map((values): RecordValues => ({ ...values, id: 1 + (Number(values['id']) % 20) }));
const some = fc.uniqueArray(record, { minLength: 1, maxLength: 8, selector: (values) => values['id'] });

type Write = { kind: 'create' } | { kind: 'import'; rows: readonly RecordValues[]; replace: boolean };

/** What is written: a new partner, or an import, which may replace everything, or add what was there at the beginning. */
const writes = (samples: readonly RecordValues[]): fc.Arbitrary<Write> =>
  fc.oneof(
    fc.constant({ kind: 'create' } as const),
    fc.record({
      kind: fc.constant('import' as const),
      rows: fc.oneof(some, fc.constant(samples)),
      replace: fc.boolean(),
    }),
  );

/** How a reader reads after a write, and when it stops. */
const reads = fc.record({ format: fc.constantFrom(...FEED_FORMATS), count: fc.integer({ min: 0, max: 3 }) });

const histories = some.chain((samples) =>
  fc.record({
    filter: fc.option(filterOf(partner, samples), { nil: undefined }),
    limit: fc.integer({ min: 1, max: 4 }),
    steps: fc.array(
      fc.record({ write: writes(samples), interrupted: reads, complete: fc.constantFrom(...FEED_FORMATS) }),
      {
        minLength: 1,
        maxLength: 8,
      },
    ),
  }),
);

describe.each(engines)('on $name', (engine) => {
  let accounts = 0;
  const service = sharedService(engine);

  const load = async (account: Account, records: readonly RecordValues[], replace: boolean) => {
    const rows = records.map((values, index) => ({ line: index + 1, values: valuesOf(partner, values) }));
    const batches = async function* () {
      yield rows;
    };
    const plan = { ...plainLoad(partner, NOW), replace };
    expect(await service.store.records.load({ account: account.id }, plan, batches())).toMatchObject({
      kind: 'loaded',
    });
  };

  test('a copy equals the account, for every filter and at every cursor, and so does its digest', async () => {
    await fc.assert(
      fc.asyncProperty(histories, async ({ filter, limit, steps }) => {
        accounts += 1;
        const account = await addAccount(service.store, `changes-${accounts}`);
        const key = await service.issue(account);
        const source = { url: `http://127.0.0.1:${service.port}${PARTNERS}`, key };
        const filtered = filter === undefined ? {} : { filter: printFilter(filter) };
        const [current, interrupted] = [new Copy({ ...filtered, limit: String(limit) }), new Copy(filtered)];
        let model = new Map<number, RecordValues>();
        for (const [
          step,
          {
            write,
            interrupted: { format, count },
            complete,
          },
        ] of steps.entries()) {
          if (write.kind === 'create') {
            const reply = await service.send(createPartner(`Partner ${step}`, bearer(key)));
            expect(reply).toRespond(201);
            const { id } = bodyOf(reply).data;
            const listed = await service.send({ path: `${PARTNERS}/${id}`, headers: bearer(key) });
            model.set(id, bodyOf(listed).data);
          } else {
            await load(account, write.rows, write.replace);
            model = new Map([
              ...(write.replace ? [] : model),
              ...write.rows.map((row) => [Number(row['id']), row] as const),
            ]);
          }
          await interrupted.read(source, format, count);
          await current.follow(source, complete);
          const expected = [...model.values()].filter((one) => filter === undefined || matches(filter, one, partner));
          const ids = (records: Iterable<RecordValues>) =>
            [...records].map((one) => Number(one['id'])).toSorted((a, b) => a - b);
          expect(ids(current.records.values())).toEqual(ids(expected));
          const digest = await service.send({
            path: `${PARTNERS}/digest?${new URLSearchParams(filtered)}`,
            headers: bearer(key),
          });
          expect(bodyOf(digest).data).toMatchObject({ total: expected.length, sha256: current.digest });
        }
        await interrupted.follow(source, 'page');
        expect(interrupted.records).toEqual(current.records);
      }),
      { numRuns: rounds(12, 40) },
    );
  });
});
