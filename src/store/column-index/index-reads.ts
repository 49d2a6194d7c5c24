/** Lists and aggregates that an index in memory answers, whichever process holds it. */

import type { Resource } from '../../catalog/resource.ts';
import { estimateCost } from '../../plan/cost.ts';
import { isSearch } from '../../plan/indexes.ts';
import { offsetOf } from '../../plan/page.ts';
import type { ListPlan } from '../../plan/plan.ts';
import { isOrderedById } from '../../plan/sort.ts';
import { NO_DEADLINE } from '../../schedule/deadline.ts';
import { isDeep, type KnownList } from '../records/list-reading.ts';
import type { IndexCounts } from '../stats.ts';
import type { AccountId, Caller } from '../store.ts';
import type { LedgerVersion } from '../version.ts';
import type { IndexHolder } from './index-holder.ts';
import type { Aggregated, AggregateRequest, FoundIds, WordsRequest } from './thread/commands.ts';
import { MAX_SORTED, sortedRows } from './thread/sorted-rows.ts';

/** Milliseconds of the thread for one unit of estimated cost. */
const MILLISECONDS_PER_COST = 0.000_01;

/** Milliseconds of the thread for comparing a word with the texts of a record. */
const MILLISECONDS_PER_TEXT = 0.005;

/** If fewer records have the rarest trigram of a search, the search index of the database is faster. */
const MIN_CANDIDATES = 10_000;

export class IndexReads {
  readonly #holder: IndexHolder;
  /** A resource with fewer records is not indexed. */
  readonly #minRows: number;
  #hits = 0;
  #misses = 0;

  constructor(holder: IndexHolder, minRows: number) {
    this.#holder = holder;
    this.#minRows = minRows;
  }

  /**
   * Finds a page of a slow list. Undefined if the database has to: there is no index, or it lacks many changes, or the page is far from
   * both ends of a sorted list. Where a filtered one ends is known if its total is.
   */
  async find(
    { account, deadline = NO_DEADLINE }: Caller,
    plan: ListPlan,
    known: KnownList,
  ): Promise<FoundIds | undefined> {
    const { version: ledger, total = Number.POSITIVE_INFINITY } = known;
    if (ledger.rows < this.#minRows) return undefined;
    const { resource, where, order, limit } = plan;
    const { name, version } = resource;
    const offset = offsetOf(plan);
    if (!isOrderedById(plan) && sortedRows(offset, limit, total) > MAX_SORTED) return undefined;
    const explained = plan.explained?.map((condition) => condition.where);
    // An explanation needs all columns anyway.
    const minCandidates = where !== undefined && isSearch(where) && explained === undefined ? MIN_CANDIDATES : 0;
    const page = { where, order, offset, limit, minCandidates, explained };
    const result = await this.#holder.ask(
      {
        account,
        resource: { name, version },
        ledger,
        isUrgent: isDeep(plan, known),
        cost: estimateCost(plan, ledger.rows) * MILLISECONDS_PER_COST,
        task: { kind: 'find', page },
      },
      deadline,
    );
    return result?.kind === 'found' ? result.page : undefined;
  }

  /** Undefined if the database has to be asked. */
  async aggregate(
    { account, deadline = NO_DEADLINE }: Caller,
    { name, version }: Resource,
    request: AggregateRequest,
    ledger: LedgerVersion,
  ): Promise<Aggregated | undefined> {
    const cost = estimateCost({ where: request.where }, ledger.rows) * MILLISECONDS_PER_COST;
    const task = { kind: 'aggregate', request } as const;
    const result =
      ledger.rows < this.#minRows
        ? undefined
        : await this.#holder.ask(
            { account, resource: { name, version }, ledger, isUrgent: false, cost, task },
            deadline,
          );
    this.count(result?.kind === 'aggregated');
    return result?.kind === 'aggregated' ? result.aggregated : undefined;
  }

  /** For each word, those in the records that are most like it. Undefined if the database has to be asked. */
  async nearestWords(
    { account, deadline = NO_DEADLINE }: Caller,
    { name, version }: Resource,
    request: WordsRequest,
    ledger: LedgerVersion,
  ): Promise<readonly (readonly string[])[] | undefined> {
    if (ledger.rows < this.#minRows) return undefined;
    const cost = ledger.rows * request.words.length * MILLISECONDS_PER_TEXT;
    const task = { kind: 'words', request } as const;
    const result = await this.#holder.ask(
      { account, resource: { name, version }, ledger, isUrgent: false, cost, task },
      deadline,
    );
    return result?.kind === 'nearest' ? result.words : undefined;
  }

  /** Counts an answer: what an index found may be outdated in the end, and is not always asked for. Aggregates are counted already. */
  count(isFromIndex: boolean): void {
    if (isFromIndex) this.#hits += 1;
    else this.#misses += 1;
  }

  get counts(): IndexCounts {
    return { hits: this.#hits, misses: this.#misses };
  }

  /** See `IndexHolder`. */
  forget(account: AccountId, resource: Resource): void {
    this.#holder.forget(account, resource.name);
  }
}
