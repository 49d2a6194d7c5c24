/** Decisions on single records, and on creating them. */

import {
  COMPANIES,
  type Expected,
  get,
  getFails,
  PARTNERS,
  PRODUCTS,
  postPartner,
  type Row,
  unauthenticated,
  withKey,
} from '../../support/rows.ts';
import type { TestRequest } from '../../support/service.ts';
import type { Decision } from './decision.ts';

export const records: readonly Decision[] = [
  {
    point: 'one product, one company',
    says: 'Work like one partner: `fields`, 400, 401, 404',
    rows: [
      get(`${PRODUCTS}/2?fields=id,name`, 200, { body: { data: { id: 2, name: 'Steel Desk' } } }),
      get(`${COMPANIES}/1?fields=company_code`, 200, { body: { data: { company_code: null } } }),
      getFails(`${COMPANIES}/1?fields=x`, 400, 'unknown_field'),
      getFails(`${PRODUCTS}/7`, 404, 'record_not_found'),
      getFails(`${COMPANIES}/3`, 404, 'record_not_found'),
      unauthenticated({ path: `${COMPANIES}/1` }),
    ],
  },
  {
    point: 'an unknown or malformed id',
    says: '404 (`abc`, `0`, `1.0`, `99999999999999999999`)',
    rows: [
      ...'abc 0 1.0 99999999999999999999 -1 01 1e0 %31x 9007199254740992 %2F 1%20'.split(' '),
      'x'.repeat(500),
    ].map((id) => getFails(`${PARTNERS}/${id}`, 404, 'record_not_found')),
  },
  {
    point: 'create',
    says: '`name` only: a string that is not blank, has at most 1,000 characters, and contains no NUL and no lone surrogates; stored as sent. Any other member is a 400, and so is a repeated one. The response is a 201 with `{"data":{"id":7}}` and `Location`. A body that is not JSON is a 400, another media type a 415, more than 64 KiB a 413',
    rows: [
      creates('{"name":"Deco Addict"}', 4),
      creates('{"name":"  padded \\u00e9 😀 \\" "}', 5),
      get(`${PARTNERS}/5?fields=name`, 200, { body: { data: { name: '  padded é 😀 " ' } } }),
      creates(JSON.stringify({ name: '😀'.repeat(1_000) }), 6),
      createFails(JSON.stringify({ name: '😀'.repeat(1_001) }), 400, 'invalid_body', { parameter: 'name' }),
      createFails('{}', 400, 'invalid_body', { parameter: 'name', detail: 'name is missing.' }),
      createFails('{"name":null}', 400, 'invalid_body', { parameter: 'name' }),
      createFails('{"name":7}', 400, 'invalid_body', { parameter: 'name' }),
      createFails('{"name":""}', 400, 'invalid_body', { detail: 'name must not be blank.' }),
      createFails('{"name":" \\t\\n\\u00a0"}', 400, 'invalid_body', { detail: 'name must not be blank.' }),
      createFails('{"name":"a\\u0000b"}', 400, 'invalid_body', { parameter: 'name' }),
      createFails('{"name":"\\ud800"}', 400, 'invalid_body', { parameter: 'name' }),
      createFails('{"name":"a","email":"a@example.com"}', 400, 'invalid_body', {
        parameter: 'email',
        detail: 'email cannot be set when creating a partner.',
        suggestion: `Send only name. PATCH ${PARTNERS}/{id} sets the rest afterwards, and POST ${PARTNERS}/import creates whole records. Both need the scope edit.`,
      }),
      createFails('{"nmae":"a"}', 400, 'invalid_body', { parameter: 'nmae', suggestion: 'Did you mean name?' }),
      createFails('{"name":"a","id":99}', 400, 'invalid_body', {
        parameter: 'id',
        suggestion: `Send only name. POST ${PARTNERS}/import creates whole records, and needs the scope edit.`,
      }),
      createFails('{"name":"a","__proto__":{}}', 400, 'invalid_body', { parameter: '__proto__' }),
      createFails('{"name":"a","name":"b"}', 400, 'repeated_member', {
        parameter: 'name',
        detail: "The body has the member 'name' more than once.",
      }),
      createFails('{"name":"a","n\\u0061me":"a"}', 400, 'repeated_member', { parameter: 'name' }),
      createFails('{"name":{"a":1,"a":1}}', 400, 'repeated_member', { parameter: 'a' }),
      createFails('[{"name":"a"}]', 400, 'invalid_body'),
      createFails('"a"', 400, 'invalid_body'),
      createFails('null', 400, 'invalid_body'),
      createFails('{"name":', 400, 'malformed_json'),
      createFails("{'name':'a'}", 400, 'malformed_json'),
      createFails('', 400, 'malformed_json'),
      createFails(Uint8Array.of(0x7b, 0xff, 0x7d), 400, 'malformed_json'),
      createFails(`${'['.repeat(100)}${']'.repeat(100)}`, 400, 'invalid_body'),
      createFails(`${'['.repeat(101)}${']'.repeat(101)}`, 400, 'malformed_json'),
      createFails(`[${'0,'.repeat(1_000)}0]`, 400, 'invalid_body'),
      createFails(`[${'0,'.repeat(1_001)}0]`, 400, 'malformed_json'),
      createFails('name=a', 415, 'unsupported_media_type', {}, { 'content-type': 'application/x-www-form-urlencoded' }),
      unsupported({ 'content-type': undefined }),
      unsupported({ 'content-type': 'application/json; charset=latin1' }),
      unsupported({ 'content-encoding': 'gzip' }),
      creates('{"name":"with charset"}', 7, { 'content-type': 'application/json; charset=UTF-8' }),
      creates(`{"name":"at the limit"${' '.repeat(64 * 1024 - 23)}}`, 8),
      createFails(`{"name":"past the limit"${' '.repeat(64 * 1024 - 24)}}`, 413, 'body_too_large'),
      {
        name: 'POST with a parameter → 400 unknown_parameter',
        request: { ...postPartner('{"name":"a"}'), path: `${PARTNERS}?fields=id` },
        status: 400,
        has: { code: 'unknown_parameter' },
      },
      get(`${PARTNERS}?fields=id`, 200, { ids: [1, 2, 3, 4, 5, 6, 7, 8] }),
    ],
  },
  {
    point: 'safe retries',
    says: 'With `Idempotency-Key`, 1 to 255 characters, a word or a quoted string, a create, a change or a removal of a record, or an import, can be retried for 24 hours: the same key and body get the original response with `Idempotent-Replayed: true`. The same key with another body is a 422, a key whose request is still in progress a 409 with `Retry-After`, a malformed or repeated header a 400. Keys belong to an account and a resource. Bodies are compared by what they contain, not by how it is written. A request that is refused does not use up its key',
    rows: [
      createsOnce('K1', '{"name":"Once"}', 9, false),
      createsOnce('K1', '{"name":"Once"}', 9, true),
      createsOnce('"K1"', '{"name":"Once"}', 9, true),
      createsOnce('K1', ' { "name" : "\\u004fnce" } ', 9, true),
      createFails('{"name":"Twice"}', 422, 'idempotency_key_reused', {}, { 'idempotency-key': 'K1' }),
      createsOnce('k1', '{"name":"Twice"}', 10, false),
      withKey(
        'the key of another account creates a record there',
        { account: 'globex' },
        {
          request: postPartner('{"name":"Other"}', { 'idempotency-key': 'K1' }),
          status: 201,
          body: { data: { id: 901 } },
          headers: { 'idempotent-replayed': undefined },
        },
      ),
      createFails('{"nmae":"a"}', 400, 'invalid_body', {}, { 'idempotency-key': 'K2' }),
      unsupported({ 'idempotency-key': 'K2', 'content-type': 'a/b' }),
      createsOnce('K2', '{"name":"After a refusal"}', 11, false),
      createsOnce('x'.repeat(255), '{"name":"At the limit"}', 12, false),
      ...['x'.repeat(256), '', '""', 'a b', 'a,b', '"a', 'a;b=1', 'é'].map((key) =>
        createFails('{"name":"a"}', 400, 'invalid_idempotency_key', {}, { 'idempotency-key': key }),
      ),
      get(`${PARTNERS}?filter=id>8&fields=id`, 200, { ids: [9, 10, 11, 12] }),
    ],
  },
  {
    point: 'trailing slash',
    says: 'Accepted on every path',
    rows: [
      get(`${PRODUCTS}/?limit=1`, 200, { ids: [1] }),
      get(`${PARTNERS}/?limit=1`, 200, { ids: [1] }),
      get(`${COMPANIES}/?limit=1`, 200, { ids: [1] }),
      get(`${PRODUCTS}/1/`, 200),
      get(`${PARTNERS}/1/`, 200),
      get(`${COMPANIES}/1/`, 200),
      {
        name: 'POST with a trailing slash → 201',
        request: { ...postPartner('{"name":"slash"}'), path: `${PARTNERS}/` },
        status: 201,
      },
    ],
  },
  {
    point: 'change',
    says: '`PATCH` takes a JSON merge patch (RFC 7396): an absent member keeps its value, and null sets null. An unknown field, a value that the field cannot have, `id`, `create_date` and `write_date` are a 400. The response is a 200 with the whole record and its `ETag`. With `If-Match`, it is a 412 if the record has changed since',
    rows: [
      edits('PATCH', 13, '{"city":"Oslo"}', { status: 200, has: { data: { id: 13, name: 'slash', city: 'Oslo' } } }),
      edits('PATCH', 13, '{"city":null}', { status: 200, has: { data: { id: 13, name: 'slash', city: null } } }),
      edits('PATCH', 13, '{}', { status: 200, has: { data: { id: 13 } }, headers: { etag: /^"/ } }),
      ...['{"name":null}', '{"name":" "}', '{"active":1}', '{"nothing":1}', '[]', '1'].map((body) =>
        edits('PATCH', 13, body, { status: 400, has: { code: 'invalid_body' } }),
      ),
      ...['{"id":13}', '{"create_date":"2026-01-01"}', '{"write_date":"2026-01-01"}'].map((body) =>
        edits('PATCH', 13, body, { status: 400, has: { code: 'invalid_body' } }),
      ),
      edits('PATCH', 99, '{"name":"a"}', { status: 404, has: { code: 'record_not_found' } }),
      edits('PATCH', 13, '{"name":"a"}', { status: 412, has: { code: 'record_changed' } }, { 'if-match': '"x"' }),
      edits('PATCH', 13, '{"city":"Oslo"}', { status: 200 }, { 'if-match': '*' }),
      edits('PATCH', 13, 'a', { status: 415 }, { 'content-type': 'text/plain' }),
    ],
  },
  {
    point: 'removal',
    says: '`DELETE` returns a 204, or a 404 if there is no such record, and takes `If-Match` as well. The id is not used again, unless an import names it. There is no change or removal by filter',
    rows: [
      edits('DELETE', 13, undefined, { status: 412, has: { code: 'record_changed' } }, { 'if-match': '"x"' }),
      edits('DELETE', 13, undefined, { status: 204, text: '' }),
      edits('DELETE', 13, undefined, { status: 404, has: { code: 'record_not_found' } }),
      getFails(`${PARTNERS}/13`, 404, 'record_not_found'),
      creates('{"name":"next"}', 14),
    ],
  },
  {
    point: 'import',
    says: '`POST …/import` creates, changes and removes any number of records in one transaction, by the same rules as `stockbook import`: [writing.md](writing.md). All rows or none, unless `on_error=skip`',
    rows: [
      imports('', '[{"id":14,"city":"Oslo"},{"id":12,"removed":true}]', {
        status: 200,
        has: { data: { created: 0, updated: 1, unchanged: 0, removed: 1, skipped: 0, errors: [] } },
      }),
      imports('', '[{"id":14,"city":"Rome"},{"id":15,"name":""}]', {
        status: 422,
        has: { code: 'rows_rejected', errorCount: 1, errors: [{ line: 2, column: 'name' }] },
      }),
      get(`${PARTNERS}/14?fields=city`, 200, { body: { data: { city: 'Oslo' } } }),
      imports('?on_error=skip', '[{"id":14,"city":"Rome"},{"id":15,"name":""}]', {
        status: 200,
        has: { data: { updated: 1, skipped: 1, errors: [{ line: 2, column: 'name' }] } },
      }),
      imports('?replace=true', '[{"id":14}]', { status: 409, has: { code: 'confirmation_required' } }),
      imports('?replace=maybe', '[]', { status: 400, has: { code: 'invalid_import_option', parameter: 'replace' } }),
    ],
  },
];

/** A partner. */
function edits(
  method: 'PATCH' | 'DELETE',
  id: number,
  body: string | undefined,
  expected: Expected,
  headers: TestRequest['headers'] = {},
): Row {
  const request = { method, path: `${PARTNERS}/${id}`, headers: { 'content-type': 'application/json', ...headers } };
  const name = `${method} ${id} ${body ?? ''} ${Object.values(headers).join(' ')} → ${expected.status}`;
  return withKey(
    name,
    { scopes: ['read', 'edit'] },
    { request: { ...request, ...(body !== undefined && { body }) }, ...expected },
  );
}

function imports(query: string, body: string, expected: Expected): Row {
  const path = `${PARTNERS}/import${query}`;
  const request = { method: 'POST', path, headers: { 'content-type': 'application/json' }, body };
  return withKey(
    `POST …/import${query} ${body} → ${expected.status}`,
    { scopes: ['partner:edit'] },
    { request, ...expected },
  );
}

function creates(body: string, id: number, headers: TestRequest['headers'] = {}): Row {
  return {
    name: `POST ${body.slice(0, 40)} → 201, partner ${id}`,
    request: postPartner(body, headers),
    status: 201,
    body: { data: { id } },
    headers: { location: `${PARTNERS}/${id}`, 'content-type': 'application/json' },
  };
}

function unsupported(headers: TestRequest['headers']): Row {
  return createFails('{"name":"a"}', 415, 'unsupported_media_type', {}, headers);
}

function createsOnce(key: string, body: string, id: number, isReplayed: boolean): Row {
  const row = creates(body, id, { 'idempotency-key': key });
  const headers = { ...row.headers, 'idempotent-replayed': isReplayed ? 'true' : undefined };
  return { ...row, name: `${row.name} with the key ${key}${isReplayed ? ', replayed' : ''}`, headers };
}

function createFails(
  body: string | Uint8Array,
  status: number,
  code: string,
  has: object = {},
  headers: TestRequest['headers'] = {},
): Row {
  return {
    name: `POST ${String(body).slice(0, 60)} → ${status} ${code}`,
    request: postPartner(body, headers),
    status,
    has: { code, ...has },
  };
}
