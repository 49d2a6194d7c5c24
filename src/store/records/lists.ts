/** Pages of lists: what is known about them, one reader per kind of reading, and what is remembered afterwards. */

import { canonical } from '../../plan/canonical.ts';
import { offsetOf } from '../../plan/page.ts';
import type { ListPlan, Predicate } from '../../plan/plan.ts';
import { hasDescendingIds, isOrderedById } from '../../plan/sort.ts';
import type { MarkedAccounts } from '../../schedule/marked-accounts.ts';
import type { IndexReads } from '../column-index/index-reads.ts';
import type { FoundIds } from '../column-index/thread/commands.ts';
import type { Chunk, Engine } from '../engine/engine.ts';
import type { Pieces } from '../pieces.ts';
import { ledgerVersionOf } from '../sql/ledger.ts';
import { foundStatement, listStatement, probeStatement, recordLinesStatement } from '../sql/list-statements.ts';
import { boundedTextOf, integerOf, integerOrNullOf, type Row } from '../sql/row.ts';
import type { ListState } from '../state/list-state.ts';
import type { States } from '../state/states.ts';
import type { Caller, ConditionCounts, NoAccess, Page } from '../store.ts';
import { PageTooLarge, ResultTooLarge } from '../store-error.ts';
import { isEarlier, isSameVersion, type LedgerVersion } from '../version.ts';
import { jobFor } from './jobs.ts';
import { howToRead, type KnownList, type Reading, SLOW_ROWS } from './list-reading.ts';
import { type Ledger, SlicedReads } from './sliced-reads.ts';

/** The maximum number of bytes that the records of a page may have. */
const MAX_PAGE_BYTES = 16 * 1024 * 1024;

/** Skipping fewer records than this is not worth an anchor. */
const MIN_ANCHOR_DISTANCE = 500;

/** How many times a page is read if something is written during each attempt. The last attempt cannot be outdated. */
const MAX_ATTEMPTS = 5;

export class Lists {
  readonly #engine: Engine;
  readonly #states: States<ListState>;
  readonly #index: IndexReads;
  /** The accounts that have had large pages, from which limit on. */
  readonly #largePages: MarkedAccounts;

  constructor(engine: Engine, states: States<ListState>, index: IndexReads, largePages: MarkedAccounts) {
    this.#engine = engine;
    this.#states = states;
    this.#index = index;
    this.#largePages = largePages;
  }

  async page(caller: Caller, plan: ListPlan, current: LedgerVersion): Promise<Page | NoAccess> {
    const list = listOf(plan);
    let known = this.#known(caller, plan, list, current);
    let isIndexAsked = false;
    for (let attempt = 1; attempt < MAX_ATTEMPTS; attempt += 1) {
      const reading = await this.#choose(caller, plan, known);
      isIndexAsked ||= reading.fromIndex !== undefined;
      const read = await this.#read(caller, plan, known, reading);
      if (read === 'no access') return read;
      if (!('outdatedBy' in read)) return this.#keep(caller, plan, list, known, isIndexAsked, read);
      known = this.#known(caller, plan, list, read.outdatedBy);
    }
    const located = await this.#readLocated(caller, plan, known);
    return located === 'no access' ? located : this.#keep(caller, plan, list, known, isIndexAsked, located);
  }

  #known({ account }: Caller, plan: ListPlan, { filter, anchors }: List, version: LedgerVersion): KnownList {
    const state = this.#states.at(account, plan.resource, version);
    const offset = offsetOf(plan);
    return {
      version,
      total: filter === undefined ? version.rows : state.total(filter),
      anchor: anchors === undefined || offset === 0 ? undefined : state.anchor(anchors, offset),
      isLarge: this.#largePages.has(account, plan.limit),
    };
  }

  async #choose(caller: Caller, plan: ListPlan, known: KnownList): Promise<Reading> {
    const choice = howToRead(plan, known, this.#engine);
    if (choice.kind !== 'probe') return choice;
    const { candidates, maxRows, few, many } = choice;
    for (const candidate of candidates) {
      const probe = probeStatement(caller.account, plan.resource, candidate, this.#engine.dialect, maxRows);
      const [more] = await this.#engine.fast(jobFor(caller, plan, maxRows), probe);
      if (more === undefined) return { ...few, indexed: new Set(candidate) };
    }
    return many;
  }

  async #read(
    caller: Caller,
    plan: ListPlan,
    known: KnownList,
    reading: Reading,
  ): Promise<ReadPage | NoAccess | Outdated> {
    const found = reading.fromIndex === undefined ? undefined : await this.#index.find(caller, plan, known);
    try {
      if (found !== undefined && reading.fromIndex === 'fast') return await this.#readFound(caller, plan, found);
      const indexed = found === undefined ? await this.#candidate(caller, plan, reading) : undefined;
      if (reading.kind === 'statement' || indexed !== undefined)
        return await this.#readStatement(caller, plan, known, { ...reading, ...(indexed && { indexed }) });
      return await this.#readLocated(caller, plan, known, found);
    } catch (error) {
      if (!(error instanceof ResultTooLarge)) throw error;
      // It is not tried again for a while.
      this.#largePages.add(caller.account, plan.limit);
      return { outdatedBy: known.version };
    }
  }

  /** Conditions whose index finds so few records that they are read in one go. */
  async #candidate(
    caller: Caller,
    plan: ListPlan,
    { candidates = [] }: Reading,
  ): Promise<Reading['indexed'] | undefined> {
    const { dialect } = this.#engine;
    for (const candidate of candidates) {
      const probe = probeStatement(caller.account, plan.resource, candidate, dialect, SLOW_ROWS);
      const [more] = await this.#engine.slow(jobFor(caller, plan, SLOW_ROWS), ({ read }) => read(probe));
      if (more === undefined) return new Set(candidate);
    }
    return undefined;
  }

  /** The records that the index in memory has found. */
  async #readFound(caller: Caller, plan: ListPlan, found: FoundIds): Promise<ReadPage | NoAccess | Outdated> {
    const statement = foundStatement(caller, plan, found, this.#engine.dialect);
    const [row] = await this.#engine.fast(jobFor(caller, plan, plan.limit), statement);
    if (row === undefined) return 'no access';
    const page = pageOf(row);
    const { version } = page;
    if (isSameVersion(version, found.version)) return { ...page, explained: found.explained, isFromIndex: true };
    if (isEarlier(version, found.version)) this.#index.forget(caller.account, plan.resource);
    return { outdatedBy: version };
  }

  async #readStatement(
    caller: Caller,
    plan: ListPlan,
    known: KnownList,
    { executor, indexed }: Reading,
  ): Promise<ReadPage | NoAccess | Outdated> {
    const { rows } = known.version;
    const job = jobFor(caller, plan, indexed?.size ? Math.min(rows, SLOW_ROWS) : rows);
    const statement = listStatement(caller, plan, this.#engine.dialect, known, indexed);
    const [row] = await (executor === 'fast'
      ? this.#engine.fast(job, statement)
      : this.#engine.slow(job, ({ read }) => read(statement)));
    if (row === undefined) return 'no access';
    const page = pageOf(row);
    // The statement verifies the total, but not the anchor.
    const isOutdated = known.anchor !== undefined && !isSameVersion(page.version, known.version);
    return isOutdated ? { outdatedBy: page.version } : page;
  }

  /** First the ids of the page are found, then its records are read, chunk by chunk. All of it comes from one snapshot. */
  #readLocated(caller: Caller, plan: ListPlan, known: KnownList, found?: FoundIds): Promise<ReadPage | NoAccess> {
    const passes = 1 + 2 * (plan.explained?.length ?? 0);
    return this.#engine.slow(jobFor(caller, plan, known.version.rows * passes), async ({ read, lines }) => {
      const slices = new SlicedReads(this.#engine, read, caller);
      const ledger = await slices.ledger(plan.resource);
      if (ledger === 'no access') return ledger;
      const { version } = ledger;
      const isFromIndex = found !== undefined && isSameVersion(found.version, version);
      const { ids, total } = isFromIndex ? found : await slices.locate(plan, ledger, known);
      const records = lines(recordLinesStatement(caller.account, plan, ids, this.#engine.dialect));
      return {
        records: await collectPieces(records),
        total,
        version,
        lastId: ids.at(-1),
        explained: isFromIndex ? found.explained : await explain(plan, slices, ledger),
        isFromIndex,
      };
    });
  }

  #keep(
    { account }: Caller,
    plan: ListPlan,
    { filter, anchors }: List,
    known: KnownList,
    isIndexAsked: boolean,
    { lastId, isFromIndex = false, ...page }: ReadPage,
  ): Page {
    const { total, version } = page;
    if (isIndexAsked) this.#index.count(isFromIndex);
    const state = this.#states.at(account, plan.resource, version);
    if (filter !== undefined) state.keepTotal(filter, total);
    const end = offsetOf(plan) + plan.limit;
    if (anchors !== undefined && lastId !== undefined && end < total) {
      const distance = end - (known.anchor?.offset ?? 0);
      if (distance >= MIN_ANCHOR_DISTANCE) state.keepAnchor(anchors, { offset: end, id: lastId });
    }
    const isKnown = known.total !== undefined && isSameVersion(version, known.version);
    const source = isFromIndex ? 'index' : filter === undefined ? 'ledger' : isKnown ? 'cached' : 'counted';
    return { ...page, source };
  }
}

/** What identifies a list in the cache, whatever its page. */
interface List {
  /** Undefined if there is none. */
  readonly filter: string | undefined;
  /** Undefined unless the list is in the order of ids. */
  readonly anchors: string | undefined;
}

function listOf(plan: ListPlan): List {
  const filter = plan.where && canonical(plan.where);
  const anchors = isOrderedById(plan) ? `${hasDescendingIds(plan) ? '-' : ''}${filter ?? ''}` : undefined;
  return { filter, anchors };
}

interface ReadPage extends Omit<Page, 'source'> {
  /** The id of the last record on the page; undefined if the page is empty. */
  readonly lastId: number | undefined;
  readonly isFromIndex?: boolean;
}

/** Nothing was read, because what was known does not hold any more, or is not enough. */
interface Outdated {
  /** The version that the ledger has now. */
  readonly outdatedBy: LedgerVersion;
}

async function explain(
  plan: ListPlan,
  slices: SlicedReads,
  ledger: Ledger,
): Promise<readonly ConditionCounts[] | undefined> {
  if (plan.explained === undefined) return undefined;
  const conditions = plan.explained.map(({ where }) => where);
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

function pageOf(row: Row): ReadPage {
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
