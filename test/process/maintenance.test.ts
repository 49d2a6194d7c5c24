import { describe, expect, test } from 'vitest';
import { company } from '../../src/catalog/company.ts';
import { startMaintenance } from '../../src/process/maintenance.ts';
import { engines } from '../support/engines.ts';
import { sharedStore } from '../support/shared.ts';
import { TestClock } from '../support/test-clock.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

describe.each(engines)('on $name', (engine) => {
  const opened = sharedStore(engine);

  test('imports of more than 30 days ago are forgotten', async () => {
    const owner = await opened.account();
    const clock = new TestClock();
    const daysAgo = (days: number) => new Date(clock.wall() - days * DAY).toISOString();
    for (const days of [31, 29])
      await opened.load(owner, company, [], { import: { file: `${days}.csv` }, now: daysAgo(days) });
    const listed = async () => {
      const imports = await opened.store.imports.list({ account: owner.id }, [company], {
        page: 1,
        limit: 10,
      });
      return imports === 'no access' ? imports : imports.imports.map(({ file }) => file);
    };
    expect(await listed()).toEqual(['29.csv', '31.csv']);
    const failures: unknown[] = [];
    const end = startMaintenance(opened.store, 30, (event) => failures.push(event), clock);
    try {
      await expect.poll(listed).toEqual(['29.csv']);
      clock.set(clock.wall() + 2 * DAY);
      await clock.advance(HOUR);
      await expect.poll(listed).toEqual([]);
    } finally {
      end();
    }
    expect(failures).toEqual([]);
  });
});
