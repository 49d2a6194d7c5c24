/** The floor on SQLite: for each case, the minimal server that runs its query. `node sqlite.ts DATABASE CASE` */

import { createServer, type ServerResponse } from 'node:http';
import { DatabaseSync, type SQLOutputValue } from 'node:sqlite';
import { list } from './list.ts';
import { partnerTable } from './partner-table.ts';

type Row = Record<string, SQLOutputValue>;
/** Returns the body to send, or undefined if it sends the response itself. */
type Handler = (values: readonly string[], response: ServerResponse) => unknown;

const [path = '', name = ''] = process.argv.slice(2);
const database = new DatabaseSync(path);
database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL');

const prepare = (sql: string) => database.prepare(sql);
const numberOf = (row: Row | undefined) => Number(row?.['count(*)']);
const count = (where: string) => prepare(`SELECT count(*) FROM product WHERE ${where}`);

/** Factories, so that only the statements of the case at hand are prepared. */
const handlers: Readonly<Record<string, () => Handler>> = {
  'same-list': () => {
    const total = numberOf(prepare('SELECT count(*) FROM product').get());
    const page = prepare('SELECT * FROM product ORDER BY id LIMIT 10');
    return () => list(page.all(), total, 1, 10);
  },
  'varied-lists': () => {
    const by = (column: string) => ({
      total: count(`${column} = ?`),
      page: prepare(`SELECT * FROM product WHERE ${column} = ? ORDER BY id LIMIT 10 OFFSET ?`),
    });
    const [code, quantity] = [by('default_code'), by('qty_available')];
    return ([column = '', value = '', page]) => {
      const one = column === 'default_code' ? code : quantity;
      const wanted = column === 'default_code' ? value : Number(value);
      return list(one.page.all(wanted, (Number(page) - 1) * 10), numberOf(one.total.get(wanted)), Number(page), 10);
    };
  },
  record: () => {
    const record = prepare('SELECT * FROM product WHERE id = ?');
    return ([id]) => ({ data: record.get(Number(id)) });
  },
  'list-1000': () => {
    const total = numberOf(prepare('SELECT count(*) FROM product').get());
    const page = prepare('SELECT * FROM product WHERE id > ? ORDER BY id LIMIT 1000');
    return ([number]) => list(page.all((Number(number) - 1) * 1000), total, Number(number), 1000);
  },
  'cold-total': () => coldTotal('list_price > ? AND qty_available > ?'),
  // The plus signs keep SQLite from using an index.
  'cold-total-scan': () => coldTotal('+list_price > ? AND +qty_available > ?'),
  'cold-filters': () => coldTotal('list_price > ? AND qty_available > ?'),
  'cold-filters-scan': () => coldTotal('+list_price > ? AND +qty_available > ?'),
  'sorted-page': () => {
    const total = count('+list_price > ?');
    const page = prepare('SELECT * FROM product WHERE +list_price > ? ORDER BY +qty_available DESC, id LIMIT 10');
    return ([price]) => list(page.all(Number(price)), numberOf(total.get(Number(price))), 1, 10);
  },
  aggregate: () => {
    const groups = prepare(`SELECT categ_id, count(*), sum(list_price), avg(qty_available) FROM product
      WHERE +list_price > ? GROUP BY categ_id ORDER BY count(*) DESC LIMIT 10`);
    return ([price]) => groups.all(Number(price));
  },
  'contains-tenth': () => frequent(),
  'next-pages': () => {
    const page = prepare(
      'SELECT * FROM product WHERE list_price > ? AND qty_available > ? ORDER BY id LIMIT 10 OFFSET ?',
    );
    return ([price, quantity, number]) =>
      list(page.all(Number(price), Number(quantity), (Number(number) - 1) * 10), undefined, Number(number), 10);
  },
  'contains-rare': () => {
    const all = prepare("SELECT * FROM product WHERE name LIKE '%' || ? || '%' ORDER BY id");
    return ([text = '']) => {
      const rows = all.all(text);
      return list(rows.slice(0, 10), rows.length, 1, 10);
    };
  },
  search: () => {
    const isIn = (n: number) => `(name LIKE '%' || ?${n} || '%' OR default_code LIKE '%' || ?${n} || '%')`;
    const where = `${isIn(1)} AND ${isIn(2)}`;
    const total = count(where);
    const page = prepare(`SELECT * FROM product WHERE ${where} ORDER BY id LIMIT 10`);
    return ([first = '', second = '']) => list(page.all(first, second), numberOf(total.get(first, second)), 1, 10);
  },
  'contains-frequent': () => frequent(),
  creates: () => {
    database.exec(partnerTable('INTEGER PRIMARY KEY', 'INTEGER', 'TEXT'));
    const insert = prepare('INSERT INTO partner (name, create_date, write_date) VALUES (?1, ?2, ?2)');
    return ([text = '']) => ({ data: { id: insert.run(text, new Date().toISOString()).lastInsertRowid } });
  },
  'creates-shared': sharedCommits,
  export: () => {
    const all = prepare('SELECT * FROM product ORDER BY id');
    const write = async (response: ServerResponse) => {
      let text = '';
      for (const row of all.iterate()) {
        text += `${JSON.stringify(row)}\n`;
        if (text.length < 65_536) continue;
        if (!response.write(text)) await new Promise((resolve) => response.once('drain', resolve));
        text = '';
      }
      response.end(text);
    };
    return (_, response) => void write(response);
  },
};

function frequent(): Handler {
  const where = "name LIKE '%' || ? || '%'";
  const total = count(where);
  const page = prepare(`SELECT * FROM product WHERE ${where} ORDER BY id LIMIT 10`);
  return ([text = '']) => list(page.all(text), numberOf(total.get(text)), 1, 10);
}

function coldTotal(where: string): Handler {
  const total = count(where);
  const page = prepare(`SELECT * FROM product WHERE ${where} ORDER BY id LIMIT 10`);
  return ([price, quantity]) => {
    const values = [Number(price), Number(quantity)];
    return list(page.all(...values), numberOf(total.get(...values)), 1, 10);
  };
}

/** Requests that arrive together share one transaction on Stockbook's tables, with their ledger and search index. */
function sharedCommits(): Handler {
  const insert = prepare(
    `INSERT INTO partner (account_id, id, revision, name, name_fold, is_company, is_patient, active, is_customer, is_vendor,
      is_employee, create_date, write_date) VALUES (1, ?1, ?2, ?3, ?4, 0, 0, 1, 0, 0, 0, ?5, ?5)`,
  );
  const ledger = prepare(`UPDATE ledger SET revision = revision + 1, rows = rows + ?1, last_id = last_id + ?1
    WHERE account_id = 1 AND resource = 'partner' RETURNING last_id, revision`);
  const [begin, commit] = [prepare('BEGIN IMMEDIATE'), prepare('COMMIT')];
  let queue: { readonly text: string; readonly response: ServerResponse }[] = [];
  const write = () => {
    const batch = queue;
    queue = [];
    const now = new Date().toISOString();
    begin.run();
    const { last_id, revision = null } = ledger.get(batch.length) ?? {};
    const first = Number(last_id) - batch.length + 1;
    for (const [index, { text }] of batch.entries()) insert.run(first + index, revision, text, text.toLowerCase(), now);
    commit.run();
    for (const [index, { response }] of batch.entries()) send(response, { data: { id: first + index } });
  };
  return ([text = ''], response) => {
    if (queue.push({ text, response }) === 1) setImmediate(write);
  };
}

const handle = handlers[name]?.();
if (handle === undefined) throw new Error(`no floor on SQLite for ${name}`);

function send(response: ServerResponse, result: unknown): void {
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(result));
}

// A connection may wait longer than Node allows, for the queries of the others.
const server = createServer({ keepAliveTimeout: 0 }, (request, response) => {
  const result = handle((request.url ?? '').slice(1).split('/').map(decodeURIComponent), response);
  if (result !== undefined) send(response, result);
}).listen(0, '127.0.0.1', () => process.send?.(server.address()));
process.on('disconnect', () => process.exit());
