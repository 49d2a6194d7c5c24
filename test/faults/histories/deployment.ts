/** The service as operators run it, on real processes and a real database, and what can happen to it. */

import { expect } from 'vitest';
import { makeKey } from '../../support/account-key.ts';
import { startOnAnyPort } from '../../support/any-port.ts';
import { sqlite, type TestEngine } from '../../support/engines.ts';
import { type PostgresServer, startPostgres } from '../../support/postgres-server.ts';
import { childrenOf, makeFolder, run, type Serving, serve } from '../../support/program.ts';
import { type FaultyProxy, startProxy } from '../../support/proxy.ts';
import type { Random } from '../../support/random.ts';
import { readiness } from '../../support/service.ts';

/** How many programs serve the database, and with how many processes each. */
export interface Topology {
  readonly nodes: number;
  readonly workers: number;
}

/** The database, and what can happen to it. */
interface Database {
  /** What the service takes. */
  readonly url: string;
  restart?(): Promise<void>;
  disconnect?(): void;
  remove(): Promise<void>;
}

export interface DeploymentOptions {
  readonly engine: TestEngine['name'];
  readonly topology: Topology;
}

export class Deployment {
  readonly key: string;
  readonly topology: Topology;
  readonly database: Database;
  readonly #folder = makeFolder();
  readonly #nodes: Serving[] = [];

  private constructor(key: string, database: Database, { topology }: DeploymentOptions) {
    this.key = key;
    this.database = database;
    this.topology = topology;
  }

  static async start(options: DeploymentOptions): Promise<Deployment> {
    const database = options.engine === 'SQLite' ? await sqliteDatabase() : await postgresDatabase();
    const key = await makeKey(database.url, { scopes: ['read', 'write', 'edit'] });
    const deployment = new Deployment(key, database, options);
    try {
      for (let node = 0; node < options.topology.nodes; node += 1) await deployment.#startNode(node);
    } catch (error) {
      await deployment.remove();
      throw error;
    }
    return deployment;
  }

  /** Of the node that a client talks to. */
  port(client: number): number {
    return this.#nodes[client % this.#nodes.length]?.port ?? 0;
  }

  /** A process that serves. */
  worker(random: Random): number {
    const node = random.pick(this.#nodes);
    const children = childrenOf(node);
    return children.length > 0 ? random.pick(children) : pidOf(node);
  }

  /** A process that the program was started as. */
  primary(random: Random): number {
    return pidOf(random.pick(this.#nodes));
  }

  /** Kills a process that serves, and waits until another one has taken its place. */
  async killWorker(random: Random): Promise<void> {
    const pid = this.worker(random);
    const index = this.#nodes.findIndex((node) => pidOf(node) === pid);
    signal(pid, 'SIGKILL');
    if (index >= 0) await this.#startNode(index);
    else
      await expect
        .poll(() => this.#nodes.map((node) => childrenOf(node).filter((child) => child !== pid).length))
        .toEqual(this.#nodes.map(() => this.topology.workers));
  }

  async killEverything(): Promise<void> {
    for (const node of this.#nodes) for (const pid of [pidOf(node), ...childrenOf(node)]) signal(pid, 'SIGKILL');
    await this.#startAll();
  }

  /** Kills a process that has others serve, which then end by themselves. */
  async killPrimary(random: Random): Promise<void> {
    const pid = this.primary(random);
    const index = this.#nodes.findIndex((node) => pidOf(node) === pid);
    signal(pid, 'SIGKILL');
    await this.#startNode(index);
  }

  /** Tells every program to stop. */
  async stopEverything(): Promise<void> {
    for (const node of this.#nodes) signal(pidOf(node), 'SIGTERM');
    await this.#startAll();
  }

  /** Resolves once every process is ready. */
  async ready(): Promise<void> {
    for (const node of this.#nodes) await expect.poll(() => readiness(node)).toRespond(200);
  }

  /** What `stockbook check` has found; empty if nothing. */
  async findings(): Promise<string> {
    const { code, stdout, stderr } = await run(['check', '--database', this.database.url], {
      folder: this.#folder.path,
    });
    return code === 0 ? '' : stdout + stderr;
  }

  async remove(): Promise<void> {
    for (const node of this.#nodes) {
      for (const pid of [pidOf(node), ...childrenOf(node)]) signal(pid, 'SIGKILL');
      await node.finished;
    }
    await this.database.remove();
    this.#folder.remove();
  }

  async #startAll(): Promise<void> {
    for (const index of this.#nodes.keys()) await this.#startNode(index);
  }

  /** Once the program that was there before has ended, on its port if nobody else has it. */
  async #startNode(index: number): Promise<void> {
    await this.#nodes[index]?.finished;
    const flags = [
      '--database',
      this.database.url,
      '--workers',
      String(this.topology.workers),
      '--access-log',
      'errors',
    ];
    const options = { folder: this.#folder.path };
    const start = async (port: number) => {
      const started = await serve([...flags, '--port', String(port)], options).catch(unlessPortIsTaken);
      if (started !== undefined) this.#nodes[index] = started;
      return started !== undefined;
    };
    const port = this.#nodes[index]?.port;
    if (port === undefined || !(await start(port))) await startOnAnyPort(start);
  }
}

function unlessPortIsTaken(error: unknown): undefined {
  if (!(error instanceof Error && error.message.includes('is in use'))) throw error;
}

function pidOf({ child: { pid } }: Serving): number {
  if (pid === undefined) throw new Error('the program was not started');
  return pid;
}

/** The process may be gone already. */
export function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch {
    // It is.
  }
}

async function sqliteDatabase(): Promise<Database> {
  const { url, drop } = await sqlite.makeDatabase();
  return { url, remove: drop };
}

async function postgresDatabase(): Promise<Database> {
  const server: PostgresServer = await startPostgres();
  const proxy: FaultyProxy = await startProxy(server.port, []);
  return {
    url: `postgres://stockbook@127.0.0.1:${new URL(proxy.url).port}/postgres`,
    async restart() {
      await server.kill('SIGQUIT');
      await server.start();
    },
    disconnect: () => proxy.disconnect(),
    async remove() {
      await proxy.close();
      await server.remove();
    },
  };
}
