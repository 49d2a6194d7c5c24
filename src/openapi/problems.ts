/** Which problems each kind of request can have. Tests check every problem that occurs in them against this table. */

import { type ProblemCode, registry } from '../problem/registry.ts';
import type { ApiEndpoint } from '../request/route.ts';
import { examples } from './examples.ts';
import { COMMON, type HeaderName, headerReferences } from './headers.ts';
import { type JsonObject, reference } from './json.ts';

/** Any request. */
export const ANYWHERE: readonly ProblemCode[] = [
  'malformed_request',
  'request_timeout',
  'request_line_too_long',
  'headers_too_large',
  'transfer_coding_unsupported',
  'too_many_connections',
  'service_overloaded',
  'malformed_path',
  'internal_error',
];

/** Any request that needs a key. */
export const AUTHENTICATED: readonly ProblemCode[] = [
  ...ANYWHERE,
  'authentication_required',
  'credentials_malformed',
  'basic_not_accepted',
  'key_not_accepted',
  'too_many_failed_attempts',
  'store_busy',
  'query_timeout',
  'store_unreachable',
  'store_exhausted',
  'store_damaged',
  'scope_missing',
  'too_many_requests',
  'responses_unread',
  // Long input waits for its turn, too.
  'too_many_slow_requests',
];

/** Any request under `/api`. */
const WITH_QUERY: readonly ProblemCode[] = [
  ...AUTHENTICATED,
  'malformed_encoding',
  'unknown_parameter',
  // A query string with more parts than any filter has.
  'filter_too_many_conditions',
];

const FILTERED: readonly ProblemCode[] = [
  'repeated_parameter',
  'unknown_field',
  'invalid_search',
  'filter_syntax',
  'filter_too_long',
  'filter_too_deep',
  'filter_list_too_long',
  'operator_not_allowed',
  'null_not_allowed',
  'invalid_value',
  // With `QUERY`.
  'unsupported_media_type',
  'body_too_large',
];

const STREAMED: readonly ProblemCode[] = [
  'invalid_format',
  'not_acceptable',
  'stream_needs_chunks',
  'too_many_waiting',
];

const SESSION: readonly ProblemCode[] = [
  'not_from_console',
  'wrong_kind_of_key',
  'body_too_large',
  'invalid_body',
  'store_not_writable',
];
const EDITING: readonly ProblemCode[] = [
  'invalid_idempotency_key',
  'idempotency_key_in_progress',
  'idempotency_key_reused',
  'body_too_large',
  'store_not_writable',
];

/** What the requests of a kind can have in addition. */
export const ownProblems: Partial<Record<ApiEndpoint['kind'], readonly ProblemCode[]>> = {
  list: [
    ...FILTERED,
    ...STREAMED,
    'filter_too_costly',
    'invalid_sort',
    'invalid_page',
    'invalid_limit',
    'invalid_explain',
    'page_too_large',
    'too_many_rows',
    'exports_busy',
  ],
  record: ['repeated_parameter', 'unknown_field', 'record_not_found'],
  create: [
    'unsupported_media_type',
    'body_too_large',
    'malformed_json',
    'repeated_member',
    'invalid_idempotency_key',
    'invalid_body',
    'ids_exhausted',
    'value_taken',
    'storage_limit_reached',
    'idempotency_key_in_progress',
    'idempotency_key_reused',
    'store_not_writable',
  ],
  changes: [...FILTERED, ...STREAMED, 'invalid_limit', 'invalid_cursor', 'cursor_expired'],
  digest: [...FILTERED, 'filter_too_costly'],
  aggregate: [
    ...FILTERED,
    'filter_too_costly',
    'invalid_sort',
    'invalid_limit',
    'invalid_measures',
    'invalid_facets',
    'too_many_groups',
    'aggregate_too_large',
  ],
  update: [
    ...EDITING,
    'unsupported_media_type',
    'malformed_json',
    'repeated_member',
    'invalid_body',
    'record_not_found',
    'record_changed',
    'value_taken',
    'storage_limit_reached',
  ],
  remove: [...EDITING, 'invalid_body', 'record_not_found', 'record_changed'],
  import: [
    ...EDITING,
    'repeated_parameter',
    'unsupported_media_type',
    'invalid_import_option',
    'malformed_rows',
    'decision_required',
    'rows_rejected',
    'confirmation_required',
    'position_changed',
    'import_cancelled',
    'import_interrupted',
    'too_many_imports',
    'storage_limit_reached',
  ],
  imports: ['repeated_parameter', 'invalid_page', 'invalid_limit'],
  'import status': ['import_not_found'],
  'cancel import': ['body_too_large', 'invalid_body', 'import_not_found', 'import_ended', 'store_not_writable'],
  source: ['source_not_found'],
  'report source': [
    'unsupported_media_type',
    'body_too_large',
    'malformed_json',
    'repeated_member',
    'invalid_body',
    'source_not_found',
    'store_not_writable',
  ],
  'remove source': ['body_too_large', 'invalid_body', 'source_not_found', 'store_not_writable'],
  view: ['view_not_found'],
  'save view': [
    'unsupported_media_type',
    'body_too_large',
    'malformed_json',
    'repeated_member',
    'invalid_body',
    'invalid_view_id',
    'view_changed',
    'view_name_taken',
    'too_many_views',
    'store_not_writable',
  ],
  'remove view': ['body_too_large', 'invalid_body', 'view_not_found', 'view_changed', 'store_not_writable'],
  'sign in': ['body_too_large', 'invalid_body', 'store_not_writable'],
  'start session': [...SESSION, 'unsupported_media_type', 'malformed_json', 'repeated_member'],
  'end session': SESSION,
};

export function problemsOf(kind: ApiEndpoint['kind'], operation: string): JsonObject {
  return problemResponses([...WITH_QUERY, ...(ownProblems[kind] ?? [])], operation);
}

/** A tool call that fails is a success of the protocol, so its problems are not here. `message` is that of an error. */
export function mcpProblems(operation: string, message: JsonObject): JsonObject {
  const own: readonly ProblemCode[] = [
    'origin_not_allowed',
    'not_acceptable',
    'unsupported_media_type',
    'body_too_large',
  ];
  const responses = problemResponses([...AUTHENTICATED, ...own], operation);
  const badRequest = Object(responses['400']);
  return { ...responses, '400': { ...badRequest, content: { ...badRequest.content, ...message } } };
}

/** By status. */
export function problemResponses(codes: readonly ProblemCode[], operation: string): JsonObject {
  return Object.fromEntries(
    byStatus(codes).map(([status, group]) => [
      String(status),
      isShared(status, group) ? reference('responses', sharedName(status)) : problemResponse(status, group, operation),
    ]),
  );
}

/** Problems that all requests under `/api` have in common. */
export function sharedProblems(): JsonObject {
  return Object.fromEntries(SHARED.map(([status, group]) => [sharedName(status), problemResponse(status, group)]));
}

const sharedName = (status: number) => `Problem${status}`;

function byStatus(codes: readonly ProblemCode[]): readonly [number, readonly ProblemCode[]][] {
  return [...Map.groupBy(new Set(codes), (code) => registry[code].status)].toSorted(([a], [b]) => a - b);
}

/** Every kind has its own 400s. */
const SHARED = byStatus(AUTHENTICATED).filter(([status]) => status !== 400);

function isShared(status: number, codes: readonly ProblemCode[]): boolean {
  const shared = SHARED.find(([of]) => of === status)?.[1] ?? [];
  return shared.length === codes.length && codes.every((code) => shared.includes(code));
}

function problemResponse(status: number, codes: readonly ProblemCode[], operation = ''): JsonObject {
  const example = examples[`${operation} ${status}`];
  const lines = codes.map((code) => `- [\`${code}\`](/problems/${code}): ${registry[code].title}`);
  return {
    description: lines.join('\n'),
    headers: headerReferences([...COMMON, ...headersOf(status)]),
    content: {
      'application/problem+json': {
        // Not beside the reference, where some generators see nothing but the reference, and others nothing but the code.
        schema: {
          allOf: [reference('schemas', 'Problem'), { properties: { code: { type: 'string', enum: [...codes] } } }],
        },
        ...(example !== undefined && { examples: { recorded: { summary: example.request, value: example.response } } }),
      },
    },
  };
}

function headersOf(status: number): readonly HeaderName[] {
  switch (status) {
    case 401:
    case 403:
      return ['WWW-Authenticate'];
    case 412:
      return ['ETag'];
    case 415:
      return ['Accept-Query'];
    case 409:
    case 429:
    case 503:
      return ['Retry-After'];
    default:
      return [];
  }
}
