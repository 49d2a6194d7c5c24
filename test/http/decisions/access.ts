/** Decisions on errors, accounts and keys. */

import { generateKey, printKey } from '../../../src/access/key.ts';
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
import { bearer, keyId } from '../../support/service.ts';
import type { Decision } from './decision.ts';

export const access: readonly Decision[] = [
  {
    point: 'error body',
    says: 'RFC 9457 `application/problem+json`: `type`, `title`, `status`, `detail`, and the extensions `code` (stable), `parameter`, `position` (column in the filter), `suggestion` and `requestId`. Never any internals',
    rows: [
      {
        name: 'an unknown field in a filter',
        request: {
          path: `${PRODUCTS}?filter=id=1%26😀list_prize>5`.replace('😀', encodeURIComponent('😀')),
          headers: { 'x-request-id': 'my-id-1' },
        },
        status: 400,
        headers: { 'content-type': 'application/problem+json', 'cache-control': 'no-store', 'x-request-id': 'my-id-1' },
        has: { code: 'unknown_field', position: 6 },
      },
      {
        name: 'all members of an error body',
        request: {
          path: `${PRODUCTS}?filter=name=%22😀%22%26list_prize>5`.replace('😀', encodeURIComponent('😀')),
          headers: { 'x-request-id': 'my-id-2' },
        },
        status: 400,
        body: {
          type: '/problems/unknown_field',
          title: 'Unknown field',
          status: 400,
          detail: "product has no field 'list_prize'.",
          code: 'unknown_field',
          parameter: 'filter',
          position: 10,
          suggestion: `Did you mean list_price? Try ${PRODUCTS}?filter=name=%22%F0%9F%98%80%22%26list_price%3E5`,
          requestId: 'my-id-2',
        },
      },
      {
        name: 'the type links to a page',
        request: { path: '/problems/unknown_field', headers: { authorization: undefined } },
        status: 200,
        headers: { 'content-type': 'text/plain; charset=utf-8' },
      },
      { name: 'an unknown type', request: { path: '/problems/toString' }, status: 404 },
    ],
  },
  {
    point: 'order of checks',
    says: 'Under `/api`, unless the service is [overloaded](limits.md#overload): 401, or 429 if the address has sent too many wrong keys, then 429 if the key is over its rate limit (both with `Retry-After`), then 404 and 405 (`Allow`), then 403 if the key lacks the scope, then 400',
    rows: [
      ...['/api', '/api/v1/nothing', '/api/v1/%zz', '/%61pi/v1/inventory/product'].map((path) =>
        unauthenticated({ path }),
      ),
      ...[`${PRODUCTS}?page=0`, `${PRODUCTS}/abc`].map((path) => unauthenticated({ path })),
      unauthenticated({ method: 'DELETE', path: `${PRODUCTS}/1` }),
      unauthenticated({ method: 'POST', path: PARTNERS, body: 'x', headers: { 'content-type': 'text/plain' } }),
      getFails('/api', 404, 'path_not_found'),
      getFails('/api/v1/inventory/products', 404, 'path_not_found', { suggestion: `Did you mean ${PRODUCTS}?` }),
      getFails('/api/v2/inventory/product?page=0', 404, 'path_not_found'),
      getFails(`${PRODUCTS}/1/2`, 404, 'path_not_found'),
      getFails('/api/v1/%zz', 400, 'malformed_path'),
      methodNotAllowed('POST', PRODUCTS, 'GET, HEAD, QUERY, OPTIONS'),
      methodNotAllowed('DELETE', `${PRODUCTS}?page=0`, 'GET, HEAD, QUERY, OPTIONS'),
      methodNotAllowed('PUT', `${PARTNERS}/1`, 'GET, HEAD, PATCH, DELETE, OPTIONS'),
      methodNotAllowed('PUT', PARTNERS, 'GET, HEAD, QUERY, POST, OPTIONS'),
      methodNotAllowed('QUERY', `${COMPANIES}/1`, 'GET, HEAD, PATCH, DELETE, OPTIONS'),
      methodNotAllowed('PROPFIND', `${COMPANIES}/1`, 'GET, HEAD, PATCH, DELETE, OPTIONS'),
      withKey(
        'a key without the scope write → 403, whatever the body',
        { scopes: ['read'] },
        {
          request: postPartner('not json'),
          status: 403,
          has: { code: 'scope_missing' },
        },
      ),
      withKey(
        'a key without the scope read → 403, whatever the parameters',
        { scopes: ['write'] },
        {
          request: { path: `${PRODUCTS}?page=0` },
          status: 403,
          has: { code: 'scope_missing' },
        },
      ),
      withKey(
        'a method that the path does not support → 405, whatever the scope',
        { scopes: ['read'] },
        {
          request: { method: 'PUT', path: PARTNERS },
          status: 405,
        },
      ),
    ],
  },
  {
    point: 'bodies',
    says: 'The documented endpoints return exactly the documented members; additions go into headers or behind a parameter',
    rows: [
      get(`${COMPANIES}?limit=1`, 200, {
        body: {
          data: [
            {
              id: 1,
              name: 'Northwind',
              company_code: null,
              branch_user: '1001',
              create_date: '2026-01-01T00:00:00.000Z',
              write_date: '2026-01-02T00:00:00.000Z',
            },
          ],
          meta: { count: 1, total: 2 },
          pagination: { previousPage: null, currentPage: 1, nextPage: 2, totalPages: 2 },
        },
        headers: { 'content-type': 'application/json', etag: /^"[\w-]+"$/, 'cache-control': 'private, no-cache' },
      }),
      get(`${COMPANIES}/2`, 200, {
        body: {
          data: {
            id: 2,
            name: 'Northwind Suomi',
            company_code: 'NW02',
            branch_user: '0042',
            create_date: '2026-01-01T00:00:00.000Z',
            write_date: '2026-01-02T00:00:00.000Z',
          },
        },
      }),
    ],
  },
  {
    point: 'accounts and hosts',
    says: 'With the setting `domain` (default `localhost`), `acme.<domain>` is the account `acme`, and the key must belong to it, otherwise 401. On any other host, the key determines the account if the domain is `localhost`; with a real domain it is a 401',
    rows: [
      ...['acme.localhost', 'ACME.LocalHost:8080', 'acme.localhost.', 'localhost'].map((host) =>
        onHost(host, 200, { ids: [1] }),
      ),
      ...['127.0.0.1:1', '[::1]:8080', 'stock.example.com', ''].map((host) => onHost(host, 200, { ids: [1] })),
      ...['globex.localhost', 'nobody.localhost', 'a.acme.localhost', '.localhost'].map((host) =>
        onHost(host, 401, { has: { code: 'key_not_accepted', detail: 'This key is not accepted for this host.' } }),
      ),
      withKey(
        'globex’s key on its own host → 200',
        { account: 'globex' },
        {
          request: { path: PRODUCTS, headers: { host: 'globex.localhost' } },
          status: 200,
          ids: [7],
        },
      ),
    ],
  },
  {
    point: 'Basic authentication',
    says: 'The key as the password, with any user name, for `GET` and `HEAD`. With other methods, and if a page of another origin has made the browser send it (`Sec-Fetch-Site`, `Origin`), it is a 401 `basic_not_accepted`. A 401 to a `GET` or `HEAD` asks for it in `WWW-Authenticate`, but never a browser',
    rows: [
      {
        name: 'the key as the password',
        request: (service) => ({ path: `${PRODUCTS}?limit=1`, headers: basic(service.key) }),
        status: 200,
        ids: [1],
      },
      {
        name: 'POST → 401 basic_not_accepted',
        request: (service) => postPartner('{"name":"a"}', basic(service.key)),
        status: 401,
        has: { code: 'basic_not_accepted' },
        headers: { 'www-authenticate': 'Bearer realm="stockbook"' },
      },
      {
        name: 'for a page of another origin → 401 basic_not_accepted',
        request: (service) => ({ path: PRODUCTS, headers: { ...basic(service.key), 'sec-fetch-site': 'cross-site' } }),
        status: 401,
        has: { code: 'basic_not_accepted' },
      },
      {
        name: 'a browser is not asked for it',
        request: { path: PRODUCTS, headers: { authorization: undefined, accept: 'text/html,*/*;q=0.8' } },
        status: 401,
        headers: { 'www-authenticate': 'Bearer realm="stockbook"' },
      },
    ],
  },
  {
    point: 'keys',
    says: '`sbk_`, public id, secret (at least 160 bits) and checksum, in one word of letters, digits and `_`. Shown once; only the SHA-256 of the secret is stored. A key has a name, scopes (`read` and `write` by default, or for single resources, such as `product:read`), an optional expiry and a time of last use, and can be revoked, or rotated with an overlap',
    rows: [
      ...[
        ['Bearer', 'credentials_malformed'],
        ['Basic YWJj', 'credentials_malformed'],
        ['Bearer abc', 'credentials_malformed'],
        ['Bearer a b', 'credentials_malformed'],
        [`Bearer sbk_${'A'.repeat(12)}_${'B'.repeat(38)}`, 'credentials_malformed'],
        [`Bearer ${printKey(generateKey())}`, 'key_not_accepted'],
      ].map(([authorization, code]) => ({
        name: `Authorization: ${authorization?.slice(0, 20)} → 401 ${code}`,
        request: { path: PRODUCTS, headers: { authorization } },
        status: 401,
        has: { code },
        headers: {
          'www-authenticate':
            'Basic realm="stockbook", charset="UTF-8", Bearer realm="stockbook", error="invalid_token"',
        },
      })),
      {
        name: 'the scheme is case-insensitive',
        request: (service) => ({ path: `${PRODUCTS}?limit=1`, headers: { authorization: `bearer  ${service.key} ` } }),
        status: 200,
      },
      {
        name: 'an existing id with another secret → 401',
        request: (service) => ({
          path: PRODUCTS,
          headers: { authorization: `Bearer ${printKey({ id: keyId(service.key), secret: generateKey().secret })}` },
        }),
        status: 401,
        has: { code: 'key_not_accepted', detail: 'This key is not accepted for this host.' },
      },
      withKey(
        'an expired key → 401 that says so',
        { expiresAt: '2026-01-01T00:00:00.000Z' },
        {
          request: { path: PRODUCTS },
          status: 401,
          has: { code: 'key_not_accepted', detail: 'This key expired on 2026-01-01T00:00:00.000Z.' },
        },
      ),
      withKey(
        'an expired key of another account → 401 that reveals nothing',
        { account: 'globex', expiresAt: '2026-01-01T00:00:00.000Z' },
        {
          request: { path: PRODUCTS, headers: { host: 'acme.localhost' } },
          status: 401,
          has: { detail: 'This key is not accepted for this host.' },
        },
      ),
      withKey(
        'a key that expires later → 200',
        { expiresAt: '9999-01-01T00:00:00.000Z' },
        {
          request: { path: `${PRODUCTS}?limit=1` },
          status: 200,
        },
      ),
      {
        name: 'a revoked key → 401 that says so',
        request: async (service) => {
          const key = await service.issue(service.acme);
          await service.store.keys.revoke(keyId(key), '2026-01-01T00:00:00.000Z');
          return { path: PRODUCTS, headers: bearer(key) };
        },
        status: 401,
        has: { code: 'key_not_accepted', detail: 'This key was revoked on 2026-01-01T00:00:00.000Z.' },
      },
    ],
  },
];

function methodNotAllowed(method: string, path: string, allow: string): Row {
  return {
    name: `${method} ${path} → 405`,
    request: { method, path },
    status: 405,
    has: { code: 'method_not_allowed' },
    headers: { allow },
  };
}

function onHost(host: string, status: number, expected: Omit<Expected, 'status'>): Row {
  const request = { path: `${PRODUCTS}?limit=1`, headers: { host } };
  return { name: `acme’s key on ${host || 'an empty host'} → ${status}`, request, status, ...expected };
}

function basic(key: string): { readonly authorization: string } {
  return { authorization: `Basic ${btoa(`spreadsheet:${key}`)}` };
}
