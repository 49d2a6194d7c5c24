/**
 * Every error that a caller can be told of: one row each, grouped by the stage that finds it.
 * A code is for ever: callers branch on it, so it is never renamed, and a retired one is never used again.
 */

export interface ProblemKind {
  readonly status: number;
  readonly title: string;
  /** How to repair the request, whatever it was. What is special to one request stands in its `detail` and `suggestion`. */
  readonly hint: string;
}

export const registry = {
  // The bytes on the connection
  malformed_request: {
    status: 400,
    title: 'Not an HTTP request',
    hint: 'Send HTTP/1.1. Most often a space or a letter that is not ASCII stands in the path or the query: percent-encode it as UTF-8.',
  },
  request_timeout: {
    status: 408,
    title: 'Request not received in time',
    hint: 'Send the whole request, its body included, without long pauses.',
  },
  request_line_too_long: {
    status: 414,
    title: 'Request line too long',
    hint: 'Ask in several requests, or put many values of one field into a list: `id[1,2,3]`.',
  },
  headers_too_large: {
    status: 431,
    title: 'Request headers too large',
    hint: 'Send fewer or shorter header fields, or a shorter request line.',
  },

  // access: host and key
  authentication_required: {
    status: 401,
    title: 'Authentication required',
    hint: 'Send the header `Authorization: Bearer <API_KEY>`.',
  },
  credentials_malformed: {
    status: 401,
    title: 'Credentials not readable',
    hint: 'The header is `Authorization: Bearer <API_KEY>`, with the whole key as it was printed: one word that begins with `sbk_`.',
  },
  key_not_accepted: {
    status: 401,
    title: 'Key not accepted',
    hint: 'Check that the key belongs to the account in the host name, and that it was neither revoked nor has expired. An operator makes a new one with `stockbook key add`.',
  },
  scope_missing: {
    status: 403,
    title: 'Key lacks the scope',
    hint: 'Use a key that has the scope; an operator makes one with `stockbook key add ACCOUNT --name LABEL --scope read,write`.',
  },

  too_many_requests: {
    status: 429,
    title: 'Too many requests',
    hint: 'Send the request again after the seconds in `Retry-After`. Ask for more records on a page rather than for more pages, and poll with `If-None-Match`.',
  },

  // route: path and method
  malformed_path: {
    status: 400,
    title: 'Malformed path',
    hint: 'In a path, `%` is followed by two hexadecimal digits, and the bytes are UTF-8.',
  },
  path_not_found: {
    status: 404,
    title: 'No such path',
    hint: 'Every path of the API begins with `/api/v1/`.',
  },
  method_not_allowed: {
    status: 405,
    title: 'Method not allowed',
    hint: 'Use one of the methods in the `Allow` header.',
  },

  // request: the query string and the body, syntax only
  malformed_encoding: {
    status: 400,
    title: 'Malformed percent-encoding',
    hint: 'In a query string, `%` is followed by two hexadecimal digits (`%25` is the percent sign itself), the bytes are UTF-8, and there is no NUL.',
  },
  unknown_parameter: {
    status: 400,
    title: 'Unknown parameter',
    hint: 'Lists take `fields`, `filter`, `page`, `limit` and `sort`; one record takes `fields`; creating takes none.',
  },
  repeated_parameter: {
    status: 400,
    title: 'Repeated parameter',
    hint: 'Give each parameter once. Several conditions go into one `filter`, joined by `&` (written `%26`) or `|`.',
  },
  unsupported_media_type: {
    status: 415,
    title: 'Unsupported media type',
    hint: 'Send JSON in UTF-8, not compressed, with the header `Content-Type: application/json`.',
  },
  body_too_large: {
    status: 413,
    title: 'Body too large',
    hint: 'A create request holds one record, which is small.',
  },
  malformed_json: {
    status: 400,
    title: 'Body is not JSON',
    hint: 'Send one JSON object in UTF-8, such as `{"name":"Azure Interior"}`.',
  },

  // plan: names and values
  unknown_field: {
    status: 400,
    title: 'Unknown field',
    hint: 'A record without `fields` shows the names of all fields.',
  },
  invalid_sort: {
    status: 400,
    title: 'Invalid sort',
    hint: 'Write field names separated by commas, each once, with `-` before a name for descending order: `sort=-list_price,name`.',
  },
  invalid_page: {
    status: 400,
    title: 'Invalid page',
    hint: 'A page is a whole number from 1 on, in plain digits.',
  },
  invalid_limit: {
    status: 400,
    title: 'Invalid limit',
    hint: 'A limit is a whole number from 1 to 1000, in plain digits; it is never cut down silently.',
  },
  filter_syntax: {
    status: 400,
    title: 'Filter not readable',
    hint: 'A filter is conditions such as `list_price>10`, joined by `&` and `|`, grouped by `( )`.',
  },
  filter_too_long: {
    status: 400,
    title: 'Filter too long',
    hint: 'Put many values of one field into a list, or ask in several requests.',
  },
  filter_too_many_conditions: {
    status: 400,
    title: 'Too many conditions',
    hint: 'Put many values of one field into a list: `id[1,2,3]`.',
  },
  filter_too_deep: {
    status: 400,
    title: 'Groups too deep',
    hint: '`&` binds tighter than `|`, so many parentheses can be left out.',
  },
  filter_list_too_long: {
    status: 400,
    title: 'List too long',
    hint: 'Ask in several requests, or with a range: `id>=1&id<=5000`.',
  },
  operator_not_allowed: {
    status: 400,
    title: 'Operator does not fit the field',
    hint: '`=`, `!=`, `[]` and `![]` work on every field, `*` and `!*` on text, `>`, `>=`, `<` and `<=` on numbers and timestamps.',
  },
  null_not_allowed: {
    status: 400,
    title: 'Null does not fit here',
    hint: '`null` works with `=`, `!=`, `[]` and `![]` on nullable fields. For the text itself write `"null"`, in quotes.',
  },
  invalid_value: {
    status: 400,
    title: 'Value does not fit the field',
    hint: 'Numbers are in decimal notation, integers whole, booleans `true` or `false`, timestamps ISO 8601, and the text after `*` is not empty.',
  },
  invalid_body: {
    status: 400,
    title: 'Body does not fit the resource',
    hint: 'A partner is created from `{"name": "…"}`: a string that is not blank, and no other key.',
  },
  record_not_found: {
    status: 404,
    title: 'No such record',
    hint: 'Look the identifier up in the list; another account has other identifiers.',
  },

  not_acceptable: {
    status: 406,
    title: 'No such form of a list',
    hint: 'Lists come as `application/json`, `application/x-ndjson` and `text/csv`, the last also with `excel-safe=true`.',
  },
  stream_needs_chunks: {
    status: 426,
    title: 'Streams need HTTP/1.1',
    hint: 'Only since HTTP/1.1 can a stream that broke off be told from a whole one. Behind nginx, set `proxy_http_version 1.1`.',
  },

  // store
  ids_exhausted: {
    status: 409,
    title: 'No identifiers left',
    hint: 'A record had the largest possible identifier, and none is given twice. The operator has to export the records, remove the account, and import them into a new one with smaller identifiers.',
  },
  store_busy: {
    status: 503,
    title: 'Database busy',
    hint: 'Send the request again after the seconds in `Retry-After`; most often an import is being written.',
  },

  exports_busy: {
    status: 503,
    title: 'Too many exports at once',
    hint: 'Send the request again after the seconds in `Retry-After`, once another export has ended.',
  },
  query_timeout: {
    status: 503,
    title: 'Query took too long',
    hint: 'Narrow the filter, ask for fewer records on a page, or send the request again after the seconds in `Retry-After`.',
  },
  store_unreachable: {
    status: 503,
    title: 'Database not reachable',
    hint: 'Send the request again after the seconds in `Retry-After`; the service finds the database by itself once it is back.',
  },
  store_exhausted: {
    status: 503,
    title: 'Database has no room left',
    hint: 'The operator has to make room. Send the request again later.',
  },

  // whatever should never happen
  internal_error: {
    status: 500,
    title: 'Internal error',
    hint: 'This is a fault of the service, not of the request. Give the operator the request id: the cause stands beside it in the log.',
  },
} as const satisfies Record<string, ProblemKind>;

export type ProblemCode = keyof typeof registry;
