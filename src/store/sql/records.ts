/** Records in SQL. */

import { offsetOf, rowsOnPage } from '../../plan/page.ts';
import type { CreatePlan, ExportPlan, ListPlan, RecordPlan } from '../../plan/plan.ts';
import type {
  AccountId,
  Created,
  CreateRefusal,
  Export,
  Found,
  IncomingRow,
  LedgerEntry,
  LoadPlan,
  LoadResult,
  Page,
  Presumption,
  Records,
} from '../store.ts';
import { Creates } from './creates.ts';
import { type Circumstances, effortOf, type Reading } from './effort.ts';
import type { Engine } from './engine.ts';
import { KnownTotals } from './known-totals.ts';
import { loadResult } from './load-result.ts';
import { loadStatements } from './load-statements.ts';
import { listName, type PageStart, PageStarts } from './page-starts.ts';
import {
  exportStatements,
  findStatement,
  listStatement,
  moreThanStatement,
  placesStatement,
} from './record-statements.ts';
import { integerOf, jsonOf, jsonOrNullOf } from './row.ts';
import { stagingOf } from './staging.ts';

/** How far a page may be from a known place before the places of the list are found. */
const FAR = 5_000;

/** How far apart these places are, and how many there are at most. */
const DISTANCE = 500;
const MAX_PLACES = 5_000;

export class SqlRecords implements Records {
  readonly #engine: Engine;
  readonly #totals = new KnownTotals();
  readonly #starts = new PageStarts();
  readonly #creates: Creates;

  constructor(engine: Engine) {
    this.#engine = engine;
    this.#creates = new Creates(engine);
  }

  async list(account: AccountId, plan: ListPlan, ledger: LedgerEntry): Promise<Page | undefined> {
    const { epoch } = this.#engine;
    const list = listName(epoch, account, plan);
    const start = list === undefined ? undefined : await this.#startOf(list, account, plan, ledger);
    const known = this.#totals.of(epoch, account, plan);
    const total = known.total?.revision === ledger.revision ? known.total : undefined;
    const skipped = offsetOf(plan) - (start?.offset ?? 0);
    const { effort, led } = await this.#reading(account, plan, {
      rows: ledger.rows,
      total: total?.total,
      skipped,
      isPlaced: start !== undefined,
    });
    const statement = listStatement(account, plan, this.#engine.dialect, { total, start, led });
    const [row] = await this.#engine.read(statement, effort);
    if (row === undefined) return undefined;
    // Another server has taken over meanwhile: what was known of the one before says nothing about it.
    if (this.#engine.epoch !== epoch) return this.list(account, plan, ledger);
    const learned = known.learn(row);
    // Something was written meanwhile: what was known of the list does not hold any more.
    if (start !== undefined && learned.revision !== ledger.revision) {
      return this.list(account, plan, { rows: ledger.rows, revision: learned.revision });
    }
    const end = offsetOf(plan) + plan.limit;
    if (list !== undefined && end < learned.total)
      this.#starts.learn(list, learned.revision, { offset: end, id: integerOf(row, 'last_id') }, DISTANCE);
    return { records: jsonOrNullOf(row, 'records') ?? '', ...learned };
  }

  async #reading(account: AccountId, plan: ListPlan, circumstances: Circumstances): Promise<Reading> {
    const estimate = effortOf(plan, circumstances);
    if ('effort' in estimate) return estimate;
    const { leads, few, unseen } = estimate;
    const { dialect, isRemote } = this.#engine;
    // A server knows how many they are, about, and goes round what turns out to take long.
    if (isRemote) return { effort: unseen };
    for (const lead of leads) {
      const [more] = await this.#engine.read(moreThanStatement(account, plan.resource, lead, dialect, few));
      if (more === undefined) return { effort: 'short', led: new Set(lead) };
    }
    return { effort: 'long' };
  }

  /** A page far from any place that is known makes all places of the list known, once a revision. */
  async #startOf(
    list: string,
    account: AccountId,
    plan: ListPlan,
    { rows, revision }: LedgerEntry,
  ): Promise<PageStart | undefined> {
    const offset = offsetOf(plan);
    if (offset === 0) return undefined;
    const { start, isNearest } = this.#starts.before(list, revision, offset);
    if (isNearest || offset - (start?.offset ?? 0) <= FAR || rows <= FAR) return start;
    const distance = Math.max(DISTANCE, Math.ceil(rows / MAX_PLACES));
    const places = await this.#engine.read(placesStatement(account, plan, this.#engine.dialect, distance), 'long');
    const seen = places[0] === undefined ? revision : integerOf(places[0], 'revision');
    const starts = places.map((row, index) => ({ offset: (index + 1) * distance, id: integerOf(row, 'id') }));
    this.#starts.learnAll(list, seen, starts);
    return seen === revision ? this.#starts.before(list, revision, offset).start : undefined;
  }

  async export(account: AccountId, plan: ExportPlan): Promise<Export | undefined> {
    const known = this.#totals.of(this.#engine.epoch, account, plan);
    const { head, lines } = exportStatements(account, plan, this.#engine.dialect, known.total);
    const stream = await this.#engine.stream(head, lines);
    const [row] = stream.head;
    if (row === undefined) {
      await stream.close();
      return undefined;
    }
    const { revision, total, source } = known.learn(row);
    const rows = plan.page === undefined ? total : rowsOnPage(plan.page, total);
    let missing = rows;
    return {
      revision,
      total,
      source,
      rows,
      async next() {
        const piece = await stream.next();
        missing -= piece?.lines ?? 0;
        if (piece === undefined && missing !== 0) throw new Error('an export has other rows than were counted');
        return piece?.bytes;
      },
      close: stream.close,
    };
  }

  async find(account: AccountId, plan: RecordPlan, presumed?: Presumption): Promise<Found | undefined> {
    const [row] = await this.#engine.read(findStatement(account, plan, this.#engine.dialect, presumed));
    if (row === undefined || (presumed !== undefined && presumed.epoch !== this.#engine.epoch)) return undefined;
    return { record: jsonOf(row, 'record'), revision: integerOf(row, 'revision') };
  }

  create(account: AccountId, plan: CreatePlan, presumed?: Presumption): Promise<Created | CreateRefusal> {
    return this.#creates.add(account, plan, presumed);
  }

  /** What is to be created is written. */
  close(): Promise<void> {
    return this.#creates.close();
  }

  async load(account: AccountId, plan: LoadPlan, batches: AsyncIterable<readonly IncomingRow[]>): Promise<LoadResult> {
    const { dialect } = this.#engine;
    const statements = loadStatements(account, plan, dialect);
    const result = await this.#engine.writeFrom(stagingOf(plan, batches, dialect), Object.values(statements));
    return loadResult(plan, statements, result);
  }
}
