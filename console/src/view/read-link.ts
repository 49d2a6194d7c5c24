/**
 * What a URL says about the view. Invalid parts are ignored and reported: a link that does not show what its author meant must not
 * seem to work. Errors in the filter are shown in the filter editor.
 */

import { findField } from '../../../src/catalog/catalog.ts';
import { product } from '../../../src/catalog/product.ts';
import type { Resource } from '../../../src/catalog/resource.ts';
import { planFacet } from '../../../src/plan/aggregate.ts';
import { planFields } from '../../../src/plan/fields.ts';
import { MAX_LIMIT, planLimit, planPageNumber } from '../../../src/plan/page.ts';
import { planSearch } from '../../../src/plan/search.ts';
import { planSort } from '../../../src/plan/sort.ts';
import { isViewId } from '../../../src/plan/view.ts';
import { PANELS, VIEW_PARAMETERS, type ViewParameter } from '../../../src/plan/view-query.ts';
import { nearest } from '../../../src/problem/nearest.ts';
import { Problem } from '../../../src/problem/problem.ts';
import { quoted } from '../../../src/problem/quoted.ts';
import { type GroupOrder, groupOrders } from '../groups/group-measures.ts';
import { pageCatalog } from '../session/page-catalog.ts';
import { hrefOf, newView, type SortKey, type View } from './view.ts';

export interface Link {
  readonly view: View;
  /** Sentences, in the order of the parameters. */
  readonly problems: readonly string[];
  /** The view that was probably meant. Undefined if nobody can tell. */
  readonly meant: View | undefined;
}

/** The widest that a column can be made, in pixels. */
const MAX_WIDTH = 2_000;

export function readLink(path: string, search: string): Link {
  const plural = path.split('/')[1];
  const catalog = pageCatalog();
  const resource = catalog.resources.find((candidate) => candidate.plural === plural) ?? catalog.of(product);
  const reader = new LinkReader(resource, new URLSearchParams(search));
  const view = reader.view();
  if (reader.problems.length === 0) return { view, problems: [], meant: undefined };
  const meant = new LinkReader(resource, reader.fixed).view();
  return { view, problems: reader.problems, meant: hrefOf(meant) === hrefOf(view) ? undefined : meant };
}

class LinkReader {
  readonly problems: string[] = [];
  /** The parameters as they were probably meant. */
  readonly fixed: URLSearchParams;
  readonly #resource: Resource;
  readonly #parameters: URLSearchParams;

  constructor(resource: Resource, parameters: URLSearchParams) {
    this.#resource = resource;
    this.#parameters = parameters;
    this.fixed = new URLSearchParams(parameters);
  }

  view(): View {
    const initial = newView(this.#resource);
    const fields = this.#list('fields', (item) => planFields(this.#resource, item));
    const panel = this.#one('panel', readPanel, `It is ${PANELS.join(', ')} or none.`);
    const q = this.#search();
    const view = {
      resource: this.#resource,
      q,
      filter: this.#text('filter') ?? '',
      fields: fields.length === 0 ? initial.fields : fields,
      sort: this.#sort(q),
      page: this.#one('page', readPage, 'It is the number of a page, from 1 on.') ?? initial.page,
      limit: this.#one('limit', readLimit, `It is a number of rows, from 1 to ${MAX_LIMIT}.`) ?? initial.limit,
      group: this.#group(),
      groupOrder: this.#one(
        'order',
        (text) => readOrder(this.#resource, text),
        'It is count, value, or a measure of groups.',
      ),
      record: this.#one('record', readId, 'It is the id of a record.'),
      panel: panel === undefined ? initial.panel : panel === 'none' ? undefined : panel,
      isLive: this.#one('live', readFlag, 'It is true or false.') ?? initial.isLive,
      widths: this.#widths(),
      saved: this.#one('view', readViewId, 'It is the id of a saved view.'),
    };
    this.#checkNames();
    return view;
  }

  /** Empty is as if it were not there, as in the API. */
  #text(parameter: ViewParameter): string | undefined {
    const [text = '', ...others] = this.#parameters.getAll(parameter);
    if (others.length > 0) this.problems.push(`${parameter} is there more than once. The first one counts.`);
    return text === '' ? undefined : text;
  }

  #one<Value>(parameter: ViewParameter, read: (text: string) => Value | undefined, rule: string): Value | undefined {
    const text = this.#text(parameter);
    const value = text === undefined ? undefined : read(text);
    if (text !== undefined && value === undefined) this.problems.push(`${parameter}=${quoted(text)} is wrong. ${rule}`);
    return value;
  }

  /** The names in a list that are right, each once. */
  #list(parameter: 'fields' | 'sort', plan: (item: string) => unknown): readonly string[] {
    const items = this.#items(parameter);
    const problems = items.map(plan).map((planned) => (planned instanceof Problem ? planned : undefined));
    for (const problem of problems)
      if (problem !== undefined)
        this.problems.push([`${parameter}: ${problem.detail}`, problem.context.suggestion].join(' ').trim());
    const meant = items.flatMap((item, index) => {
      const problem = problems[index];
      return problem === undefined ? item : (problem.context.fixed?.[parameter] ?? []);
    });
    this.fixed.set(parameter, meant.join());
    return [...new Set(items.filter((_, index) => problems[index] === undefined))];
  }

  /** A search that is refused is left out. */
  #search(): string {
    const q = (this.#text('q') ?? '').trim();
    const planned = planSearch(this.#resource, q);
    if (!(planned instanceof Problem)) return q;
    this.problems.push([planned.detail, planned.context.suggestion].join(' '));
    return '';
  }

  /** Only the first key of a field decides. Relevance is what a search is ordered by anyway. */
  #sort(q: string): readonly SortKey[] {
    const planned = planSearch(this.#resource, q);
    const search = planned instanceof Problem ? undefined : planned;
    const items = this.#list('sort', (item) => planSort(this.#resource, item, search));
    const keys = new Map<string, SortKey>();
    for (const item of items) {
      if (item === 'relevance') continue;
      const field = item.replace(/^-/, '');
      if (keys.has(field)) this.problems.push(`sort names ${field} twice. The first one counts.`);
      else keys.set(field, { field, isDescending: item !== field });
    }
    return [...keys.values()];
  }

  #group(): string | undefined {
    const text = this.#text('group');
    if (text === undefined) return undefined;
    const facet = planFacet(this.#resource, text, (meant) => meant);
    if (!(facet instanceof Problem)) return text;
    const { fixed, suggestion } = facet.context;
    this.problems.push([`group: ${facet.detail}`, suggestion].join(' ').trim());
    if (fixed?.['facets'] === undefined) this.fixed.delete('group');
    else this.fixed.set('group', fixed['facets']);
    return undefined;
  }

  #widths(): ReadonlyMap<string, number> {
    const widths = new Map<string, number>();
    for (const item of this.#items('widths')) {
      const [field = '', width = ''] = item.split(':');
      const pixels = readId(width);
      if (pixels === undefined || findField(this.#resource, field) === undefined)
        this.problems.push(`widths: ${quoted(item)} is not a field and a number of pixels, such as name:240.`);
      else widths.set(field, Math.min(pixels, MAX_WIDTH));
    }
    return widths;
  }

  #items(parameter: ViewParameter): readonly string[] {
    return (
      this.#text(parameter)
        ?.split(',')
        .map((item) => item.trim()) ?? []
    );
  }

  #checkNames(): void {
    for (const name of new Set(this.#parameters.keys())) {
      if (VIEW_PARAMETERS.some((known) => known === name)) continue;
      const meant = nearest(name, VIEW_PARAMETERS);
      this.problems.push(
        `There is no parameter ${quoted(name)}.${meant === undefined ? '' : ` Did you mean ${meant}?`}`,
      );
      if (meant !== undefined && !this.fixed.has(meant)) this.fixed.set(meant, this.#parameters.get(name) ?? '');
      this.fixed.delete(name);
    }
  }
}

function readPage(text: string): number | undefined {
  const page = planPageNumber(text);
  return page instanceof Problem ? undefined : page;
}

function readLimit(text: string): number | undefined {
  const limit = planLimit(text);
  return limit instanceof Problem ? undefined : limit;
}

function readId(text: string): number | undefined {
  return /^[1-9]\d{0,14}$/.test(text) ? Number(text) : undefined;
}

function readViewId(text: string): string | undefined {
  return isViewId(text) ? text : undefined;
}

function readFlag(text: string): boolean | undefined {
  return text === 'true' || text === 'false' ? text === 'true' : undefined;
}

function readOrder(resource: Resource, text: string): GroupOrder | undefined {
  return groupOrders(resource).find((order) => order === text);
}

function readPanel(text: string): (typeof PANELS)[number] | 'none' | undefined {
  return text === 'none' ? text : PANELS.find((name) => name === text);
}
