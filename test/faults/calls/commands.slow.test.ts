/** Calls that commands make to the disk fail: a command says so and fails, or what it did is durable, and it can be repeated. */

import { copyFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, inject, test } from 'vitest';
import { product } from '../../../src/catalog/product.ts';
import { makeKey } from '../../support/account-key.ts';
import { Commands } from '../../support/commands.ts';
import { count } from '../../support/counts.ts';
import { requireFailingDisks } from '../../support/disk-faults.ts';
import type { Finished } from '../../support/program.ts';
import { seededRandom } from '../../support/random.ts';
import type { Promised } from '../crashes/mark.ts';
import { makeFastFolder } from '../crashes/recording.ts';
import { makeDatabase } from '../crashes/workloads/make-database.ts';
import { times } from '../crashes/workloads/workload.ts';
import { CallFailures } from './call-failures.ts';
import { FaultCounts, faultsOfSlowCalls, inCase } from './faults.ts';

interface FailingCommand {
  readonly name: string;
  /** What has to be there for so many commands. */
  readonly prepare?: (path: string, commands: number) => Promise<void>;
  /** One of its own for each number. */
  readonly args: (n: number, folder: string) => readonly string[];
  readonly promised: (n: number) => Promised;
  /** What is executed before each. */
  readonly before?: (n: number) => readonly string[];
  /** Those that wait for seconds when they succeed are executed only a few times, and not in the gate. */
  readonly waits?: true;
}

/** As it is in a recording. */
const DATABASE_FOLDER = 'disk/database';

const COMMANDS: readonly FailingCommand[] = [
  {
    name: 'account add',
    args: (n) => ['account', 'add', `added-${n}`],
    promised: (n) => ({ holds: `EXISTS (SELECT 1 FROM account WHERE name = 'added-${n}')` }),
  },
  {
    name: 'account remove',
    prepare: async (path, commands) => {
      const records = times(30, (row) => ({ name: `Product ${row}` }));
      for (let n = 1; n <= commands; n += 1)
        await makeKey(path, { name: `removed-${n}`, records: [[product, records]] });
    },
    args: (n) => ['account', 'remove', `removed-${n}`, '--yes'],
    promised: (n) => ({ holds: `NOT EXISTS (SELECT 1 FROM account WHERE name = 'removed-${n}')` }),
  },
  {
    name: 'key add',
    args: (n) => ['key', 'add', 'acme', '--name', `key ${n}`],
    promised: (n) => ({ holds: `EXISTS (SELECT 1 FROM api_key WHERE name = 'key ${n}')` }),
  },
  {
    name: 'field add',
    args: (n) => ['field', 'add', 'product', `x_${n}`, 'text', '--indexed'],
    promised: (n) => ({ holds: `EXISTS (SELECT 1 FROM own_field WHERE name = 'x_${n}')` }),
  },
  {
    name: 'import',
    args: (n, folder) => {
      const file = join(folder, `${n}.csv`);
      writeFileSync(file, `name,categ_id\n${times(30, (row) => `Product ${row},${n}\n`).join('')}`);
      return ['import', 'acme', 'product', file, '--add'];
    },
    promised: (n) => ({ holds: `(SELECT count(*) FROM product WHERE categ_id = ${n}) = 30` }),
  },
  {
    name: 'backup',
    args: (n, folder) => ['backup', join(folder, DATABASE_FOLDER, `backup-${n}.db`), '--overwrite'],
    promised: (n) => ({ database: `backup-${n}.db`, holds: "EXISTS (SELECT 1 FROM account WHERE name = 'acme')" }),
  },
  {
    name: 'restore to a new file',
    prepare: backUp,
    args: (n, folder) => [
      ...['restore', join(folder, DATABASE_FOLDER, 'backup.db')],
      ...['--database', join(folder, DATABASE_FOLDER, `restored-${n}.db`)],
    ],
    promised: (n) => ({
      database: `restored-${n}.db`,
      holds: "EXISTS (SELECT 1 FROM audit_entry WHERE action = 'database restored')",
    }),
  },
  {
    name: 'restore over another file',
    prepare: backUp,
    before: (n) => ['account', 'add', `replaced-${n}`],
    args: (_, folder) => ['restore', join(folder, DATABASE_FOLDER, 'backup.db'), '--yes'],
    promised: (n) => ({ holds: `NOT EXISTS (SELECT 1 FROM account WHERE name = 'replaced-${n}')` }),
    waits: true,
  },
];

async function backUp(path: string): Promise<void> {
  copyFileSync(path, join(dirname(path), 'backup.db'));
}

/** How many calls of each command fail in each way, chosen at random. */
const SAMPLE = { few: 1, many: 12, waiting: 3 };

/** In milliseconds. */
const TIMEOUT = 3_600_000;

test.for(COMMANDS)('$name', { timeout: TIMEOUT }, async (command, context) => {
  requireFailingDisks(context);
  const isExhaustive = inject('isExhaustive');
  if (command.waits && !isExhaustive) context.skip('takes several seconds each time: npm run test:crashes');
  const { name, prepare } = command;
  const sample = isExhaustive ? (command.waits ? SAMPLE.waiting : SAMPLE.many) : SAMPLE.few;
  const folder = makeFastFolder();
  const random = seededRandom(`failing calls of ${name}`);
  const failures = new CallFailures(folder.path, random);
  const { recording } = failures;
  const faults = faultsOfSlowCalls(random);
  const commands = new Commands(recording.env);
  const run = (args: readonly string[]) => commands.run(args, { folder: folder.path });
  try {
    await makeDatabase(recording.database);
    await prepare?.(recording.database, sample * faults.length + 1);
    recording.begin();
    const counts = new FaultCounts();
    let number = 0;
    const next = async () => {
      number += 1;
      if (command.before) expect(await run(command.before(number))).toMatchObject({ code: 0 });
      const args = command.args(number, folder.path);
      const operation = { name: args.join(' '), promised: command.promised(number) };
      return () =>
        recording.tryCommand(
          () => run(args),
          () => operation,
        );
    };
    const calls = await failures.count(await next());
    await failures.crash();
    for (const fault of faults)
      for (const n of random.sample(
        times(calls, (call) => call),
        sample,
      )) {
        const execute = await next();
        let finished: Finished | undefined;
        const attempt = async () => {
          const failed = await failures.during(fault, n, async () => {
            finished = await execute();
          });
          counts.add(fault, failed);
          await failures.crash();
          if (finished?.code === 0) return;
          expectFailure(finished);
          await expectRepeatable(execute, failures, command.promised(number));
        };
        await inCase(fault, n, attempt());
      }
    await failures.end();
    count(context, 'failing calls of commands', name, { ...counts.counts, states: failures.states });
  } finally {
    await commands.close();
    await failures.close();
    folder.remove();
  }
});

/** It succeeds if it is executed again, or it says that there is nothing to do. */
async function expectRepeatable(
  execute: () => Promise<Finished>,
  failures: CallFailures,
  promised: Promised,
): Promise<void> {
  const finished = await execute();
  await failures.crash();
  if (finished.code !== 0) expectFailure(finished);
  expect({ finished, isDone: failures.holds(promised) }).toMatchObject({ isDone: true });
}

/** A message, and nothing that is for developers. */
function expectFailure(finished: Finished | undefined): void {
  expect(finished).toMatchObject({ code: 1, stderr: expect.stringMatching(/^stockbook: /m) });
  expect(finished?.stderr).not.toMatch(/^ {4}at |\.ts:\d/m);
}
