/**
 * Lists that are read slice by slice, in one snapshot: ranges of ids, one after another. On an engine that cannot interrupt
 * a statement, other reads get their turn between two slices, and a read that is cancelled ends with its slice.
 */

import type { Resource } from '../catalog/resource.ts';
import type { FoundIds } from '../columns/commands.ts';
import { costPerRecord } from '../plan/cost.ts';
import { isSearch } from '../plan/indexes.ts';
import { offsetOf } from '../plan/page.ts';
import type { ListPlan, Selection } from '../plan/plan.ts';
import type { Engine, Read } from './engine/engine.ts';
import { ledgerVersionOf } from './sql/ledger.ts';
import {
  anchorsStatement,
  countStatement,
  type IdRange,
  isOrderedById,
  ledgerStatement,
  nthIdStatement,
  pageIdsStatement,
  sliceStatement,
} from './sql/list-statements.ts';
import { integerOf, integerOrNullOf, type Row, textOf, textOrNullOf } from './sql/row.ts';
import type { Anchor } from './state/anchors.ts';
import type { Caller, NoAccess } from './store.ts';
import type { LedgerVersion } from './version.ts';

/** The search index skips most records of a slice, so the slices of a search are this much longer. */
const SEARCH_FACTOR = 16;

/** If there are more ids than this per record, a range of ids says little about the number of records in it. */
const MAX_IDS_PER_RECORD = 2;

/** What a record costs in a slice of the usual length. If the filter costs more, slices are shorter. */
const USUAL_COST = 2;
const USUAL_SEARCH_COST = 6;

/** Shorter slices would not be worth the statements, which the serving thread makes. */
const MIN_LENGTH = 1_000;

/** How many records a slice of this list has. */
export function sliceLength({ where }: Selection, sliceRows: number): number {
  const isSearched = where !== undefined && isSearch(where);
  const usual = isSearched ? sliceRows * SEARCH_FACTOR : sliceRows;
  const excess = costPerRecord(where) / (isSearched ? USUAL_SEARCH_COST : USUAL_COST);
  return Math.min(usual, Math.max(MIN_LENGTH, Math.ceil(usual / excess)));
}

export interface Ledger {
  readonly version: LedgerVersion;
  /** No record has a larger id. */
  readonly lastId: number;
}

/** What is known about a list that is to be read. */
export interface KnownList {
  /** If the total is known, the list is read only as far as the page goes. */
  readonly total?: number | undefined;
  /** An anchor at or before the page, from which the list is read if the total is known. */
  readonly anchor?: Anchor | undefined;
  /** The page, if it was found in the columns: it holds only at their version. */
  readonly found?: FoundIds | undefined;
}

export interface SlicedPage {
  /** As JSON, without the brackets around them. */
  readonly records: string;
  readonly total: number;
  /** The id of the last record on the page; undefined if the page is empty. */
  readonly lastId: number | undefined;
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

  async page(plan: ListPlan, ledger: Ledger, known: KnownList): Promise<SlicedPage> {
    const records: string[] = [];
    let lastId: number | undefined;
    const total = await this.#readSlices(plan, ledger, known, 'records', (row) => {
      const text = textOrNullOf(row, 'records');
      if (text !== null) records.push(text);
      lastId = integerOrNullOf(row, 'last_id') ?? lastId;
    });
    return { records: records.join(','), total, lastId };
  }

  /** Finds the records of a page, slice by slice if the list is in the order of ids. */
  async locate(plan: ListPlan, ledger: Ledger, known: KnownList): Promise<LocatedPage> {
    if (isOrderedById(plan) && Number.isFinite(this.#engine.sliceRows)) {
      const ids: number[] = [];
      const total = await this.#readSlices(plan, ledger, known, 'ids', (row) => void ids.push(...idsOf(row)));
      return { total, ids };
    }
    const { account } = this.#caller;
    const total = known.total ?? (await this.total(plan, ledger));
    const { anchor } = known;
    const [row = {}] = await this.#read(pageIdsStatement(account, plan, this.#engine.dialect, { anchor, total }));
    return { total, ids: idsOf(row) };
  }

  /** Calls `take` with the part of the page in each slice. Returns the total. */
  async #readSlices(
    plan: ListPlan,
    ledger: Ledger,
    known: KnownList,
    content: 'ids' | 'records',
    take: (row: Row) => void,
  ): Promise<number> {
    const anchor = known.total === undefined ? undefined : known.anchor;
    const count = this.#counting(plan);
    const isCounted = known.total === undefined;
    const statement = sliceStatement(this.#caller.account, plan, this.#engine.dialect, { content, isCounted });
    let total = 0;
    let skip = offsetOf(plan) - (anchor?.offset ?? 0);
    let left = plan.limit;
    for await (const ids of this.#slices(plan, ledger, anchor)) {
      let matches: number;
      if (left > 0 && skip < ids.upTo - ids.after) {
        const [row = {}] = await this.#read(statement({ ...ids, skip, take: left }));
        matches = integerOf(row, 'total');
        take(row);
      } else {
        matches = await count(ids);
      }
      total += matches;
      left -= Math.min(left, Math.max(0, matches - skip));
      skip = Math.max(0, skip - matches);
      if (left === 0 && known.total !== undefined) break;
    }
    return known.total ?? total;
  }

  async total(plan: Selection, ledger: Ledger): Promise<number> {
    const count = this.#counting(plan);
    let total = 0;
    for await (const ids of this.#slices(plan, ledger)) total += await count(ids);
    return total;
  }

  /** The id of every nth record of the list. */
  async anchors(plan: Selection, ledger: Ledger, spacing: number): Promise<readonly Anchor[]> {
    const anchors: Anchor[] = [];
    /** How many records have matched since the last anchor. */
    let rest = 0;
    const statement = anchorsStatement(this.#caller.account, plan, this.#engine.dialect);
    for await (const ids of this.#slices(plan, ledger)) {
      const [row = {}] = await this.#read(statement({ ...ids, spacing, first: spacing - rest }));
      const found = idsOf(row);
      for (const id of found) anchors.push({ offset: (anchors.length + 1) * spacing, id });
      rest = integerOf(row, 'rest') + (found.length === 0 ? rest : 0);
    }
    return anchors;
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
    if (plan.order[0]?.descending) {
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
