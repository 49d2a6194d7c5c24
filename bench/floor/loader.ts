/**
 * The shortest loader of a CSV file without quotes into a table `product`, plain or Stockbook's: what the file does
 * not have is the account, the revision and the folded texts. `node loader.ts sqlite|postgres DATABASE FILE`
 */

import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { DatabaseSync } from 'node:sqlite';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import postgres from 'postgres';

const [engine = '', database = '', file = ''] = process.argv.slice(2);
const input = createReadStream(file);
const lines = createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY })[Symbol.asyncIterator]();
const header = String((await lines.next()).value).split(',');

/** What a column of the table holds of a line's cells. */
function cellOf(column: string): (cells: readonly string[]) => string {
  const own = header.indexOf(column);
  if (own !== -1) return (cells) => cells[own] ?? '';
  const folded = header.indexOf(column.replace(/_fold$/, ''));
  return folded === -1 ? () => '1' : (cells) => (cells[folded] ?? '').toLowerCase();
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
  const sql = postgres(database, { max: 1 });
  const columns = await sql`SELECT attname FROM pg_attribute
    WHERE attrelid = 'product'::regclass AND attnum > 0 AND NOT attisdropped ORDER BY attnum`;
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
  // Foreign keys are not looked up.
  await sql`SET session_replication_role = replica`;
  await pipeline(Readable.from(rows()), await sql`COPY product FROM STDIN WITH (FORMAT csv)`.writable());
  await sql.end();
}
