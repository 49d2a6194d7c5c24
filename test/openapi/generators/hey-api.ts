import { createClient } from './generated/hey-api/client/index.ts';
import {
  aggregateProducts,
  createPartner,
  getProduct,
  importProducts,
  listCompanies,
  listPartnerChanges,
  listProducts,
} from './generated/hey-api/index.ts';
import { key, type Results, report, url } from './report.ts';

const client = createClient({ baseUrl: url, auth: key });

async function results(): Promise<Results> {
  const list = await listProducts({
    client,
    query: { filter: 'active=true', sort: '-list_price', limit: 2, explain: true },
    throwOnError: true,
  });
  const { data: products, meta, pagination } = list.data;
  const [product] = products;
  if (product === undefined) throw new Error('there are no products');
  const one = await getProduct({ client, path: { id: product.id }, throwOnError: true });
  const created = await createPartner({
    client,
    headers: { 'Idempotency-Key': 'hey-api' },
    body: { name: 'hey-api' },
    throwOnError: true,
  });
  const imported = await importProducts({
    client,
    query: { dry_run: true },
    body: [{ id: product.id, list_price: 7.25, default_code: null }, { name: 'Stool' }, { id: 999_999, removed: true }],
    throwOnError: true,
  });
  const result = imported.data.data;
  const changes = await listPartnerChanges({
    client,
    query: { fields: 'id,name', filter: 'name=hey-api', limit: 1000 },
    throwOnError: true,
  });
  const { data: changed, meta: feed } = changes.data;
  const aggregate = await aggregateProducts({
    client,
    query: { measures: 'count,sum(qty_available)', facets: 'active', sort: 'value' },
    throwOnError: true,
  });
  const { data: sums, meta: of } = aggregate.data;
  const wrong = await listProducts({ client, query: { filter: 'list_prize>5' } });
  const missing = await getProduct({ client, path: { id: 999_999 } });
  const csv = await listCompanies({
    client,
    query: { fields: 'id' },
    headers: { Accept: 'text/csv' },
    parseAs: 'text',
    throwOnError: true,
  });
  return {
    list: { total: meta.total, conditions: meta.conditions?.length, pages: pagination.totalPages, name: product.name },
    record: one.data.data.name,
    created: created.data.data.id,
    imported: 'created' in result ? { created: result.created, updated: result.updated } : raise(),
    changes: changed.flatMap((change) => ('removed' in change ? [] : [change.name])),
    more: feed.more,
    aggregate: { total: of.total, sum: sums.measures['sum(qty_available)'] },
    groups: sums.facets['active']?.groups.map(({ value, measures }) => [value, measures['count']]),
    error: { status: wrong.response?.status, code: wrong.error?.code, detail: wrong.error?.detail },
    missing: missing.error?.code,
    csv: String(csv.data).split('\r\n')[0],
  };
}

function raise(): never {
  throw new Error('the import has not ended');
}

report(await results());
