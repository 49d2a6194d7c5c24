/** The floor on PostgreSQL: for each case, the minimal server that runs its query. `node postgres.ts DATABASE CASE` */

import { createServer, type ServerResponse } from 'node:http';
import postgres from 'postgres';
import { list } from './list.ts';
import { partnerTable } from './partner-table.ts';

/** Returns the body to send, or undefined if it sends the response itself. */
type Handler = (values: readonly string[], response: ServerResponse) => Promise<unknown>;

const [url = '', name = ''] = process.argv.slice(2);
const sql = postgres(url, { max: 10, onnotice: () => undefined });

const countAll = async () => Number((await sql`SELECT count(*)::int FROM product`)[0]?.['count']);

/** Queries the total and the page concurrently. */
async function listWith(where: postgres.PendingQuery<postgres.Row[]>, page = 1) {
  const [rows, [total]] = await Promise.all([
    sql`SELECT * FROM product WHERE ${where} ORDER BY id LIMIT 10 OFFSET ${(page - 1) * 10}`,
    sql`SELECT count(*)::int FROM product WHERE ${where}`,
  ]);
  return list(rows, total?.['count'], page, 10);
}

/** Factories, so that only the case at hand is set up. */
const handlers: Readonly<Record<string, () => Promise<Handler>>> = {
  'same-list': async () => {
    const total = await countAll();
    return async () => list(await sql`SELECT * FROM product ORDER BY id LIMIT 10`, total, 1, 10);
  },
  'varied-lists':
    async () =>
    ([column = '', value = '', page]) =>
      listWith(column === 'default_code' ? sql`default_code = ${value}` : sql`qty_available = ${value}`, Number(page)),
  record:
    async () =>
    async ([id = '']) => ({ data: (await sql`SELECT * FROM product WHERE id = ${id}`)[0] }),
  'list-1000': async () => {
    const total = await countAll();
    return async ([page]) =>
      list(
        await sql`SELECT * FROM product WHERE id > ${(Number(page) - 1) * 1000} ORDER BY id LIMIT 1000`,
        total,
        Number(page),
        1000,
      );
  },
  'cold-total':
    async () =>
    ([price = '', quantity = '']) =>
      listWith(sql`list_price > ${price} AND qty_available > ${quantity}`),
  'cold-filters':
    async () =>
    ([price = '', quantity = '']) =>
      listWith(sql`list_price > ${price} AND qty_available > ${quantity}`),
  'sorted-page':
    async () =>
    async ([price = '']) => {
      const [rows, [total]] = await Promise.all([
        sql`SELECT * FROM product WHERE list_price > ${price} ORDER BY qty_available + 0 DESC, id LIMIT 10`,
        sql`SELECT count(*)::int FROM product WHERE list_price > ${price}`,
      ]);
      return list(rows, total?.['count'], 1, 10);
    },
  aggregate:
    async () =>
    async ([price = '']) =>
      sql`SELECT categ_id, count(*), sum(list_price), avg(qty_available) FROM product WHERE list_price > ${price}
        GROUP BY categ_id ORDER BY count(*) DESC LIMIT 10`,
  'next-pages':
    async () =>
    async ([price = '', quantity = '', page]) =>
      list(
        await sql`SELECT * FROM product WHERE list_price > ${price} AND qty_available > ${quantity}
          ORDER BY id LIMIT 10 OFFSET ${(Number(page) - 1) * 10}`,
        undefined,
        Number(page),
        10,
      ),
  'contains-rare':
    async () =>
    async ([text = '']) => {
      const rows = await sql`SELECT * FROM product WHERE name ILIKE ${`%${text}%`} ORDER BY id`;
      return list(rows.slice(0, 10), rows.length, 1, 10);
    },
  'contains-tenth':
    async () =>
    ([text = '']) =>
      listWith(sql`name ILIKE ${`%${text}%`}`),
  'contains-frequent':
    async () =>
    ([text = '']) =>
      listWith(sql`name ILIKE ${`%${text}%`}`),
  creates: async () => {
    await sql.unsafe(partnerTable('serial PRIMARY KEY', 'boolean', 'timestamptz'));
    return async ([text = '']) => ({
      data: (
        await sql`INSERT INTO partner (name, create_date, write_date) VALUES (${text}, now(), now()) RETURNING id`
      )[0],
    });
  },
  export: async () => async (_, response) => {
    for await (const rows of sql`SELECT * FROM product ORDER BY id`.cursor(1000)) {
      const text = rows.map((row) => `${JSON.stringify(row)}\n`).join('');
      if (!response.write(text)) await new Promise((resolve) => response.once('drain', resolve));
    }
    response.end();
  },
};

const handle = await handlers[name]?.();
if (handle === undefined) throw new Error(`no floor on PostgreSQL for ${name}`);

const server = createServer(async (request, response) => {
  const result = await handle((request.url ?? '').slice(1).split('/').map(decodeURIComponent), response);
  if (result === undefined) return;
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(result));
}).listen(0, '127.0.0.1', () => process.send?.(server.address()));
process.on('disconnect', () => process.exit());
