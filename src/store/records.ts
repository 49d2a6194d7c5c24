/** Records in SQL. */

import { MAX_INTEGER } from '../catalog/value-types.ts';
import type { Pieces } from '../pieces.ts';
import { canonical } from '../plan/canonical.ts';
import { costPerRecord, estimateCost } from '../plan/cost.ts';
import { offsetOf, rowsOnPage } from '../plan/page.ts';
import type { ChangesPlan, CreatePlan, Cursor, ExportPlan, ListPlan, RecordPlan, Selection } from '../plan/plan.ts';
import { NO_DEADLINE } from '../schedule/deadline.ts';
import type { Job } from '../schedule/fair-queue.ts';
import { MarkedAccounts } from '../schedule/marked-accounts.ts';
import { Creates } from './creates.ts';
import type { Chunk, Engine, Read, SnapshotReads } from './engine/engine.ts';
import { chooseExecutor, type ExecutionChoice, FAST_ROWS, type ListFacts } from './query-cost.ts';
import { type KnownList, type Ledger, SlicedReads, sliceLength } from './sliced-reads.ts';
import {
  changesStatement,
  nthTombstoneStatement,
  oldLedgerStatement,
  pruneStatements,
} from './sql/change-statements.ts';
import { ledgerVersionOf } from './sql/ledger.ts';
import {
  exportStatement,
  isOrderedById,
  listStatement,
  probeStatement,
  recordLinesStatement,
} from './sql/list-statements.ts';
import { loadResult } from './sql/load-result.ts';
import { loadStatements } from './sql/load-statements.ts';
import { findStatement } from './sql/record-statements.ts';
import { integerOf, integerOrNullOf, type Row, textOf, textOrNullOf } from './sql/row.ts';
import { stagingOf } from './sql/staging.ts';
import { type Anchor, Anchors } from './state/anchors.ts';
import type { ResourceState } from './state/resource-state.ts';
import type { States } from './state/states.ts';
import type {
  AccountId,
  Caller,
  Changes,
  Created,
  CursorExpired,
  Export,
  Found,
  IncomingRow,
  LoadPlan,
  LoadResult,
  NoAccess,
  NotFound,
  Page,
  Records,
  Separator,
} from './store.ts';
import { ResultTooLarge } from './store-error.ts';
import { isSameVersion, type LedgerVersion } from './version.ts';

/** The most bytes that the records of a page may have. */
const MAX_PAGE_BYTES = 16 * 1024 * 1024;

/** A page of changes that is too large is read again with fewer of them, by this factor. */
const FEWER_CHANGES = 8;

/** How many removed records are forgotten in one transaction. */
const PRUNED_AT_ONCE = 5_000;

/** If a page is farther than this from the last anchor before it, all anchors of the list are computed. */
const MAX_DISTANCE = 5_000;

/** How long one unit of estimated cost takes, in milliseconds. */
const MILLISECONDS_PER_COST = 0.000_1;

/** The distance between anchors, and how many a list has at most. */
const ANCHOR_SPACING = 500;
const MAX_ANCHORS = 5_000;

export class SqlRecords implements Records {
  readonly #engine: Engine;
  readonly #states: States;
  readonly #creates: Creates;
  /** Those that have had large pages, from which limit on. */
  readonly #largePages = new MarkedAccounts();

  constructor(engine: Engine, states: States) {
    this.#engine = engine;
    this.#states = states;
    this.#creates = new Creates(engine);
  }

  async list(caller: Caller, plan: ListPlan, state: ResourceState): Promise<Page | NoAccess> {
    const filter = plan.where && canonical(plan.where);
    const list = listKey(plan, filter);
    const anchor = list === undefined ? undefined : await this.#anchorFor(list, caller, plan, state);
    const known = { total: filter === undefined ? undefined : state.total(filter), anchor };
    const found = await this.#readPage(caller, plan, state, known);
    if (found === 'no access') return found;
    const { version, lastId, ...page } = found;
    const isCurrent = isSameVersion(version, state.version);
    const current = isCurrent ? state : this.#states.at(caller.account, plan.resource.name, version);
    // The anchor no longer holds.
    if (anchor !== undefined && !isCurrent) return this.list(caller, plan, current);
    if (filter !== undefined) current.keepTotal(filter, page.total);
    const end = offsetOf(plan) + plan.limit;
    if (list !== undefined && lastId !== undefined && end < page.total)
      addAnchor(current, list, { offset: end, id: lastId });
    const isKnown = isCurrent && known.total !== undefined;
    return { ...page, version, source: filter === undefined ? 'ledger' : isKnown ? 'cached' : 'counted' };
  }

  /** As one statement, or, if that takes long or finds too much, step by step. */
  async #readPage(
    caller: Caller,
    plan: ListPlan,
    { version }: ResourceState,
    known: KnownList,
  ): Promise<FoundPage | NoAccess> {
    const { executor, indexed } = await this.#chooseExecutor(caller, plan, {
      rows: version.rows,
      total: known.total,
      skipped: offsetOf(plan) - (known.anchor?.offset ?? 0),
      hasAnchor: known.anchor !== undefined,
    });
    const job = jobFor(caller, plan, version.rows);
    if (this.#largePages.has(caller.account, plan.limit)) return this.#readPieces(job, caller, plan, version, known);
    try {
      if (executor === 'slow' && this.#isSliced(plan, version.rows))
        return await this.#readSlices(job, caller, plan, version, known);
      const total = known.total === undefined ? undefined : { version, total: known.total };
      const statement = listStatement(caller, plan, this.#engine.dialect, { total, anchor: known.anchor, indexed });
      const [row] = await (executor === 'fast'
        ? this.#engine.fast(job, statement)
        : this.#engine.slow(job, ({ read }) => read(statement)));
      return row === undefined ? 'no access' : pageOf(row);
    } catch (error) {
      this.#expectLargePages(caller, plan.limit, error);
      return this.#readPieces(job, caller, plan, version, known);
    }
  }

  #isSliced(plan: Selection, rows: number): boolean {
    return isOrderedById(plan) && rows > sliceLength(plan, this.#engine.sliceRows);
  }

  #readSlices(job: Job, caller: Caller, plan: ListPlan, expected: LedgerVersion, known: KnownList) {
    return this.#inSlices(job, caller, plan, expected, known, (slices, ledger, facts) =>
      slices.page(plan, ledger, facts),
    );
  }

  /** First the ids of the page are found, then its records are read, chunk by chunk. */
  #readPieces(job: Job, caller: Caller, plan: ListPlan, expected: LedgerVersion, known: KnownList) {
    return this.#inSlices(job, caller, plan, expected, known, async (slices, ledger, facts, lines) => {
      const { ids, total } = await slices.locate(plan, ledger, facts);
      const next = lines(recordLinesStatement(caller.account, plan, ids, this.#engine.dialect));
      return { records: await joinLines(next), total, lastId: ids.at(-1) };
    });
  }

  /** What is known at the expected version holds only if the snapshot has it. */
  #inSlices(
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
      const facts = isSameVersion(version, expected) ? known : {};
      const total = plan.where === undefined ? version.rows : facts.total;
      return { ...(await body(slices, ledger, { ...facts, total }, lines)), version };
    });
  }

  /** After one page that was too large for a statement, it is not tried again for a while. Other errors are thrown. */
  #expectLargePages({ account }: Caller, limit: number, error: unknown): void {
    if (!(error instanceof ResultTooLarge)) throw error;
    this.#largePages.add(account, limit);
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

  /** A page that is far from any anchor makes the list's anchors known, once per version. */
  async #anchorFor(list: string, caller: Caller, plan: ListPlan, state: ResourceState): Promise<Anchor | undefined> {
    const offset = offsetOf(plan);
    if (offset === 0) return undefined;
    const anchors = state.anchors(list);
    const nearest = anchors.before(offset);
    const { rows } = state.version;
    if (anchors.isComplete || offset - (nearest?.offset ?? 0) <= MAX_DISTANCE || rows <= MAX_DISTANCE) return nearest;
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

  async export(caller: Caller, plan: ExportPlan): Promise<Export | NoAccess> {
    const snapshot = await this.#engine.stream(jobFor(caller, plan, 0));
    try {
      const facts = await this.#exportFacts(snapshot.read, caller, plan);
      if (facts === 'no access') {
        await snapshot.close();
        return facts;
      }
      const next = snapshot.lines(exportStatement(caller, plan, this.#engine.dialect));
      return exportOf(plan, facts, next, snapshot.close);
    } catch (error) {
      await snapshot.close();
      throw error;
    }
  }

  async #exportFacts(read: Read, caller: Caller, plan: ExportPlan): Promise<ExportFacts | NoAccess> {
    const slices = new SlicedReads(this.#engine, read, caller);
    const ledger = await slices.ledger(plan.resource);
    if (ledger === 'no access') return ledger;
    const { version } = ledger;
    if (plan.where === undefined) return { version, total: version.rows, source: 'ledger' };
    const filter = canonical(plan.where);
    const latest = this.#states.latest(caller.account, plan.resource.name);
    const state = latest !== undefined && isSameVersion(latest.version, version) ? latest : undefined;
    const known = state?.total(filter);
    if (known !== undefined) return { version, total: known, source: 'cached' };
    const total = await slices.total(plan, ledger);
    state?.keepTotal(filter, total);
    return { version, total, source: 'counted' };
  }

  async changes(
    caller: Caller,
    plan: ChangesPlan,
    separator: Separator = 'comma',
  ): Promise<Changes | CursorExpired | NoAccess> {
    try {
      return await this.#readChanges(caller, plan, separator);
    } catch (error) {
      if (plan.limit === 1) throw error;
      this.#expectLargePages(caller, plan.limit, error);
      return this.changes(caller, { ...plan, limit: Math.ceil(plan.limit / FEWER_CHANGES) }, separator);
    }
  }

  async #readChanges(
    caller: Caller,
    plan: ChangesPlan,
    separator: Separator,
  ): Promise<Changes | CursorExpired | NoAccess> {
    const statement = changesStatement(caller, plan, this.#engine.dialect, separator);
    const job = { ...jobFor(caller), cost: plan.limit * costPerRecord(plan.where) * MILLISECONDS_PER_COST };
    const isSlow =
      plan.limit * costPerRecord(plan.where) > FAST_ROWS || this.#largePages.has(caller.account, plan.limit);
    const [row] = await (isSlow
      ? this.#engine.slow(job, ({ read }) => read(statement))
      : this.#engine.fast(job, statement));
    if (row === undefined) return 'no access';
    const version = ledgerVersionOf(row);
    const pruned = integerOf(row, 'pruned');
    const { cursor } = plan;
    const begun = cursor?.begun ?? version.revision;
    const isKnown = cursor === undefined || begun >= pruned || isAtOrAfterEnd(cursor.position, pruned);
    if (integerOf(row, 'is_on_history') !== 1 || !isKnown) return 'cursor expired';
    const count = integerOf(row, 'found');
    const more = row['last_id'] !== null;
    const position = more
      ? { revision: integerOf(row, 'last_revision'), id: integerOf(row, 'last_id') }
      : endOf(version.revision);
    return {
      changes: boundedText(row, 'changes', count === 0),
      count,
      cursor: { issued: version, position, begun },
      more,
      oldest: { issued: version, position: endOf(pruned), begun: pruned },
      version,
    };
  }

  async find(caller: Caller, plan: RecordPlan): Promise<Found | NotFound | NoAccess> {
    const [row] = await this.#engine.fast(jobFor(caller), findStatement(caller, plan, this.#engine.dialect));
    if (row === undefined) return 'no access';
    const version = ledgerVersionOf(row);
    const record = textOrNullOf(row, 'record');
    if (record === null) return { kind: 'not found' };
    const written = { generation: integerOf(row, 'record_generation'), revision: integerOf(row, 'record_revision') };
    return { kind: 'found', record, written, version };
  }

  create(caller: Caller, plan: CreatePlan): Promise<Created | 'ids exhausted' | NoAccess> {
    return this.#creates.add(caller, plan);
  }

  /** In many short transactions: creates must not wait for it. */
  async prune(before: string): Promise<void> {
    const { dialect } = this.#engine;
    for (;;) {
      const [ledger] = await this.#engine.reserved(oldLedgerStatement(before, dialect));
      if (ledger === undefined) return;
      const old = { account: integerOf(ledger, 'account_id'), resource: textOf(ledger, 'resource'), before };
      const [last] = await this.#engine.reserved(nthTombstoneStatement(old, PRUNED_AT_ONCE, dialect));
      const upTo = last && { revision: integerOf(last, 'revision'), id: integerOf(last, 'id') };
      await this.#engine.write(pruneStatements(old, upTo, dialect));
    }
  }

  async load(account: AccountId, plan: LoadPlan, batches: AsyncIterable<readonly IncomingRow[]>): Promise<LoadResult> {
    const { dialect } = this.#engine;
    const statements = loadStatements(account, plan, dialect);
    const result = await this.#engine.load(stagingOf(plan, batches, dialect), Object.values(statements));
    return loadResult(plan, statements, result);
  }

  /** Resolves when everything that was to be created has been written. */
  close(): Promise<void> {
    return this.#creates.close();
  }
}

interface FoundPage extends Pick<Page, 'records' | 'total' | 'version'> {
  /** The id of the last record on the page; undefined if the page is empty. */
  readonly lastId: number | undefined;
}

function pageOf(row: Row): FoundPage {
  const lastId = integerOrNullOf(row, 'last_id') ?? undefined;
  return {
    records: boundedText(row, 'records', lastId === undefined),
    total: integerOf(row, 'total'),
    lastId,
    version: ledgerVersionOf(row),
  };
}

/** A database may omit a text that is too large. */
function boundedText(row: Row, column: string, isEmpty: boolean): string {
  const text = textOrNullOf(row, column);
  if (text === null && !isEmpty) throw new ResultTooLarge('the database omitted a text that is too large');
  return text ?? '';
}

/** Each record comes after a comma, of which the first is left out. */
async function joinLines(next: () => Promise<Chunk | undefined>): Promise<Pieces> {
  const pieces: Uint8Array[] = [];
  let bytes = 0;
  for (let chunk = await next(); chunk !== undefined; chunk = await next()) {
    bytes += chunk.bytes.length;
    if (bytes > MAX_PAGE_BYTES) throw new ResultTooLarge('the records have more bytes than a page may have');
    pieces.push(pieces.length === 0 ? chunk.bytes.subarray(1) : chunk.bytes);
  }
  return pieces;
}

/** What is known about an export before its first line. */
type ExportFacts = Pick<Export, 'total' | 'version' | 'source'>;

function exportOf(
  plan: ExportPlan,
  facts: ExportFacts,
  next: () => Promise<Chunk | undefined>,
  close: () => Promise<void>,
): Export {
  const rows = plan.page === undefined ? facts.total : rowsOnPage(plan.page, facts.total);
  let missing = rows;
  return {
    ...facts,
    rows,
    async next() {
      const chunk = await next();
      missing -= chunk?.lines ?? 0;
      if (chunk === undefined && missing !== 0) throw new Error('the export does not have the rows that were counted');
      return chunk?.bytes;
    },
    close,
  };
}

/** The position after all changes of a revision. */
function endOf(revision: number): Cursor['position'] {
  return { revision, id: MAX_INTEGER };
}

/** A position in the middle of a revision is not enough: the rest of it may be lost. */
function isAtOrAfterEnd({ revision, id }: Cursor['position'], of: number): boolean {
  return revision > of || (revision === of && id === MAX_INTEGER);
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

/** `rows` is how many records may have to be read. */
function jobFor({ account, deadline = NO_DEADLINE }: Caller, plan?: Selection, rows = 0): Job {
  return { account, cost: plan === undefined ? 0 : estimateCost(plan, rows) * MILLISECONDS_PER_COST, deadline };
}
