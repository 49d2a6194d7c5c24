/** Pages of lists: which executor reads them, from where, and what is remembered about them. */

import type { FoundIds } from '../columns/commands.ts';
import type { Pieces } from '../pieces.ts';
import { canonical } from '../plan/canonical.ts';
import { offsetOf } from '../plan/page.ts';
import type { ListPlan, Predicate, Selection } from '../plan/plan.ts';
import type { Job } from '../schedule/fair-queue.ts';
import type { MarkedAccounts } from '../schedule/marked-accounts.ts';
import type { ColumnIndexes } from './columns/column-indexes.ts';
import type { Chunk, Engine, SnapshotReads } from './engine/engine.ts';
import { jobFor } from './jobs.ts';
import { chooseExecutor, type ExecutionChoice, isNear, type ListFacts } from './query-cost.ts';
import { type KnownList, type Ledger, SlicedReads, sliceLength } from './sliced-reads.ts';
import { ledgerVersionOf } from './sql/ledger.ts';
import {
  foundStatement,
  isNearEnd,
  isOrderedById,
  listStatement,
  probeStatement,
  recordLinesStatement,
} from './sql/list-statements.ts';
import { boundedTextOf, integerOf, integerOrNullOf, type Row } from './sql/row.ts';
import { type Anchor, Anchors } from './state/anchors.ts';
import type { ResourceState } from './state/resource-state.ts';
import type { States } from './state/states.ts';
import type { Caller, ConditionCounts, NoAccess, Page } from './store.ts';
import { PageTooLarge, ResultTooLarge } from './store-error.ts';
import { isEarlier, isSameVersion, type LedgerVersion } from './version.ts';

/** The most bytes that the records of a page may have. */
const MAX_PAGE_BYTES = 16 * 1024 * 1024;

/** If a page is farther than this from the last anchor before it, all anchors of the list are computed. */
const MAX_DISTANCE = 5_000;

/** The distance between anchors, and how many a list has at most. */
const ANCHOR_SPACING = 500;
const MAX_ANCHORS = 5_000;

/** How often a page is looked for in the columns, if something is written meanwhile every time. */
const MAX_ATTEMPTS = 5;

export class Lists {
  readonly #engine: Engine;
  readonly #states: States;
  readonly #columns: ColumnIndexes;
  /** The accounts that have had large pages, from which limit on. */
  readonly #largePages: MarkedAccounts;

  constructor(engine: Engine, states: States, columns: ColumnIndexes, largePages: MarkedAccounts) {
    this.#engine = engine;
    this.#states = states;
    this.#columns = columns;
    this.#largePages = largePages;
  }

  async page(caller: Caller, plan: ListPlan, state: ResourceState): Promise<Page | NoAccess> {
    const filter = plan.where && canonical(plan.where);
    const list = listKey(plan, filter);
    const anchor = list === undefined ? undefined : await this.#anchorFor(list, caller, plan, state);
    const known = { total: filter === undefined ? undefined : state.total(filter), anchor };
    const found = await this.#readPage(caller, plan, state, known);
    if (found === 'no access') return found;
    const { version, lastId, isFromColumns = false, isSlow = false, ...page } = found;
    const isCurrent = isSameVersion(version, state.version);
    const current = isCurrent ? state : this.#states.at(caller.account, plan.resource.name, version);
    // The anchor no longer holds.
    if (anchor !== undefined && !isCurrent && !isFromColumns) return this.page(caller, plan, current);
    if (isSlow) this.#columns.count(isFromColumns);
    if (filter !== undefined) current.keepTotal(filter, page.total);
    const end = offsetOf(plan) + plan.limit;
    if (list !== undefined && lastId !== undefined && end < page.total)
      addAnchor(current, list, { offset: end, id: lastId });
    const isKnown = isCurrent && known.total !== undefined;
    const source = isFromColumns ? 'index' : filter === undefined ? 'ledger' : isKnown ? 'cached' : 'counted';
    return { ...page, version, source };
  }

  /** As one statement, or, if that takes long or finds too much, step by step. */
  async #readPage(
    caller: Caller,
    plan: ListPlan,
    { version }: ResourceState,
    known: KnownList,
  ): Promise<FoundPage | NoAccess> {
    if (plan.explained !== undefined) return slow(await this.#explain(caller, plan, version, known));
    const facts = {
      rows: version.rows,
      total: known.total,
      skipped: offsetOf(plan) - (known.anchor?.offset ?? 0),
      hasAnchor: known.anchor !== undefined,
    };
    const choice = await this.#chooseExecutor(caller, plan, facts);
    const needsColumns = choice.executor === 'slow' && !isNear(plan, facts);
    const page = await this.#readFrom(caller, plan, version, known, { ...choice, needsColumns });
    return needsColumns ? slow(page) : page;
  }

  async #readFrom(
    caller: Caller,
    plan: ListPlan,
    version: LedgerVersion,
    known: KnownList,
    { executor, indexed, needsColumns }: ExecutionChoice & { readonly needsColumns: boolean },
  ): Promise<FoundPage | NoAccess> {
    const job = jobFor(caller, plan, version.rows);
    if (this.#largePages.has(caller.account, plan.limit)) {
      const found = needsColumns ? await this.#columns.find(caller, plan, version, known.total) : undefined;
      return this.#readPieces(job, caller, plan, version, { ...known, found });
    }
    try {
      const page = needsColumns ? await this.#readColumns(caller, plan, version, known.total) : undefined;
      if (page !== undefined) return page;
      if (executor === 'slow' && this.#isSliced(plan, version.rows))
        return await this.#readSlices(job, caller, plan, version, known);
      const matches = plan.where === undefined ? version.rows : known.total;
      if (executor === 'slow' && matches !== undefined && isNearEnd(plan, matches))
        return await this.#readPieces(job, caller, plan, version, known);
      const total = known.total === undefined ? undefined : { version, total: known.total };
      const statement = listStatement(caller, plan, this.#engine.dialect, { total, anchor: known.anchor, indexed });
      const [row] = await (executor === 'fast'
        ? this.#engine.fast(job, statement)
        : this.#engine.slow(job, ({ read }) => read(statement)));
      return row === undefined ? 'no access' : pageOf(row);
    } catch (error) {
      if (!(error instanceof ResultTooLarge)) throw error;
      // It is not tried again for a while.
      this.#largePages.add(caller.account, plan.limit);
      return this.#readPieces(job, caller, plan, version, known);
    }
  }

  /** Finds the page in the columns and reads its records. Undefined if there are none, or if they were always outdated. */
  async #readColumns(
    caller: Caller,
    plan: ListPlan,
    ledger: LedgerVersion,
    knownTotal: number | undefined,
  ): Promise<FoundPage | NoAccess | undefined> {
    let current = ledger;
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
      const found = await this.#columns.find(caller, plan, current, knownTotal);
      if (found === undefined) return undefined;
      const statement = foundStatement(caller, plan, found, this.#engine.dialect);
      const [row] = await this.#engine.fast(jobFor(caller, plan, plan.limit), statement);
      if (row === undefined) return 'no access';
      const page = pageOf(row);
      if (isSameVersion(page.version, found.version)) return { ...page, isFromColumns: true };
      if (isEarlier(page.version, found.version)) this.#columns.forget(caller.account, plan.resource);
      current = page.version;
    }
    return undefined;
  }

  #isSliced(plan: Selection, rows: number): boolean {
    return isOrderedById(plan) && rows > sliceLength(plan, this.#engine.sliceRows);
  }

  #readSlices(job: Job, caller: Caller, plan: ListPlan, expected: LedgerVersion, known: KnownList) {
    return this.#inSnapshot(job, caller, plan, expected, known, (slices, ledger, valid) =>
      slices.page(plan, ledger, valid),
    );
  }

  /** First the ids of the page are found, then its records are read, chunk by chunk. */
  #readPieces(job: Job, caller: Caller, plan: ListPlan, expected: LedgerVersion, known: KnownList) {
    return this.#inSnapshot(job, caller, plan, expected, known, (slices, ledger, valid, lines) =>
      this.#pieces(caller, plan, ledger, valid, slices, lines),
    );
  }

  async #pieces(
    caller: Caller,
    plan: ListPlan,
    ledger: Ledger,
    known: KnownList,
    slices: SlicedReads,
    lines: SnapshotReads['lines'],
  ): Promise<Omit<FoundPage, 'version'>> {
    const found = foundIn(known, ledger);
    const { ids, total } = found ?? (await slices.locate(plan, ledger, known));
    const next = lines(recordLinesStatement(caller.account, plan, ids, this.#engine.dialect));
    return { records: await collectPieces(next), total, lastId: ids.at(-1), isFromColumns: found !== undefined };
  }

  /** The page and the counts come from one snapshot. */
  async #explain(
    caller: Caller,
    plan: ListPlan,
    expected: LedgerVersion,
    known: KnownList,
  ): Promise<FoundPage | NoAccess> {
    const found = await this.#columns.find(caller, plan, expected, known.total);
    const job = jobFor(caller, plan, expected.rows * (1 + 2 * (plan.explained?.length ?? 0)));
    return this.#inSnapshot(job, caller, plan, expected, { ...known, found }, async (slices, ledger, valid, lines) => {
      const page = await this.#pieces(caller, plan, ledger, valid, slices, lines);
      return { ...page, explained: foundIn(valid, ledger)?.explained ?? (await explain(plan, slices, ledger)) };
    });
  }

  /** What is known at the expected version holds only if the snapshot has it. */
  #inSnapshot(
    job: Job,
    caller: Caller,
    plan: ListPlan,
    expected: LedgerVersion,
    known: KnownList,
    body: (
      slices: SlicedReads,
      ledger: Ledger,
      known: KnownList,
      lines: SnapshotReads['lines'],
    ) => Promise<Omit<FoundPage, 'version'>>,
  ): Promise<FoundPage | NoAccess> {
    return this.#engine.slow(job, async ({ read, lines }) => {
      const slices = new SlicedReads(this.#engine, read, caller);
      const ledger = await slices.ledger(plan.resource);
      if (ledger === 'no access') return ledger;
      const { version } = ledger;
      const valid = isSameVersion(version, expected) ? known : { found: known.found };
      const total = plan.where === undefined ? version.rows : valid.total;
      return { ...(await body(slices, ledger, { ...valid, total }, lines)), version };
    });
  }

  async #chooseExecutor(caller: Caller, plan: ListPlan, facts: ListFacts): Promise<ExecutionChoice> {
    const estimate = chooseExecutor(plan, facts);
    if ('executor' in estimate) return estimate;
    const { candidates, maxRows, unprobed } = estimate;
    const { dialect, hasStatistics } = this.#engine;
    if (hasStatistics) return { executor: unprobed };
    for (const candidate of candidates) {
      const probe = probeStatement(caller.account, plan.resource, candidate, dialect, maxRows);
      const [more] = await this.#engine.fast(jobFor(caller, plan, maxRows), probe);
      if (more === undefined) return { executor: 'fast', indexed: new Set(candidate) };
    }
    return { executor: 'slow' };
  }

  /** A page that is far from any anchor makes the list's anchors known, once per version, unless columns can find it. */
  async #anchorFor(list: string, caller: Caller, plan: ListPlan, state: ResourceState): Promise<Anchor | undefined> {
    const offset = offsetOf(plan);
    if (offset === 0) return undefined;
    const anchors = state.anchors(list);
    const nearest = anchors.before(offset);
    const { rows } = state.version;
    if (anchors.isComplete || offset - (nearest?.offset ?? 0) <= MAX_DISTANCE || rows <= MAX_DISTANCE) return nearest;
    if (this.#columns.isReady(caller.account, plan.resource)) return nearest;
    const spacing = Math.max(ANCHOR_SPACING, Math.ceil(rows / MAX_ANCHORS));
    const found = await this.#engine.slow(jobFor(caller, plan, rows), async ({ read }) => {
      const slices = new SlicedReads(this.#engine, read, caller);
      const ledger = await slices.ledger(plan.resource);
      if (ledger === 'no access' || !isSameVersion(ledger.version, state.version)) return undefined;
      return new Anchors(await slices.anchors(plan, ledger, spacing), true);
    });
    if (found === undefined) return undefined;
    state.keepAnchors(list, found);
    return found.before(offset);
  }
}

interface FoundPage extends Pick<Page, 'records' | 'total' | 'version' | 'explained'> {
  /** The id of the last record on the page; undefined if the page is empty. */
  readonly lastId: number | undefined;
  readonly isFromColumns?: boolean;
  /** Whether columns were asked for it. */
  readonly isSlow?: boolean;
}

function slow(page: FoundPage | NoAccess): FoundPage | NoAccess {
  return page === 'no access' ? page : { ...page, isSlow: true };
}

/** What was found in the columns, if it holds in this snapshot. */
function foundIn({ found }: KnownList, { version }: Ledger): FoundIds | undefined {
  return found !== undefined && isSameVersion(found.version, version) ? found : undefined;
}

async function explain(plan: ListPlan, slices: SlicedReads, ledger: Ledger): Promise<readonly ConditionCounts[]> {
  const conditions = plan.explained?.map(({ where }) => where) ?? [];
  const counts: ConditionCounts[] = [];
  for (const condition of conditions) {
    const others = all(conditions.filter((other) => other !== condition));
    counts.push({
      alone: await slices.total({ ...plan, where: condition }, ledger),
      others: await slices.total({ ...plan, where: others }, ledger),
    });
  }
  return counts;
}

/** Undefined if there are no conditions. */
function all(conditions: readonly Predicate[]): Predicate | undefined {
  return conditions.length === 0 ? undefined : { kind: 'and', operands: conditions };
}

function pageOf(row: Row): FoundPage {
  const lastId = integerOrNullOf(row, 'last_id') ?? undefined;
  return {
    records: boundedTextOf(row, 'records', lastId === undefined),
    total: integerOf(row, 'total'),
    lastId,
    version: ledgerVersionOf(row),
  };
}

/** Each record is preceded by a comma; the first comma is dropped. */
async function collectPieces(next: () => Promise<Chunk | undefined>): Promise<Pieces> {
  const pieces: Uint8Array[] = [];
  let bytes = 0;
  for (let chunk = await next(); chunk !== undefined; chunk = await next()) {
    bytes += chunk.bytes.length;
    if (bytes > MAX_PAGE_BYTES) throw new PageTooLarge(MAX_PAGE_BYTES);
    pieces.push(pieces.length === 0 ? chunk.bytes.subarray(1) : chunk.bytes);
  }
  return pieces;
}

function addAnchor(state: ResourceState, list: string, anchor: Anchor): void {
  const anchors = state.anchors(list);
  if (anchors.add(anchor, ANCHOR_SPACING)) state.keepAnchors(list, anchors);
}

/** Identifies a list regardless of the page. Undefined if it is not in the order of ids. */
function listKey(plan: Selection, filter = ''): string | undefined {
  if (!isOrderedById(plan)) return undefined;
  return `${plan.order[0]?.descending ? '-' : ''}${filter}`;
}
