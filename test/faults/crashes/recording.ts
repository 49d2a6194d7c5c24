/** The real program at work, while everything that it does to the files of its database is logged. */

import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect } from 'vitest';
import { preloaded } from '../../support/disk-faults.ts';
import { DiskLog } from '../../support/disk-log.ts';
import { type Finished, kill, type Running, run, type Serving, serve } from '../../support/program.ts';
import { bearer, sendUnchecked, type TestReply, type TestRequest } from '../../support/service.ts';
import type { Mark, Promised } from './mark.ts';
import { DATABASE } from './state-folder.ts';

export interface Operation {
  readonly name: string;
  readonly promised: Promised;
}

export interface Sent extends TestRequest {
  readonly method: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** A request, and what its response promises. */
export interface Write {
  readonly request: Sent;
  readonly operation: (reply: TestReply) => Operation;
}

/** How much memory a file system in memory has to have for it, in bytes: containers often have 64 MB. */
const MIN_MEMORY = 1e9;

/** In memory if there is room: nothing waits for a disk then. */
export function makeFastFolder(): { readonly path: string; remove(): void } {
  const isRoomy = existsSync('/dev/shm') && statfsSync('/dev/shm').bavail * statfsSync('/dev/shm').bsize > MIN_MEMORY;
  const path = mkdtempSync(join(isRoomy ? '/dev/shm' : tmpdir(), 'stockbook-crashes-'));
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) };
}

export class Recording {
  /** The one with the database. The folder that it is in is logged. */
  readonly folder: string;
  readonly log: DiskLog;
  readonly env: Readonly<Record<string, string>>;
  readonly #running: Running[] = [];
  #operations = 0;

  /** Everything is in a folder that somebody else removes. */
  constructor(folder: string, env: Readonly<Record<string, string>> = {}) {
    const disk = join(folder, 'disk');
    this.folder = join(disk, 'database');
    mkdirSync(this.folder, { recursive: true });
    mkdirSync(join(folder, 'temporary'));
    this.log = new DiskLog(join(folder, 'log'), disk);
    this.env = {
      ...preloaded(folder),
      ...this.log.env,
      SQLITE_TMPDIR: join(folder, 'temporary'),
      TMPDIR: join(folder, 'temporary'),
      STOCKBOOK_DATABASE: this.database,
      STOCKBOOK_MIN_FREE_DISK: '0',
      ...env,
    };
  }

  get database(): string {
    return join(this.folder, DATABASE);
  }

  async serve(...flags: readonly string[]): Promise<Serving> {
    const server = await serve(flags, { folder: dirname(this.folder), env: this.env });
    this.#running.push(server);
    return server;
  }

  async stop(server: Serving): Promise<void> {
    server.child.kill('SIGTERM');
    const { code, stderr } = await server.finished;
    if (code !== 0) throw new Error(`the service ended with ${code}: ${stderr}`);
  }

  /** The files that are there now are as if they had always been. Has to be called once. */
  begin(): void {
    this.log.addFiles();
    this.#mark({ kind: 'ready' });
  }

  /** Executes a command, which has to succeed. `operation` says what it promises, given what it prints. */
  async command(args: readonly string[], operation?: (stdout: string) => Operation): Promise<string> {
    const { code, stdout, stderr } = await this.tryCommand(() => this.run(args), operation);
    if (code !== 0) throw new Error(`stockbook ${args.join(' ')} failed: ${stderr}`);
    return stdout;
  }

  /** Executes a command, which may fail. */
  async tryCommand(execute: () => Promise<Finished>, operation?: (stdout: string) => Operation): Promise<Finished> {
    const number = this.#begun();
    const finished = await execute();
    if (finished.code === 0 && operation !== undefined) this.#acknowledged(number, operation(finished.stdout));
    else this.#ended(number);
    return finished;
  }

  run(args: readonly string[]): Promise<Finished> {
    return run(args, { folder: dirname(this.folder), env: this.env });
  }

  /** Sends a request, which has to succeed. */
  async send(server: Serving, key: string, write: Write): Promise<TestReply> {
    const reply = await this.trySend(server, key, write);
    const { method, path } = write.request;
    if (!isSuccess(reply)) throw new Error(`${method} ${path} failed: ${reply.status} ${reply.text}`);
    return reply;
  }

  /** Sends a request, which may fail. */
  async trySend({ port }: Serving, key: string, { request, operation }: Write): Promise<TestReply> {
    const number = this.#begun();
    const reply = await sendUnchecked(port, { ...request, headers: { ...bearer(key), ...request.headers } });
    if (isSuccess(reply)) this.#acknowledged(number, operation(reply), request, reply);
    else this.#ended(number);
    return reply;
  }

  #begun(): number {
    this.#operations += 1;
    this.#mark({ kind: 'begun', operation: this.#operations });
    return this.#operations;
  }

  #ended(operation: number): void {
    this.#mark({ kind: 'ended', operation });
  }

  #acknowledged(number: number, operation: Operation, request?: Sent, reply?: TestReply): void {
    const isRepeatable = request?.headers?.['idempotency-key'] !== undefined;
    const { method = '', path = '', headers = {}, body = '' } = request ?? {};
    const { status = 0, text = '' } = reply ?? {};
    this.#mark({
      kind: 'acknowledged',
      operation: number,
      ...operation,
      ...(isRepeatable && { repeatable: { account: ACCOUNT, method, path, headers, body, status, text } }),
    });
  }

  #mark(mark: Mark): void {
    this.log.mark(JSON.stringify(mark));
  }

  /** Resolves when a condition in SQL holds in the database. */
  async until(condition: string): Promise<void> {
    const database = new DatabaseSync(this.database, { readOnly: true });
    const query = database.prepare(`SELECT (${condition}) AS holds`);
    await expect.poll(() => query.get()?.['holds']).toBe(1);
    database.close();
  }

  /** The contents of the files as they are, by their names. */
  files(): ReadonlyMap<string, Buffer> {
    const entries = readdirSync(this.folder, { recursive: true, withFileTypes: true });
    const paths = entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name));
    const logged = paths.filter((path) => !path.endsWith('-shm'));
    return new Map(logged.map((path) => [path.slice(this.folder.length + 1), readFileSync(path)]));
  }

  /** What connections to the database share while it is in use. */
  get sharedMemory(): Buffer | undefined {
    const path = `${this.database}-shm`;
    return existsSync(path) ? readFileSync(path) : undefined;
  }

  async end(): Promise<void> {
    for (const running of this.#running) await kill(running);
  }
}

export function isSuccess({ status }: TestReply): boolean {
  return status >= 200 && status < 300;
}

/** That of all requests. */
export const ACCOUNT = 'acme';
