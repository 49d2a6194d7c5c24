/** What is true of every commit, whatever was written: found with the store's own code, and through the service. */

import { DatabaseSync } from 'node:sqlite';
import { issueKey } from '../../../src/access/issue-key.ts';
import { apiPath } from '../../../src/catalog/resource.ts';
import { CacheBudget } from '../../../src/store/state/cache.ts';
import type { Account, Store } from '../../../src/store/store.ts';
import { Copy, FEED_FORMATS } from '../../support/copy.ts';
import { NOW } from '../../support/fixture.ts';
import type { Random } from '../../support/random.ts';
import { bearer, sendUnchecked, serveStore } from '../../support/service.ts';
import type { Acknowledged, OpenedCommit } from './crash-check.ts';
import { ABSENT, DATABASE, type StateFolder } from './state-folder.ts';

interface Ledger {
  readonly account: number;
  readonly resource: string;
  readonly revision: number;
  readonly rows: number;
  readonly lastId: number;
  readonly pruned: number;
}

export class CommitChecks {
  readonly #random: Random;
  readonly #share: number;
  /** Those of the commit before, by account and resource. */
  #ledgers = new Map<string, Ledger>();
  #commits = 0;

  /** What takes long is done with this share of the commits, and with the last one. */
  constructor(random: Random, share: number) {
    this.#random = random;
    this.#share = share;
  }

  /** Throws if something is wrong. Changes the files. */
  async check({ view, acknowledged, isLast }: OpenedCommit, folder: StateFolder): Promise<void> {
    const content = view.get(DATABASE);
    if (content === undefined || content === ABSENT) return;
    this.#commits += 1;
    this.#checkLedgers(folder.database);
    if (isLast || this.#random.chance(this.#share)) await this.#checkStore(folder, acknowledged);
  }

  async #checkStore(folder: StateFolder, acknowledged: readonly Acknowledged[]): Promise<void> {
    const store = await folder.openStore();
    try {
      await requireSound(store);
      const accounts = await store.accounts.list();
      if (accounts.length > 0) await this.#checkService(store, accounts, acknowledged);
      await store.accounts.finishRemovals();
      await requireSound(store);
    } finally {
      await store.close();
    }
    requireNothingOf(folder.database);
  }

  /** Revisions have no hole: each is that of a record or a tombstone when it is new. */
  #checkLedgers(path: string): void {
    const database = new DatabaseSync(path, { readOnly: true });
    try {
      const ledgers = database
        .prepare('SELECT account_id AS account, resource, revision, rows, last_id AS lastId, pruned FROM ledger')
        .all()
        .map((row) => ({ ...row }) as unknown as Ledger);
      for (const ledger of ledgers) this.#checkLedger(ledger, database);
      this.#ledgers = new Map(ledgers.map((ledger) => [`${ledger.account} ${ledger.resource}`, ledger]));
    } finally {
      database.close();
    }
  }

  #checkLedger(ledger: Ledger, database: DatabaseSync): void {
    const { account, resource, revision, rows, lastId, pruned } = ledger;
    const name = `the ledger of ${resource} of the account ${account}`;
    const records = `SELECT id, revision FROM ${resource} WHERE account_id = ${account}`;
    const all = `${records} UNION ALL SELECT id, revision FROM tombstone WHERE account_id = ${account} AND resource = '${resource}'`;
    const numbers = (sql: string) =>
      database
        .prepare(sql)
        .all()
        .map((row) => Number(Object.values(row)[0]));
    const [counted, largest] = [
      numbers(`SELECT count(*) FROM (${records})`)[0],
      numbers(`SELECT max(id) FROM (${all})`)[0] ?? 0,
    ];
    if (counted !== rows) throw new Error(`${name} has ${rows} rows instead of ${counted}`);
    if (pruned === 0 && largest !== lastId) throw new Error(`${name} has the last id ${lastId} instead of ${largest}`);
    const before = this.#ledgers.get(`${account} ${resource}`)?.revision ?? 0;
    const found = new Set(numbers(`SELECT DISTINCT revision FROM (${all}) WHERE revision > ${before}`));
    for (let each = before + 1; each <= revision; each += 1)
      if (!found.has(each)) throw new Error(`${name} has no change with the revision ${each}`);
  }

  async #checkService(
    store: Store,
    accounts: readonly Account[],
    acknowledged: readonly Acknowledged[],
  ): Promise<void> {
    const budget = new CacheBudget(0);
    const server = await serveStore(store, budget);
    try {
      const { resources } = await store.fields.catalog();
      for (const account of accounts) {
        const key = await issueKey(store.keys, {
          account: account.id,
          name: 'test',
          scopes: ['read', 'write', 'edit'],
          createdAt: NOW,
          expiresAt: null,
          rateLimit: null,
        });
        for (const resource of resources) await this.#checkFeed(server.port, key, apiPath(resource));
        const repeatable = acknowledged.filter((each) => each.repeatable?.account === account.name);
        for (const each of repeatable) await requireReplay(server.port, key, each);
      }
    } finally {
      await server.close();
    }
  }

  /** Each time in another format. */
  async #checkFeed(port: number, key: string, path: string): Promise<void> {
    const get = async (query: string) => {
      const { status, text, json } = await sendUnchecked(port, { path: path + query, headers: bearer(key) });
      if (status !== 200) throw new Error(`GET ${path}${query} is a ${status}: ${text}`);
      return Object(json);
    };
    const copy = new Copy({ limit: '100' });
    const format = FEED_FORMATS[this.#commits % FEED_FORMATS.length] ?? 'page';
    await copy.follow({ url: `http://127.0.0.1:${port}${path}`, key }, format);
    const listed = new Map<number, unknown>();
    for (let page: number | null = 1; page !== null; ) {
      const { data, pagination } = await get(`?limit=1000&page=${page}`);
      for (const record of data) listed.set(record.id, record);
      page = pagination.nextPage;
    }
    const [first, second] = [copy.records, listed].map((records) =>
      JSON.stringify([...records].toSorted(([a], [b]) => a - b)),
    );
    if (first !== second) throw new Error(`the changes of ${path} give other records than the list`);
    const digest = await get('/digest');
    if (digest.data.sha256 !== copy.digest) throw new Error(`the digest of ${path} is not that of its records`);
  }
}

/** The response to a request that is sent again with its key. */
async function requireReplay(port: number, key: string, { name, repeatable }: Acknowledged): Promise<void> {
  if (repeatable === undefined) return;
  const { method, path, headers, body, status, text } = repeatable;
  const reply = await sendUnchecked(port, { method, path, headers: { ...bearer(key), ...headers }, body });
  // That of a change has the record as it is now.
  const isSame = reply.status === status && (reply.text === text || method === 'PATCH');
  if (!isSame || reply.headers['idempotent-replayed'] !== 'true')
    throw new Error(`"${name}" was ${status} ${text}; when it is repeated, it is ${reply.status} ${reply.text}`);
}

/** A command that was killed has not built it, and the next one does. */
const INDEX_OF_OWN_FIELD = /^index \w+_own_\w+ is missing$/;

async function requireSound(store: Store): Promise<void> {
  for (const { check, found } of await store.check({ repair: false })) {
    const others = found.first.filter(({ detail }) => !INDEX_OF_OWN_FIELD.test(detail));
    if (others.length > 0) throw new Error(`the check "${check.name}" finds ${JSON.stringify(others)}`);
  }
}

/** Of accounts that were removed, nothing is left once their removal is finished. */
function requireNothingOf(path: string): void {
  const database = new DatabaseSync(path, { readOnly: true });
  try {
    const tables = database
      .prepare(
        "SELECT m.name FROM sqlite_schema AS m JOIN pragma_table_info(m.name) AS c WHERE m.type = 'table' AND c.name = 'account_id'",
      )
      .all();
    for (const { name } of tables) {
      const left = database
        .prepare(`SELECT count(*) AS left FROM "${name}" WHERE account_id NOT IN (SELECT id FROM account)`)
        .get();
      if (left?.['left'] !== 0) throw new Error(`${name} has rows of an account that was removed`);
    }
  } finally {
    database.close();
  }
}
