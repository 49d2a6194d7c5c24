/** The changes of a resource, in the order in which they were made. */

import { MAX_INTEGER } from '../../catalog/value-types.ts';
import { costPerRecord, estimateCost } from '../../plan/cost.ts';
import type { ChangesPlan, Cursor } from '../../plan/plan.ts';
import type { MarkedAccounts } from '../../schedule/marked-accounts.ts';
import type { Engine } from '../engine/engine.ts';
import {
  changesStatement,
  indexedLinesStatement,
  isAtOrAfterEnd,
  isBeginning,
  maxChecked,
  nthTombstoneStatement,
  oldLedgerStatement,
  pruneStatements,
} from '../sql/change-statements.ts';
import { ledgerVersionOf } from '../sql/ledger.ts';
import { boundedTextOf, integerOf, type Row, textOf } from '../sql/row.ts';
import type { Caller, Changes, CursorExpired, Export, NoAccess, Separator } from '../store.ts';
import { ResultTooLarge } from '../store-error.ts';
import type { LedgerVersion } from '../version.ts';
import { jobFor } from './jobs.ts';
import { FAST_ROWS } from './list-reading.ts';

/** A page that is too large is read again with fewer changes, by this factor. */
const FEWER_CHANGES = 8;

/** A page whose filter is costly has fewer changes than requested, but at least this many, if there are as many. */
const MIN_CHANGES = 50;

/** How many removed records are forgotten in one transaction. */
const PRUNED_AT_ONCE = 5_000;

export interface IndexedLines extends Pick<Export, 'next' | 'close'> {
  /** Of the snapshot. */
  readonly version: LedgerVersion;
}

export class ChangeFeed {
  readonly #engine: Engine;
  /** The accounts that have had large pages, from which limit on. */
  readonly #largePages: MarkedAccounts;

  constructor(engine: Engine, largePages: MarkedAccounts) {
    this.#engine = engine;
    this.#largePages = largePages;
  }

  async after(
    caller: Caller,
    requested: ChangesPlan,
    separator: Separator | 'indexed' = 'comma',
  ): Promise<Changes | CursorExpired | NoAccess> {
    const plan = { ...requested, limit: Math.min(requested.limit, maxChanges(requested)) };
    try {
      return await this.#read(caller, plan, separator);
    } catch (error) {
      if (plan.limit === 1) throw error;
      if (!(error instanceof ResultTooLarge)) throw error;
      this.#largePages.add(caller.account, plan.limit);
      return this.after(caller, { ...plan, limit: Math.ceil(plan.limit / FEWER_CHANGES) }, separator);
    }
  }

  /** All changes after a cursor, or all records, as lines for an index in memory, from one snapshot. See `indexedLinesStatement`. */
  async indexedLines(
    caller: Caller,
    plan: Pick<ChangesPlan, 'resource' | 'fields' | 'cursor'>,
  ): Promise<IndexedLines | CursorExpired | NoAccess> {
    const { dialect } = this.#engine;
    const snapshot = await this.#engine.stream(jobFor(caller, undefined, 0));
    try {
      const one = { ...plan, where: undefined, limit: 1 };
      const first = changesIn(await snapshot.read(changesStatement(caller, one, dialect, 'indexed')), one);
      if (typeof first === 'string') {
        await snapshot.close();
        return first;
      }
      const next = snapshot.lines(indexedLinesStatement(caller, plan, dialect));
      return { version: first.version, next: async () => (await next())?.bytes, close: snapshot.close };
    } catch (error) {
      await snapshot.close();
      throw error;
    }
  }

  async #read(
    caller: Caller,
    plan: ChangesPlan,
    separator: Separator | 'indexed',
  ): Promise<Changes | CursorExpired | NoAccess> {
    const statement = changesStatement(caller, plan, this.#engine.dialect, separator);
    const { cursor, where, limit } = plan;
    const checked = where !== undefined && isBeginning(cursor) ? maxChecked(where) : limit;
    const job = jobFor(caller, plan, checked);
    const isSlow = estimateCost(plan, checked) > FAST_ROWS || this.#largePages.has(caller.account, plan.limit);
    const rows = await (isSlow
      ? this.#engine.slow(job, ({ read }) => read(statement))
      : this.#engine.fast(job, statement));
    return changesIn(rows, plan);
  }

  /** In many short transactions: creates must not wait for it. */
  async prune(before: string): Promise<void> {
    const { dialect } = this.#engine;
    for (;;) {
      const [ledger] = await this.#engine.reserved(oldLedgerStatement(before, dialect), 'several');
      if (ledger === undefined) return;
      const old = { account: integerOf(ledger, 'account_id'), resource: textOf(ledger, 'resource'), before };
      const [last] = await this.#engine.reserved(nthTombstoneStatement(old, PRUNED_AT_ONCE, dialect), old.account);
      const upTo = last && { revision: integerOf(last, 'revision'), id: integerOf(last, 'id') };
      const { isCommitted } = await this.#engine.write(pruneStatements(old, upTo, dialect), old.account);
      // Another node does it.
      if (!isCommitted) return;
    }
  }
}

function changesIn([row]: readonly Row[], { cursor }: ChangesPlan): Changes | CursorExpired | NoAccess {
  if (row === undefined) return 'no access';
  const version = ledgerVersionOf(row);
  const pruned = integerOf(row, 'pruned');
  const begun = cursor?.begun ?? version.revision;
  const isKnown = cursor === undefined || begun >= pruned || isAtOrAfterEnd(cursor.position, pruned);
  if (integerOf(row, 'is_on_history') !== 1 || !isKnown) return 'cursor expired';
  const count = integerOf(row, 'found');
  const isCut = row['last_id'] !== null;
  const position = isCut
    ? { revision: integerOf(row, 'last_revision'), id: integerOf(row, 'last_id') }
    : endOf(isBeginning(cursor) ? begun : version.revision);
  const more = isCut || position.revision < version.revision;
  return {
    changes: boundedTextOf(row, 'changes', count === 0),
    count,
    cursor: { issued: version, position, begun },
    more,
    oldest: { issued: version, position: endOf(pruned), begun: pruned },
    version,
  };
}

/** So few that the filter can be checked at once, but not so few that it would take too many requests. */
function maxChanges({ where, cursor }: ChangesPlan): number {
  if (isBeginning(cursor)) return Number.POSITIVE_INFINITY;
  return Math.max(MIN_CHANGES, Math.floor(FAST_ROWS / costPerRecord(where)));
}

/** The position after all changes of a revision. */
export function endOf(revision: number): Cursor['position'] {
  return { revision, id: MAX_INTEGER };
}
