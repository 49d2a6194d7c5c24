/** The connections to a PostgreSQL server: their settings, what runs on them, and the statements prepared there. */

import { describe, expect, test } from 'vitest';
import { Deadline, NO_DEADLINE } from '../../../src/schedule/deadline.ts';
import { Connection } from '../../../src/store/postgres/connection.ts';
import { PostgresEngine } from '../../../src/store/postgres/engine.ts';
import { Primary } from '../../../src/store/postgres/primary.ts';
import { settingsOf } from '../../../src/store/postgres/session-settings.ts';
import { SINGLE_SERVER } from '../../../src/store/postgres/single-server.ts';
import { readPostgresUrl } from '../../../src/store/postgres/url.ts';
import { type Row, textOf } from '../../../src/store/sql/row.ts';
import type { Statement } from '../../../src/store/sql/statement.ts';
import { freshDatabase, openWith } from '../../support/fresh-database.ts';
import { connectTo } from '../../support/postgres-connection.ts';
import { TestClock } from '../../support/test-clock.ts';

describe('prepared statements', () => {
  test.each(['slow', 'reserved'] as const)(
    'that were dropped are deallocated on the server, and prepared again when needed: %s',
    async (kind) => {
      const url = readPostgresUrl((await freshDatabase()).url);
      const [host] = url?.hosts ?? [];
      if (url === undefined || host === undefined) throw new Error('the URL is invalid');
      const connection = await Connection.open(host, kind, {
        url,
        topology: SINGLE_SERVER,
        statementTimeout: 20,
        onLost: () => {},
      });
      const run = async (n: number) =>
        (await connection.query(`SELECT ${n} AS n`, [], { preparedFor: 'all' }))[0]?.['n'];
      // The shared connection sends all at once, so that statements are dropped before they were answered.
      const runAll = async (numbers: readonly number[]) => {
        if (kind === 'reserved') return Promise.all(numbers.map(run));
        const results: unknown[] = [];
        for (const number of numbers) results.push(await run(number));
        return results;
      };
      const prepared = async () => {
        const rows = await connection.query('SELECT statement FROM pg_prepared_statements');
        return rows.map((row) => Number(/\d+/.exec(textOf(row, 'statement'))?.[0])).toSorted((a, b) => a - b);
      };
      const numbers = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, n) => from + n);
      expect(await runAll(numbers(1, 200))).toEqual(numbers(1, 200).map(String));
      expect(await prepared()).toEqual(numbers(1, 200));
      await run(1);
      await run(201);
      expect(await prepared()).toEqual([1, ...numbers(3, 201)]);
      expect(await run(2)).toBe('2');
      expect(await prepared()).toEqual([1, 2, ...numbers(4, 201)]);
      expect(await runAll(numbers(1, 999))).toEqual(numbers(1, 999).map(String));
      expect(await prepared()).toEqual(numbers(800, 999));
      await connection.close();
    },
  );
});

describe('executors', () => {
  /** `hold` takes the lock that `waiting` waits for, and returns a function that releases it. */
  type Hold = () => Promise<() => Promise<unknown>>;
  const withEngine = async (
    body: (engine: PostgresEngine, hold: Hold) => Promise<void>,
    { statementTimeout = 20, clock }: { statementTimeout?: number; clock?: TestClock } = {},
  ) => {
    const { url } = await freshDatabase();
    await (await openWith(url)).close();
    const address = readPostgresUrl(url);
    if (address === undefined) throw new Error(`${url} is not a URL`);
    const primary = new Primary(address, SINGLE_SERVER, { poolSize: 3, statementTimeout });
    const engine = new PostgresEngine(primary, { poolSize: 3, clock });
    const holder = connectTo(url);
    const hold = async () => {
      await holder.query('SELECT pg_advisory_lock(1)');
      return () => holder.query('SELECT pg_advisory_unlock(1)');
    };
    await body(engine, hold).finally(() => Promise.all([engine.close(), holder.end()]));
  };
  const backend = { text: 'SELECT pg_backend_pid()::text AS pid', parameters: [] };
  /** For as long as it takes: reads wait for locks only for a while. */
  const waiting = {
    text: `SELECT set_config('lock_timeout', '0', true), pg_advisory_xact_lock_shared(1), pg_backend_pid()::text AS pid`,
    parameters: [],
  };
  const job = (account = 1) => ({ account, cost: 0, deadline: NO_DEADLINE });
  const runOn = (engine: PostgresEngine, executor: 'reserved' | 'fast' | 'slow', statement: Statement, account = 1) => {
    if (executor === 'reserved') return engine.reserved(statement);
    if (executor === 'fast') return engine.fast(job(account), statement);
    return engine.slow(job(account), ({ read }) => read(statement));
  };
  /** The processes of the server in which it waits. */
  const waitingIn = async (engine: PostgresEngine) => {
    const text = `SELECT pid::text FROM pg_stat_activity
      WHERE query LIKE 'SELECT set_config%' AND state = 'active' AND datname = current_database()`;
    return (await engine.reserved({ text, parameters: [] })).map((row) => textOf(row, 'pid'));
  };
  const pidOf = (rows: readonly Row[]) => rows.map((row) => textOf(row, 'pid'))[0];

  // A fast read that takes long because the machine is busy is legitimately run as a slow one, hence the polling.

  test('reserved and fast reads share a connection each; slow reads have others', () =>
    withEngine(async (engine) => {
      const pids = async (executor: 'reserved' | 'fast') => {
        const rows = await Promise.all(Array.from({ length: 20 }, () => runOn(engine, executor, backend)));
        return [...new Set(rows.map(pidOf))];
      };
      const all = async () => [
        await pids('reserved'),
        await pids('fast'),
        [pidOf(await runOn(engine, 'slow', backend))],
      ];
      await expect.poll(async () => (await all()).map(({ length }) => length)).toEqual([1, 1, 1]);
      await expect.poll(async () => new Set((await all()).flat()).size).toBe(3);
    }));

  test.each(['reserved', 'fast', 'slow'] as const)('%s: the connection has its settings', (executor) =>
    withEngine(
      async (engine) => {
        for (const [name, value] of Object.entries(
          settingsOf(executor, { statementTimeout: 7, topology: SINGLE_SERVER }),
        )) {
          const statement = {
            text: 'SELECT setting, source FROM pg_settings WHERE name = $1::text',
            parameters: [name],
          };
          await expect
            .poll(async () => ({ name, ...(await runOn(engine, executor, statement))[0] }))
            .toEqual({ name, setting: value, source: 'client' });
        }
      },
      { statementTimeout: 7 },
    ),
  );

  test('a fast read that takes too long is cancelled and run again as a slow one', () =>
    withEngine(async (engine, hold) => {
      let account = 0;
      const attempt = async () => {
        account += 1;
        const release = await hold();
        const fast = pidOf(await runOn(engine, 'fast', backend, 0));
        const slow = runOn(engine, 'fast', waiting, account);
        // It is sent after the slow one, on the same connection.
        const next = pidOf(await runOn(engine, 'fast', backend, 0));
        await release();
        return { next: next === fast, slow: pidOf(await slow) === fast };
      };
      await expect.poll(attempt).toEqual({ next: true, slow: false });
    }));

  test('a statement that exceeds the statement timeout is cancelled, and the connection is used again', () =>
    withEngine(
      async (engine, hold) => {
        const before = pidOf(await runOn(engine, 'slow', backend));
        await hold();
        await expect(runOn(engine, 'slow', waiting)).rejects.toMatchObject({
          name: 'StoreUnavailable',
          reason: 'too slow',
        });
        expect(pidOf(await runOn(engine, 'slow', backend))).toBe(before);
      },
      { statementTimeout: 1 },
    ));

  test('all reads of an account are slow for a while after one that was thought to be fast', async () => {
    const clock = new TestClock();
    await withEngine(
      async (engine, hold) => {
        const slow = pidOf(await runOn(engine, 'slow', backend));
        const release = await hold();
        const read = runOn(engine, 'fast', waiting, 1);
        await expect.poll(() => waitingIn(engine)).toEqual([slow]);
        await release();
        await read;
        clock.elapse(9_999);
        expect(pidOf(await runOn(engine, 'fast', backend, 1))).toBe(slow);
        let other = 1;
        await expect
          .poll(async () => {
            other += 1;
            return pidOf(await runOn(engine, 'fast', backend, other));
          })
          .not.toBe(slow);
        clock.elapse(1);
        await expect
          .poll(async () => {
            const pid = pidOf(await runOn(engine, 'fast', backend, 1));
            clock.elapse(10_000);
            return pid;
          })
          .not.toBe(slow);
      },
      { clock },
    );
  });

  test('a slow read that is cancelled ends on the server, and its slot is free', () =>
    withEngine(async (engine, hold) => {
      await hold();
      const deadline = new Deadline(Number.POSITIVE_INFINITY);
      const cancelled = engine.slow({ account: 1, cost: 0, deadline }, ({ read }) => read(waiting));
      await expect.poll(() => waitingIn(engine)).toHaveLength(1);
      deadline.cancel('disconnected');
      await expect(cancelled).rejects.toMatchObject({ name: 'Cancelled', reason: 'disconnected' });
      await expect.poll(() => waitingIn(engine)).toEqual([]);
      expect(await runOn(engine, 'slow', backend)).toHaveLength(1);
    }));
});
