/** Waiting for changes: nobody is overlooked, whenever they begin to wait. */

import { afterEach, beforeEach, expect, test } from 'vitest';
import { partner } from '../../../src/catalog/partner.ts';
import type { Engine } from '../../../src/store/engine/engine.ts';
import { TooManyWaiters } from '../../../src/store/store-error.ts';
import type { AccountVersion, LedgerVersion } from '../../../src/store/version.ts';
import { VersionWatch } from '../../../src/store/versions/version-watch.ts';
import { TestClock } from '../../support/test-clock.ts';

const ACCOUNT = 1;
const at = (revision: number): LedgerVersion => ({ generation: 1, revision, rows: 0 });

/** A database whose version checks take as long as the test wants. */
class Database {
  revision = 1;
  writes = 1;
  checks = 0;
  #gate: Promise<void> = Promise.resolve();

  write(): void {
    this.revision += 1;
    this.writes += 1;
  }

  /** Checks that have read the version are not answered until the returned function is called. */
  hold(): () => void {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#gate = promise;
    return resolve;
  }

  readonly clock = new TestClock();
  readonly engine: Pick<Engine, 'lastWrite' | 'clock'> = {
    lastWrite: async () => String(this.writes),
    clock: this.clock,
  };
  readonly versions = {
    current: async (): Promise<AccountVersion> => {
      this.checks += 1;
      const version = { access: 1, ledger: new Map([[partner.name, at(this.revision)]]) };
      await this.#gate;
      return version;
    },
  };
}

let database: Database;
let watch: VersionWatch;
beforeEach(() => {
  database = new Database();
  watch = new VersionWatch(database.engine, database.versions);
});
afterEach(() => watch.close());

const changed = (revision: number, signal = new AbortController().signal) =>
  watch.changed(ACCOUNT, partner.name, at(revision), signal);
/** Enough for a check. */
const checked = () => database.clock.advance(100);

test('a waiter is woken up by a write', async () => {
  const waiting = changed(1);
  await checked();
  expect(database.checks).toBe(1);
  database.write();
  await checked();
  await waiting;
});

test('a waiter whose version is out of date is woken up without a write', async () => {
  database.write();
  await changed(1);
});

test('a waiter that joins during a check is not overlooked, though nothing is written any more', async () => {
  const release = database.hold();
  const first = new AbortController();
  const before = changed(1, first.signal);
  await checked();
  expect(database.checks).toBe(1);
  const joined = changed(0);
  release();
  await checked();
  await checked();
  await joined;
  first.abort();
  await before;
});

test('a check that fails is repeated', async () => {
  const { current } = database.versions;
  database.versions.current = async () => {
    database.versions.current = current;
    throw new Error('the database cannot be reached');
  };
  const waiting = changed(0);
  await checked();
  await waiting;
});

test('of one account, 2,048 may wait', async () => {
  const over = new AbortController();
  const waiting = Array.from({ length: 2_048 }, () => changed(1, over.signal));
  await expect(changed(1)).rejects.toBeInstanceOf(TooManyWaiters);
  over.abort();
  await Promise.all(waiting);
  const again = changed(1);
  database.write();
  await checked();
  await again;
});
