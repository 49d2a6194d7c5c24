import createClient from 'openapi-fetch';
import type { paths } from './generated/openapi-fetch.d.ts';
import { key, type Results, report, url } from './report.ts';

const client = createClient<paths>({ baseUrl: url, headers: { Authorization: `Bearer ${key}` } });

async function results(): Promise<Results> {
  const list = await client.GET('/api/v1/inventory/product', {
    params: { query: { filter: 'active=true', sort: '-list_price', limit: 2, explain: true } },
  });
  const { data: products, meta, pagination } = list.data ?? raise(list.error);
  const [product] = products;
  if (product === undefined) throw new Error('there are no products');
  const one = await client.GET('/api/v1/inventory/product/{id}', { params: { path: { id: product.id } } });
  const created = await client.POST('/api/v1/resources/partner', {
    params: { header: { 'Idempotency-Key': 'openapi-fetch' } },
    body: { name: 'openapi-fetch' },
  });
  const imported = await client.POST('/api/v1/inventory/product/import', {
    params: { query: { dry_run: true } },
    body: [{ id: product.id, list_price: 7.25, default_code: null }, { name: 'Stool' }, { id: 999_999, removed: true }],
  });
  const { data: result } = imported.data ?? raise(imported.error);
  const changes = await client.GET('/api/v1/resources/partner/changes', {
    params: { query: { fields: 'id,name', filter: 'name=openapi-fetch', limit: 1000 } },
  });
  const { data: changed, meta: feed } = changes.data ?? raise(changes.error);
  const aggregate = await client.GET('/api/v1/inventory/product/aggregate', {
    params: { query: { measures: 'count,sum(qty_available)', facets: 'active', sort: 'value' } },
  });
  const sums = aggregate.data ?? raise(aggregate.error);
  const wrong = await client.GET('/api/v1/inventory/product', { params: { query: { filter: 'list_prize>5' } } });
  const missing = await client.GET('/api/v1/inventory/product/{id}', { params: { path: { id: 999_999 } } });
  const csv = await client.GET('/api/v1/resources/company', {
    params: { query: { fields: 'id' } },
    headers: { Accept: 'text/csv' },
    parseAs: 'text',
  });
  const text: string = csv.data ?? raise(csv.error);
  return {
    list: { total: meta.total, conditions: meta.conditions?.length, pages: pagination.totalPages, name: product.name },
    record: one.data?.data.name,
    created: created.data?.data.id,
    imported: 'created' in result ? { created: result.created, updated: result.updated } : raise(undefined),
    changes: changed.flatMap((change) => ('removed' in change ? [] : [change.name])),
    more: feed.more,
    aggregate: { total: sums.meta.total, sum: sums.data.measures['sum(qty_available)'] },
    groups: sums.data.facets['active']?.groups.map(({ value, measures }) => [value, measures['count']]),
    error: { status: wrong.response.status, code: wrong.error?.code, detail: wrong.error?.detail },
    missing: missing.error?.code,
    csv: text.split('\r\n')[0],
  };
}

function raise(error: { readonly detail: string } | undefined): never {
  throw new Error(error?.detail ?? 'there is no content');
}

report(await results());
