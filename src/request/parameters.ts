/** The query parameters, one row each, and which requests accept them. */

export interface Parameter {
  readonly meaning: string;
  readonly example: string;
  /** Names of the same thing in other APIs, for "did you mean". */
  readonly aliases: readonly string[];
}

export const parameters = {
  fields: {
    meaning: 'comma-separated names of the fields to return, in this order; default: all fields',
    example: 'id,name,list_price',
    aliases: ['select', 'columns', 'include', 'only', 'field'],
  },
  filter: {
    meaning: 'conditions that narrow the result',
    example: 'list_price>100&active=true',
    aliases: ['q', 'query', 'search', 'where', 'domain', 'filters'],
  },
  sort: {
    meaning: 'comma-separated field names, `-` before a name for descending order; default: `id`',
    example: '-list_price,name',
    aliases: ['order', 'order_by', 'orderby', 'sort_by', 'sortby', 'ordering', 'direction'],
  },
  page: {
    meaning: 'page number; default: 1',
    example: '2',
    aliases: ['offset', 'skip', 'start', 'cursor', 'after', 'page_number', 'pagenumber'],
  },
  limit: {
    meaning: 'records per page, 1 to 1000; default: 10',
    example: '100',
    aliases: ['per_page', 'perpage', 'page_size', 'pagesize', 'size', 'count', 'top', 'take', 'first', 'max'],
  },
  explain: {
    meaning: '`true` to learn how many records each condition of the filter matches',
    example: 'true',
    aliases: ['why', 'debug'],
  },
  format: {
    meaning: '`csv` or `ndjson` for a stream of lines, equal to the `Accept` header; default: `json`, a page',
    example: 'csv',
    aliases: ['accept', 'as', 'fmt', 'output', 'type', 'content_type'],
  },
  measures: {
    meaning: 'comma-separated: `count`, and `sum`, `avg`, `min` or `max` of a field; default: `count`',
    example: 'count,sum(list_price)',
    aliases: ['measure', 'metrics', 'aggregates', 'aggs'],
  },
  facets: {
    meaning:
      'comma-separated fields to group by; numbers with `:N` in about N ranges, timestamps by `:day`, `:week`, `:month` or `:year`',
    example: 'categ_id,list_price:20,create_date:month',
    aliases: ['facet', 'group_by', 'groupby', 'group', 'groups', 'by'],
  },
  since: {
    meaning: 'the cursor after which changes are returned; default: everything',
    example: '…',
    aliases: ['cursor', 'after', 'from', 'since_id', 'token'],
  },
} as const satisfies Record<string, Parameter>;

export type ParameterName = keyof typeof parameters;

export const PARAMETER_NAMES: readonly ParameterName[] = [
  'fields',
  'filter',
  'sort',
  'page',
  'limit',
  'explain',
  'format',
  'measures',
  'facets',
  'since',
];
export const LIST_PARAMETERS: readonly ParameterName[] = [
  'fields',
  'filter',
  'sort',
  'page',
  'limit',
  'explain',
  'format',
];
export const EXPORT_PARAMETERS: readonly ParameterName[] = ['fields', 'filter', 'sort', 'page', 'limit', 'format'];
export const CHANGES_PARAMETERS: readonly ParameterName[] = ['fields', 'filter', 'limit', 'since', 'format'];
export const DIGEST_PARAMETERS: readonly ParameterName[] = ['fields', 'filter'];
export const AGGREGATE_PARAMETERS: readonly ParameterName[] = ['filter', 'measures', 'facets', 'sort', 'limit'];
export const RECORD_PARAMETERS: readonly ParameterName[] = ['fields'];
export const NO_PARAMETERS: readonly ParameterName[] = [];

/** A parsed query string. */
export interface Query {
  /** Decoded. An empty parameter counts as absent. */
  readonly values: Readonly<Partial<Record<ParameterName, string>>>;
  /** Offsets into the filter of the segments that followed a raw `&`, in order. */
  readonly continuations: readonly number[];
}
