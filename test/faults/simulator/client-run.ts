/**
 * A program that creates, changes and removes records through the client. Whatever has become of its requests: what was acknowledged is there once, what was not
 * is there once or not at all, no change is lost, and a copy that another program keeps is equal.
 */

import type { NewPartner, Partner } from '../../../src/client/index.ts';
import { Connection, CreatableResource, StockbookError } from '../../../src/client/index.ts';
import type { Random } from '../../support/random.ts';
import { Crashed, SimulatedCopy } from './copy.ts';
import { STOCKBOOK_ERRORS } from './errors.ts';
import { SimulatedNetwork } from './network.ts';
import { openSimulatedService, type SimulatedAccount, type SimulatedService } from './service.ts';
import type { Simulated, Simulation } from './simulate.ts';
import { DAY, HOUR, MINUTE, SimulatedTime } from './time.ts';

/** How long a request may be on its way when nobody waits for it any more, in milliseconds. */
const LONGEST_JOURNEY = 10 * MINUTE;

/** How many programs write at the same time. */
const WRITERS = 3;

/** What has become of a record that one of them has created. */
interface Written {
  readonly name: string;
  /** Undefined if there was no response. */
  readonly id: number | undefined;
  /** How many changes were acknowledged, and how many were not. */
  changes: number;
  unknown: number;
  removal: 'none' | 'acknowledged' | 'unknown';
}

type Row = Pick<Partner, 'id' | 'name' | 'ref'>;

type Partners = CreatableResource<Row, { id: 'integer'; name: 'text'; ref: 'text' }, Partial<NewPartner>>;

export class ClientRun implements Simulation {
  readonly #random: Random;
  readonly #time: SimulatedTime;
  readonly #network: SimulatedNetwork;
  readonly #service: SimulatedService;
  readonly #account: SimulatedAccount;
  readonly #copy: SimulatedCopy<Row>;
  readonly #written: Written[] = [];
  #starts = 0;

  private constructor(random: Random, time: SimulatedTime, service: SimulatedService, account: SimulatedAccount) {
    this.#random = random;
    this.#time = time;
    this.#service = service;
    this.#account = account;
    this.#network = new SimulatedNetwork(time, random);
    this.#copy = new SimulatedCopy(random);
  }

  static async open(random: Random): Promise<ClientRun> {
    const time = new SimulatedTime(random);
    const service = await openSimulatedService(time);
    return new ClientRun(random, time, service, await service.addAccount('written'));
  }

  async run(days: number): Promise<Simulated> {
    const began = this.#time.now;
    while (this.#time.now < began + days * DAY) {
      this.#network.failing = this.#random.pick([0, 0.1, 0.3, 0.6]);
      const writers = Array.from({ length: WRITERS }, (_, n) => this.#write(n, this.#random.between(3, 12)));
      await this.#time.through(Promise.all([...writers, this.#follow(this.#random.below(8))]), 3 * DAY);
      this.#network.recover();
      await this.#time.pass(LONGEST_JOURNEY);
      await this.#check();
      await this.#time.pass(this.#random.below(3 * DAY));
    }
    return { days: (this.#time.now - began) / DAY, starts: this.#starts, faults: this.#network.counts };
  }

  async close(): Promise<void> {
    await this.#service.close();
  }

  #connect(program: number): Partners {
    this.#starts += 1;
    const host = { name: 'stockbook', host: this.#service.host, errors: STOCKBOOK_ERRORS };
    const connection = new Connection({
      url: 'http://stockbook',
      key: this.#account.key,
      fetch: this.#network.fetchTo(host, program, () => false),
      clock: this.#time.clock,
    });
    return new CreatableResource(connection, 'resources/partner', ['id', 'name', 'ref']);
  }

  /** Brings the copy up to date, again and again, in a program that crashes. */
  async #follow(times: number): Promise<void> {
    this.#copy.crashes = this.#random.pick([0, 0.1, 0.3]);
    for (let n = 0; n < times; n += 1) {
      try {
        await this.#connect(WRITERS).mirror(this.#copy);
      } catch (error) {
        if (!(error instanceof Crashed || error instanceof StockbookError)) throw error;
      }
      await this.#time.clock.pause(this.#random.below(HOUR / 4));
    }
    this.#copy.crashes = 0;
  }

  async #write(writer: number, acts: number): Promise<void> {
    const random = this.#random;
    const partners = this.#connect(writer);
    const own: Written[] = [];
    for (let act = 0; act < acts; act += 1) {
      if (random.chance(0.1)) this.#network.takeDown('stockbook', random.below(5 * MINUTE));
      const known = own.filter(({ id, removal }) => id !== undefined && removal === 'none');
      if (known.length === 0 || random.chance(0.4)) {
        const name = `${writer} ${this.#written.length}`;
        const written: Written = {
          name,
          id: await orUnknown(partners.create({ name })),
          changes: 0,
          unknown: 0,
          removal: 'none',
        };
        this.#written.push(written);
        own.push(written);
      } else if (random.chance(0.8)) await this.#change(partners, random.pick(known));
      else await this.#remove(partners, random.pick(known));
      await this.#time.clock.pause(random.below(HOUR / 4));
    }
  }

  /** Counts one more, unless somebody else has changed the record since it was read: nobody has. */
  async #change(partners: Partners, written: Written): Promise<void> {
    const read = await orUnknown(partners.getTagged(written.id ?? 0));
    if (read === undefined) return;
    const ref = String(Number(read.data.ref ?? 0) + 1);
    try {
      await partners.update(read.data.id, { ref }, { ifMatch: read.etag ?? '*' });
      written.changes += 1;
    } catch (error) {
      if (!(error instanceof StockbookError)) throw error;
      // An earlier change, of which nobody knew, has come between. Then this one was not made.
      if (error.code === 'record_changed' && written.unknown > 0) return;
      if (error.code === 'record_changed')
        throw new Error(`${written.name}: its own change was refused`, { cause: error });
      written.unknown += 1;
    }
  }

  async #remove(partners: Partners, written: Written): Promise<void> {
    written.removal = 'unknown';
    try {
      await partners.remove(written.id ?? 0);
      written.removal = 'acknowledged';
    } catch (error) {
      if (!(error instanceof StockbookError)) throw error;
      if (error.code === 'record_not_found')
        throw new Error(`${written.name}: it is gone before it was removed`, { cause: error });
    }
  }

  async #check(): Promise<void> {
    const { restarts, isProven } = await this.#time.through(this.#connect(WRITERS).mirror(this.#copy));
    if (restarts > 0 || !isProven) throw new Error('the copy was not equal');
    const rows = new Map<string, { readonly id: number; readonly ref: string | null }>();
    let after = 0;
    for (;;) {
      const { data } = await this.#account.read<{ data: { id: number; name: string; ref: string | null }[] }>(
        `resources/partner?limit=1000&sort=id&filter=${encodeURIComponent(`id>${after}`)}&fields=id,name,ref`,
      );
      for (const { id, name, ref } of data) {
        if (rows.has(name)) throw new Error(`${name} was created twice`);
        rows.set(name, { id, ref });
        after = id;
      }
      if (data.length < 1_000) break;
    }
    for (const written of this.#written) {
      const row = rows.get(written.name);
      const problem = problemOf(written, row);
      if (problem !== undefined) throw new Error(`${written.name}: ${problem}`);
      rows.delete(written.name);
    }
    for (const name of rows.keys()) throw new Error(`${name}: nobody has created it`);
  }
}

function problemOf(
  { id, changes, unknown, removal }: Written,
  row: { readonly id: number; readonly ref: string | null } | undefined,
): string | undefined {
  if (row === undefined) return id !== undefined && removal === 'none' ? 'it is missing' : undefined;
  if (removal === 'acknowledged') return 'it was removed, and is still there';
  if (id !== undefined && id !== row.id) return `its id is ${row.id}, not ${id}`;
  const counted = Number(row.ref ?? 0);
  if (counted < changes || counted > changes + unknown)
    return `it was changed ${counted} times, although ${changes} changes were acknowledged and ${unknown} were not`;
  return undefined;
}

async function orUnknown<Result>(call: Promise<Result>): Promise<Result | undefined> {
  try {
    return await call;
  } catch (error) {
    if (error instanceof StockbookError) return undefined;
    throw error;
  }
}
