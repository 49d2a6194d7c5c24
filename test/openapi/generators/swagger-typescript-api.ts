import { Api } from './generated/swagger-typescript-api.ts';
import { key, type Results, report, url } from './report.ts';

const client = new Api<string>({
  baseUrl: url,
  securityWorker: (secret) => ({ headers: { Authorization: `Bearer ${secret}` } }),
});
client.setSecurityData(key);
const { api } = client;

async function results(): Promise<Results> {
  const list = await api.listProducts({ filter: 'active=true', sort: '-list_price', limit: 2, explain: true });
  const { data: products, meta, pagination } = list.data;
  const [product] = products;
  if (product === undefined) throw new Error('there are no products');
  const one = await api.getProduct(product.id);
  const created = await api.createPartner(
    { name: 'swagger-typescript-api' },
    { headers: { 'Idempotency-Key': 'swagger-typescript-api' } },
  );
  const rows = [
    { id: product.id, list_price: 7.25, default_code: null },
    { name: 'Stool' },
    { id: 999_999, removed: true },
  ];
  const imported = await api.importProducts(rows, { dry_run: true });
  const { created: added, updated } = imported.data.data;
  const changes = await api.listPartnerChanges({
    fields: 'id,name',
    filter: 'name=swagger-typescript-api',
    limit: 1000,
  });
  const { data: changed, meta: feed } = changes.data;
  const aggregate = await api.aggregateProducts({
    measures: 'count,sum(qty_available)',
    facets: 'active',
    sort: 'value',
  });
  const { data: sums, meta: of } = aggregate.data;
  const wrong = await refused(api.listProducts({ filter: 'list_prize>5' }));
  const missing = await refused(api.getProduct(999_999));
  const csv = await api.listCompanies({ fields: 'id' }, { headers: { Accept: 'text/csv' }, format: 'text' });
  return {
    list: { total: meta.total, conditions: meta.conditions?.length, pages: pagination.totalPages, name: product.name },
    record: one.data.data.name,
    created: created.data.data.id,
    imported: { created: added, updated },
    changes: changed.flatMap((change) => ('removed' in change ? [] : [change.name])),
    more: feed.more,
    aggregate: { total: of.total, sum: sums.measures['sum(qty_available)'] },
    groups: sums.facets['active']?.groups.map(({ value, measures }) => [value, measures['count']]),
    error: { status: wrong.status, code: wrong.error?.code, detail: wrong.error?.detail },
    missing: missing.error?.code,
    csv: String(csv.data).split('\r\n')[0],
  };
}

/** It throws responses that are not a success. */
async function refused<Response>(request: Promise<Response>): Promise<Response> {
  return request.catch((response: Response) => response);
}

report(await results());
