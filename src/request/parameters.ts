/** The query parameters: one row each. Which of them a request takes is said by its route. */

export interface Parameter {
  readonly meaning: string;
  readonly example: string;
  /** What the same is called elsewhere: for "did you mean". */
  readonly elsewhere: readonly string[];
}

export const parameters = {
  fields: {
    meaning: 'comma-separated field names; only those come, in that order; all fields when left out',
    example: 'id,name,list_price',
    elsewhere: ['select', 'columns', 'include', 'only', 'field'],
  },
  filter: {
    meaning: 'conditions that narrow the result',
    example: 'list_price>100&active=true',
    elsewhere: ['q', 'query', 'search', 'where', 'domain', 'filters'],
  },
  sort: {
    meaning: 'comma-separated field names, `-` before one for descending order; `id` when left out',
    example: '-list_price,name',
    elsewhere: ['order', 'order_by', 'orderby', 'sort_by', 'sortby', 'ordering', 'direction'],
  },
  page: {
    meaning: 'page number, from 1; 1 when left out',
    example: '2',
    elsewhere: ['offset', 'skip', 'start', 'cursor', 'after', 'page_number', 'pagenumber'],
  },
  limit: {
    meaning: 'records on a page, 1 to 1000; 10 when left out',
    example: '100',
    elsewhere: ['per_page', 'perpage', 'page_size', 'pagesize', 'size', 'count', 'top', 'take', 'first', 'max'],
  },
} as const satisfies Record<string, Parameter>;

export type ParameterName = keyof typeof parameters;

export const LIST_PARAMETERS: readonly ParameterName[] = ['fields', 'filter', 'sort', 'page', 'limit'];
export const RECORD_PARAMETERS: readonly ParameterName[] = ['fields'];
export const NO_PARAMETERS: readonly ParameterName[] = [];

/** What a request gave, decoded. A parameter that is empty counts as left out. */
export interface Given {
  readonly values: Readonly<Partial<Record<ParameterName, string>>>;
  /** Where in the filter the pieces begin that stood behind a raw `&`: offsets, in order. */
  readonly continuations: readonly number[];
}
