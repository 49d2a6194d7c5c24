/** The query parameters, one row each, and which requests accept them. */

export interface Parameter {
  readonly meaning: string;
  readonly example: string;
  /** Names of the same thing in other APIs, for "did you mean". */
  readonly aliases: readonly string[];
  /** Whether it may be sent several times. */
  readonly isRepeatable?: true;
}

export const parameters = {
  fields: {
    meaning: 'comma-separated names of the fields to return, in this order; default: all fields',
    example: 'id,name,list_price',
    aliases: ['select', 'columns', 'include', 'only', 'field'],
  },
  q: {
    meaning: 'words to search for; every one has to be in one of the searched fields',
    example: 'oak chair',
    aliases: ['query', 'search', 'text', 'term', 'keywords', 'words'],
  },
  filter: {
    meaning: 'conditions that narrow the result',
    example: 'list_price>100&active=true',
    aliases: ['where', 'domain', 'filters', 'conditions'],
  },
  sort: {
    meaning:
      'comma-separated field names, `-` before a name for descending order, or `relevance` with `q`; default: `id`',
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
    meaning: '`true` to learn how many records each condition of the filter, and each word of `q`, matches',
    example: 'true',
    aliases: ['why', 'debug'],
  },
  format: {
    meaning:
      '`csv` or `ndjson` for a stream of lines, `xlsx` for a workbook of Excel, equal to the `Accept` header; default: `json`, a page',
    example: 'csv',
    aliases: ['accept', 'as', 'fmt', 'output', 'type', 'content_type'],
  },
  measures: {
    meaning:
      'comma-separated: `count`, and `sum`, `avg`, `min` or `max` of a field, or of the product of two; default: `count`',
    example: 'count,sum(list_price*qty_available)',
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
  key: {
    meaning: 'the field that identifies records, which holds text or integers; default: `id`',
    example: 'default_code',
    aliases: ['id_field', 'match', 'on'],
  },
  add: {
    meaning:
      '`true` to add the rows without an id, even if records have their codes already, or if the same rows were imported before',
    example: 'true',
    aliases: ['append', 'create', 'insert', 'duplicate'],
  },
  replace: {
    meaning: '`true` to remove the records that no row names',
    example: 'true',
    aliases: ['overwrite', 'delete_missing', 'sync'],
  },
  confirm: {
    meaning: '`true` to let `replace` remove more than a tenth of the records',
    example: 'true',
    aliases: ['yes', 'force'],
  },
  dry_run: {
    meaning: '`true` to report what would happen, without changing anything',
    example: 'true',
    aliases: ['dryrun', 'dry-run', 'test', 'simulate', 'validate'],
  },
  on_error: {
    meaning: 'if a row cannot be imported: `stop` changes nothing, `skip` imports the others; default: `stop`',
    example: 'skip',
    aliases: ['onerror', 'errors', 'skip_errors', 'reject'],
  },
  map: {
    meaning: '`COLUMN:FIELD`, or `COLUMN=FIELD`, renames a column to a field, `COLUMN:` ignores it; may be repeated',
    example: 'Sales Price:list_price',
    aliases: ['columns', 'mapping', 'rename'],
    isRepeatable: true,
  },
  ignore_unknown: {
    meaning: '`true` to ignore columns that are neither fields nor in `map`',
    example: 'true',
    aliases: ['ignore', 'ignore_columns'],
  },
  lenient: {
    meaning:
      '`true` to read numbers without their currency, percentages as hundredths, and `-`, `NULL`, `N/A` and errors of Excel such as `#N/A` as empty cells',
    example: 'true',
    aliases: ['relaxed', 'tolerant', 'null_values', 'na_values'],
  },
  decimal: {
    meaning: 'the decimal sign of numbers in text: `.` or `,`; default: recognised',
    example: ',',
    aliases: ['decimals', 'decimal_separator'],
  },
  dates: {
    meaning: 'how dates that are not ISO 8601 are written, such as `DD.MM.YYYY` or `MM/DD/YYYY`; default: recognised',
    example: 'DD.MM.YYYY',
    aliases: ['date_format', 'dateformat'],
  },
  timezone: {
    meaning: 'the time zone of times that name none; default: `UTC`',
    example: 'Europe/Berlin',
    aliases: ['tz', 'time_zone', 'zone'],
  },
  delimiter: {
    meaning: 'what separates the cells of CSV: `,` `;` `|` or `tab`; default: recognised',
    example: ';',
    aliases: ['separator', 'sep'],
  },
  sheet: {
    meaning: 'the sheet of a workbook; default: the only one with data',
    example: 'Products',
    aliases: ['worksheet', 'tab'],
  },
  header_row: {
    meaning:
      'the number of the row, or line, that names the columns; default: recognised in a workbook, else the first',
    example: '3',
    aliases: ['header', 'headerrow', 'skip_rows'],
  },
  empty_text: {
    meaning:
      'what an empty cell in quotes is, if the field can be null: `null` or `keep`; default: `null` if every cell is in quotes',
    example: 'keep',
    aliases: ['empty', 'empty_string'],
  },
  source: {
    meaning:
      'name of the source of the rows, up to 255 bytes; `position` is saved under it, in the same transaction. A source belongs to one resource',
    example: 'odoo-products',
    aliases: ['origin', 'from', 'connector'],
  },
  position: {
    meaning: 'how far the source has been read: any text of up to 1,024 bytes',
    example: '2026-11-17T08:00:00Z',
    aliases: ['offset', 'checkpoint', 'state'],
  },
  expect: {
    meaning:
      'the position that the source must have now, or empty if it must have none; otherwise a 409, and nothing is changed',
    example: '2026-11-16T08:00:00Z',
    aliases: ['expected', 'if_position', 'previous'],
  },
} as const satisfies Record<string, Parameter>;

export type ParameterName = keyof typeof parameters;

export const LIST_PARAMETERS: readonly ParameterName[] = [
  'fields',
  'q',
  'filter',
  'sort',
  'page',
  'limit',
  'explain',
  'format',
];
export const EXPORT_PARAMETERS: readonly ParameterName[] = ['fields', 'q', 'filter', 'sort', 'page', 'limit', 'format'];
export const CHANGES_PARAMETERS: readonly ParameterName[] = ['fields', 'q', 'filter', 'limit', 'since', 'format'];
export const DIGEST_PARAMETERS: readonly ParameterName[] = ['fields', 'q', 'filter'];
export const AGGREGATE_PARAMETERS: readonly ParameterName[] = ['q', 'filter', 'measures', 'facets', 'sort', 'limit'];
export const IMPORT_PARAMETERS: readonly ParameterName[] = [
  'key',
  'add',
  'replace',
  'confirm',
  'dry_run',
  'on_error',
  'map',
  'ignore_unknown',
  'lenient',
  'decimal',
  'dates',
  'timezone',
  'delimiter',
  'sheet',
  'header_row',
  'empty_text',
  'source',
  'position',
  'expect',
];
/** All there are, in the order in which messages name them. */
export const PARAMETER_NAMES: readonly ParameterName[] = [
  ...LIST_PARAMETERS,
  'measures',
  'facets',
  'since',
  ...IMPORT_PARAMETERS,
];
export const PAGE_PARAMETERS: readonly ParameterName[] = ['page', 'limit'];
export const RECORD_PARAMETERS: readonly ParameterName[] = ['fields'];
export const NO_PARAMETERS: readonly ParameterName[] = [];

/** A parsed query string. */
export interface Query {
  /** Decoded. An empty parameter counts as absent. */
  readonly values: Readonly<Partial<Record<ParameterName, string>>>;
  /** Offsets into the filter of the segments that followed a raw `&`, in order. */
  readonly continuations: readonly number[];
}

/** What else a query string says. */
export interface WholeQuery extends Query {
  /** Every value of parameters that may be repeated. */
  readonly repeated: Readonly<Partial<Record<ParameterName, readonly string[]>>>;
  /** The parameters that were sent without a value. */
  readonly empty: ReadonlySet<ParameterName>;
}
