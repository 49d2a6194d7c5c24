/** What a resource with very many records refuses. How many there are is what its ledger says, so the tests need none. */

import { describe, expect, test } from 'vitest';
import { MAX_SHEET_RECORDS } from '../../src/catalog/sheet.ts';
import { MAX_CONDITIONS } from '../../src/filter/limits.ts';
import { MAX_COST } from '../../src/plan/cost.ts';
import { aboveStore } from '../support/above-store.ts';
import { COMPANIES, checkReply } from '../support/rows.ts';
import { sharedService } from '../support/shared.ts';

const texts = (count: number) => Array.from({ length: count }, (_, n) => `branch_user!*${n}-`).join('&');

/** The cost of reading a record and looking for texts in it. */
const costOf = (count: number) => 1 + 5 * count;

describe.each(aboveStore)('on $name', (engine) => {
  const service = sharedService(engine);

  /** A response as if there were so many companies. Nothing is sent of those that are announced and missing. */
  const withCompanies = async (count: number, path: string, method = 'GET') => {
    const { id } = service.acme;
    await service.database.execute(
      `UPDATE ledger SET rows = ${count}, revision = revision + 1 WHERE account_id = ${id} AND resource = 'company'`,
    );
    return service.send({ method, path: `${COMPANIES}${path}` });
  };

  test.each(['?', '/digest?', '/aggregate?', '?format=csv&'])('a filter that would take too long: %s', async (path) => {
    const filter = `${path}filter=${encodeURIComponent(texts(MAX_CONDITIONS))}`;
    const most = Math.floor(MAX_COST / costOf(MAX_CONDITIONS));
    checkReply(await withCompanies(most, filter), { status: 200 });
    checkReply(await withCompanies(most + 1, filter), {
      status: 400,
      has: {
        code: 'filter_too_costly',
        parameter: 'filter',
        suggestion: expect.stringContaining(`Use at most ${MAX_CONDITIONS - 1} such conditions`),
      },
    });
  });

  test('a filter that would take too long to explain', async () => {
    const filter = `?explain=true&filter=${encodeURIComponent(texts(20))}`;
    // Each condition alone, and all others.
    const most = Math.floor(MAX_COST / (20 * costOf(1) + 20 * costOf(20)));
    checkReply(await withCompanies(most, filter), { status: 200 });
    checkReply(await withCompanies(most + 1, filter), {
      status: 400,
      has: { code: 'filter_too_costly', parameter: 'explain' },
    });
  });

  test('more records than a sheet of Excel has rows for', async () => {
    checkReply(await withCompanies(MAX_SHEET_RECORDS, '?format=xlsx', 'HEAD'), { status: 200 });
    checkReply(await withCompanies(MAX_SHEET_RECORDS + 1, '?format=xlsx'), {
      status: 400,
      has: { code: 'too_many_rows' },
    });
    checkReply(await withCompanies(MAX_SHEET_RECORDS + 1, '?format=csv', 'HEAD'), { status: 200 });
  });
});
