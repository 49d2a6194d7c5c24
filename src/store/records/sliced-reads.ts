/**
 * Lists that are read slice by slice, in one snapshot: ranges of ids, one after another. On an engine that cannot interrupt
 * a statement, other reads get their turn between two slices, and a read that is cancelled ends with its slice.
 */

import type { Resource } from '../../catalog/resource.ts';
import { offsetOf } from '../../plan/page.ts';
import type { ListPlan, Selection } from '../../plan/plan.ts';
import { hasDescendingIds, isOrderedById } from '../../plan/sort.ts';
import type { Engine, Read } from '../engine/engine.ts';
import { ledgerVersionOf } from '../sql/ledger.ts';
import {
  countStatement,
  type IdRange,
  ledgerStatement,
  nthIdStatement,
  pageIdsStatement,
  sliceStatement,
} from '../sql/list-statements.ts';
import { integerOf, type Row, textOf } from '../sql/row.ts';
import type { Anchor } from '../state/anchors.ts';
import type { Caller, NoAccess } from '../store.ts';
import { isSameVersion, type LedgerVersion } from '../version.ts';
import { type KnownList, sliceLength } from './list-reading.ts';

/** If there are more ids than this per record, a range of ids says little about the number of records in it. */
const MAX_IDS_PER_RECORD = 2;

export interface Ledger {
  readonly version: LedgerVersion;
  /** No record has a larger id. */
  readonly lastId: number;
}

/** The records of a page by their ids, and the total of its list. */
export interface LocatedPage {
  readonly total: number;
  /** Of the records on the page, in the order of the list. */
  readonly ids: readonly number[];
}

export class SlicedReads {
  readonly #engine: Pick<Engine, 'dialect' | 'sliceRows'>;
  readonly #read: Read;
  readonly #caller: Caller;

  /** `read` reads in the snapshot. */
  constructor(engine: Pick<Engine, 'dialect' | 'sliceRows'>, read: Read, caller: Caller) {
    this.#engine = engine;
    this.#read = read;
    this.#caller = caller;
  }

  async ledger(resource: Resource): Promise<Ledger | NoAccess> {
    const [row] = await this.#read(ledgerStatement(this.#caller, resource, this.#engine.dialect));
    if (row === undefined) return 'no access';
    return { version: ledgerVersionOf(row), lastId: integerOf(row, 'last_id') };
  }

  /** Finds the records of a page. What is known is used if the snapshot has its version. */
  async locate(plan: ListPlan, ledger: Ledger, known: KnownList): Promise<LocatedPage> {
    const valid = isSameVersion(known.version, ledger.version) ? known : undefined;
    const knownTotal = plan.where === undefined ? ledger.version.rows : valid?.total;
    if (isOrderedById(plan) && Number.isFinite(this.#engine.sliceRows))
      return this.#locateInSlices(plan, ledger, knownTotal, valid?.anchor);
    const total = knownTotal ?? (await this.total(plan, ledger));
    const statement = pageIdsStatement(this.#caller.account, plan, this.#engine.dialect, total, valid?.anchor);
    const [row = {}] = await this.#read(statement);
    return { total, ids: idsOf(row) };
  }

  /** If the total is known, the list is read only as far as the page goes, and from the anchor. */
  async #locateInSlices(
    plan: ListPlan,
    ledger: Ledger,
    knownTotal: number | undefined,
    known: Anchor | undefined,
  ): Promise<LocatedPage> {
    const isCounted = knownTotal === undefined;
    const anchor = isCounted ? undefined : known;
    const count = this.#counting(plan);
    const statement = sliceStatement(this.#caller.account, plan, this.#engine.dialect, isCounted);
    const ids: number[] = [];
    let total = 0;
    let skip = offsetOf(plan) - (anchor?.offset ?? 0);
    for await (const range of this.#slices(plan, ledger, anchor)) {
      const take = plan.limit - ids.length;
      let matches: number;
      if (take > 0 && skip < range.upTo - range.after) {
        const [row = {}] = await this.#read(statement({ ...range, skip, take }));
        matches = integerOf(row, 'total');
        ids.push(...idsOf(row));
      } else {
        matches = await count(range);
      }
      total += matches;
      skip = Math.max(0, skip - matches);
      if (ids.length === plan.limit && !isCounted) break;
    }
    return { total: knownTotal ?? total, ids };
  }

  async total(plan: Selection, ledger: Ledger): Promise<number> {
    const count = this.#counting(plan);
    let total = 0;
    for await (const ids of this.#slices(plan, ledger)) total += await count(ids);
    return total;
  }

  #counting(plan: Selection): (ids: IdRange) => Promise<number> {
    const statement = countStatement(this.#caller.account, plan, this.#engine.dialect);
    return async (ids) => {
      const [row = {}] = await this.#read(statement(ids));
      return integerOf(row, 'total');
    };
  }

  /** Ranges of ids in the order of the list, from the anchor to the end. */
  async *#slices(plan: Selection, { lastId, version }: Ledger, anchor?: Anchor): AsyncGenerator<IdRange> {
    const length = sliceLength(plan, this.#engine.sliceRows);
    const isDense = lastId <= version.rows * MAX_IDS_PER_RECORD || length >= version.rows;
    const nth = async (from: number) => {
      const [row] = await this.#read(nthIdStatement(this.#caller.account, plan, this.#engine.dialect, from, length));
      return row === undefined ? undefined : integerOf(row, 'id');
    };
    if (hasDescendingIds(plan)) {
      let upTo = anchor === undefined ? lastId : anchor.id - 1;
      while (upTo > 0) {
        const after = isDense ? upTo - length : ((await nth(upTo + 1)) ?? 1) - 1;
        yield { after: Math.max(0, after), upTo };
        upTo = after;
      }
      return;
    }
    let after = anchor?.id ?? 0;
    while (after < lastId) {
      const upTo = isDense ? after + length : ((await nth(after)) ?? lastId);
      yield { after, upTo: Math.min(lastId, upTo) };
      after = upTo;
    }
  }
}

function idsOf(row: Row): readonly number[] {
  return JSON.parse(textOf(row, 'ids'));
}
