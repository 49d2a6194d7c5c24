/** What a client asks, as a request. */

import { company } from '../../../src/catalog/company.ts';
import { partner } from '../../../src/catalog/partner.ts';
import { apiPath, type Resource } from '../../../src/catalog/resource.ts';
import type { TestRequest } from '../../support/service.ts';
import type { Ask, Changes, Import, ResourceName } from './history.ts';

export const resources: Readonly<Record<ResourceName, Resource>> = { partner, company };

const NDJSON = 'application/x-ndjson; end=line';

/** Seconds. */
const WAIT = 1;

export function requestOf(ask: Ask): TestRequest {
  const path = apiPath(resources[ask.resource]);
  const idempotency = 'key' in ask && ask.key !== undefined ? { 'idempotency-key': ask.key } : {};
  switch (ask.kind) {
    case 'create':
      return { method: 'POST', path, ...json({ name: ask.name }, idempotency) };
    case 'patch':
    case 'touch':
      return {
        method: 'PATCH',
        path: `${path}/${ask.id}`,
        ...json(ask.values, { ...idempotency, 'if-match': ask.ifMatch }),
      };
    case 'remove':
      return { method: 'DELETE', path: `${path}/${ask.id}`, headers: { ...idempotency, 'if-match': ask.ifMatch } };
    case 'import':
      return {
        method: 'POST',
        path: withQuery(`${path}/import`, importParameters(ask)),
        ...json(ask.rows, idempotency),
      };
    case 'get':
      return { path: `${path}/${ask.id}`, headers: { 'if-none-match': ask.ifNoneMatch } };
    case 'list':
      return {
        path: withQuery(path, { ...selection(ask), sort: ask.sort.join(','), page: ask.page, limit: ask.limit }),
        headers: { 'if-none-match': ask.ifNoneMatch },
      };
    case 'export':
      return { path: withQuery(path, selection(ask)), headers: { accept: NDJSON } };
    case 'digest':
      return { path: withQuery(`${path}/digest`, selection(ask)) };
    case 'aggregate':
      return { path: withQuery(`${path}/aggregate`, { filter: ask.filter, facets: ask.facet, limit: 1_000 }) };
    case 'changes':
      return {
        path: withQuery(`${path}/changes`, { ...selection(ask), since: ask.since, limit: ask.limit }),
        headers: changesHeaders(ask),
      };
  }
}

type Headers = NonNullable<TestRequest['headers']>;

function json(body: object, headers: Headers): Pick<TestRequest, 'headers' | 'body'> {
  return { headers: { 'content-type': 'application/json', ...headers }, body: JSON.stringify(body) };
}

function importParameters({ by, replaces }: Import): Parameters {
  if (replaces) return { replace: 'true', confirm: 'true' };
  // Rows without an id may be the same as others: they are to be added anyway.
  return by === 'id' ? { add: 'true' } : { key: by };
}

function selection({
  filter,
  fields,
}: {
  readonly filter?: string | undefined;
  readonly fields?: readonly string[] | undefined;
}): Parameters {
  return { filter, fields: fields?.join(',') };
}

function changesHeaders({ form }: Changes): Headers {
  return form === 'lines' ? { accept: NDJSON } : form === 'wait' ? { prefer: `wait=${WAIT}` } : {};
}

type Parameters = Readonly<Record<string, string | number | undefined>>;

function withQuery(path: string, parameters: Parameters): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters))
    if (value !== undefined && value !== '') query.set(name, String(value));
  return query.size === 0 ? path : `${path}?${query}`;
}
