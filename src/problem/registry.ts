/**
 * Every error a caller can receive, one row each, grouped by the stage that finds it.
 * Codes are permanent: callers branch on them, so a code is never renamed, and a retired one is never reused.
 */

export interface ProblemKind {
  readonly status: number;
  readonly title: string;
  /** How to fix any request with this problem. What is specific to one request goes into its `detail` and `suggestion`. */
  readonly hint: string;
}

export const registry = {
  // http: the bytes on the connection
  malformed_request: {
    status: 400,
    title: 'Malformed HTTP request',
    hint: 'Send a valid HTTP/1.1 request. The most common cause is a space or a non-ASCII letter in the URL: percent-encode it as UTF-8.',
  },
  request_timeout: {
    status: 408,
    title: 'Request timeout',
    hint: 'Send the whole request, including its body, without long pauses.',
  },
  request_line_too_long: {
    status: 414,
    title: 'Request line too long',
    hint: 'Send the parameters in the body with the method `QUERY`, split the request, or put many values of one field into a list: `id[1,2,3]`.',
  },
  headers_too_large: {
    status: 431,
    title: 'Request headers too large',
    hint: 'Send fewer or shorter headers, or a shorter request line.',
  },

  transfer_coding_unsupported: {
    status: 501,
    title: 'Transfer coding not supported',
    hint: 'Send the body with `Content-Length`, or with `Transfer-Encoding: chunked` and no other transfer coding.',
  },
  too_many_connections: {
    status: 503,
    title: 'Too many connections',
    hint: 'Retry after the number of seconds in `Retry-After`. Reuse connections for several requests, and close idle ones.',
  },

  service_overloaded: {
    status: 503,
    title: 'Service overloaded',
    hint: 'Retry after the number of seconds in `Retry-After`. Send fewer requests at the same time; accounts that send few are served.',
  },

  // access: host and key
  authentication_required: {
    status: 401,
    title: 'Authentication required',
    hint: 'Send the header `Authorization: Bearer <API_KEY>`.',
  },
  credentials_malformed: {
    status: 401,
    title: 'Malformed credentials',
    hint: 'Send the header `Authorization: Bearer <API_KEY>` with the complete key as it was printed: one word starting with `sbk_`. Programs that cannot, such as spreadsheets, send it as the password of Basic authentication.',
  },
  basic_not_accepted: {
    status: 401,
    title: 'Basic authentication not accepted',
    hint: 'Basic authentication is for programs that read, such as spreadsheets: with `GET` and `HEAD`, and not from another web page. Send the header `Authorization: Bearer <API_KEY>`.',
  },
  key_not_accepted: {
    status: 401,
    title: 'Key not accepted',
    hint: 'Check that the key belongs to the account in the host name and has neither expired nor been revoked. An operator issues a new one with `stockbook key add`.',
  },
  too_many_failed_attempts: {
    status: 429,
    title: 'Too many failed attempts',
    hint: 'Retry after the number of seconds in `Retry-After`, with a key that is valid. Keys that were accepted recently still work.',
  },
  scope_missing: {
    status: 403,
    title: 'Scope missing',
    hint: 'Use a key with the required scope; an operator issues one with `stockbook key add ACCOUNT --name LABEL --scope SCOPES`.',
  },
  not_from_console: {
    status: 403,
    title: 'Not from the console',
    hint: 'Only the console begins and ends sessions. Programs send their key with every request: `Authorization: Bearer <API_KEY>`.',
  },
  wrong_kind_of_key: {
    status: 403,
    title: 'Wrong kind of key',
    hint: 'A session begins with an API key or the code of a sign-in link, and ends with its own key, which is in a cookie.',
  },
  too_many_requests: {
    status: 429,
    title: 'Too many requests',
    hint: 'Retry after the number of seconds in `Retry-After`. Prefer larger pages to more pages, and poll with `If-None-Match`.',
  },
  responses_unread: {
    status: 429,
    title: 'Too many unread responses',
    hint: 'Read the responses to earlier requests, then retry after the number of seconds in `Retry-After`. Request fewer large pages at the same time.',
  },

  // request: path, method, query string and body; syntax only
  malformed_path: {
    status: 400,
    title: 'Malformed path',
    hint: 'In a path, `%` must be followed by two hexadecimal digits, and the decoded bytes must be UTF-8.',
  },
  path_not_found: {
    status: 404,
    title: 'Path not found',
    hint: 'All API paths start with `/api/v1/`.',
  },
  method_not_allowed: {
    status: 405,
    title: 'Method not allowed',
    hint: 'Use one of the methods in the `Allow` header.',
  },
  malformed_encoding: {
    status: 400,
    title: 'Malformed percent-encoding',
    hint: 'In a query string, `%` must be followed by two hexadecimal digits (`%25` is the percent sign itself), and the decoded bytes must be UTF-8 without NUL.',
  },
  unknown_parameter: {
    status: 400,
    title: 'Unknown parameter',
    hint: 'Send the parameters that the request takes, and no others: `suggestion` names the one that was probably meant, or all there are.',
  },
  repeated_parameter: {
    status: 400,
    title: 'Repeated parameter',
    hint: 'Send each parameter once, except `map`. Join conditions in a single `filter` with `&` (encoded as `%26`) or `|`.',
  },
  unsupported_media_type: {
    status: 415,
    title: 'Unsupported media type',
    hint: 'Send the body in a form that the request takes, which `suggestion` names, and say which in `Content-Type`. Only the rows of an import may be compressed.',
  },
  body_too_large: {
    status: 413,
    title: 'Body too large',
    hint: 'A create or a change contains a single record, `QUERY` its parameters, and a message to `/mcp` a single call: all of them are small. Split an import into several, or ask the operator for a larger `--max-import-size`.',
  },
  malformed_json: {
    status: 400,
    title: 'Malformed JSON',
    hint: 'Send one JSON object in UTF-8, such as `{"name":"Azure Interior"}`.',
  },
  repeated_member: {
    status: 400,
    title: 'Repeated member',
    hint: 'Send each member of an object once. Readers of JSON disagree on which of several counts.',
  },
  invalid_idempotency_key: {
    status: 400,
    title: 'Invalid Idempotency-Key',
    hint: 'Send the header once, with 1 to 255 characters: a word such as a UUID, or a string of printable ASCII in double quotes.',
  },
  not_acceptable: {
    status: 406,
    title: 'Not acceptable',
    hint: 'Lists are available as `application/json`, `application/x-ndjson`, `text/csv`, also with `excel-safe=true`, and `application/vnd.openxmlformats-officedocument.spreadsheetml.sheet`.',
  },
  invalid_format: {
    status: 400,
    title: 'Invalid format',
    hint: 'Lists are available as `json`, `ndjson`, `csv` and `xlsx`, also with the options `ndjson;end=line` and `csv;excel-safe=true`; changes as `json`, `ndjson`, `ndjson;end=line` and `event-stream`.',
  },
  origin_not_allowed: {
    status: 403,
    title: 'Origin not allowed',
    hint: 'Only programs, pages on `localhost`, and origins in `--cors-origins` can use `/mcp`. A program sends no `Origin` header.',
  },
  invalid_arguments: {
    status: 400,
    title: 'Invalid arguments',
    hint: 'Call the tool with the arguments in its `inputSchema`.',
  },
  result_too_large: {
    status: 400,
    title: 'Result too large',
    hint: 'Request fewer records with `limit`, fewer fields with `fields`, or narrow the filter.',
  },
  stream_needs_chunks: {
    status: 406,
    title: 'Streams require HTTP/1.1',
    hint: 'With HTTP/1.0 a client cannot tell a truncated stream from a complete one. Behind nginx, set `proxy_http_version 1.1`.',
  },

  // plan: names and values
  unknown_field: {
    status: 400,
    title: 'Unknown field',
    hint: 'Request a record without `fields` to see all field names.',
  },
  invalid_sort: {
    status: 400,
    title: 'Invalid sort',
    hint: 'List field names separated by commas, each at most once, with `-` in front of a name for descending order: `sort=-list_price,name`. Or `sort=relevance`, together with `q`.',
  },
  invalid_search: {
    status: 400,
    title: 'Invalid search',
    hint: 'Send up to 16 words in `q`, with at most 500 characters together. Each has to be in one of the searched fields of a record.',
  },
  invalid_page: {
    status: 400,
    title: 'Invalid page',
    hint: 'A page is a whole number of at least 1, in plain digits.',
  },
  invalid_limit: {
    status: 400,
    title: 'Invalid limit',
    hint: 'A limit is a whole number from 1 to 1000, in plain digits.',
  },
  invalid_cursor: {
    status: 400,
    title: 'Invalid cursor',
    hint: 'Send `meta.cursor` of an earlier response for the same resource, account and filter, unchanged, or leave `since` out to start with everything.',
  },
  filter_syntax: {
    status: 400,
    title: 'Invalid filter syntax',
    hint: 'A filter consists of conditions such as `list_price>10`, joined with `&` and `|` and grouped with `( )`.',
  },
  invalid_explain: {
    status: 400,
    title: 'Invalid explain',
    hint: 'Send `explain=true` to learn how many records each condition of the filter, and each word of `q`, matches. At most 20 of them can be explained.',
  },
  invalid_measures: {
    status: 400,
    title: 'Invalid measures',
    hint: 'List measures separated by commas: `count`, and `sum`, `avg`, `min` or `max` of a field, or of the product of two: `measures=count,sum(list_price*qty_available)`.',
  },
  invalid_facets: {
    status: 400,
    title: 'Invalid facets',
    hint: 'List field names separated by commas. A number can be followed by a number of ranges, and a timestamp by `day`, `week`, `month` or `year`: `facets=categ_id,list_price:20,create_date:month`.',
  },
  too_many_groups: {
    status: 400,
    title: 'Too many groups',
    hint: 'Use a facet with fewer values: ranges of a number (`list_price:20`), or periods (`create_date:month`). Or narrow the filter.',
  },
  aggregate_too_large: {
    status: 400,
    title: 'Aggregate too large',
    hint: 'Narrow the filter, request measures and facets of fewer fields at once, or list fewer groups with `limit`.',
  },
  filter_too_long: {
    status: 400,
    title: 'Filter too long',
    hint: 'Put many values of one field into a list, or split the request.',
  },
  filter_too_many_conditions: {
    status: 400,
    title: 'Too many conditions',
    hint: 'Put many values of one field into a list: `id[1,2,3]`.',
  },
  filter_too_deep: {
    status: 400,
    title: 'Groups nested too deeply',
    hint: '`&` binds tighter than `|`, so many parentheses can be omitted.',
  },
  filter_too_costly: {
    status: 400,
    title: 'Filter too costly',
    hint: 'Use fewer conditions, or add one that an index supports, such as `id[1,2,3]`, `default_code=…` or `name*text`.',
  },
  page_too_large: {
    status: 400,
    title: 'Page too large',
    hint: 'Request fewer records per page with `limit`, or fewer fields with `fields`. A list as NDJSON has no such limit.',
  },
  too_many_rows: {
    status: 400,
    title: 'Too many rows',
    hint: 'A sheet of Excel has 1,048,576 rows, one of them with the names of the columns. Narrow the filter, or request CSV, which has no limit.',
  },
  filter_list_too_long: {
    status: 400,
    title: 'List too long',
    hint: 'Split the request, or use a range: `id>=1&id<=5000`.',
  },
  operator_not_allowed: {
    status: 400,
    title: 'Operator not supported for this field',
    hint: '`=`, `!=`, `[]` and `![]` work on every field, `*` and `!*` on text, `>`, `>=`, `<` and `<=` on numbers and timestamps.',
  },
  null_not_allowed: {
    status: 400,
    title: 'Null not allowed here',
    hint: '`null` works with `=`, `!=`, `[]` and `![]` on nullable fields. To match the text itself, quote it: `"null"`.',
  },
  invalid_value: {
    status: 400,
    title: 'Invalid value',
    hint: 'Numbers use decimal notation, integers are whole, booleans are `true` or `false`, timestamps are ISO 8601, and `*` needs at least one character.',
  },
  invalid_body: {
    status: 400,
    title: 'Invalid body',
    hint: 'Fix the member in `parameter`. A change has the fields to change, except `id`, `create_date` and `write_date`. A partner is created from `{"name": "…"}`, a string that is not blank, and fields that the operator has added. A view has `name`, `resource`, `query` and, if it is the first page, `isFirstPage`. A removal has no body.',
  },
  invalid_import_option: {
    status: 400,
    title: 'Invalid import option',
    hint: '`key` names a field that holds text or integers; `replace`, `confirm` and `dry_run` are `true` or `false`; `on_error` is `stop` or `skip`; `map` is `COLUMN:FIELD` or `COLUMN=FIELD`; `decimal`, `dates`, `timezone`, `delimiter` and `empty_text` say how the rows are written; `source` and `position` belong together, and `expect` needs both.',
  },
  malformed_rows: {
    status: 400,
    title: 'Malformed rows',
    hint: 'Send CSV with the column names in the first line, a workbook of Excel (.xlsx), one JSON object per line, or a JSON array of objects. The `Content-Type` says which; with `application/octet-stream`, the content does.',
  },
  decision_required: {
    status: 422,
    title: 'Decision required',
    hint: 'What the rows mean, or whether they are to be added once more, cannot be seen from themselves. Repeat the import with a parameter for each of the `questions`, with the value of the choice that is right.',
  },
  rows_rejected: {
    status: 422,
    title: 'Rows rejected',
    hint: 'Fix the rows in `errors`, which has the first 20 errors, or skip them with `on_error=skip`.',
  },
  record_not_found: {
    status: 404,
    title: 'Record not found',
    hint: 'Look up the identifier in the list. Identifiers differ between accounts.',
  },

  // store
  ids_exhausted: {
    status: 409,
    title: 'Identifiers exhausted',
    hint: 'A record has the largest possible identifier, and identifiers are never reused. The operator has to export the records and import them into a new account with smaller identifiers.',
  },
  value_taken: {
    status: 409,
    title: 'Value taken',
    hint: 'No two records have the same value in this field. Look the other record up with a filter, and change it if it is the one that you mean.',
  },
  storage_limit_reached: {
    status: 403,
    title: 'Storage limit reached',
    hint: 'The account stores as much as it may: `GET /api/v1/me` has the numbers. Remove records that are not needed, or ask the operator for a higher limit.',
  },
  record_changed: {
    status: 412,
    title: 'Record changed',
    hint: 'The record has changed since it was read. Read it again and, if the change still applies, send it with the new `ETag`.',
  },
  confirmation_required: {
    status: 409,
    title: 'Confirmation required',
    hint: 'Check that the rows are complete: a truncated file is the usual cause. To remove that many records, add `confirm=true`.',
  },
  position_changed: {
    status: 409,
    title: 'Position changed',
    hint: 'Another import from this source has saved its position since. Continue from `currentPosition`.',
  },
  import_not_found: {
    status: 404,
    title: 'Import not found',
    hint: '`GET /api/v1/imports` lists the imports of the last 30 days, into the resources that the key may edit.',
  },
  source_not_found: {
    status: 404,
    title: 'Source not found',
    hint: 'A source exists once an import has saved a position for it. `GET /api/v1/sources` lists the sources of the resources that the key may edit.',
  },
  view_not_found: {
    status: 404,
    title: 'View not found',
    hint: 'It may have been removed. `GET /api/v1/views` lists the saved views of the account.',
  },
  invalid_view_id: {
    status: 400,
    title: 'Invalid id of a view',
    hint: 'Choose an id of 1 to 64 letters, digits, hyphens and underscores.',
  },
  view_changed: {
    status: 412,
    title: 'View changed',
    hint: 'The view has changed since it was read. Read it again and, if the change still applies, send it with the new `ETag`.',
  },
  view_name_taken: {
    status: 409,
    title: 'Name of a view taken',
    hint: 'Every view of a resource has a name of its own. Choose another one.',
  },
  too_many_views: {
    status: 403,
    title: 'Too many views',
    hint: 'An account may have 200 views, with 200,000 characters of queries together. Remove one that is not needed.',
  },
  import_ended: {
    status: 409,
    title: 'Import ended',
    hint: 'Only a running import can be cancelled. `GET /api/v1/imports/{id}` has its result.',
  },
  import_cancelled: {
    status: 409,
    title: 'Import cancelled',
    hint: 'Nothing was changed. Send the rows again if they are to be imported after all.',
  },
  import_interrupted: {
    status: 503,
    title: 'Import interrupted',
    hint: 'Nothing was changed. Send the rows again.',
  },
  too_many_imports: {
    status: 429,
    title: 'Too many imports',
    hint: 'Retry after the number of seconds in `Retry-After`, when another import has ended. Combine small imports into one.',
  },
  cursor_expired: {
    status: 410,
    title: 'Cursor expired',
    hint: 'Start over: request the changes without `since`, and replace the copy with what comes back. Either the cursor is older than the retention period, or the database was restored to a state before it.',
  },
  idempotency_key_in_progress: {
    status: 409,
    title: 'Idempotency-Key in progress',
    hint: 'Retry after the number of seconds in `Retry-After`, with the same key and body.',
  },
  idempotency_key_reused: {
    status: 422,
    title: 'Idempotency-Key reused',
    hint: 'Use a new key for every request. To retry one, send the same request with the same key.',
  },
  store_busy: {
    status: 503,
    title: 'Database busy',
    hint: 'Retry after the number of seconds in `Retry-After`. The usual cause is a running import.',
  },
  too_many_slow_requests: {
    status: 429,
    title: 'Too many slow requests',
    hint: 'Slow reads of an account, such as those whose filter has to be checked for every record, wait for each other, and so do its writes. Send fewer of them at the same time, and retry after the number of seconds in `Retry-After`.',
  },
  too_many_waiting: {
    status: 429,
    title: 'Too many requests are waiting',
    hint: 'Share one event stream, or one waiting request, among the parts of your program.',
  },
  exports_busy: {
    status: 503,
    title: 'Too many concurrent exports',
    hint: 'Retry after the number of seconds in `Retry-After`, when another export has finished.',
  },
  query_timeout: {
    status: 503,
    title: 'Query timeout',
    hint: 'Narrow the filter, request fewer records per page, or retry after the number of seconds in `Retry-After`. A write may have been made nevertheless: retry it with the same `Idempotency-Key`.',
  },
  store_unreachable: {
    status: 503,
    title: 'Database unavailable',
    hint: 'Retry after the number of seconds in `Retry-After`. The service reconnects by itself once the database is back.',
  },
  store_not_writable: {
    status: 503,
    title: 'Database not writable',
    hint: 'Reads still work. Retry writes after the number of seconds in `Retry-After`. They succeed once the operator has made the database writable again.',
  },
  store_exhausted: {
    status: 503,
    title: 'Database out of resources',
    hint: 'The operator has to free disk space, memory or connections. Retry later.',
  },
  store_damaged: {
    status: 503,
    title: 'Database damaged',
    hint: 'The operator has to repair the database: `stockbook check` says what is wrong. Retry later.',
  },

  // bugs
  internal_error: {
    status: 500,
    title: 'Internal error',
    hint: 'This is a bug in the service, not in the request. Send the request id to the operator: the log has the cause.',
  },
} as const satisfies Record<string, ProblemKind>;

export type ProblemCode = keyof typeof registry;
