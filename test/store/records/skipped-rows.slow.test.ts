/** How many rows a load may skip. */

import { describe, expect, test } from 'vitest';
import { company } from '../../../src/catalog/company.ts';
import { type IncomingRow, type LoadPlan, MAX_SKIPPED_ROWS, plainLoad } from '../../../src/store/store.ts';
import { engines } from '../../support/engines.ts';
import { LATER, valuesOf } from '../../support/fixture.ts';
import { sharedStore } from '../../support/shared.ts';

/** How many rows arrive at once. */
const BATCH = 1_000;

describe.each(engines)('on $name', (engine) => {
  const opened = sharedStore(engine);

  test('a load skips up to 100,000 rows that repeat another, and is refused if there are more', async () => {
    const values = valuesOf(company, { id: 1, name: 'A', branch_user: '1' });
    const load = async (rows: number) => {
      const { id } = await opened.account();
      const batches = async function* () {
        for (let line = 1; line <= rows; line += BATCH)
          yield Array.from(
            { length: Math.min(BATCH, rows - line + 1) },
            (_, n): IncomingRow => ({ line: line + n, values }),
          );
      };
      const plan: LoadPlan = { ...plainLoad(company, LATER), onRowError: 'skip' };
      return opened.store.records.load({ account: id }, plan, batches());
    };
    const most = await load(MAX_SKIPPED_ROWS + 1);
    expect({ ...most, skipped: Object(most).skipped?.length }).toMatchObject({
      kind: 'loaded',
      created: 1,
      skipped: MAX_SKIPPED_ROWS,
    });
    expect(await load(MAX_SKIPPED_ROWS + 2)).toMatchObject({
      kind: 'refused',
      errors: { count: MAX_SKIPPED_ROWS + 1 },
    });
  });
});
