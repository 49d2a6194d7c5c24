/** The floor on PostgreSQL: for each case, the minimal server that runs its query. `node postgres.ts DATABASE CASE` */

import { createServer, type ServerResponse } from 'node:http';
import pg from 'pg';
import { list } from './list.ts';
import { partnerTable } from './partner-table.ts';

/** Returns the body to send, or undefined if it sends the response itself. */
type Handler = (values: readonly string[], response: ServerResponse) => Promise<unknown>;

const [url = '', name = ''] = process.argv.slice(2);
const pool = new pg.Pool({ connectionString: url, max: 10 });

type Row = Readonly<Record<string, unknown>>;

/** Every statement is prepared once per connection, under a name. */
const names = new Map<string, string>();
async function query(text: string, ...values: readonly unknown[]): Promise<readonly Row[]> {
  const prepared = names.get(text) ?? `statement ${names.size}`;
  names.set(text, prepared);
  return (await pool.query<Record<string, unknown>>({ name: prepared, text, values: [...values] })).rows;
}

const countAll = async () => Number((await query('SELECT count(*)::int FROM product'))[0]?.['count']);

/** Queries the total and the page concurrently. */
async function listWith(where: string, values: readonly unknown[], page = 1) {
  const offset = values.length + 1;
  const [rows, [total]] = await Promise.all([
    query(`SELECT * FROM product WHERE ${where} ORDER BY id LIMIT 10 OFFSET $${offset}`, ...values, (page - 1) * 10),
    query(`SELECT count(*)::int FROM product WHERE ${where}`, ...values),
  ]);
  return list(rows, Number(total?.['count']), page, 10);
}

/** Factories, so that only the case at hand is set up. */
const handlers: Readonly<Record<string, () => Promise<Handler>>> = {
  'same-list': async () => {
    const total = await countAll();
    return async () => list(await query('SELECT * FROM product ORDER BY id LIMIT 10'), total, 1, 10);
  },
  'varied-lists':
    async () =>
    ([column = '', value = '', page]) =>
      listWith(column === 'default_code' ? 'default_code = $1' : 'qty_available = $1', [value], Number(page)),
  record:
    async () =>
    async ([id = '']) => ({ data: (await query('SELECT * FROM product WHERE id = $1', id))[0] }),
  'list-1000': async () => {
    const total = await countAll();
    return async ([page]) =>
      list(
        await query('SELECT * FROM product WHERE id > $1 ORDER BY id LIMIT 1000', (Number(page) - 1) * 1000),
        total,
        Number(page),
        1000,
      );
  },
  'cold-total':
    async () =>
    ([price = '', quantity = '']) =>
      listWith('list_price > $1 AND qty_available > $2', [price, quantity]),
  'cold-filters':
    async () =>
    ([price = '', quantity = '']) =>
      listWith('list_price > $1 AND qty_available > $2', [price, quantity]),
  'sorted-page':
    async () =>
    async ([price = '']) => {
      const [rows, [total]] = await Promise.all([
        query('SELECT * FROM product WHERE list_price > $1 ORDER BY qty_available + 0 DESC, id LIMIT 10', price),
        query('SELECT count(*)::int FROM product WHERE list_price > $1', price),
      ]);
      return list(rows, Number(total?.['count']), 1, 10);
    },
  aggregate:
    async () =>
    async ([price = '']) =>
      query(
        `SELECT categ_id, count(*), sum(list_price), avg(qty_available) FROM product WHERE list_price > $1
          GROUP BY categ_id ORDER BY count(*) DESC LIMIT 10`,
        price,
      ),
  'next-pages':
    async () =>
    async ([price = '', quantity = '', page]) =>
      list(
        await query(
          'SELECT * FROM product WHERE list_price > $1 AND qty_available > $2 ORDER BY id LIMIT 10 OFFSET $3',
          price,
          quantity,
          (Number(page) - 1) * 10,
        ),
        undefined,
        Number(page),
        10,
      ),
  'contains-rare':
    async () =>
    async ([text = '']) => {
      const rows = await query('SELECT * FROM product WHERE name ILIKE $1 ORDER BY id', `%${text}%`);
      return list(rows.slice(0, 10), rows.length, 1, 10);
    },
  'contains-tenth':
    async () =>
    ([text = '']) =>
      listWith('name ILIKE $1', [`%${text}%`]),
  search:
    async () =>
    ([first = '', second = '']) =>
      listWith('(name ILIKE $1 OR default_code ILIKE $1) AND (name ILIKE $2 OR default_code ILIKE $2)', [
        `%${first}%`,
        `%${second}%`,
      ]),
  'contains-frequent':
    async () =>
    ([text = '']) =>
      listWith('name ILIKE $1', [`%${text}%`]),
  creates: async () => {
    await pool.query(partnerTable('serial PRIMARY KEY', 'boolean', 'timestamptz'));
    return async ([text = '']) => ({
      data: (
        await query('INSERT INTO partner (name, create_date, write_date) VALUES ($1, now(), now()) RETURNING id', text)
      )[0],
    });
  },
  export: async () => async (_, response) => {
    const client = await pool.connect();
    await client.query('BEGIN; DECLARE lines NO SCROLL CURSOR FOR SELECT * FROM product ORDER BY id');
    for (;;) {
      const { rows } = await client.query('FETCH 1000 FROM lines');
      if (rows.length === 0) break;
      const text = rows.map((row) => `${JSON.stringify(row)}\n`).join('');
      if (!response.write(text)) await new Promise((resolve) => response.once('drain', resolve));
    }
    await client.query('COMMIT');
    client.release();
    response.end();
  },
};

const handle = await handlers[name]?.();
if (handle === undefined) throw new Error(`no floor on PostgreSQL for ${name}`);

// A connection may wait longer than Node allows, for the queries of the others.
const server = createServer({ keepAliveTimeout: 0 }, async (request, response) => {
  const result = await handle((request.url ?? '').slice(1).split('/').map(decodeURIComponent), response);
  if (result === undefined) return;
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(result));
}).listen(0, '127.0.0.1', () => process.send?.(server.address()));
process.on('disconnect', () => process.exit());
