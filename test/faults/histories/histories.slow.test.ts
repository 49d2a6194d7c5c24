/** Sixteen clients write and read while processes, databases and connections fail: everything that was answered can have been so. */

import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { DEADLINE } from '../../support/deadline.ts';
import { engines } from '../../support/engines.ts';
import { rounds } from '../../support/rounds.ts';
import { check, explain } from './check.ts';
import { type Call, writeHistory } from './history.ts';
import { runHistory } from './run.ts';

const CALLS = rounds(1_000, 8_000);
const ROUNDS = rounds(1, 10);

/** One after another. With many partners, there is an index in memory, and checking takes longer. */
const DEPLOYMENTS = [
  { topology: { nodes: 1, workers: 2 }, partners: 0, calls: CALLS },
  { topology: { nodes: 1, workers: 1 }, partners: 0, calls: CALLS },
  { topology: { nodes: 2, workers: 1 }, partners: 0, calls: CALLS },
  { topology: { nodes: 1, workers: 2 }, partners: 20_500, calls: CALLS / 2 },
];

/** In milliseconds. */
const TIMEOUT = rounds(DEADLINE, 1_800_000);

const cases = Array.from({ length: ROUNDS }, (_, n) => DEPLOYMENTS[n % DEPLOYMENTS.length])
  .filter((deployment) => deployment !== undefined)
  .map((deployment, n) => ({ round: n + 1, ...deployment }));

describe.each(engines)('on $name', ({ name: engine }) => {
  test.for(cases)(
    'round $round: everything that was answered can have been so',
    { timeout: TIMEOUT },
    async ({ round, ...deployment }, { annotate, signal }) => {
      const purpose = `history ${engine} ${round}`;
      const { calls, faults, findings } = await runHistory({ engine, ...deployment, purpose, signal });
      const { violations, ...counts } = check(calls);
      await annotate(`${JSON.stringify({ ...deployment, ...counts })}; ${faults.join(', ')}`);
      if (violations.length > 0) expect.fail(explain(violations, saved(calls)));
      expect(findings).toBe('');
      expect(counts.copies).toBeGreaterThan(0);
      expect(counts.outcomes.yes).toBeGreaterThan(calls.length / 2);
    },
  );
});

/** The file that a history was written to, so that it can be checked again. */
function saved(calls: readonly Call[]): string {
  const path = join(mkdtempSync(join(tmpdir(), 'stockbook-history-')), 'history.ndjson');
  writeHistory(path, calls);
  return path;
}
