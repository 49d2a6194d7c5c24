/** Calls that a service makes to its disk fail, one after another: the response to a write says so, or it is durable, and the service goes on. */

import { expect, inject, test } from 'vitest';
import { count } from '../../support/counts.ts';
import { requireFailingDisks } from '../../support/disk-faults.ts';
import type { Serving } from '../../support/program.ts';
import { seededRandom } from '../../support/random.ts';
import { PRODUCTS } from '../../support/rows.ts';
import { bearer, sendUnchecked, type TestReply } from '../../support/service.ts';
import { isSuccess, makeFastFolder, type Write } from '../crashes/recording.ts';
import { makeDatabase } from '../crashes/workloads/make-database.ts';
import { times } from '../crashes/workloads/workload.ts';
import { change, create, importRows, remove, saveView } from '../crashes/workloads/writes.ts';
import { CallFailures } from './call-failures.ts';
import { FAULTS, type Fault, FaultCounts, inCase } from './faults.ts';

interface FailingWrite {
  readonly name: string;
  /** One of its own for each number. */
  readonly write: (n: number) => Write;
  /** How many records there are before. */
  readonly records?: number;
}

const WRITES: readonly FailingWrite[] = [
  { name: 'creates', write: (n) => create(`Created ${n}`, `create-${n}`) },
  { name: 'changes', write: (n) => change('product', 1, `Changed ${n}`, `change-${n}`) },
  { name: 'removals', write: (n) => remove('partner', n, `remove-${n}`), records: 500 },
  { name: 'views', write: (n) => saveView('view', `View ${n}`) },
  {
    name: 'imports of a few rows',
    write: (n) =>
      importRows(
        'company',
        times(10, (row) => ({ id: row, name: `Company ${row}`, company_code: `few ${n}`, branch_user: '1' })),
        `company_code = 'few ${n}'`,
        { key: `few-${n}`, source: { name: 'few', position: String(n) } },
      ),
  },
  {
    name: 'imports of many rows',
    write: (n) =>
      importRows(
        'product',
        times(600, (row) => ({ id: 100 + row, name: `Product ${row}`, categ_id: n })),
        `categ_id = ${n}`,
        { key: `many-${n}`, source: { name: 'many', position: String(n) } },
      ),
  },
];

/** In the gate, so many calls of each write fail in each way, chosen at random from the first ones. */
const SAMPLE = 1;
const FIRST = 25;

/** In milliseconds. */
const TIMEOUT = 3_600_000;

test.for(WRITES)('$name', { timeout: TIMEOUT }, async ({ name, write, records }, context) => {
  requireFailingDisks(context);
  const folder = makeFastFolder();
  const random = seededRandom(`failing calls of ${name}`);
  const failures = new CallFailures(folder.path, random);
  try {
    const { recording } = failures;
    const key = await makeDatabase(recording.database, records);
    recording.begin();
    const server = await recording.serve();
    const counts = new FaultCounts();
    let number = 0;
    for (const fault of FAULTS) {
      const attempt = async (n: number) => {
        number += 1;
        const attempted = attemptWrite(failures, server, key, write(number), fault, n);
        const failed = await inCase(fault, n, attempted);
        counts.add(fault, failed);
        return failed > 0;
      };
      if (inject('isExhaustive')) for (let n = 1; await attempt(n); n += 1);
      else for (let n = 0; n < SAMPLE; n += 1) await attempt(random.between(1, FIRST));
    }
    await failures.end();
    count(context, 'failing calls of a service', name, { ...counts.counts, states: failures.states });
  } finally {
    await failures.close();
    folder.remove();
  }
});

/** Returns how many calls have failed. */
async function attemptWrite(
  failures: CallFailures,
  server: Serving,
  key: string,
  write: Write,
  fault: Fault,
  n: number,
): Promise<number> {
  const send = async () => {
    const reply = await failures.recording.trySend(server, key, write);
    if (!isSuccess(reply)) expectProblem(reply);
    return isSuccess(reply);
  };
  let isDone = false;
  const failed = await failures.during(fault, n, async () => {
    isDone = await send();
    const read = await sendUnchecked(server.port, { path: PRODUCTS, headers: bearer(key) });
    expect(read, 'reads go on').toMatchObject({ status: 200 });
  });
  await failures.crash();
  if (isDone) return failed;
  // With the same key, it takes effect once, whether it did before or not.
  await expect.poll(send).toBe(true);
  await failures.crash();
  return failed;
}

/** What a write responds if the disk fails. */
const CODES = ['store_not_writable', 'store_exhausted', 'store_unreachable'];

function expectProblem({ status, json, headers }: TestReply): void {
  expect({ status, code: Object(json).code, retryAfter: headers['retry-after'] }).toMatchObject({
    status: 503,
    code: expect.toBeOneOf(CODES),
    retryAfter: expect.stringMatching(/^\d+$/),
  });
}
