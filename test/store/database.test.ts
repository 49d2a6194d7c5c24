/** What `--database` accepts, and what is said about a text that it does not accept. */

import { expect, test } from 'vitest';
import { databaseFlaw, readDatabase, showDatabase } from '../../src/store/database.ts';

test.each([
  ['data/stockbook.db', 'data/stockbook.db'],
  ['sqlite:data/stockbook.db', 'data/stockbook.db'],
  ['sqlite:///srv/stockbook.db', '/srv/stockbook.db'],
  ['SQLite:stockbook.db', 'stockbook.db'],
  ["my stock/O'Brien.db", "my stock/O'Brien.db"],
  ['./a:b.db', './a:b.db'],
  ['/home/me@example.com/stockbook.db', '/home/me@example.com/stockbook.db'],
  ['C:\\Users\\me@example.com\\stockbook.db', 'C:\\Users\\me@example.com\\stockbook.db'],
])('%s is a file', (text, path) => {
  expect(readDatabase(text)).toEqual({ kind: 'sqlite', path });
  expect(showDatabase(text)).toBe(text);
});

test.each([
  ['', 'is empty'],
  [' postgres://u:s3cret@h/x', 'starts with a space'],
  ['\u00a0postgres://u:s3cret@h/x', 'starts with a space'],
  ['postgres://u:s3cret@h/x ', 'ends with a space'],
  ['postgres://u:s3cret@h/x\n', 'contains a line break, a tab or another control character'],
  ['postgres://u:s3\u0000cret@h/x', 'contains a line break, a tab or another control character'],
  ['"postgres://u:s3cret@h/x"', 'starts with a quote'],
  ["'postgres://u:s3cret@h/x'", 'starts with a quote'],
  ['“postgres://u:s3cret@h/x”', 'starts with a quote'],
  ['postgres://u:s3cret@h/x"', 'ends with a quote'],
  ['"data/stockbook.db"', 'starts with a quote'],
  ['postgres:s3cret', 'is not a valid PostgreSQL URL'],
  ['postgres:/u:s3cret@h/x', 'is not a valid PostgreSQL URL'],
  ['postgres://u:s3/cret@h/x', 'is not a valid PostgreSQL URL'],
  ['Postgres ://u:s3cret@h/x', 'names a scheme other than sqlite: or postgres://'],
  ['mysql://u:s3cret@h/x', 'names a scheme other than sqlite: or postgres://'],
  ['http://u:s3cret@h/x', 'names a scheme other than sqlite: or postgres://'],
  ['jdbc:postgresql://h/x?password=s3cret', 'names a scheme other than sqlite: or postgres://'],
  ['postgresql+asyncpg://u:s3cret@h/x', 'names a scheme other than sqlite: or postgres://'],
  ['sqlite:postgres://u:s3cret@h/x', 'names a scheme other than sqlite: or postgres://'],
  ['file:stockbook.db', 'names a scheme other than sqlite: or postgres://'],
  ['sqlite:file:stockbook.db', 'names a scheme other than sqlite: or postgres://'],
  ['u:s3cret@h/x', 'names a scheme other than sqlite: or postgres://'],
  ['URL=postgres://u:s3cret@h/x', 'contains ://, but is not a PostgreSQL URL'],
  ['\u200bpostgres://u:s3cret@h/x', 'contains ://, but is not a PostgreSQL URL'],
  ['//u:s3cret@h/x', 'looks like an address with a password, but is not a PostgreSQL URL'],
  ['postgres//u:s3cret@h/x', 'looks like an address with a password, but is not a PostgreSQL URL'],
  ['u/s3cret@h:5432/x', 'looks like an address with a password, but is not a PostgreSQL URL'],
  ['host=h password=s3cret', 'looks like an address with a password, but is not a PostgreSQL URL'],
  ['sqlite:', 'does not name a file'],
  ['sqlite: stockbook.db', 'has a space before the path'],
  [':memory:', 'names a database in memory, not a file'],
  ['sqlite::memory:', 'names a database in memory, not a file'],
])('%j is not valid, and not shown', (text, flaw) => {
  expect(databaseFlaw(text)).toBe(flaw);
  expect(readDatabase(text)).toBeUndefined();
  expect(showDatabase(text)).toBe('***');
});
