/** A scrape has a bounded size, however many accounts, keys and methods there are. */

import { afterAll, expect, test } from 'vitest';
import { AdminApp } from '../../../src/observe/admin/admin-app.ts';
import { ownProcess } from '../../../src/observe/admin/processes.ts';
import { eventNames } from '../../../src/observe/log.ts';
import { ProcessReporter } from '../../../src/observe/metrics/process-report.ts';
import { routeNames } from '../../../src/request/route.ts';
import { completed } from '../../support/completed.ts';

const reporter = new ProcessReporter({ events: eventNames, withValues: false });
const processes = ownProcess(reporter, { checkReadiness: async () => [] });
const app = new AdminApp({
  processes,
  accounts: { overview: async () => new Map(), storedTotal: async () => ({ records: 0, bytes: 0, fullest: [] }) },
  imports: { latestSources: async () => [] },
  engine: 'test',
  emit: () => {},
  audit: undefined,
});
afterAll(() => reporter.close());

const METHODS = ['GET', 'HEAD', 'POST', 'QUERY', 'OPTIONS', 'BREW', 'DELETE'];

test('what there is beyond a number of accounts and keys adds no lines', async () => {
  for (const route of routeNames)
    for (const method of METHODS)
      for (const status of [200, 304, 404, 503])
        for (let n = 0; n < 2; n += 1)
          reporter.listener(
            completed({ route, method, status, account: `account-${n * status}`, key: `key-${status}` }),
          );
  const lines = async (accounts: number) => {
    for (let n = 0; n < accounts; n += 1) reporter.listener(completed({ account: `account-${n}`, key: `key-${n}` }));
    return (await app.respond('/metrics')).body.split('\n').length;
  };
  // The first scrape starts checks whose results the next ones have.
  await lines(0);
  const before = await lines(200);
  expect(before).toBeGreaterThan(2_000);
  expect(await lines(2_000)).toBe(before);
});

test('accounts and methods are a bounded number of labels', async () => {
  const { body } = await app.respond('/metrics');
  const accounts = [...body.matchAll(/^stockbook_account_requests_per_second\{account="(.*)"\}/gm)];
  expect(accounts).toHaveLength(21);
  expect(accounts.at(-1)?.[1]).toBe('(other)');
  const methods = new Set([...body.matchAll(/method="(.*?)"/g)].map(([, method]) => method));
  expect([...methods]).toEqual(['GET', 'HEAD', 'POST', 'QUERY', 'OPTIONS', 'other']);
});
