/** The network between the service and PostgreSQL fails after each byte of a write: the client that repeats it finds it done once. */

import { expect, inject, test } from 'vitest';
import { product } from '../../../src/catalog/product.ts';
import { CacheBudget } from '../../../src/store/state/cache.ts';
import { makeKey } from '../../support/account-key.ts';
import { count } from '../../support/counts.ts';
import { openDatabase, postgresql } from '../../support/engines.ts';
import { connectTo, type TestConnection } from '../../support/postgres-connection.ts';
import { type Direction, type LinkFault, PostgresLink } from '../../support/postgres-link.ts';
import { seededRandom } from '../../support/random.ts';
import { bearer, sendUnchecked, serveStore, type TestReply } from '../../support/service.ts';
import { isSuccess, type Write } from '../crashes/recording.ts';
import { times } from '../crashes/workloads/workload.ts';
import { change, create, importRows } from '../crashes/workloads/writes.ts';

interface LinkedWrite {
  readonly name: string;
  /** One of its own for each number. */
  readonly write: (n: number) => Write;
  readonly resource: string;
}

const WRITES: readonly LinkedWrite[] = [
  { name: 'creates', write: (n) => create(`Created ${n}`, `create-${n}`), resource: 'partner' },
  { name: 'changes', write: (n) => change('product', 1, `Changed ${n}`, `change-${n}`), resource: 'product' },
  {
    name: 'imports',
    write: (n) =>
      importRows(
        'company',
        times(5, (row) => ({ id: row, name: `Company ${row}`, company_code: `code ${n}`, branch_user: '1' })),
        `company_code = 'code ${n}'`,
        { key: `import-${n}`, source: { name: 'erp', position: String(n) } },
      ),
    resource: 'company',
  },
];

const FAULTS: readonly LinkFault[] = ['cut', 'stall', 'half-close'];
const DIRECTIONS: readonly Direction[] = ['to the server', 'to the service'];

/** In the gate, it fails in each direction in each way after so many numbers of bytes, chosen at random, and once within the last ones, which commit. */
const SAMPLE = 2;
const LAST = 10;

/** In milliseconds. */
const TIMEOUT = 3_600_000;

test.for(WRITES)('$name', { timeout: TIMEOUT }, async (linked, context) => {
  const random = seededRandom(`link of ${linked.name}`);
  const writes = await LinkedWrites.start(linked);
  try {
    const counts: Record<string, number> = {};
    for (const fault of FAULTS)
      for (const direction of DIRECTIONS) {
        const attempt = async (after: number) => {
          const hasHappened = await writes.attempt(fault, direction, after);
          if (hasHappened) counts[fault] = (counts[fault] ?? 0) + 1;
          return hasHappened;
        };
        if (inject('isExhaustive')) for (let after = 0; await attempt(after); after += 1);
        else {
          const length = await writes.lengthOf(direction);
          for (let n = 0; n < SAMPLE; n += 1) await attempt(random.below(length));
          await attempt((await writes.lengthOf(direction)) - 1 - random.below(LAST));
        }
      }
    count(context, 'lost connections to PostgreSQL', linked.name, counts);
  } finally {
    await writes.close();
  }
});

/** A service that is connected to PostgreSQL through a link. */
class LinkedWrites {
  readonly #linked: LinkedWrite;
  readonly #link: PostgresLink;
  readonly #direct: TestConnection;
  readonly #port: number;
  readonly #key: string;
  readonly close: () => Promise<void>;
  #writes = 0;
  #lengths: Readonly<Record<Direction, number>> = { 'to the server': 0, 'to the service': 0 };

  private constructor(
    linked: LinkedWrite,
    link: PostgresLink,
    direct: TestConnection,
    port: number,
    key: string,
    close: () => Promise<void>,
  ) {
    this.#linked = linked;
    this.#link = link;
    this.#direct = direct;
    this.#port = port;
    this.#key = key;
    this.close = close;
  }

  static async start(linked: LinkedWrite): Promise<LinkedWrites> {
    const database = await postgresql.makeMigrated();
    const records = [[product, [{ name: 'Product' }]] as const];
    const key = await makeKey(database.url, { scopes: ['read', 'write', 'edit'], records });
    const link = await PostgresLink.open(database.url);
    const direct = connectTo(database.url);
    const store = await openDatabase(link.through(database.url));
    const server = await serveStore(store, new CacheBudget(0));
    const writes = new LinkedWrites(linked, link, direct, server.port, key, async () => {
      await server.close();
      await store.close();
      await direct.end();
      await link.close();
      await database.drop();
    });
    // Its statements are prepared now.
    await writes.attempt('cut', 'to the server', Number.POSITIVE_INFINITY);
    return writes;
  }

  /** How many bytes a write exchanges. A connection that is new exchanges more at first. */
  async lengthOf(direction: Direction): Promise<number> {
    await this.attempt('cut', direction, Number.POSITIVE_INFINITY);
    return this.#lengths[direction];
  }

  /** Sends a write until there is a response, while the link fails. Returns whether it has failed. */
  async attempt(fault: LinkFault, direction: Direction, after: number): Promise<boolean> {
    this.#writes += 1;
    const write = this.#linked.write(this.#writes);
    const before = await this.#revision();
    this.#link.recover();
    let hasHappened = false;
    const happened = this.#link.fail(fault, direction, after).then(() => {
      hasHappened = true;
    });
    const first = this.#send(write);
    await Promise.race([happened, first]);
    // What is acknowledged is there before the network works again.
    if (!hasHappened && isSuccess(await first)) expect(await this.#revision()).toBe(before + 1);
    this.#lengths = this.#link.recover();
    let reply = await first;
    for (; !isSuccess(reply); reply = await this.#send(write)) expectUnavailable(reply);
    const again = await this.#send(write);
    expect(again).toMatchObject({ status: reply.status, text: reply.text, headers: { 'idempotent-replayed': 'true' } });
    const { promised } = write.operation(reply);
    const [{ holds } = {}] = await this.#direct.query(`SELECT ${promised.holds} AS holds`);
    // Once, and completely.
    const details = { after, fault, direction };
    expect({ ...details, holds, revision: await this.#revision() }).toEqual({
      ...details,
      holds: true,
      revision: before + 1,
    });
    return hasHappened;
  }

  #send({ request }: Write): Promise<TestReply> {
    return sendUnchecked(this.#port, { ...request, headers: { ...bearer(this.#key), ...request.headers } });
  }

  async #revision(): Promise<number> {
    const { resource } = this.#linked;
    const [row] = await this.#direct.query(`SELECT revision FROM ledger WHERE resource = '${resource}'`);
    return Number(row?.['revision']);
  }
}

/** What a request responds if the database is lost, or while an earlier one with the same key is handled. */
function expectUnavailable({ status, json }: TestReply): void {
  expect([`503 store_unreachable`, '409 idempotency_key_in_progress']).toContain(`${status} ${Object(json).code}`);
}
