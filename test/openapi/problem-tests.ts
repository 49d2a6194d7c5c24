/** The problems that take more than a request with a key, and for each of them a test that gets it as a response. */

import type { ProblemCode } from '../../src/problem/registry.ts';

/** By code: the file below `test/`, and the title, or what it begins with, as it is written there. */
export const testsOfProblems = {
  malformed_request: ['http/transport', 'with the same Authorization twice are a 400'],
  request_timeout: ['http/connections', 'is a 408 after the responses to the requests before it'],
  request_line_too_long: ['http/transport', 'of one byte more is a 414'],
  headers_too_large: ['http/transport', 'of more than 80 KiB are a 431'],
  transfer_coding_unsupported: ['http/transport', 'with the transfer coding %j is refused'],
  too_many_connections: ['http/connections', 'are limited in total'],
  service_overloaded: ['http/overload', 'it refuses early, spares the neighbour, and recovers'],
  too_many_failed_attempts: ['http/failed-attempts', 'beyond the limit, a wrong key is a 429 that says when to retry'],
  too_many_requests: ['http/rate-limit', 'requests over the limit are a 429 that says when to retry'],
  responses_unread: ['http/sending', 'beyond the limit are replaced by a 429'],
  body_too_large: ['http/import', 'a body may have as many bytes as the setting says'],
  // Of a tool call, it is text.
  invalid_arguments: ['mcp/tool-errors', 'no resource'],
  result_too_large: ['mcp/tools', 'are an error with a call that works'],
  stream_needs_chunks: ['http/export', 'HTTP/1.0, in which a truncated stream looks complete'],
  page_too_large: ['http/large-pages.slow', 'more than 16 MiB is a 400 that says what to do'],
  filter_too_costly: ['http/many-records', 'a filter that would take too long: %s'],
  too_many_rows: ['http/many-records', 'more records than a sheet of Excel has rows for'],
  too_many_groups: ['http/aggregate-limits.slow', 'a facet with too many groups is a 400'],
  aggregate_too_large: ['http/aggregate-limits.slow', 'facets of long texts are limited'],
  ids_exhausted: ['http/responses', 'after the largest possible id, a create is a 409'],
  value_taken: ['http/unique-fields', 'a value that another record has cannot be created or changed to'],
  storage_limit_reached: ['http/me', 'beyond what the account may store, creates are a 403 with the numbers'],
  too_many_views: ['http/views', 'an account may have 200 views, and can still change them'],
  import_cancelled: ['client/import', 'it can be cancelled while it runs'],
  import_interrupted: ['http/fields', 'an import whose rows arrive while fields change is interrupted'],
  too_many_imports: ['http/imports', 'an account may have so many imports under way'],
  cursor_expired: ['http/changes', 'a cursor that is older than what was pruned is a 410'],
  idempotency_key_in_progress: ['http/safe-retries', 'a key whose request is in progress is a 409, and then replayed'],
  store_busy: ['http/faults.slow', 'a write times out with a 503, and reads are served'],
  too_many_slow_requests: [
    'attacks/slow-filters.slow',
    '200 clients: the neighbour never waits for more than a few of them',
  ],
  too_many_waiting: ['http/changes', 'is a 429 for the 2,049th request of an account'],
  exports_busy: ['http/export-streams.slow', 'the fifth of an account is a 503'],
  query_timeout: ['program/settings', "'statement-timeout': {"],
  store_unreachable: ['http/faults.slow', 'a SQLite file that a newer version has migrated'],
  store_not_writable: ['faults/disk.slow', 'a server that is made read-only, and a disk that is full'],
  store_exhausted: ['program/storage', 'below the reserve of the disk, only what removes something is accepted'],
  store_damaged: ['http/faults.slow', 'is a 503 that the operator learns about, and a 401 only for a wrong key'],
  internal_error: ['http/faults.slow', 'an internal error reveals only the request id'],
} as const satisfies Partial<Record<ProblemCode, readonly [file: string, title: string]>>;

export type TestedElsewhere = keyof typeof testsOfProblems;
