import {
  aggregateProducts,
  createPartner,
  getListCompaniesUrl,
  getProduct,
  importProducts,
  listPartnerChanges,
  listProducts,
} from './generated/orval.ts';
import { key, type Results, report } from './report.ts';

const authorized = { headers: { Authorization: `Bearer ${key}` } };

async function results(): Promise<Results> {
  const list = await listProducts({ filter: 'active=true', sort: '-list_price', limit: 2, explain: true }, authorized);
  if (list.status !== 200) throw new Error(String(list.status));
  const { data: products, meta, pagination } = list.data;
  const [product] = products;
  if (product === undefined) throw new Error('there are no products');
  const one = await getProduct(product.id, undefined, authorized);
  if (one.status !== 200) throw new Error(String(one.status));
  const created = await createPartner(
    { name: 'orval' },
    { headers: { ...authorized.headers, 'Idempotency-Key': 'orval' } },
  );
  if (created.status !== 201) throw new Error(String(created.status));
  const rows = [
    { id: product.id, list_price: 7.25, default_code: null },
    { name: 'Stool' },
    { id: 999_999, removed: true },
  ];
  const imported = await importProducts(rows, { dry_run: true }, authorized);
  if (imported.status !== 200) throw new Error(String(imported.status));
  const { created: added, updated } = imported.data.data;
  const changes = await listPartnerChanges({ fields: 'id,name', filter: 'name=orval', limit: 1000 }, authorized);
  if (changes.status !== 200) throw new Error(String(changes.status));
  const { data: changed, meta: feed } = changes.data;
  const aggregate = await aggregateProducts(
    { measures: 'count,sum(qty_available)', facets: 'active', sort: 'value' },
    authorized,
  );
  if (aggregate.status !== 200) throw new Error(String(aggregate.status));
  const { data: sums, meta: of } = aggregate.data;
  const wrong = await listProducts({ filter: 'list_prize>5' }, authorized);
  if (wrong.status !== 400) throw new Error(String(wrong.status));
  const missing = await getProduct(999_999, undefined, authorized);
  if (missing.status !== 404) throw new Error(String(missing.status));
  // It reads JSON only, but knows the address.
  const csv = await fetch(`${getListCompaniesUrl({ fields: 'id' })}&format=csv`, authorized);
  return {
    list: { total: meta.total, conditions: meta.conditions?.length, pages: pagination.totalPages, name: product.name },
    record: one.data.data.name,
    created: created.data.data.id,
    imported: { created: added, updated },
    changes: changed.flatMap((change) => ('removed' in change ? [] : [change.name])),
    more: feed.more,
    aggregate: { total: of.total, sum: sums.measures['sum(qty_available)'] },
    groups: sums.facets['active']?.groups.map(({ value, measures }) => [value, measures['count']]),
    error: { status: wrong.status, code: wrong.data.code, detail: wrong.data.detail },
    missing: missing.data.code,
    csv: (await csv.text()).split('\r\n')[0],
  };
}

report(await results());
