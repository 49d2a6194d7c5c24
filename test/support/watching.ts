/** `stockbook watch` on a folder and an account of their own for each test, in every way in which it imports: into a database, and over HTTP. */

import { mkdirSync, readdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeEach } from 'vitest';
import type { Resource } from '../../src/catalog/resource.ts';
import type { Account, Source } from '../../src/store/store.ts';
import { aboveStore } from './above-store.ts';
import { commands } from './commands.ts';
import type { TestEngine } from './engines.ts';
import { addAccount, pageOf, recordsIn } from './fixture.ts';
import { type Finished, type Running, start } from './program.ts';
import type { TestService } from './service.ts';
import { type FolderPerTest, folderPerTest, sharedService } from './shared.ts';

export interface Way {
  readonly way: string;
  readonly engine: TestEngine;
  readonly isHttp: boolean;
}

export const ways: readonly Way[] = aboveStore.flatMap((engine) => [
  { way: `into a database, ${engine.name}`, engine, isHttp: false },
  { way: `over HTTP, ${engine.name}`, engine, isHttp: true },
]);

let accounts = 0;

export class Watching {
  readonly service: TestService;
  readonly #isHttp: boolean;
  readonly #folder: FolderPerTest = folderPerTest();
  #account: Account | undefined;

  constructor({ engine, isHttp }: Way) {
    this.service = sharedService(engine);
    this.#isHttp = isHttp;
    beforeEach(async () => {
      accounts += 1;
      this.#account = await addAccount(this.service.store, `watched-${accounts}`);
      mkdirSync(this.path('in'));
      const key = await this.service.issue(this.account, { scopes: ['read', 'edit'] });
      writeFileSync(this.path('key'), `${key}\n`);
    });
  }

  get account(): Account {
    if (this.#account === undefined) throw new Error('there is an account in every test');
    return this.#account;
  }

  /** Below the folder of the test. The watched folder is `in`. */
  path = (name: string): string => join(this.#folder.path, name);

  /** Puts a file into the watched folder, or below it. The time is in seconds since the epoch. */
  put = (name: string, content: string | Uint8Array, time?: number): void => {
    mkdirSync(dirname(this.path(`in/${name}`)), { recursive: true });
    writeFileSync(this.path(`in/${name}`), content);
    if (time !== undefined) utimesSync(this.path(`in/${name}`), time, time);
  };

  read = (name: string): string => readFileSync(this.path(`in/${name}`), 'utf8');

  /** What is in the watched folder, or below it, sorted. */
  list = (name = ''): readonly string[] => readdirSync(this.path(`in/${name}`)).toSorted();

  /** `--once`, for files that do not change. */
  once = (...flags: string[]): Promise<Finished> => this.run(...this.#args('--once', '--settle', '0', ...flags));

  /** Any command. */
  run = (...args: string[]): Promise<Finished> => commands.run(args, { folder: this.#folder.path });

  /** In a process of its own, until it is killed at the end of the test. */
  start = (...flags: string[]): Running =>
    this.#folder.killLater(start(this.#args(...flags), { folder: this.#folder.path }));

  rows = async (resource: Resource, fields = 'id,name'): Promise<readonly (readonly unknown[])[]> => {
    const page = await pageOf(this.service.store, this.account, resource, { fields, limit: '1000' });
    return recordsIn(page.records).map((record) => Object.values(record));
  };

  total = async (resource: Resource): Promise<number> =>
    (await pageOf(this.service.store, this.account, resource, { limit: '1' })).total;

  source = async (name: string): Promise<Source | undefined> => {
    const found = await this.service.store.imports.source({ account: this.account.id }, name);
    if (found === 'no access') throw new Error('the account is gone');
    return found;
  };

  #args(...flags: readonly string[]): string[] {
    const { port, database } = this.service;
    const where = this.#isHttp
      ? ['--url', `http://127.0.0.1:${port}`, '--key-file', this.path('key')]
      : ['--database', database.url];
    return ['watch', this.account.name, 'in', ...where, ...flags];
  }
}

/** The lines that a watch has printed, without their times. */
export function linesOf(output: string): readonly string[] {
  return output
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => line.replace(/^\d{4}-\S+Z /, ''));
}
