/**
 * A minimal loader of an unquoted CSV file into a table `product`, the floor's or Stockbook's. Stockbook's columns that
 * the file lacks are derived: folded text, and 1 for account and revision. `node loader.ts sqlite|postgres DATABASE FILE`
 */

import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { DatabaseSync } from 'node:sqlite';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import pg from 'pg';
import { from } from 'pg-copy-streams';

const [engine = '', database = '', file = ''] = process.argv.slice(2);
const input = createReadStream(file);
const lines = createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY })[Symbol.asyncIterator]();
const header = String((await lines.next()).value).split(',');

/** How to derive the value of a table column from the cells of a line. */
function cellOf(column: string): (cells: readonly string[]) => string {
  const index = header.indexOf(column);
  if (index !== -1) return (cells) => cells[index] ?? '';
  const source = header.indexOf(column.replace(/_fold$/, ''));
  return source === -1 ? () => '1' : (cells) => (cells[source] ?? '').toLowerCase();
}

if (engine === 'sqlite') await loadSqlite();
else await loadPostgres();

async function loadSqlite(): Promise<void> {
  const opened = new DatabaseSync(database, { enableForeignKeyConstraints: false });
  opened.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL');
  const columns = opened.prepare("SELECT name, type FROM pragma_table_info('product')").all();
  const readers = columns.map(({ name, type }) => {
    const cell = cellOf(String(name));
    if (type === 'TEXT') return cell;
    return (cells: readonly string[]) => {
      const text = cell(cells);
      if (text === '') return null;
      return text === 'true' ? 1 : text === 'false' ? 0 : Number(text);
    };
  });
  const insert = opened.prepare(`INSERT INTO product VALUES (${columns.map(() => '?').join(', ')})`);
  opened.exec('BEGIN');
  for await (const line of lines) {
    const cells = line.split(',');
    insert.run(...readers.map((reader) => reader(cells)));
  }
  opened.exec('COMMIT');
  opened.close();
}

async function loadPostgres(): Promise<void> {
  const client = new pg.Client({ connectionString: database });
  await client.connect();
  const { rows: columns } = await client.query<{ attname: string }>(`SELECT attname FROM pg_attribute
    WHERE attrelid = 'product'::regclass AND attnum > 0 AND NOT attisdropped ORDER BY attnum`);
  const readers = columns.map(({ attname }) => cellOf(attname));
  async function* rows() {
    let text = '';
    for await (const line of lines) {
      const cells = line.split(',');
      text += `${readers.map((reader) => reader(cells)).join(',')}\n`;
      if (text.length > 65_536) {
        yield text;
        text = '';
      }
    }
    yield text;
  }
  // Skips foreign key checks.
  await client.query('SET session_replication_role = replica');
  await pipeline(Readable.from(rows()), client.query(from('COPY product FROM STDIN WITH (FORMAT csv)')));
  await client.end();
}
