/**
 * Runs the checks on a database, and repairs what they find if asked to. Services may keep running. The checks of a ledger
 * read one snapshot, which is closed before the next ledger, so that it never holds back others for long.
 */

import { isDeepStrictEqual } from 'node:util';
import type { Catalog } from '../../catalog/catalog.ts';
import type { AuditTrail } from '../audit.ts';
import type { Engine } from '../engine/engine.ts';
import { jobFor } from '../records/jobs.ts';
import { integerOf, textOf } from '../sql/row.ts';
import { bind, sql } from '../sql/sql.ts';
import { compile } from '../sql/statement.ts';
import { UnusableDatabase } from '../store-error.ts';
import type { CheckedEngine, DatabaseCheck, LedgerCheck, LedgerKey } from './check.ts';
import { checksOf } from './checks.ts';
import {
  type CheckDescription,
  type CheckOptions,
  type CheckResult,
  type Findings,
  findings,
  merge,
  NOTHING_FOUND,
} from './findings.ts';

/** The maximum number of times that a ledger is repaired. Nothing needs more than two rounds. */
const MAX_ROUNDS = 4;

/** How many accounts are read at a time. */
const ACCOUNTS_AT_ONCE = 500;

/** In the order of the checks. Every repair is recorded in the audit trail before the next one begins. */
export async function runChecks(
  engine: CheckedEngine,
  audit: AuditTrail,
  catalog: Catalog,
  options: CheckOptions,
): Promise<readonly CheckResult[]> {
  const all = checksOf(engine);
  const results = new Map<CheckDescription, CheckResult>();
  for (const check of all) results.set(check, { check, found: NOTHING_FOUND, remaining: NOTHING_FOUND });
  const add = ({ check, found, remaining }: CheckResult) => {
    const known = results.get(check) ?? { found: NOTHING_FOUND, remaining: NOTHING_FOUND };
    results.set(check, { check, found: merge(known.found, found), remaining: merge(known.remaining, remaining) });
  };
  const done: CheckResult[] = [];
  for (const check of all.filter((each) => each.scope === 'database')) {
    const result = await checkDatabase(check, engine, audit, catalog, options);
    done.push(result);
    if (hasFatal(result.remaining)) return done;
    add(result);
  }
  const ledgerChecks = all.filter((each) => each.scope === 'ledger');
  const total = await totalRecords(engine);
  let checked = 0;
  for await (const ledger of ledgers(engine, catalog)) {
    for (const result of await checkLedger(ledgerChecks, ledger, engine, audit, options)) add(result);
    checked += ledger.rows;
    options.onProgress?.({ checked, total });
  }
  return [...results.values()];
}

async function checkDatabase(
  check: DatabaseCheck,
  engine: Engine,
  audit: AuditTrail,
  catalog: Catalog,
  { repair }: CheckOptions,
): Promise<CheckResult> {
  const find = () => orDamage(() => check.find(engine, catalog));
  const found = await find();
  let remaining = found;
  if (found.count === 0 || !repair || check.repair === undefined) return { check, found, remaining };
  try {
    await repairUnlessDamaged(() => check.repair?.(engine, found, catalog));
  } finally {
    // A repair that fails may have done a part of its work.
    remaining = await find();
    await record([{ check, found, remaining }], audit);
  }
  return { check, found, remaining };
}

/** What a check cannot see while something else is wrong, it finds after that was repaired. So there are several rounds, while they change anything. */
async function checkLedger(
  checks: readonly LedgerCheck[],
  ledger: LedgerKey,
  engine: Engine,
  audit: AuditTrail,
  { repair }: CheckOptions,
): Promise<readonly CheckResult[]> {
  let remaining = await findAll(checks, ledger, engine);
  const found = new Map(remaining);
  const results = () =>
    checks.map((check) => ({
      check,
      found: found.get(check) ?? NOTHING_FOUND,
      remaining: remaining.get(check) ?? NOTHING_FOUND,
    }));
  const isSound = ({ count }: Findings) => count === 0;
  if (!repair || [...remaining.values()].every(isSound)) return results();
  try {
    for (let round = 0; round < MAX_ROUNDS; round += 1) {
      const before = remaining;
      const broken = checks.filter((check) => !isSound(before.get(check) ?? NOTHING_FOUND));
      // A number at the end of its range cannot be advanced, as every repair does.
      if (broken.length === 0 || [...before.values()].some(hasFatal)) break;
      try {
        for (const check of broken) await repairUnlessDamaged(() => check.repair?.(ledger, engine));
      } finally {
        // A repair that fails may have done a part of its work.
        remaining = await findAll(checks, ledger, engine);
        for (const [check, findings] of remaining)
          if (isSound(found.get(check) ?? NOTHING_FOUND)) found.set(check, findings);
      }
      if (isDeepStrictEqual(remaining, before)) break;
    }
  } finally {
    await record(results(), audit, ledger);
  }
  return results();
}

/** Leaves an entry with the number of problems that each check no longer finds. */
async function record(results: readonly CheckResult[], audit: AuditTrail, ledger?: LedgerKey): Promise<void> {
  const counts = results.map(({ check, found, remaining }) => [check.name, found.count - remaining.count] as const);
  const repaired = Object.fromEntries(counts.filter(([, count]) => count > 0));
  if (Object.keys(repaired).length === 0) return;
  await audit.append({
    action: 'database repaired',
    account: ledger?.account.name ?? null,
    details: { resource: ledger?.resource.name ?? null, repaired },
  });
}

function findAll(
  checks: readonly LedgerCheck[],
  ledger: LedgerKey,
  engine: Engine,
): Promise<ReadonlyMap<LedgerCheck, Findings>> {
  return engine.slow(jobFor({ account: ledger.account.id }), async (snapshot) => {
    const found = new Map<LedgerCheck, Findings>();
    for (const check of checks)
      found.set(check, await orDamage(() => check.find({ ...ledger, engine, snapshot }), ledger));
    return found;
  });
}

function hasFatal({ first }: Findings): boolean {
  return first.some(({ isFatal }) => isFatal);
}

/** A check that cannot read what it needs has found something. */
async function orDamage(find: () => Promise<Findings>, ledger?: LedgerKey): Promise<Findings> {
  try {
    return await find();
  } catch (error) {
    if (!isDamage(error)) throw error;
    const about = ledger === undefined ? {} : { account: ledger.account.name, resource: ledger.resource.name };
    if (error instanceof RangeError)
      return findings([
        { ...about, detail: 'cannot be read: a number is out of range', ...(ledger && { isFatal: true as const }) },
      ]);
    return findings([{ ...about, detail: 'cannot be read: the database is damaged' }]);
  }
}

/** What cannot be read cannot be repaired, and is still found afterwards. */
async function repairUnlessDamaged(repair: () => Promise<void> | undefined): Promise<void> {
  try {
    await repair();
  } catch (error) {
    if (!isDamage(error)) throw error;
  }
}

/**
 * SQLite has other errors for damaged pages of a search index, such as "out of memory". A number that is too large for
 * JavaScript is a range error.
 */
function isDamage(error: unknown): boolean {
  if (error instanceof RangeError) return true;
  if (error instanceof UnusableDatabase) return error.defect === 'damaged';
  return error instanceof Error && 'code' in error && error.code === 'ERR_SQLITE_ERROR';
}

/** For the progress only. As floating-point numbers, no sum is out of range. */
async function totalRecords(engine: Engine): Promise<number> {
  const [row = {}] = await engine.reserved(
    compile(sql`SELECT coalesce(sum(rows * 1.0), 0) AS total FROM ledger`, engine.dialect),
    'several',
  );
  return Number(row['total']);
}

async function* ledgers(engine: Engine, catalog: Catalog): AsyncIterable<LedgerKey & { readonly rows: number }> {
  let after = 0;
  for (;;) {
    const accounts = await engine.reserved(
      compile(
        sql`SELECT id, name FROM account WHERE id > ${bind('integer', after)} ORDER BY id LIMIT ${bind('integer', ACCOUNTS_AT_ONCE)}`,
        engine.dialect,
      ),
    );
    for (const row of accounts) {
      const account = { id: integerOf(row, 'id'), name: textOf(row, 'name') };
      const rows = await engine.reserved(
        compile(
          sql`SELECT resource, rows * 1.0 AS rows FROM ledger WHERE account_id = ${bind('integer', account.id)}`,
          engine.dialect,
        ),
        account.id,
      );
      const counts = new Map(rows.map((ledger) => [textOf(ledger, 'resource'), Number(ledger['rows'])]));
      for (const resource of catalog.resources) yield { account, resource, rows: counts.get(resource.name) ?? 0 };
      after = account.id;
    }
    if (accounts.length < ACCOUNTS_AT_ONCE) return;
  }
}
