/** Records in SQL. */

import { id } from '../catalog/resource.ts';
import { canonical } from '../plan/canonical.ts';
import { offsetOf, rowsOnPage } from '../plan/page.ts';
import type { CreatePlan, ExportPlan, ListPlan, RecordPlan, Selection } from '../plan/plan.ts';
import { Creates } from './creates.ts';
import type { Engine } from './engine/engine.ts';
import { type ExecutionChoice, estimateCost, type ListFacts } from './query-cost.ts';
import { ledgerVersionOf } from './sql/ledger.ts';
import { anchorsStatement, exportStatements, listStatement, probeStatement } from './sql/list-statements.ts';
import { loadResult } from './sql/load-result.ts';
import { loadStatements } from './sql/load-statements.ts';
import { findStatement } from './sql/record-statements.ts';
import { integerOf, integerOrNullOf, textOrNullOf } from './sql/row.ts';
import { stagingOf } from './sql/staging.ts';
import { type Anchor, Anchors } from './state/anchors.ts';
import type { ResourceState } from './state/resource-state.ts';
import type { States } from './state/states.ts';
import type {
  AccountId,
  Caller,
  Created,
  Export,
  Found,
  IncomingRow,
  LoadPlan,
  LoadResult,
  NoAccess,
  NotFound,
  Page,
  Records,
} from './store.ts';
import { isSameVersion } from './version.ts';

/** If a page is farther than this from the last anchor before it, all anchors of the list are computed. */
const MAX_DISTANCE = 5_000;

/** The distance between anchors, and how many a list has at most. */
const ANCHOR_SPACING = 500;
const MAX_ANCHORS = 5_000;

export class SqlRecords implements Records {
  readonly #engine: Engine;
  readonly #states: States;
  readonly #creates: Creates;

  constructor(engine: Engine, states: States) {
    this.#engine = engine;
    this.#states = states;
    this.#creates = new Creates(engine);
  }

  async list(caller: Caller, plan: ListPlan, state: ResourceState): Promise<Page | NoAccess> {
    const list = listKey(plan);
    const anchor = list === undefined ? undefined : await this.#anchorFor(list, caller, plan, state);
    const filter = plan.where && canonical(plan.where);
    const known = filter === undefined ? undefined : state.total(filter);
    const { executor, indexed } = await this.#chooseExecutor(caller, plan, {
      rows: state.version.rows,
      total: known,
      skipped: offsetOf(plan) - (anchor?.offset ?? 0),
      hasAnchor: anchor !== undefined,
    });
    const total = known === undefined ? undefined : { version: state.version, total: known };
    const statement = listStatement(caller, plan, this.#engine.dialect, { total, anchor, indexed });
    const [row] = await this.#engine[executor](statement);
    if (row === undefined) return 'no access';
    const version = ledgerVersionOf(row);
    const isCurrent = isSameVersion(version, state.version);
    const current = isCurrent ? state : this.#states.at(caller.account, plan.resource.name, version);
    // The anchor no longer holds.
    if (anchor !== undefined && !isCurrent) return this.list(caller, plan, current);
    const page = { records: textOrNullOf(row, 'records') ?? '', total: integerOf(row, 'total'), version };
    if (filter !== undefined) current.keepTotal(filter, page.total);
    const end = { offset: offsetOf(plan) + plan.limit, id: integerOrNullOf(row, 'last_id') ?? 0 };
    if (list !== undefined && end.offset < page.total) addAnchor(current, list, end);
    return { ...page, source: filter === undefined ? 'ledger' : isCurrent && total ? 'cached' : 'counted' };
  }

  async #chooseExecutor({ account }: Caller, plan: ListPlan, facts: ListFacts): Promise<ExecutionChoice> {
    const estimate = estimateCost(plan, facts);
    if ('executor' in estimate) return estimate;
    const { candidates, maxRows, unprobed } = estimate;
    const { dialect, hasStatistics } = this.#engine;
    if (hasStatistics) return { executor: unprobed };
    for (const candidate of candidates) {
      const probe = probeStatement(account, plan.resource, candidate, dialect, maxRows);
      const [more] = await this.#engine.fast(probe);
      if (more === undefined) return { executor: 'fast', indexed: new Set(candidate) };
    }
    return { executor: 'slow' };
  }

  /** A page that is far from any anchor makes the list's anchors known, once per version. */
  async #anchorFor(
    list: string,
    { account }: Caller,
    plan: ListPlan,
    state: ResourceState,
  ): Promise<Anchor | undefined> {
    const offset = offsetOf(plan);
    if (offset === 0) return undefined;
    const anchors = state.anchors(list);
    const nearest = anchors.before(offset);
    const { rows } = state.version;
    if (anchors.isComplete || offset - (nearest?.offset ?? 0) <= MAX_DISTANCE || rows <= MAX_DISTANCE) return nearest;
    const spacing = Math.max(ANCHOR_SPACING, Math.ceil(rows / MAX_ANCHORS));
    const found = await this.#engine.slow(anchorsStatement(account, plan, this.#engine.dialect, spacing));
    if (found[0] !== undefined && !isSameVersion(ledgerVersionOf(found[0]), state.version)) return undefined;
    const all = new Anchors(
      found.map((row, index) => ({ offset: (index + 1) * spacing, id: integerOf(row, 'id') })),
      true,
    );
    state.keepAnchors(list, all);
    return all.before(offset);
  }

  async export(caller: Caller, plan: ExportPlan): Promise<Export | NoAccess> {
    const filter = plan.where && canonical(plan.where);
    const state = this.#states.latest(caller.account, plan.resource.name);
    const known = filter === undefined ? undefined : state?.total(filter);
    const total = state === undefined || known === undefined ? undefined : { version: state.version, total: known };
    const { head, lines } = exportStatements(caller, plan, this.#engine.dialect, total);
    const stream = await this.#engine.stream(head, lines);
    const [row] = stream.head;
    if (row === undefined) {
      await stream.close();
      return 'no access';
    }
    const facts = { total: integerOf(row, 'total'), version: ledgerVersionOf(row) };
    const isKnown = total !== undefined && isSameVersion(facts.version, total.version);
    if (filter !== undefined && state !== undefined && isSameVersion(facts.version, state.version))
      state.keepTotal(filter, facts.total);
    const rows = plan.page === undefined ? facts.total : rowsOnPage(plan.page, facts.total);
    let missing = rows;
    return {
      ...facts,
      rows,
      source: filter === undefined ? 'ledger' : isKnown ? 'cached' : 'counted',
      async next() {
        const chunk = await stream.next();
        missing -= chunk?.lines ?? 0;
        if (chunk === undefined && missing !== 0)
          throw new Error('the export does not have the rows that were counted');
        return chunk?.bytes;
      },
      close: stream.close,
    };
  }

  async find(caller: Caller, plan: RecordPlan): Promise<Found | NotFound | NoAccess> {
    const [row] = await this.#engine.fast(findStatement(caller, plan, this.#engine.dialect));
    if (row === undefined) return 'no access';
    const version = ledgerVersionOf(row);
    const record = textOrNullOf(row, 'record');
    if (record === null) return { kind: 'not found', version };
    const written = { generation: integerOf(row, 'record_generation'), revision: integerOf(row, 'record_revision') };
    return { kind: 'found', record, written, version };
  }

  create(caller: Caller, plan: CreatePlan): Promise<Created | 'ids exhausted' | NoAccess> {
    return this.#creates.add(caller, plan);
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

function addAnchor(state: ResourceState, list: string, anchor: Anchor): void {
  const anchors = state.anchors(list);
  if (anchors.add(anchor, ANCHOR_SPACING)) state.keepAnchors(list, anchors);
}

/** Identifies a list regardless of the page. Undefined if it is not in the order of ids. */
function listKey({ order: [first], where }: Selection): string | undefined {
  if (first?.field !== id) return undefined;
  return `${first.descending ? '-' : ''}${where === undefined ? '' : canonical(where)}`;
}
