/** What the tests of a suite share: it is opened before them, and closed after them. */

import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach } from 'vitest';
import { partner } from '../../src/catalog/partner.ts';
import type { Resource } from '../../src/catalog/resource.ts';
import { planCreate } from '../../src/plan/create.ts';
import type { Idempotency } from '../../src/plan/plan.ts';
import { planRecord } from '../../src/plan/record.ts';
import type { ColumnIndexOptions } from '../../src/store/column-index/column-indexes.ts';
import type { CacheBudget } from '../../src/store/state/cache.ts';
import type { Account, LoadPlan, LoadResult, Store } from '../../src/store/store.ts';
import { type OpenedStore, openTestStore, type TestDatabase, type TestEngine } from './engines.ts';
import {
  addAccount,
  load,
  NOW,
  pageOf,
  planned,
  type RecordValues,
  recordsIn,
  revisionOf,
  type TextPage,
} from './fixture.ts';
import { kill, makeFolder, type Running } from './program.ts';
import { type ServiceOptions, serveDatabase, startService, type TestServer, type TestService } from './service.ts';
import type { TestClock } from './test-clock.ts';

export function sharedService(engine: TestEngine, options?: ServiceOptions): TestService {
  const started = shared(() => startService(engine, options));
  return {
    get acme() {
      return started().acme;
    },
    get globex() {
      return started().globex;
    },
    get port() {
      return started().port;
    },
    get adminPort() {
      return started().adminPort;
    },
    get events() {
      return started().events;
    },
    get unsent() {
      return started().unsent;
    },
    get store() {
      return started().store;
    },
    get database() {
      return started().database;
    },
    get key() {
      return started().key;
    },
    issue: (...given) => started().issue(...given),
    send: (request) => started().send(request),
    close: () => started().close(),
  };
}

export function sharedStore(
  engine: TestEngine,
  budget?: CacheBudget,
  columns?: ColumnIndexOptions,
  clock?: TestClock,
): SharedStore {
  return new SharedStore(shared(() => openTestStore(engine, budget, columns, clock)));
}

/** A store, and what the tests of its parts do with it. */
export class SharedStore {
  readonly #opened: () => OpenedStore;
  #accounts = 0;

  constructor(opened: () => OpenedStore) {
    this.#opened = opened;
  }

  get store(): Store {
    return this.#opened().store;
  }

  get database(): TestDatabase {
    return this.#opened().database;
  }

  /** A new one. */
  account(): Promise<Account> {
    this.#accounts += 1;
    return addAccount(this.store, `account-${this.#accounts}`);
  }

  /** Creates a partner. */
  create({ id }: Account, name: string, idempotency?: Idempotency): ReturnType<Store['records']['create']> {
    const plan = planned(planCreate(partner, { name }, NOW));
    return this.store.records.create({ account: id }, { ...plan, idempotency });
  }

  load(
    owner: Account,
    resource: Resource,
    records: readonly RecordValues[],
    options?: Partial<LoadPlan>,
  ): Promise<LoadResult> {
    return load(this.store, owner, resource, records, options);
  }

  page(owner: Account, resource: Resource, parameters?: Readonly<Record<string, string>>): Promise<TextPage> {
    return pageOf(this.store, owner, resource, parameters);
  }

  async records(owner: Account, resource: Resource, fields?: string): Promise<RecordValues[]> {
    return recordsIn((await this.page(owner, resource, fields === undefined ? {} : { fields })).records);
  }

  revision({ id }: Account, resource: Resource): Promise<number | undefined> {
    return revisionOf(this.store, id, resource);
  }

  /** The revisions that last wrote these records; undefined for one that doesn't exist. */
  stamps(
    { id: account }: Account,
    resource: Resource,
    ids: readonly number[],
  ): Promise<readonly (number | undefined)[]> {
    return Promise.all(
      ids.map(async (id) => {
        const plan = planned(planRecord(resource, String(id), { values: {}, continuations: [] }));
        const found = await this.store.records.find({ account }, plan);
        return typeof found === 'object' && found.kind === 'found' ? found.written.revision : undefined;
      }),
    );
  }
}

export function sharedFolder(): { readonly path: string } {
  const folder = makeFolder();
  afterAll(() => folder.remove());
  return folder;
}

/** A folder of its own for each test. What a test has started there ends before its folder is removed. */
export function folderPerTest(): FolderPerTest {
  return new FolderPerTest();
}

export class FolderPerTest {
  #folder = '';
  readonly #running: Running[] = [];
  readonly #servers: TestServer[] = [];

  constructor() {
    beforeEach(() => {
      const folder = makeFolder();
      this.#folder = folder.path;
      return async () => {
        for (const running of this.#running.splice(0)) await kill(running);
        for (const server of this.#servers.splice(0)) await server.close();
        folder.remove();
      };
    });
  }

  get path(): string {
    return this.#folder;
  }

  killLater<Started extends Running>(running: Started): Started {
    this.#running.push(running);
    return running;
  }

  /** The service on the database of the commands that are executed in the folder, in the process of the tests. */
  async serve(): Promise<TestServer> {
    const server = await serveDatabase(join(this.#folder, 'data/stockbook.db'));
    this.#servers.push(server);
    return server;
  }
}

/** Returns a path at which a SQLite file can be created, another one with each call. */
export function sharedPaths(): () => string {
  const folder = sharedFolder();
  let files = 0;
  return () => {
    files += 1;
    return join(folder.path, `${files}.db`);
  };
}

function shared<Opened extends { close(): Promise<void> }>(open: () => Promise<Opened>): () => Opened {
  let opened: Opened | undefined;
  beforeAll(async () => {
    opened = await open();
  });
  afterAll(() => opened?.close());
  return () => {
    if (opened === undefined) throw new Error('it is opened before the first test');
    return opened;
  };
}
