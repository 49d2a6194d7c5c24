/** What was probably meant by words that no record has, if the list is explained. */

import type { ListPlan } from '../../plan/plan.ts';
import { BY_ID } from '../../plan/sort.ts';
import type { ColumnSteps } from '../column-index/column-steps.ts';
import type { IndexReads } from '../column-index/index-reads.ts';
import type { WordsRequest } from '../column-index/thread/commands.ts';
import type { Caller, NoAccess, Page } from '../store.ts';
import type { Exports } from './exports.ts';

export class SearchHints {
  readonly #index: IndexReads;
  readonly #exports: Exports;
  readonly #steps: ColumnSteps;

  constructor(index: IndexReads, exports: Exports, steps: ColumnSteps) {
    this.#index = index;
    this.#exports = exports;
    this.#steps = steps;
  }

  /** They may be a moment newer than the page. */
  async addTo(caller: Caller, plan: ListPlan, page: Page): Promise<Page | NoAccess> {
    const { explained = [] } = page;
    const conditions = plan.explained ?? [];
    const isInVain = (index: number) => conditions[index]?.kind === 'word' && explained[index]?.alone === 0;
    const words = conditions.flatMap(({ text }, index) => (isInVain(index) ? [text] : []));
    if (words.length === 0) return page;
    const nearest = await this.#nearest(caller, plan, words, page);
    if (nearest === 'no access') return nearest;
    const found = nearest.values();
    return {
      ...page,
      explained: explained.map((counts, index) =>
        isInVain(index) ? { ...counts, nearest: found.next().value ?? [] } : counts,
      ),
    };
  }

  /** From the index in memory, or from the texts of all records. */
  async #nearest(
    caller: Caller,
    { resource }: ListPlan,
    words: readonly string[],
    { version }: Page,
  ): Promise<readonly (readonly string[])[] | NoAccess> {
    const fields = resource.fields.filter(({ searched }) => searched);
    const request: WordsRequest = { fields, words };
    const known = await this.#index.nearestWords(caller, resource, request, version);
    if (known !== undefined) return known;
    const texts = { resource, fields, where: undefined, order: [BY_ID], page: undefined };
    const lines = await this.#exports.open(caller, { ...texts, format: { kind: 'ndjson' } });
    if (lines === 'no access') return lines;
    try {
      const result = await this.#steps.consume(caller, lines, { kind: 'words', ...request });
      if (result.kind !== 'nearest') throw new Error(`the thread returned ${result.kind}`);
      return result.words;
    } finally {
      await lines.close();
    }
  }
}
