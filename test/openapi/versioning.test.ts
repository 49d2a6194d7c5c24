/** `/api/v1` keeps what was released: docs/versioning.md. */

import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { builtInCatalog } from '../../src/catalog/catalog.ts';
import { openApiDocument } from '../../src/openapi/document.ts';
import type { JsonObject } from '../../src/openapi/json.ts';
import { OTHER_FORMATS } from '../../src/openapi/operations.ts';
import { incompatibilities } from './compatible.ts';

const released: JsonObject = JSON.parse(readFileSync(new URL('released.json', import.meta.url), 'utf8'));

test('everything that was released still exists', () => {
  expect(incompatibilities({ old: released, new: openApiDocument('next', builtInCatalog) })).toEqual([]);
});

describe('the comparison notices that', () => {
  const PRODUCTS = '/api/v1/inventory/product';

  /** The document with a change to a copy of it. */
  const changed = (change: (document: Record<string, never>) => void) => {
    const copy = structuredClone(released);
    change(Object(copy));
    return incompatibilities({ old: released, new: copy });
  };
  const at = (document: unknown, ...path: readonly string[]): Record<string, unknown> =>
    path.reduce((place, name) => Object(place)[name], document) as Record<string, unknown>;

  test.each<[string, (document: unknown) => void, string]>([
    ['a path is gone', (document) => delete at(document, 'paths')[PRODUCTS], `GET ${PRODUCTS} is gone`],
    [
      'a parameter is gone',
      (document) => Object(at(document, 'paths', PRODUCTS, 'get')['parameters']).shift(),
      `GET ${PRODUCTS}: query parameter fields is gone`,
    ],
    [
      'a parameter is required',
      (document) => {
        at(document, 'paths', PRODUCTS, 'get', 'parameters', '0')['required'] = true;
      },
      `GET ${PRODUCTS}: query parameter fields is required`,
    ],
    [
      'a parameter has a lower maximum',
      (document) => {
        const parameters = Object(at(document, 'paths', PRODUCTS, 'get'))['parameters'];
        parameters.find((one: { name: string }) => one.name === 'limit').schema.maximum = 100;
      },
      `GET ${PRODUCTS}: query parameter limit has a lower maximum`,
    ],
    [
      'a parameter takes fewer values',
      (document) => {
        const parameters = Object(at(document, 'paths', `${PRODUCTS}/aggregate`, 'get'))['parameters'];
        parameters.find((one: { name: string }) => one.name === 'sort').schema.enum = ['count'];
      },
      `GET ${PRODUCTS}/aggregate: query parameter sort is no longer value`,
    ],
    [
      'a format is gone',
      (document) => delete at(document, 'paths', PRODUCTS, 'get', 'responses', '200', OTHER_FORMATS)['text/csv'],
      `GET ${PRODUCTS} → 200: text/csv is gone`,
    ],
    [
      'a path parameter has another type',
      (document) => {
        const [id] = Object(at(document, 'paths', `${PRODUCTS}/{id}`))['parameters'];
        id.schema.type = 'string';
      },
      `GET ${PRODUCTS}/{id}: path parameter id is no longer integer`,
    ],
    [
      'a member of a new record has another type',
      (document) => {
        at(document, 'components', 'schemas', 'NewPartner', 'properties', 'name')['type'] = 'integer';
      },
      'POST /api/v1/resources/partner: body.name is no longer string',
    ],
    [
      'the type of a field is not said any more',
      (document) => delete at(document, 'components', 'schemas', 'Product', 'properties', 'name')['type'],
      `GET ${PRODUCTS} → 200 application/json.data[].name has no type`,
    ],
    [
      'a member of an alternative is gone',
      (document) => delete at(document, 'components', 'schemas', 'Product', 'properties')['list_price'],
      `GET ${PRODUCTS}/changes → 200 application/json.data[](2).list_price is gone`,
    ],
    [
      'a field is gone',
      (document) => delete at(document, 'components', 'schemas', 'Product', 'properties')['name'],
      `GET ${PRODUCTS} → 200 application/json.data[].name is gone`,
    ],
    [
      'a field may be null',
      (document) => {
        at(document, 'components', 'schemas', 'Product', 'properties', 'name')['type'] = ['string', 'null'];
      },
      `GET ${PRODUCTS} → 200 application/json.data[].name may be null`,
    ],
    [
      'a member may be missing',
      (document) => Object(at(document, 'components', 'schemas', 'Pagination')['required']).pop(),
      `GET ${PRODUCTS} → 200 application/json.pagination.totalPages may be missing`,
    ],
    [
      'a header is gone',
      (document) => delete at(document, 'paths', PRODUCTS, 'get', 'responses', '200', 'headers')['ETag'],
      `GET ${PRODUCTS} → 200: ETag is gone`,
    ],
    [
      'a problem code is gone',
      (document) => {
        const media = at(document, 'components', 'responses', 'Problem403', 'content', 'application/problem+json');
        at(media, 'schema', 'allOf', '1', 'properties', 'code')['enum'] = [];
      },
      `GET ${PRODUCTS} → 403 application/problem+json.code: scope_missing is gone`,
    ],
    [
      'a new record needs another member',
      (document) => Object(at(document, 'components', 'schemas', 'NewPartner')['required']).push('email'),
      'POST /api/v1/resources/partner: body: email is required',
    ],
  ])('%s', (_, change, expected) => {
    expect(changed(change)).toContain(expected);
  });

  test('nothing is wrong with something new', () => {
    expect(
      changed((document) => {
        at(document, 'components', 'schemas', 'Product', 'properties')['weight'] = { type: 'number' };
        at(document, 'paths')['/api/v1/inventory/warehouse'] = {};
        Object(at(document, 'paths', PRODUCTS, 'get')['parameters']).push({
          name: 'new',
          in: 'query',
          required: false,
        });
      }),
    ).toEqual([]);
  });
});
